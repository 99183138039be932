#!/usr/bin/env python3
"""Have the real Claude Code and Codex answer a judge's question, headless and offline.

usage: AH_JUDGE_BIN=PATH judge_call.py --clients DIR [--only CLIENT]

The model behind them is a script on loopback; HOME is fresh and full of what must not reach a judge: memories, hooks
that would leave a mark, a session around. One line a case; exit 0 when all passed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from model import Model
from run import leave_the_network

REPLY = {"moves": ["hold a lock"], "applies": [{"id": "L1", "why": "the guard lives across the await", "grade": 3}]}
QUESTION = {
    "lessons": [{"id": "L1", "question": "Is the lock held across the await?", "consequence": "every other task waits"}],
    "work": "I hold the guard while I await the reply.",
    "session": "s1",
    "turn": "stop:1",
}
LEAK = "a memory that no judge should see"


class Whole(Model):
    """Keeps whole requests, and answers each by the script, tools or not."""

    def next_turn(self, body):
        with self.lock:
            self.serial += 1
            self.seen.append(body)
            turn = self.turns.pop(0) if self.turns else {"text": "Done."}
        if turn.get("wait"):
            time.sleep(turn["wait"])
        return turn, self.serial


class Claude:
    program = "@anthropic-ai/claude-code-linux-*/claude"
    model, base, tools = "claude:claude-sonnet-4-5", "", {"StructuredOutput"}
    answer = {"tool": "StructuredOutput", "input": REPLY}
    sessions = ".claude/projects"
    env = {"ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "outer", "CLAUDE_PROJECT_DIR": "/nowhere"}

    @staticmethod
    def furnish(home: pathlib.Path, mark: str) -> None:
        (home / ".claude").mkdir()
        (home / ".claude/CLAUDE.md").write_text(LEAK)
        hooks = {event: [{"hooks": [{"type": "command", "command": mark}]}] for event in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")}
        (home / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))


class Codex:
    program = "@openai/codex-linux-*/vendor/*/bin/codex"
    model, base, tools = "codex:gpt-5.5", "/v1", {"apply_patch", "request_user_input"}
    answer = {"text": json.dumps(REPLY)}
    sessions = ".codex/sessions"
    env = {"CODEX_THREAD_ID": "outer"}

    @staticmethod
    def furnish(home: pathlib.Path, mark: str) -> None:
        (home / ".codex").mkdir()
        (home / ".codex/AGENTS.md").write_text(LEAK)
        (home / ".codex/auth.json").write_text('{"OPENAI_API_KEY": "none"}')
        hooks = {event: [{"hooks": [{"type": "command", "command": mark}]}] for event in ("SessionStart", "UserPromptSubmit", "Stop")}
        (home / ".codex/hooks.json").write_text(json.dumps({"hooks": hooks}))
        (home / ".codex/config.toml").write_text(f'developer_instructions = "{LEAK}"\n')


CLIENTS = {"claude": Claude, "codex": Codex}


class Call:
    """One call in a fresh home."""

    def __init__(self, judge: str, client, program: str, turns: list, timeout: int, kill: bool = False) -> None:
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="ah-call-"))
        self.model = Whole(turns)
        for folder in ("config", "tmp"):
            (self.home / folder).mkdir()
        client.furnish(self.home, f"touch {self.home}/hooked")
        settings = {"model": client.model, "command": [program], "base_url": self.model.url + client.base, "timeout_s": timeout}
        (self.home / "config/config.json").write_text(json.dumps({"judge": settings}))
        env = {"HOME": str(self.home), "AH_HOME": str(self.home), "TMPDIR": str(self.home / "tmp"), "PATH": os.environ["PATH"]} | client.env
        begun = time.monotonic()
        child = subprocess.Popen([judge, "request", "--send"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if kill:
            child.stdin.write(json.dumps(QUESTION).encode())
            child.stdin.close()
            while not self.model.seen and time.monotonic() - begun < 60:
                time.sleep(0.05)
            assert len(self.left()) >= 3, f"judge, keeper and client run: {self.left()}"
            child.kill()
            child.stdout.close()
            child.wait()
            self.told = {}
        else:
            self.told = json.loads(child.communicate(json.dumps(QUESTION).encode(), timeout=120)[0])
        self.took = time.monotonic() - begun
        self.model.shutdown()

    def left(self, patience: int = 1) -> list[str]:
        """Processes of this home that are still there; a killed one may take a moment to go."""
        for _ in range(patience):
            found = []
            for entry in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    if str(self.home).encode() in (entry / "environ").read_bytes():
                        found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
                except OSError:
                    pass
            if not found:
                break
            time.sleep(0.1)
        return found


def answered(judge: str, client, program: str) -> None:
    call = Call(judge, client, program, [client.answer], 60)
    told, seen = call.told, call.model.seen
    assert told["outcome"] == "answered" and told["applies"] == [{"id": "L1", "grade": 3, "why": REPLY["applies"][0]["why"]}], told
    assert told["usage"]["tokens_in"] == 100, told
    assert len(seen) == 1, f"asked {len(seen)} times"
    text = json.dumps(seen[0])
    assert "You review the work that a coding agent" in text and "| I hold the guard while I await the reply." in text, text[:2000]
    assert LEAK not in text, "a memory reached the judge"
    tools = {tool.get("name") or tool["type"] for tool in seen[0].get("tools", [])}
    assert tools <= client.tools, tools
    assert not (call.home / "hooked").exists(), "a hook of the person's ran"
    kept = [str(path) for path in (call.home / client.sessions).rglob("*") if path.is_file()]
    assert not kept, f"the session was kept: {kept}"
    assert not list((call.home / "tmp").glob("ah-judge-*")), "the private folder is still there"
    assert not call.left(50), call.left()
    shutil.rmtree(call.home, ignore_errors=True)


def prose(judge: str, client, program: str) -> None:
    call = Call(judge, client, program, [{"text": "L1 applies, grade 3."}] * 20, 60)
    assert call.told["outcome"] == "failed" and call.told["reason"] in ("no_json", "program", "timeout"), call.told
    assert "not graded" in (call.home / "state/log.jsonl").read_text()
    shutil.rmtree(call.home, ignore_errors=True)


def late(judge: str, client, program: str) -> None:
    call = Call(judge, client, program, [client.answer | {"wait": 30}], 8)
    assert call.told["reason"] == "timeout" and call.took < 11, (call.told, call.took)
    assert not call.left(50), call.left()
    assert not list((call.home / "tmp").glob("ah-judge-*")), "the private folder is still there"
    shutil.rmtree(call.home, ignore_errors=True)


def killed(judge: str, client, program: str) -> None:
    """The hook is killed while its model thinks: nothing that it started goes on, and its folder goes."""
    call = Call(judge, client, program, [client.answer | {"wait": 30}], 60, kill=True)
    assert not call.left(50), call.left()
    assert not list((call.home / "tmp").glob("ah-judge-*")), "the private folder is still there"
    shutil.rmtree(call.home, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--only", choices=CLIENTS)
    args = parser.parse_args()
    judge = os.path.abspath(os.environ.get("AH_JUDGE_BIN", ""))
    if not os.access(judge, os.X_OK):
        parser.error("AH_JUDGE_BIN must name the judge's executable")
    if not leave_the_network():
        print("note: no network namespace here, so the clients are only told to stay on loopback")
    passed = failed = 0
    for label, client in CLIENTS.items():
        found = sorted((args.clients / "node_modules").glob(client.program))
        if args.only not in (None, label) or not found:
            if not found:
                print(f"SKIP {label}: it is not in {args.clients}")
            continue
        for case in (answered, prose, late, killed):
            begun, note = time.monotonic(), ""
            try:
                case(judge, client, str(found[0].resolve()))
            except (AssertionError, subprocess.SubprocessError, KeyError, ValueError) as why:
                note = f"  {why!r}"
            passed, failed = passed + (not note), failed + bool(note)
            print(f"{'FAIL' if note else 'ok':5}{label:8}{case.__name__:24}{time.monotonic() - begun:5.1f} s{note}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
