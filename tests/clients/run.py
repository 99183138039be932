#!/usr/bin/env python3
"""Run the real coding agents, headless and offline, with the guard registered as their hook.

usage: AH_GUARD=PATH run.py --clients DIR [--only CLIENT] [--keep DIR]

DIR holds node_modules (`npm ci` with the package.json here). The model is a script on loopback, HOME is fresh, and as
root, or where user namespaces are allowed, the network is a namespace with nothing but loopback. One line a case; exit
0 when all passed. The case `control` has no hook and must lose the work: else the others would prove nothing.
"""
import argparse
import concurrent.futures
import ctypes
import fcntl
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from model import Model
from sessions import SESSIONS, Person

UNSAVED = "a line that no commit holds"
RESET, STATUS = "git reset --hard", "git status --short"
PATCH = "*** Begin Patch\n*** Update File: README.md\n@@\n-hello\n+hello, reader\n*** End Patch"
CODE = "try { const r = await tools.exec_command({cmd: 'git reset --hard'}); text(r.output); } catch (e) { text('ERR ' + e); }"


def leave_the_network() -> bool:
    """Move into a network namespace of our own, with loopback up; False where that is not allowed."""
    libc, uid, gid = ctypes.CDLL(None), os.getuid(), os.getgid()
    if libc.unshare(0x40000000) != 0:  # CLONE_NEWNET; without root it needs CLONE_NEWUSER too
        if libc.unshare(0x10000000 | 0x40000000) != 0:
            return False
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:  # ip link set lo up
        flags = struct.unpack("16xH14x", fcntl.ioctl(sock, 0x8913, struct.pack("16sH14x", b"lo", 0)))[0]
        fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"lo", flags | 1))
    return True


class Claude:
    package, program = "@anthropic-ai/claude-code", "@anthropic-ai/claude-code-linux-*/claude"

    @staticmethod
    def register(project: pathlib.Path, guard: str) -> None:
        hook = {"type": "command", "command": guard, "args": ["--harness", "claude"], "timeout": 10}
        always = {event: [{"hooks": [hook]}] for event in ("SessionStart", "UserPromptSubmit")}
        write(project / ".claude/settings.json", {"hooks": {"PreToolUse": [{"matcher": "Bash|Edit|Write|mcp__.*git.*", "hooks": [hook]}], **always}})

    @staticmethod
    def command(program: str, url: str, project: pathlib.Path, model: str) -> tuple[list[str], dict]:
        args = ["-p", "Go on.", "--model", model or "claude-sonnet-4-5", "--permission-mode", "bypassPermissions", "--output-format", "stream-json", "--verbose", "--include-hook-events"]
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_TELEMETRY": "1"}
        return [program, *args], {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "IS_SANDBOX": "1", **quiet}

    @staticmethod
    def shell(command: str) -> dict:
        return {"tool": "Bash", "input": {"command": command, "description": "Run it"}}

    @staticmethod
    def edit(project: pathlib.Path) -> list[dict]:
        """The notes, edited by the client's own tool."""
        file = {"file_path": f"{project}/notes.txt"}
        return [{"tool": "Read", "input": file}, {"tool": "Edit", "input": file | {"old_string": "what only", "new_string": "edited by a tool: what only"}}]

    cases = {
        "write a file": ({"tool": "Write", "input": {"file_path": "{project}/new.txt", "content": "new\n"}}, ""),
    }

    @staticmethod
    def quiet_hook(out: str) -> bool:
        """The client itself tells what each hook printed and how it ended."""
        told = [json.loads(line) for line in out.splitlines() if '"hook_response"' in line]
        return bool(told) and all(one.get("exit_code") == 0 and not one.get("stdout") and not one.get("stderr") for one in told)


class Codex:
    package, program = "@openai/codex", "@openai/codex-linux-*/vendor/*/bin/codex"

    @staticmethod
    def register(project: pathlib.Path, guard: str) -> None:
        hook = {"type": "command", "command": f"{shlex.quote(guard)} --harness codex", "timeout": 10}
        always = {event: [{"hooks": [hook]}] for event in ("SessionStart", "UserPromptSubmit")}
        write(project / ".codex/hooks.json", {"hooks": {"PreToolUse": [{"matcher": "Bash|apply_patch|mcp__.*git.*", "hooks": [hook]}], **always}})

    @staticmethod
    def command(program: str, url: str, project: pathlib.Path, model: str) -> tuple[list[str], dict]:
        provider = f'{{name = "scripted", base_url = "{url}/v1", wire_api = "responses", env_key = "NO_KEY", request_max_retries = 0, stream_max_retries = 0}}'
        settings = [f'model="{model or "gpt-5.5"}"', 'model_provider="scripted"', f"model_providers.scripted={provider}", f'projects={{{json.dumps(str(project))} = {{trust_level = "trusted"}}}}', "analytics.enabled=false", "check_for_update_on_startup=false"]
        args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
        return [program, *args, *(word for setting in settings for word in ("-c", setting)), "Go on."], {"NO_KEY": "none"}

    @staticmethod
    def shell(command: str) -> dict:
        return {"tool": "exec_command", "input": {"cmd": command}}

    @staticmethod
    def edit(project: pathlib.Path) -> list[dict]:
        """The notes, edited by the client's own tool."""
        return [{"tool": "apply_patch", "raw": "*** Begin Patch\n*** Update File: notes.txt\n@@\n-what only the person has\n+edited by a tool\n*** End Patch"}]

    cases = {
        "apply_patch": ({"tool": "apply_patch", "raw": PATCH}, ""),
        "reset in code mode": ({"tool": "exec", "namespace": "functions", "raw": CODE}, "gpt-6.2-sol"),
    }

    @staticmethod
    def quiet_hook(out: str) -> bool:
        return "hook: PreToolUse Failed" not in out and "hook: PreToolUse Blocked" not in out


CLIENTS = {"claude": Claude, "codex": Codex}


def write(path: pathlib.Path, value: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")


class Place:
    """A fresh HOME and a project with one commit, the guard registered."""

    def __init__(self, client, guard: str | None, run: pathlib.Path) -> None:
        self.client, self.guard, self.run = client, guard, run
        self.home, self.project = run / "home", run / "project"
        for folder in (self.home, self.project, run / "tmp"):
            folder.mkdir(parents=True)
        path = os.pathsep.join(([os.path.dirname(guard)] if guard else []) + [os.environ["PATH"]])
        self.env = {"PATH": path, "HOME": str(self.home), "TMPDIR": str(run / "tmp"), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "GIT_CONFIG_NOSYSTEM": "1"}
        (self.home / ".gitconfig").write_text("[user]\n\tname = Dev\n\temail = dev@example.test\n[init]\n\tdefaultBranch = main\n")
        (self.project / "README.md").write_text("# Scratch\n\nhello\n")
        if guard:
            client.register(self.project, guard)
        subprocess.run("git init -q && git add -A && git commit -qm 'First commit'", shell=True, cwd=self.project, env=self.env, check=True)

    def play(self, program: str, turns: list, model: str = "") -> tuple[list[str], str]:
        """One session; returns what each request brought the model that was new, and what the client printed."""
        server = Model(turns)
        command, extra = self.client.command(program, server.url, self.project, model)
        with (self.run / "out").open("wb") as out:  # a file: what a hook leaves behind must not keep us waiting
            child = subprocess.Popen(command, cwd=self.project, env=self.env | extra, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
            try:
                child.wait(120)
            finally:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                child.wait()
                server.shutdown()
        said = (self.run / "out").read_text(errors="replace")
        if len(server.seen) < len(turns):
            raise AssertionError(f"the model was asked {len(server.seen)} times of {len(turns)}; the client said: {said[-400:]}")
        return server.seen, said


def check(name: str, client, program: str, guard: str, run: pathlib.Path) -> None:
    def expect(true: bool, claim: str) -> None:
        assert true, f"not true: {claim}; the model saw: {seen[:500]!r}"

    if name in SESSIONS:
        place = Place(client, guard, run)
        SESSIONS[name](place, program, Person(place))
        return
    turn, model = client.cases.get(name, (client.shell(STATUS if name == "git status" else RESET), ""))
    place = Place(client, None if name == "control" else guard, run)
    project = place.project
    if name != "reset in a clean tree":
        with (project / "README.md").open("a") as readme:
            readme.write(UNSAVED + "\n")
    turn = json.loads(json.dumps(turn).replace("{project}", str(project)))
    (_, seen, *_), said = place.play(program, [turn, {"text": "Finished."}], model)
    readme = (project / "README.md").read_text()
    if name == "control":
        expect(UNSAVED not in readme and "HEAD is now at" in seen, "without the hook the work is lost")
    elif name in ("reset in a dirty tree", "reset in code mode"):
        expect(UNSAVED in readme, "the work is there")
        expect("HEAD is now at" not in seen, "the command did not run")
        expect("stopped this: git reset" in seen and "README.md" in seen, "the model saw the reason")
    elif name == "reset in a clean tree":
        expect("HEAD is now at" in seen, "the command ran")
        expect(client.quiet_hook(said), "the hook was silent")
    elif name == "git status":
        expect("README.md" in seen and UNSAVED in readme, "the command ran")
        expect(client.quiet_hook(said), "the hook was silent")
    elif name == "apply_patch":
        expect("hello, reader" in readme and UNSAVED in readme, "the patch was applied")
    else:
        expect((project / "new.txt").exists(), "the file was written")


def report(case: tuple) -> bool:
    label, name, client, program, guard, run = case
    begun, note = time.monotonic(), ""
    try:
        check(name, client, program, guard, run)
    except (AssertionError, subprocess.SubprocessError) as why:
        note = f"  {why}"
    print(f"{'FAIL' if note else 'ok':5}{label:8}{name:24}{time.monotonic() - begun:5.1f} s{note}", flush=True)
    return not note


def every_client(doc: str, needs: tuple, cases: list) -> int:
    """The main of a script beside this one: each case with each client. A case is (name, what to call with the client, its
    program, the folder of ours that AH_BIN names and a folder for the run)."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--clients", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--only", choices=CLIENTS)
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the runs in this folder")
    args = parser.parse_args()
    ours = pathlib.Path(os.environ.get("AH_BIN", "")).resolve()
    if not all(os.access(ours / name, os.X_OK) for name in needs):
        parser.error(f"AH_BIN must hold {' and '.join(needs)}")
    top = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="ah-clients-"))
    if not leave_the_network():
        print("note: no network namespace here, so the clients are only told to stay on loopback")
    passed = failed = 0
    for label, client in CLIENTS.items():
        found = sorted((args.clients / "node_modules").glob(client.program))
        if args.only not in (None, label) or not found:
            continue
        for name, case in cases:
            begun, note = time.monotonic(), ""
            try:
                case(client, str(found[0].resolve()), ours, top / f"{label}-{name}")
            except (AssertionError, IndexError, KeyError, ValueError, subprocess.SubprocessError) as why:
                note = f"  {why!r}"
            passed, failed = passed + (not note), failed + bool(note)
            print(f"{'FAIL' if note else 'ok':5}{label:8}{name:24}{time.monotonic() - begun:5.1f} s{note}", flush=True)
    if not args.keep:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--only", choices=CLIENTS)
    parser.add_argument("--keep", type=pathlib.Path, metavar="DIR", help="keep the runs in this folder")
    args = parser.parse_args()
    guard = os.environ.get("AH_GUARD", "")
    if not os.access(guard, os.X_OK):
        parser.error("AH_GUARD must name the guard's executable")
    guard = os.path.abspath(guard)
    top = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="ah-clients-"))
    cases = []
    for label, client in CLIENTS.items():
        if args.only not in (None, label):
            continue
        found = sorted((args.clients / "node_modules").glob(client.program))
        if not found:
            print(f"SKIP {label}: {client.package} is not in {args.clients}")
            continue
        names = ["control", "reset in a dirty tree", "reset in a clean tree", "git status", *client.cases, *SESSIONS]
        cases += [(label, name, client, str(found[0].resolve()), guard, top / f"{label}-{name.replace(' ', '-')}") for name in names]
    if not leave_the_network():
        print("note: no network namespace here, so the clients are only told to stay on loopback")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(report, cases))
    if not args.keep:
        shutil.rmtree(top, ignore_errors=True)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if cases and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
