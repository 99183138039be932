#!/usr/bin/env python3
"""The recorder in the real coding agents, headless and offline: registered on every event, it prints nothing, and its log
is what happened.

usage: AH_BIN=DIR gate.py --clients DIR [--only CLIENT] [--keep DIR]

AH_BIN holds ah-prefilter, DIR node_modules (see run.py). One line a client; exit 0 when all passed.
"""
import json
import pathlib
import shlex
import sys

import run

EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Stop", "SessionEnd"]
CLAUDE_EVENTS = ["PostToolUseFailure", "Notification"]
SECRET = "".join(("gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"))


def register(place: run.Place, recorder: str) -> None:
    """As a hook of every event, what it prints kept aside."""
    name = "claude" if place.client is run.Claude else "codex"
    printed, errors = (shlex.quote(str(place.run / file)) for file in ("printed", "errors"))
    line = f"{shlex.quote(recorder)} --harness {name} 2>> {errors} | tee -a {printed}"
    events = EVENTS + (CLAUDE_EVENTS if place.client is run.Claude else [])
    hooks = {event: [{"hooks": [{"type": "command", "command": line, "timeout": 20}]}] for event in events}
    run.write(place.project / (".claude/settings.json" if place.client is run.Claude else ".codex/hooks.json"), {"hooks": hooks})


def check(client, program: str, recorder: str, folder: pathlib.Path) -> None:
    place = run.Place(client, None, folder)
    (place.project / "notes.txt").write_text("what only the person has\n")
    register(place, recorder)
    shell = client.shell
    turns = [shell("cat README.md"), *client.edit(place.project), shell(f"echo {SECRET} > token.txt"), shell("no-such-program"), {"text": "All finished."}]
    _, said = place.play(program, turns)
    for file in ("printed", "errors"):
        assert (place.run / file).exists() and not (place.run / file).read_text(), f"{file}: {(place.run / file).read_text()[:300]}"
    assert client.quiet_hook(said), "the client heard of the hooks"
    state = place.home / ".local/state/ah"
    (log,) = (state / "sessions").glob("*.jsonl")
    first, *lines = (json.loads(line) for line in log.read_text().splitlines())
    assert first["v"] == 1 and first["session"] == log.stem, first
    assert SECRET not in log.read_text() and "[redacted]" in log.read_text(), "the secret is gone"
    failures = state / "log.jsonl"
    assert not failures.exists(), failures.read_text()

    def of(kind: str) -> list[dict]:
        return [line for line in lines if line["k"] == kind]

    (prompt,) = of("prompt")
    assert prompt["text"] == "Go on." and not prompt.get("machine"), prompt
    texts = [touch["text"] for touch in of("touch")]
    assert texts[0] == "cat README.md" and of("touch")[0]["paths"] == ["README.md"], of("touch")
    assert texts[-1].startswith("no-such-program"), texts
    (edit,) = of("edit")
    assert edit["paths"] == ["notes.txt"] and "edited by a tool" in edit["text"], edit
    reasons = [change["reason"] for change in of("change")]
    assert reasons == ["writes notes.txt", "writes token.txt", "runs no-such-program"], reasons
    assert [line["k"] for line in lines[-2:]] == ["final", "skip"], lines[-2:]
    assert lines[-2]["text"] == "All finished." and lines[-1]["key"] == "stop:1", lines[-2:]
    assert (log.stat().st_mode & 0o777, log.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def main() -> int:
    return run.every_client(__doc__, ("ah-prefilter",), [("recorded", lambda client, program, ours, top: check(client, program, str(ours / "ah-prefilter"), top))])


if __name__ == "__main__":
    sys.exit(main())
