#!/usr/bin/env python3
"""What a day of the judge costs: calls and tokens for 100 turns, with hook and live mode, with and without the live mode's caps.

usage: AH_BIN=DIR run.py [--turns N]

Plays tests/data/day (100 turns of real commits' work, 22 of them about one of 339 lessons, as tests/data/day was drawn from labelled turns)
through the real executables in a fresh HOME: a prompt, a read of each file, an edit where there is one, a stop. The model is a `command`
that grades the turn's lesson 3 and nothing else. Time is 200 times faster than it was: 30 seconds between tool calls, and 45 of the
debounce, are 0.15 and 0.225. Tokens are bytes of rubric, prompt and schema, four to a token.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DATA = pathlib.Path(__file__).resolve().parents[2] / "data/day"
MODEL = """#!/usr/bin/env python3
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
time.sleep(0.05)
schema = asked["schema"] if isinstance(asked["schema"], str) else json.dumps(asked["schema"])
with (here / "calls").open("a") as log:
    log.write(json.dumps(sum(len(text.encode()) for text in (asked["system"], asked["prompt"], schema))) + "\\n")
relevant = json.loads((here / "relevant").read_text())
applies = [{"id": id, "why": "planted", "grade": 3} for id in relevant if "[" + id + "]" in asked["prompt"].split("## Current work")[0]]
print(json.dumps({"moves": [], "applies": applies, "resolved": []}))
"""
MODES = {
    "hook": ({}, 0.0),
    "live": ({"mode": "live", "live": {"debounce_s": 0.225}}, 0.15),
    "live, no caps": ({"mode": "live", "live": {"debounce_s": 0.225, "bar": 0, "per_session": 1_000_000}}, 0.15),
}


class Day:
    def __init__(self, programs: pathlib.Path, home: pathlib.Path, judge: dict) -> None:
        self.programs, self.home, self.work = programs, home, home / "w"
        (self.work / ".git").mkdir(parents=True)
        (self.work / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (self.work / ".git/config").write_text("[core]\n")
        model = home / "model"
        model.write_text(MODEL)
        model.chmod(0o755)
        store = home / "ah/data/collectives/team"
        store.mkdir(parents=True)
        (store / "lessons.jsonl").write_text((DATA / "lessons.jsonl").read_text())
        none = {"asks": None, "tokens": None, "money": None}
        section = {"model": "command", "command": [str(model)], "per_day": none, "per_session": none, "per_turn": none} | judge
        config = home / "ah/config/config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"collectives": [{"name": "team", "paths": [str(self.work)]}], "judge": section}))
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "AH_HOME": str(home / "ah")}

    def hook(self, event: dict, *programs: str) -> str:
        text = json.dumps(event | {"cwd": str(self.work), "permission_mode": "default"})
        out = ""
        for program in programs:
            name, *args = program.split()
            done = subprocess.run([self.programs / name, "--harness", "claude", *args], input=text, text=True, capture_output=True, env=self.env, cwd=self.work, check=False)
            out = done.stdout
            text = out if args else text
            if args and not out:
                break
        return out

    def play(self, turns: list[dict], pause: float) -> dict:
        asked = handed = 0
        for n, turn in enumerate(turns):
            about = {"session_id": f"day-{n // 10}"}
            (self.home / "relevant").write_text(json.dumps(turn["relevant"]))
            both = ("ah-prefilter", "ah-judge")
            out = self.hook(about | {"hook_event_name": "UserPromptSubmit", "prompt": turn["prompt"], "prompt_id": f"p{n}"}, *both)
            calls = [("Read", {"file_path": str(self.work / path)}) for path in turn["touches"]]
            if turn["edits"]:
                calls.append(("Edit", {"file_path": str(self.work / (turn["touches"] or ["a"])[0]), "old_string": "a", "new_string": turn["edits"]}))
                calls.append(("Bash", {"command": "git commit -am x"}))
            live = ""
            for at, (tool, given) in enumerate(calls):
                time.sleep(pause)
                about_call = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_use_id": f"t{n}-{at}", "tool_input": given, "tool_response": {}}
                live += self.hook(about | about_call, *both)
            time.sleep(pause)
            stop = {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": turn["final"]}
            out = self.hook(about | stop, "ah-prefilter --pass", "ah-judge")
            blocked = '"block"' in out
            asked += blocked or "While you are still" in live
            handed += "additionalContext" in live
            if blocked:
                self.hook(about | stop | {"stop_hook_active": True, "last_assistant_message": "looked into"}, "ah-prefilter --pass", "ah-judge")
        time.sleep(1)
        calls = self.home / "calls"
        sizes = [int(line) for line in calls.read_text().splitlines()] if calls.exists() else []
        return {"calls": len(sizes), "tokens": sum(sizes) // 4, "asked": asked, "handed": handed}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--turns", type=int, default=100, metavar="N")
    args = parser.parse_args()
    programs = pathlib.Path(os.environ.get("AH_BIN", "")).resolve()
    if not os.access(programs / "ah-judge", os.X_OK):
        parser.error("AH_BIN must hold ah-prefilter and ah-judge")
    turns = [json.loads(line) for line in (DATA / "turns.jsonl").read_text().splitlines()][: args.turns]
    relevant = sum(bool(turn["relevant"]) for turn in turns)
    print(f"{len(turns)} turns, {relevant} about a lesson")
    print(f"{'mode':16}{'calls':>7}{'tokens':>10}{'turns asked':>13}{'seconds':>9}")
    for mode, (judge, pause) in MODES.items():
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="ah-day-") as home:
            told = Day(programs, pathlib.Path(home).resolve(), judge).play(turns, pause)
        print(f"{mode:16}{told['calls']:7}{told['tokens']:10}{told['asked']:13}{time.monotonic() - begun:9.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
