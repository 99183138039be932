#!/usr/bin/env python3
"""From a release to a stopped command and back: installed, registered, run by the real agents, taken out.

usage: registered.py --release DIR --clients DIR [--keep DIR]

The first DIR is what install/release.sh wrote, the second holds node_modules (`npm ci` with the package.json here).
HOME is fresh, the model a script on loopback. Nothing is told to an agent but by its settings, which only ah-bootstrap
writes, and Codex runs a hook only once a person at a terminal has trusted it. Exit 0 when all passed.
"""
import argparse
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from model import Model
from run import RESET, UNSAVED, Claude, Codex, Place, leave_the_network
from sessions import Person

SETTINGS = {
    ".claude/settings.json": '{\r\n\t"cleanupPeriodDays": 3.0e1\r\n}',
    ".codex/config.toml": '# mine\npersonality = "pragmatic"  # why\n\n[features]\ndaemon_auto_start = false\n',
}


def stands_alone(program: bytes) -> bool:
    """Whether an ELF file names no loader: then no C library of the machine can be the wrong one."""
    if not program.startswith(b"\x7fELF\x02\x01"):
        return True
    at, size, many = int.from_bytes(program[32:40], "little"), int.from_bytes(program[54:56], "little"), int.from_bytes(program[56:58], "little")
    interpreter = 3  # PT_INTERP
    return all(int.from_bytes(program[at + n * size:at + n * size + 4], "little") != interpreter for n in range(many))


class Untold(Codex):
    """Codex as a person starts it: what it does not trust it does not run."""

    @staticmethod
    def command(program: str, url: str, project: pathlib.Path, model: str) -> tuple[list[str], dict]:
        command, env = Codex.command(program, url, project, model)
        command.remove("--dangerously-bypass-hook-trust")
        return command, env


class Journey:
    """One person's way from the release to nothing left."""

    def __init__(self, release: pathlib.Path, programs: dict, top: pathlib.Path) -> None:
        self.release, self.programs = release, programs
        self.place = Place(Claude, None, top)
        self.home, self.bin = self.place.home, self.place.home / ".local/bin"
        clients = top / "clients"
        clients.mkdir()
        for name, program in programs.items():
            (clients / name).symlink_to(program)
        self.place.env["PATH"] = os.pathsep.join([str(self.bin), str(clients), self.place.env["PATH"]])
        for name, text in SETTINGS.items():
            file = self.home / name
            file.parent.mkdir(parents=True)
            file.write_bytes(text.encode())
        self.before = self.tree()

    def tree(self) -> dict:
        """What is in HOME: paths, modes, bytes."""
        files = sorted(self.home.rglob("*"))
        return {str(file.relative_to(self.home)): (file.lstat().st_mode, file.read_bytes() if file.is_file() else b"") for file in files}

    def run(self, *command: str, code: int = 0) -> str:
        done = subprocess.run(command, cwd=self.place.project, env=self.place.env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{' '.join(command)}: exit {done.returncode}: {said[-600:]}"
        return said

    def installer(self, *args: str) -> str:
        return self.run("sh", str(self.release / "install.sh"), *args)

    def stopped(self, client) -> tuple[bool, str]:
        """Whether a reset in a dirty tree was stopped; what the client printed."""
        self.place.client = client
        readme = self.place.project / "README.md"
        subprocess.run("git checkout -q -f .", shell=True, cwd=self.place.project, env=self.place.env, check=True)
        with readme.open("a") as file:
            file.write(UNSAVED + "\n")
        (_, seen, *_), said = self.place.play(self.programs["codex" if client is Untold else "claude"], [client.shell(RESET), {"text": "Finished."}])
        held = UNSAVED in readme.read_text()
        assert held == ("stopped this: git reset" in seen), f"{seen[:300]!r}"
        return held, said

    def with_all(self) -> list[str]:
        """The words that register whatever the release has."""
        names = {file.name for file in self.bin.iterdir()}
        parts = [part for part, needs in (("judge", {"ah-judge", "ah-prefilter"}), ("mesh", {"ah-mesh"})) if needs <= names]
        return ["--with", ",".join(parts)] if parts else []

    def steps(self) -> list:
        return [self.try_it, self.install, self.nothing_registered, self.register, self.claude, self.codex_untrusted, self.codex_trusted, self.all_parts, self.healthy, self.proved, self.verify, self.remove, self.uninstall]

    def try_it(self) -> None:
        said = self.installer("--try", "--from", str(self.release))
        assert "9 of 9 as expected" in said, said[-600:]
        assert self.tree() == self.before, "trying changed something"

    def install(self) -> None:
        said = self.installer("--from", str(self.release))
        assert f"{self.bin}/ah-git-guard" in said, said
        changed = [name for name, what in self.before.items() if self.tree().get(name) != what]
        assert not changed, changed
        self.installed = self.tree()
        for name in ("ah-git-guard", "ah-prefilter"):
            assert stands_alone((self.bin / name).read_bytes()), f"{name} asks for a C library"

    def nothing_registered(self) -> None:
        shown = self.run("ah-bootstrap")
        assert "Claude Code" in shown and "Codex" in shown and "+++" in shown, shown
        assert self.tree() == self.installed, "a dry run changed something"
        assert not self.stopped(Claude)[0], "without the hook the work is lost"

    def register(self) -> None:
        said = self.run("ah-bootstrap", "--apply")
        assert "trust" in said, said
        if (self.bin / "ah-doctor").exists():
            subprocess.run(["ah-doctor", "--json"], cwd=self.place.project, env=self.place.env, capture_output=True, check=False, timeout=120)

    def claude(self) -> None:
        held, said = self.stopped(Claude)
        assert held, f"Claude Code did not run the guard: {said[-600:]}"
        self.quiet(said)

    @staticmethod
    def quiet(said: str) -> None:
        """Every hook that Claude Code ran ended with 0 and wrote nothing on standard error."""
        told = [json.loads(line) for line in said.splitlines() if '"hook_response"' in line]
        bad = [one for one in told if one.get("exit_code") != 0 or one.get("stderr")]
        assert told and not bad, f"{len(told)} hooks ran; {bad[:2]}"

    def codex_untrusted(self) -> None:
        assert not self.stopped(Untold)[0], "Codex ran what it does not trust"

    def trust(self) -> None:
        code, said = Person(self.place).at_terminal("WORD", "ah-bootstrap", "--trust", "codex")
        assert code == 0 and "hooks trusted" in said, said

    def codex_trusted(self) -> None:
        self.trust()
        held, said = self.stopped(Untold)
        assert held, f"Codex did not run the guard: {said[-600:]}"
        assert "hook: PreToolUse Failed" not in said, said[-600:]

    def all_parts(self) -> None:
        words = self.with_all()
        if not words:
            return
        self.run("ah-bootstrap", *words, "--apply")
        held, said = self.stopped(Claude)
        assert held, said[-600:]
        self.quiet(said)
        self.trust()
        held, said = self.stopped(Untold)
        assert held and " Failed" not in said, said[-600:]

    def healthy(self) -> None:
        """Every hook runs as its agent runs it, and Codex itself says that it trusts ours."""
        for words in ([], ["--deep"]):
            said = json.loads(self.run("ah-doctor", "agents", "programs", "--json", *words))
            codes = {(one["subject"], one["code"]) for one in said["checks"]}
            assert {("claude", "agents.ok"), ("codex", "agents.ok")} <= codes, said["checks"]

    def proved(self) -> None:
        """The agents try to lose something for ah-doctor, which says what came of it."""
        for client, name in ((Claude, "claude"), (Untold, "codex")):
            server = Model([client.shell(RESET), {"text": "Finished."}])
            command, extra = client.command(name, server.url, self.place.project, "")
            if name == "codex":  # what `ah-doctor prove` does not say stands in the person's own settings
                settings = [word for word in command if word.startswith("model")]
                wrapped = "".join(f" -c {shlex.quote(word)}" for word in settings)
                self.wrapper("codex", f'exec {shlex.quote(self.programs["codex"])} "$@"{wrapped}')
            done = subprocess.run(["ah-doctor", "prove", name], cwd=self.home, env=self.place.env | extra, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=240)
            server.shutdown()
            assert done.returncode == 0 and "stopped, and the unsaved work is there" in done.stdout, f"{name}: {done.stdout} {done.stderr}"
        assert "proved    claude stopped" in self.run("ah-doctor", "status")

    def wrapper(self, name: str, text: str) -> None:
        file = self.place.run / "clients" / name
        file.unlink()
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)

    def verify(self) -> None:
        self.run("ah-bootstrap", "verify")
        guard = self.bin / "ah-git-guard"
        whole = guard.read_bytes()
        guard.write_bytes(whole + b"\0")
        assert "ah-git-guard" in self.run("ah-bootstrap", "verify", code=1)
        guard.write_bytes(whole)

    def remove(self) -> None:
        self.run("ah-bootstrap", "--remove", "--purge", "--apply")
        for name, text in SETTINGS.items():
            assert (self.home / name).read_bytes() == text.encode(), f"{name}: {(self.home / name).read_text()!r}"
        assert not (self.home / ".codex/hooks.json").exists()
        assert not self.stopped(Claude)[0], "the hook still runs"

    def uninstall(self) -> None:
        self.installer("--uninstall", "--purge")
        # What the agents themselves keep is theirs.
        theirs = (".claude", ".codex", ".cache", ".config/git")
        left = [name for name in self.tree() if name not in self.before and not name.startswith(theirs)]
        assert not left, left
        assert all(self.tree().get(name) == what for name, what in self.before.items() if what[1]), "a file is not as it was"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--release", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--clients", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the run in this folder")
    args = parser.parse_args()
    programs = {}
    for name, client in (("claude", Claude), ("codex", Codex)):
        found = sorted((args.clients / "node_modules").glob(client.program))
        if not found:
            print(f"SKIP {name}: {client.package} is not in {args.clients}")
            return 0
        programs[name] = str(found[0].resolve())
    if not leave_the_network():
        print("note: no network namespace here, so the clients are only told to stay on loopback")
    top = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="ah-registered-"))
    journey = Journey(args.release.resolve(), programs, top.resolve())
    passed = failed = 0
    for step in journey.steps():
        begun, note = time.monotonic(), ""
        try:
            step()
        except (AssertionError, subprocess.SubprocessError) as why:
            note = f"  {why}"
        print(f"{'FAIL' if note else 'ok':5}{step.__name__.replace('_', ' '):24}{time.monotonic() - begun:5.1f} s{note}", flush=True)
        passed, failed = passed + (not note), failed + bool(note)
    if not args.keep:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if not failed else 1


if __name__ == "__main__":
    sys.exit(main())
