#!/usr/bin/env python3
"""Make package-lock.json anew after a change of versions in package.json.

npm's own would name the registry it asked, and lists packages for other platforms without entries, at which `npm ci`
stops.
"""
import json
import pathlib
import subprocess

here = pathlib.Path(__file__).resolve().parent
file = here / "package-lock.json"
file.unlink(missing_ok=True)
subprocess.run(["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--loglevel=error"], cwd=here, check=True)
lock = json.loads(file.read_text())
listed = {key.rpartition("node_modules/")[2] for key in lock["packages"]}
for package in lock["packages"].values():
    package.pop("resolved", None)
    for name in set(package.get("optionalDependencies", {})) - listed:
        del package["optionalDependencies"][name]
file.write_text(json.dumps(lock, indent=2) + "\n")
