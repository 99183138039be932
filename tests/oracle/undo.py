#!/usr/bin/env python3
"""Random dangerous command lines, run for real with the guard in front, and then undone: nothing may be missing.

usage: undo.py [--n N] [--seed S] [--jobs J] [--on-loss own|snapshot|turn] [--from grammar|corpus|both] [--show N] -- GUARD [ARG ...]

Each line comes from grammar.py or the corpus, in a state of the oracle's. The guard judges it as it would an agent's;
then that is done which an agent and a person would do: a denied line does not run; a question is answered with yes
where a snapshot was taken for it, else with no; anything else runs. Where there is a snapshot, `undo --yes` follows.
In the end the oracle looks for every content and every commit of the start.
  LOST    something of the start is in no file, ref, index or stash after the undo
  SILENT  the same, and there was no snapshot: a matter of the guard's verdict, which variants.py measures
  BROKEN  `undo` failed, or said something on standard error
With --on-loss turn nobody judges: every line runs after a snapshot of the turn, and `undo --turn --yes` follows. What
such a snapshot is not about does not count then: other work trees, repositories that are removed, commits that only
reflogs named.
Only what is on this machine counts; what a push did to a remote cannot be undone, and is asked about or denied.
The aim is 300 lines of each kind without LOST: --n 300 with each --on-loss. Exit 1 on LOST or BROKEN.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import variants


def missing(report: dict, row: dict, oracle, turn: bool) -> dict:
    """What of the start is nowhere: files by their content, commits, whole repositories."""
    variants.truth(report, row, oracle.verdict)  # takes out what editing and staging may change
    kept = set(report["commits"]["content_kept"]) | set(report["loose"]) | set(report["logged"] if turn else [])
    out = {}
    for level in ("gone", "dangling", "reflog"):
        files = report["lost"][level]
        commits = [commit for commit in report["commits"][level] if commit not in kept]
        out |= {f"files_{level}": files} if files else {}
        out |= {f"commits_{level}": commits} if commits else {}
    secrets = [path for path in report["ignored_lost"] if variants.SECRET.search(path)]
    out |= {"secrets": secrets} if secrets else {}
    removed = [name for name in report["repo_removed"] if "origin" not in name]
    return out | ({"repositories": removed} if removed else {})


def judge(work: tuple[list[dict], list[str], str]) -> list[dict]:
    """All lines of one state."""
    import guard_eval
    import oracle

    rows, guard, on_loss = work
    home = pathlib.Path(oracle.BOX, "guard-home")
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "AH_ON_LOSS": "own" if on_loss == "turn" else on_loss}
    for row in rows:
        def command(*args: str) -> subprocess.CompletedProcess:
            cwd = oracle.RUN + "/work" if os.path.isdir(oracle.RUN + "/work") else oracle.RUN
            return subprocess.run([guard[0], *args], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

        def look(row: dict = row) -> str | None:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
            user = pathlib.Path(oracle.RUN, "home/.gitconfig")
            if user.exists():
                (home / ".gitconfig").write_bytes(user.read_bytes())
            if on_loss == "turn":
                done = command("snapshot", "--turn", "--session", "s")
                row["got"], row["ran"], row["snapshot"] = f"exit {done.returncode}", True, command("snapshots", "--all").stdout != b""
                return None
            done = subprocess.run(guard, input=guard_eval.event(row, oracle.RUN + "/work"), cwd=oracle.RUN + "/work", env=env, capture_output=True, timeout=20)
            row["got"] = guard_eval.verdict(done) if not done.stderr else "stderr: " + done.stderr.decode(errors="replace")[:200]
            listed = json.loads(command("snapshots", "--all", "--json").stdout or b'{"snapshots":[]}')["snapshots"]
            row["snapshot"] = bool(listed)
            row["ran"] = row["got"] == "allow" or row["got"] == "ask" and row["snapshot"]
            return None if row["ran"] else ":"

        def after(row: dict = row) -> None:
            if not row["ran"] or not row["snapshot"]:
                return
            done = command("undo", "--yes", *(["--turn"] if on_loss == "turn" else []))
            row["undo"] = (done.stdout + done.stderr).decode(errors="replace")
            # 1: there was nothing to bring back.
            row["broken"] = done.returncode not in (0, 1) or bool(done.stderr)

        report = oracle.judge(row["command"], row["cwd_state"], look=look, after=after)
        row["missing"] = missing(report, row, oracle, on_loss == "turn") if row["ran"] else {}
        if on_loss == "turn" and (report["repo_removed"] or report["remote_lost"]):
            row["missing"], row["broken"] = {}, False
        elif on_loss == "turn":
            here = {key: [p for p in paths if key.startswith("commits") or p.startswith(("work/", "index:work"))] for key, paths in row["missing"].items()}
            row["missing"] = {key: paths for key, paths in here.items() if paths}
        row["rc"], row["out"] = report["rc"], report["out"][-200:]
    return rows


def main() -> int:
    parser = variants.options(__doc__, 20)
    parser.add_argument("--on-loss", choices=("own", "snapshot", "turn"), default="snapshot")
    args = parser.parse_args()
    begun = time.monotonic()
    rows = variants.drawn(args, judge, args.on_loss)

    kinds = collections.defaultdict(list)
    for row in rows:
        if row.get("broken"):
            kinds["BROKEN"].append(row)
        if row["missing"]:
            kinds["LOST" if row["snapshot"] else "SILENT"].append(row)
    for kind in ("BROKEN", "LOST", "SILENT"):
        for row in kinds[kind][: args.show]:
            print(f"{kind} {row['id']} {row['cwd_state']}: {row['got']}: {row['command']!r}\n     {json.dumps(row['missing'])}")
            if kind != "SILENT":
                print("     " + row.get("undo", "").replace("\n", "\n     "))
    print(json.dumps({
        "seed": args.seed, "lines": len(rows), "on_loss": args.on_loss, "ran": sum(row["ran"] for row in rows), "undone": sum("undo" in row for row in rows),
        "lost": len(kinds["LOST"]), "broken": len(kinds["BROKEN"]), "silent": len(kinds["SILENT"]), "seconds": round(time.monotonic() - begun, 1),
    }))
    return 1 if kinds["LOST"] or kinds["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
