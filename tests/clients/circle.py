#!/usr/bin/env python3
"""The whole circle with the real coding agents, headless and offline: a person's correction becomes an episode, `ah-judge
learn` makes a lesson of it, and a later session whose work it is about is asked; in live mode before the turn ends.

usage: AH_BIN=DIR circle.py --clients DIR [--only CLIENT] [--keep DIR]

AH_BIN holds ah-prefilter and ah-judge, DIR node_modules (see run.py). The agents' model is a script on loopback; the judge's is one
too, a `command`. One line a case; exit 0 when all passed.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import run
from model import Model

JUDGE_MODEL = """#!/usr/bin/env python3
import json, pathlib, sys
here = pathlib.Path(__file__).parent
asked = json.load(sys.stdin)
with (here / "asked.jsonl").open("a") as log:
    log.write(json.dumps(asked) + "\\n")
if "## The correction" in asked["prompt"]:
    print(json.dumps({"why": "a rule", "kind": "new", "of": "", "question": "Does each retry of an upload or download wait longer than the one before?",
        "situations": ["retry an upload or download of a file on failure"], "consequence": "a short outage floods the server with requests", "scope": [], "reach": "team"}))
else:
    ids = [line[1:].split("]")[0] for line in asked["prompt"].splitlines() if line.startswith("[L")]
    print(json.dumps({"moves": ["retry"], "applies": [{"id": id, "why": "it retries at once", "grade": 3} for id in ids], "resolved": []}))
"""
CODE = "def download(url, retries=5):\n    # retry the download of the file on failure, without a wait\n    for retry in range(retries):\n        try:\n            return fetch(url)\n        except OSError:\n            continue  # retry at once\n"
TASK = "Write download.py: retry the download of a file on failure. As before in the upload, each retry does not wait longer than the one before"
WRONG = "no, each retry of an upload must wait longer than the one before"


class Circle(run.Place):
    """A project with gate and judge registered, and the judge's scripted model."""

    def __init__(self, client, programs: pathlib.Path, folder: pathlib.Path) -> None:
        super().__init__(client, None, folder)
        self.programs = programs
        self.env["PATH"] = f"{programs}{os.pathsep}{self.env['PATH']}"
        self.mind = folder / "mind"
        self.mind.mkdir()
        model = self.mind / "model"
        model.write_text(JUDGE_MODEL)
        model.chmod(0o755)
        self.settings({})
        name = "claude" if client is run.Claude else "codex"
        gate, judge = (f"{shlex.quote(str(programs / f'ah-{part}'))} --harness {name}" for part in ("prefilter", "judge"))
        both = [[gate], [judge]]
        events = {"UserPromptSubmit": both, "PostToolUse": both, "SessionEnd": both, "Stop": [[f"{gate} --pass | {judge}"]]}
        hooks = {event: [{"hooks": [{"type": "command", "command": line, "timeout": 60}]} for (line,) in lines] for event, lines in events.items()}
        run.write(self.project / (".claude/settings.json" if client is run.Claude else ".codex/hooks.json"), {"hooks": hooks})

    def settings(self, more: dict) -> None:
        judge = {"model": "command", "command": [str(self.mind / "model")], "block_headless": True} | more
        run.write(self.home / ".config/ah/config.json", {"judge": judge})

    def say(self, program: str, prompt: str, turns: list, resume: str = "") -> list[str]:
        """One prompt, in a new session or in an earlier one; what each request brought the model that was new."""
        server = Model(turns)
        command, extra = self.client.command(program, server.url, self.project, "")
        command = [prompt if word == "Go on." else word for word in command]
        if self.client is run.Claude:
            command[1:1] = ["--resume", resume] if resume else []
        elif resume:
            command[2:2] = ["resume", resume]
            command = [word for word in command]
        out = self.run / "out"
        with out.open("wb") as file:
            child = subprocess.run(command, cwd=self.project, env=self.env | extra, stdin=subprocess.DEVNULL, stdout=file, stderr=file, timeout=120, check=False)
        server.shutdown()
        assert len(server.seen) >= len(turns), f"the model was asked {len(server.seen)} times of {len(turns)} ({child.returncode}): {out.read_text(errors='replace')[-600:]}"
        return server.seen

    def person(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.project, env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        return done.stdout + done.stderr

    def store(self, file: str) -> list[dict]:
        found = list((self.home / ".local/share/ah/collectives").glob(f"*/{file}"))
        return [json.loads(line) for line in found[0].read_text().splitlines()] if found else []

    def records(self) -> list[dict]:
        logs = sorted((self.home / ".local/state/ah/sessions").glob("*.jsonl"), key=lambda log: log.stat().st_mtime)
        return [json.loads(line) for log in logs for line in log.read_text().splitlines()]

    def sessions(self) -> list[str]:
        return [line["session"] for line in self.records() if "session" in line]

    def failures(self) -> list[str]:
        log = self.home / ".local/state/ah/log.jsonl"
        return [json.loads(line)["what"] for line in log.read_text().splitlines()] if log.exists() else []


def write_file(client, name: str) -> dict:
    """The client's own way to write a file."""
    if client is run.Claude:
        return {"tool": "Write", "input": {"file_path": "{project}/" + name, "content": CODE}}
    body = "".join(f"+{line}\n" for line in CODE.splitlines())
    return {"tool": "apply_patch", "raw": f"*** Begin Patch\n*** Add File: {name}\n{body}*** End Patch"}


def check(client, program: str, programs: pathlib.Path, folder: pathlib.Path) -> None:
    place = Circle(client, programs, folder)
    project = str(place.project)

    def at(turn: dict) -> dict:
        return json.loads(json.dumps(turn).replace("{project}", project))

    # A person corrects the agent.
    place.say(program, "Write upload.py, which sends a file to the server", [at(write_file(client, "upload.py")), {"text": "It retries at once."}])
    assert place.store("episodes.jsonl") == [], "nothing was corrected yet"
    (session,) = set(place.sessions())
    place.say(program, WRONG, [{"text": "I see."}], session)
    (episode,) = place.store("episodes.jsonl")
    assert (episode["correction"], episode["session"]) == (WRONG, session), episode
    # What it taught is shown, and stored once a person said so.
    shown = place.person("ah-judge", "learn")
    assert WRONG in shown and "--yes" in shown and not place.store("lessons.jsonl"), shown
    shown = place.person("ah-judge", "learn", "--yes")
    (lesson,) = place.store("lessons.jsonl")
    assert lesson["episodes"] == [episode["id"]], shown
    # The next session's matching turn is asked about it, once.
    seen = place.say(program, TASK, [at(write_file(client, "download.py")), {"text": "download.py retries the download of a file on failure; each retry does not wait longer than the one before."}, {"text": f"{lesson['id']}: applies"}])
    assert f"[{lesson['id']}] {lesson['question']}" in seen[2], f"the question reached the model: {seen[2]!r} {place.failures()} {place.records()[-8:]}"
    asked = [line for line in place.records() if line.get("k") == "asked"]
    assert [line["channel"] for line in asked] == ["stop"], asked
    why = place.person("ah-judge", "lessons", "why", lesson["id"])
    assert WRONG in why and "asked" in why, why
    # In live mode the question reaches the next tool call, and the stop asks no model again.
    place.settings({"mode": "live"})
    calls = len((place.mind / "asked.jsonl").read_text().splitlines())
    turns = [at(write_file(client, "again.py")), at(client.shell("sleep 3")), at(client.shell("true")), {"text": "done"}]
    seen = place.say(program, TASK.replace("download.py", "again.py"), turns)
    assert any(f"[{lesson['id']}]" in text for text in seen[2:4]), f"the question reached the model: {seen[1:]} {place.failures()}"
    asked = [line["channel"] for line in place.records() if line.get("k") == "asked"]
    assert asked == ["stop", "live"], asked
    time.sleep(0.3)
    assert len((place.mind / "asked.jsonl").read_text().splitlines()) == calls + 1, "one call"
    assert not place.failures(), place.failures()


def main() -> int:
    return run.every_client(__doc__, ("ah-prefilter", "ah-judge"), [("circle", check)])


if __name__ == "__main__":
    sys.exit(main())
