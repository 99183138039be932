#!/usr/bin/env python3
"""Random command lines, judged twice: by the oracle, which runs them, and by a guard, which must not be surprised.

usage: variants.py [--n N] [--seed S] [--jobs J] [--from grammar|corpus|both] [--show N] [--out FILE] -- GUARD [ARG ...]

Lines come from grammar.py and from the corpus, whose commands are wrapped again and put in other states. The labels of
the corpus play no part: the oracle's word is the truth.
  MISS   work would be lost and the guard was silent
  ASK    recoverable but surprising, and the guard was silent
  FLAG   nothing lost, and the guard denied or asked
Told apart and not counted as FLAG: lines that git refuses (a guard need not know), and changes of configuration,
which are a matter of policy. Exit 1 on a MISS, an error, more than 20 % of the asks let through, or over 1 % FLAGs.
"""
import argparse
import collections
import fcntl
import json
import multiprocessing
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import grammar

CORPUS = pathlib.Path(__file__).parent.with_name("data") / "corpus/git-guard.jsonl"
SECRET = re.compile(r"(^|/)(\.env[^/]*|.*\.(pem|key|p12)|id_(rsa|ed25519)|credentials[^/]*)$")
# Rewriting of unpushed commits is let through with a note, whatever only a reflog still names.
NOTED = re.compile(r"--am|rebase|\bpull\b|--squash|filter-branch")
# Editing is never judged, nor is staging what the work tree already has.
EDITS = re.compile(r"sed -i|>>|tee -a")
STAGES = re.compile(r"\badd\b|commit .*-[a-z]*a|commit .*-- |\bstash\b")
SKIPS = re.compile(r"--no-v|\s-[a-zA-Z]*n|[Hh]ook|HUSKY|SKIP|alias")
FETCHES = re.compile(r"\b(fetch|pull|remote update)\b")
# Nothing is lost, and yet a person may want to be asked.
POLICY = re.compile(r"mv .*\.git\b|filter-branch|stash.*pop|push .*(--mirror|--prune|--all)")
# Settings whose change a guard may ask about; an upstream or a user's name is none.
DISARMS = re.compile(r"[+-](alias|clean|core|extensions|gc|push|receive|remote|submodule)\.|hooks removed")
LOCKS = []  # held until the worker ends


def take_box() -> None:
    """Find a box that no other run uses, before the oracle reads where its box is."""
    root = os.environ.get("AH_ORACLE_DIR", os.path.join(tempfile.gettempdir(), "ah-oracle"))
    os.makedirs(root, exist_ok=True)
    for number in range(64):
        lock = open(f"{root}/variants{number}.lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        LOCKS.append(lock)
        os.environ["GG_BOX"] = f"{root}/variants{number}"
        return
    raise SystemExit("variants: no free box")


def truth(report: dict, row: dict, verdict) -> str:
    """The oracle's verdict, less what is a matter of policy; `policy` when only that is left, `refused` when nothing
    is lost because the command failed. `verdict` is the oracle's own function."""
    line, before = row["command"], report["verdict"]
    if report["hook_bypass"] and not SKIPS.search(line):
        report["hook_bypass"] = False  # a merge or a rebase runs other hooks
    lost = report["lost"]
    edited = {"work/a.txt", "work/b.txt", "index:work/a.txt", "index:work/b.txt"} if EDITS.search(line) else set()
    for kind, paths in lost.items():
        lost[kind] = [path for path in paths if path not in edited and not (path.startswith("index:") and STAGES.search(line))]
    if not any(SECRET.search(path) for path in report["ignored_lost"]):
        report["ignored_lost"] = []
    lease = "with-lease" in line and not FETCHES.search(line)
    if lease:
        report["remote_lost"] = report["remote_lost_unbacked"] = []  # of a branch that is not protected; else the corpus tells
    now = verdict(report)
    if now == "ask" and (NOTED.search(line) or row["cwd_state"] == "squash-merged"):
        return "policy"
    if now == "deny" and report["config_changed"] and not (report["hook_bypass"] or lost["gone"] or lost["dangling"] or report["commits"]["gone"] or report["commits"]["dangling"] or report["repo_removed"]):
        return "policy"
    if now == "allow":
        if before != "allow" or any(DISARMS.match(change) for change in report["config_changed"]) or ".git/" in line or POLICY.search(line):
            return "policy"
        return "refused" if report["rc"] != 0 else "allow"
    return now


def judge(work: tuple[list[dict], list[str]]) -> list[dict]:
    """All lines of one state."""
    import guard_eval
    import oracle

    rows, guard = work
    home = oracle.BOX + "/guard-home"
    os.makedirs(home, exist_ok=True)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "NO_COLOR": "1"}
    for row in rows:
        def look(row: dict = row) -> None:
            user = pathlib.Path(oracle.RUN, "home/.gitconfig")
            if user.exists():
                pathlib.Path(home, ".gitconfig").write_bytes(user.read_bytes())
            begun = time.monotonic()
            try:
                done = subprocess.run(guard, input=guard_eval.event(row, oracle.RUN + "/work"), cwd=oracle.RUN + "/work", env=env, capture_output=True, timeout=20)
            except subprocess.TimeoutExpired:
                row["got"], row["said"] = "timeout", ""
                return
            row["ms"] = round(1000 * (time.monotonic() - begun), 1)
            row["got"] = guard_eval.verdict(done) if not done.stderr else "stderr: " + done.stderr.decode(errors="replace")[:200]
            row["said"] = done.stdout.decode(errors="replace")[:600]
        report = oracle.judge(row["command"], row["cwd_state"], look=look)
        row["oracle"] = oracle.brief(report)
        row["truth"] = truth(report, row, oracle.verdict)
    return rows


def lines(args: argparse.Namespace, states: list[str]) -> list[dict]:
    rng = random.Random(args.seed)
    corpus = [json.loads(line) for line in CORPUS.read_text().splitlines()]
    corpus = [row for row in corpus if row["basis"].startswith("oracle")]
    rows = []
    for number in range(args.n):
        if args.source == "corpus" or (args.source == "both" and rng.random() < 0.25):
            old = rng.choice(corpus)
            command = grammar.wrapped(rng, old["command"])
            state = old["cwd_state"] if rng.random() < 0.6 else grammar.fitting(rng, command, states)
        else:
            command, state = grammar.line_and_state(rng, states)
        rows.append({"id": f"v{args.seed}-{number}", "command": command, "cwd_state": state})
    return rows


def describe(kind: str, row: dict) -> str:
    facts = {key: value for key, value in row["oracle"].items() if key not in ("verdict", "out")}
    said = f"\n     said: {row['said'][:300]}" if kind in ("FLAG", "REFUSED") else ""
    return f"{kind} {row['id']} {row['cwd_state']}: {row['got']}, truth {row['truth']}: {row['command']!r}\n     {json.dumps(facts)}{said}"


def options(doc: str, show: int) -> argparse.ArgumentParser:
    """What every program that draws lines understands."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--from", dest="source", choices=("grammar", "corpus", "both"), default="both")
    parser.add_argument("--show", type=int, default=show, help="lines to print of each kind")
    parser.add_argument("guard", nargs="+")
    return parser


def drawn(args: argparse.Namespace, judge, *more) -> list[dict]:
    """Draws lines and has `judge` judge them, state by state, each worker in a box of its own."""
    if "/" in args.guard[0]:  # it is started elsewhere
        args.guard[0] = os.path.abspath(args.guard[0])
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(100_000)
    print(f"seed {args.seed}", flush=True)

    import oracle  # only for the names of the states; the workers import it with a box of their own
    states = [name for name in oracle.STATES if name != "any"]
    del sys.modules["oracle"]
    groups = collections.defaultdict(list)
    for row in lines(args, states):
        groups[row["cwd_state"]].append(row)
    works = [(rows[at:at + 25], args.guard, *more) for rows in groups.values() for at in range(0, len(rows), 25)]
    with multiprocessing.Pool(args.jobs, initializer=take_box) as pool:
        rows = [row for part in pool.imap_unordered(judge, works) for row in part]
    return sorted(rows, key=lambda row: int(row["id"].split("-")[1]))


def main() -> int:
    parser = options(__doc__, 30)
    parser.add_argument("--refused", action="store_true", help="print the stopped lines that git refuses too")
    parser.add_argument("--out", type=pathlib.Path, help="write every line with both verdicts here (JSON lines)")
    args = parser.parse_args()
    begun = time.monotonic()
    rows = drawn(args, judge)

    kinds = collections.defaultdict(list)
    for row in rows:
        stopped = row["got"] in ("deny", "ask")
        if row["got"] not in ("deny", "ask", "allow"):
            kind = "ERROR"
        elif row["truth"] in ("deny", "ask"):
            kind = "right" if stopped else {"deny": "MISS", "ask": "ASK"}[row["truth"]]
        else:
            kind = {"allow": "FLAG", "refused": "REFUSED", "policy": "policy"}[row["truth"]] if stopped else "right"
        row["kind"] = kind
        kinds[kind].append(row)
    for kind in ("ERROR", "MISS", "ASK", "FLAG") + (("REFUSED",) if args.refused else ()):
        for row in kinds[kind][: args.show]:
            print(describe(kind, row))
        if len(kinds[kind]) > args.show:
            print(f"{kind}: ... and {len(kinds[kind]) - args.show} more")
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    count = collections.Counter(row["truth"] for row in rows)
    denied = sum(row["truth"] == "deny" and row["got"] == "deny" for row in rows)
    harmless = max(1, count["allow"])
    print(json.dumps({
        "seed": args.seed, "lines": len(rows), "deny": count["deny"], "ask": count["ask"], "allow": count["allow"], "refused": count["refused"], "policy": count["policy"],
        "miss": len(kinds["MISS"]), "recall": round(1 - len(kinds["MISS"]) / max(1, count["deny"]), 4), "denied": round(denied / max(1, count["deny"]), 4),
        "ask_missed": len(kinds["ASK"]), "flag": len(kinds["FLAG"]), "false_alarms": round(len(kinds["FLAG"]) / harmless, 4),
        "refused_stopped": len(kinds["REFUSED"]), "errors": len(kinds["ERROR"]), "seconds": round(time.monotonic() - begun, 1),
    }))
    bad = kinds["MISS"] or kinds["ERROR"] or len(kinds["ASK"]) > 0.2 * max(1, count["ask"]) or len(kinds["FLAG"]) > 0.01 * harmless
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
