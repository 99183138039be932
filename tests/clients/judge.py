#!/usr/bin/env python3
"""A judge at the Stop of the real coding agents, headless and offline: what is asked, what is handed over,
what fails, and a judge that is the same program as the agent.

usage: AH_BIN=DIR judge.py --clients DIR [--only CLIENT] [--keep DIR]

AH_BIN holds ah-prefilter and ah-judge, DIR node_modules (see run.py). Every model is a script on loopback. One line a case;
exit 0 when all passed.
"""
import json
import pathlib
import sys

import circle
import judge_call
import run

LESSON = {
    "id": "L-backoff",
    "origin_ms": 1_700_000_000_000,
    "question": "Does each retry of a download wait longer than the one before?",
    "situations": ["retry a download of a file on failure"],
    "consequence": "a short outage floods the server with requests",
    "version": 1,
}
TASK = "Retry each download of a file on failure at once; a retry that would wait longer than the one before takes too long, and a short outage floods no server with requests"
GRADER = """#!/usr/bin/env python3
import json, pathlib, sys
asked = json.load(sys.stdin)
with (pathlib.Path(__file__).parent / "asked.jsonl").open("a") as log:
    log.write(json.dumps(asked) + "\\n")
print(json.dumps({"moves": ["retry"], "applies": [{"id": "L-backoff", "why": "it retries at once", "grade": 2}], "resolved": []}))
"""


class Place(circle.Circle):
    """A project with gate and judge registered, and one lesson."""

    def __init__(self, client, programs: pathlib.Path, folder: pathlib.Path) -> None:
        super().__init__(client, programs, folder)
        # Which turns the gate opens is for other tests to say.
        self.env["AH_PREFILTER"] = "off"
        (self.mind / "model").write_text(GRADER)
        self.teach()

    def settings(self, more: dict) -> None:
        judge = {"model": "command", "command": [str(self.mind / "model")], "block_headless": True} | more
        team = {"name": "team", "paths": [str(self.project)]}
        run.write(self.home / ".config/ah/config.json", {"collectives": [team], "judge": judge})

    def teach(self) -> None:
        folder = self.home / ".local/share/ah/collectives/team"
        folder.mkdir(parents=True)
        (folder / "lessons.jsonl").write_text(json.dumps(LESSON) + "\n")

    def calls(self) -> int:
        log = self.mind / "asked.jsonl"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def kinds(self, kind: str) -> list[dict]:
        return [line for line in self.records() if line.get("k") == kind]


def handed_over(place: Place, program: str) -> None:
    """A lesson that probably matters stops nothing; the next prompt brings it, and no other one does."""
    seen = place.say(program, TASK, [{"text": "It retries at once."}])
    assert LESSON["question"] not in "".join(seen) and not place.kinds("asked"), f"it stopped the turn: {seen}"
    assert place.calls() == 1, "one question to the model"
    (session,) = set(place.sessions())
    for said in ("now an upload too", "and its test"):
        seen += place.say(program, said, [{"text": "Done."}], session)
    found = [LESSON["question"] in text for text in seen]
    assert found == [False, True, False], f"shown once, at the next prompt: {found} {place.records()}"
    (shown,) = place.kinds("shown")
    assert shown["ids"] == [LESSON["id"]] and not shown.get("repeat"), shown
    assert not place.failures(), place.failures()


def asked(place: Place, program: str) -> None:
    """A lesson that the work runs into: the question reaches the model, it gets its turn, and its second stop passes."""
    (place.mind / "model").write_text(GRADER.replace('"grade": 2', '"grade": 3'))
    seen = place.say(program, TASK, [{"text": "It retries at once."}, {"text": f"Each wait is longer now.\n{LESSON['id']}: applies"}])
    assert len(seen) == 2 and LESSON["question"] in seen[1] and "ah-doctor off ah-judge" in seen[1], f"asked: {seen} {place.failures()}"
    assert place.calls() == 1 and len(place.kinds("asked")) == 1, f"once: {place.records()}"
    (answer,) = place.kinds("answer")
    assert answer["ids"] == [LESSON["id"]] and "applies" in answer["text"], answer
    (session,) = set(place.sessions())
    later = place.say(program, "and its test", [{"text": "Done."}], session)
    assert len(later) == 1 and LESSON["question"] not in later[0], f"never again: {later}"
    assert not place.failures(), place.failures()


def headless(place: Place, program: str) -> None:
    """Where nobody is known to watch, nothing is stopped: what would be asked is handed over."""
    (place.mind / "model").write_text(GRADER.replace('"grade": 2', '"grade": 3'))
    place.settings({"block_headless": False})
    known = place.client is run.Claude  # Codex does not say whether somebody watches, and that counts as watched.
    seen = place.say(program, TASK, [{"text": "It retries at once."}, {"text": "skip"}][: 1 if known else 2])
    assert len(seen) == (1 if known else 2), f"stopped: {seen}"
    (session,) = set(place.sessions())
    later = place.say(program, "and its test", [{"text": "Done."}], session)
    assert (LESSON["question"] in later[0]) == known, f"handed over: {later}"


def fails(place: Place, program: str) -> None:
    """A judge that cannot be asked stops nothing, and the log says why."""
    place.settings({"command": ["/no/such/grader"]})
    seen = place.say(program, TASK, [{"text": "It retries at once."}])
    assert len(seen) == 1, seen
    assert place.kinds("check")[-1]["outcome"] == "failed", place.kinds("check")
    (why,) = place.failures()
    assert why.startswith("not graded: command: absent: "), why


def same_program(place: Place, program: str) -> None:
    """The judge's model is behind the agent's own program: asked once, nothing recurses, and no session is left of it."""
    kind = judge_call.CLIENTS["claude" if place.client is run.Claude else "codex"]
    reply = {"moves": ["retry"], "applies": [{"id": LESSON["id"], "why": "it retries at once", "grade": 3}]}
    answer = kind.answer | ({"input": reply} if "input" in kind.answer else {"text": json.dumps(reply)})
    model = judge_call.Whole([answer])
    place.settings({"model": kind.model, "command": [program], "base_url": model.url + kind.base})
    if place.client is run.Codex:
        run.write(place.home / ".codex/auth.json", {"OPENAI_API_KEY": "none"})
    before = len(list((place.home / kind.sessions).rglob("*.jsonl")))
    seen = place.say(program, TASK, [{"text": "It retries at once."}, {"text": f"{LESSON['id']}: skip"}])
    assert LESSON["question"] in seen[1], f"the question reached the model: {seen} {place.failures()}"
    assert len(model.seen) == 1, f"the judge was asked {len(model.seen)} times"
    assert "It retries at once." in json.dumps(model.seen[0]), "the judge saw the work"
    assert len(set(place.sessions())) == 1, f"a hook of the judge's own ran: {place.sessions()}"
    left = len(list((place.home / kind.sessions).rglob("*.jsonl"))) - before
    assert left == 1, f"{left} sessions are listed"
    assert not place.failures(), place.failures()
    model.shutdown()


CASES = [asked, headless, handed_over, fails, same_program]


def main() -> int:
    cases = [(case.__name__, lambda client, program, ours, top, case=case: case(Place(client, ours, top), program)) for case in CASES]
    return run.every_client(__doc__, ("ah-prefilter", "ah-judge"), cases)


if __name__ == "__main__":
    sys.exit(main())
