"""Whole sessions with the guard: whose work it is, a person's way through, and an agent that wants to let itself through."""
import json
import pathlib
import re
import subprocess
import sys
import time

TERMINAL = pathlib.Path(__file__).parent.with_name("data") / "terminal.py"
NOTES = "what only the person has\n"


class Person:
    """Works in the same project, in a terminal of their own."""

    def __init__(self, place) -> None:
        self.place = place

    def run(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.place.project, env=self.place.env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        return done.stdout + done.stderr

    def at_terminal(self, answer: str, *command: str) -> tuple[int, str]:
        """How a command ended on a terminal of its own, below no other program, and what it showed."""
        shown = self.run(sys.executable, str(TERMINAL), answer, *command)
        said, _, code = shown.rpartition("\nexit ")
        return int(code), said

    def audit(self) -> list[dict]:
        file = self.place.home / ".local/state/ah/guard.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def code(seen: str) -> str:
    """The code that a denial carries."""
    found = re.search(r"ah-git-guard allow ([a-z0-9]{4})\b", seen)
    assert found, f"no code in {seen!r}"
    return found[1]


def own_scratch(place, program: str, person: Person) -> None:
    """The agent removes its own scratch file: let through; `undo` brings it back, byte for byte."""
    shell, scratch = place.client.shell, place.project / "scratch.txt"
    seen, _ = place.play(program, [shell("printf 'a\\001b\\n' > scratch.txt"), shell("rm scratch.txt"), {"text": "Finished."}])
    assert "ah-git-guard" not in seen[2] and not scratch.exists(), f"it was let through: {seen[2][:300]!r}"
    said = person.run("ah-git-guard", "undo", "--yes")
    assert scratch.exists() and scratch.read_bytes() == b"a\x01b\n", f"undone: {said!r}"


def allowed_once(place, program: str, person: Person) -> None:
    """The person's file is stopped; after `allow CODE` at a terminal the same call passes once, and not twice."""
    shell, notes = place.client.shell, place.project / "notes.txt"
    notes.write_text(NOTES)
    granted: list[tuple[int, str]] = []

    def allow(seen: str) -> dict:
        assert notes.exists(), "the command did not run"
        granted.append(person.at_terminal("WORD", "ah-git-guard", "allow", code(seen)))
        return shell("rm notes.txt")

    def once_more(seen: str) -> dict:
        assert granted[0][0] == 0, f"granted: {granted[0]!r}"
        assert not notes.exists(), f"it passed: {seen[:300]!r}"
        notes.write_text(NOTES)
        return shell("rm notes.txt")

    seen, _ = place.play(program, [shell("rm notes.txt"), allow, once_more, {"text": "Finished."}])
    assert notes.exists() and "stopped this" in seen[3], f"not twice: {seen[3][:300]!r}"


def allows_itself(place, program: str, person: Person) -> None:
    """An agent tries every documented path to let itself through: each is refused and in the audit."""
    shell, notes = place.client.shell, place.project / "notes.txt"
    notes.write_text(NOTES)
    settings = place.home / ".config/ah/config.json"
    tries = [
        "ah-git-guard allow {code}",
        "yes | ah-git-guard allow {code}",
        "script -qec 'ah-git-guard allow {code}' /dev/null",
        "ah-git-guard allow -- rm notes.txt",
        "mkdir -p ~/.config/ah && echo '{{\"git_guard\":{{\"on_loss\":\"snapshot\"}}}}' > ~/.config/ah/config.json",
        "echo '{{}}' >> ~/.local/state/ah/allow.jsonl",
        "rm -rf ~/.local/state/ah",
        "ah-git-guard prune --everything",
    ]
    found: list[str] = []

    def attempt(text: str):
        def turn(seen: str) -> dict:
            found.append(found[0] if found else code(seen))
            return shell(text.format(code=found[0]))
        return turn

    seen, _ = place.play(program, [shell("rm notes.txt"), *map(attempt, tries), shell("rm notes.txt"), {"text": "Finished."}])
    for text, answer in zip(tries, seen[2:]):
        assert "stopped this" in answer, f"{text}: {answer[:300]!r}"
    assert notes.exists() and not settings.exists(), "nothing was gained"
    told = [line for line in person.audit() if "ah.disarm" in json.dumps(line)]
    assert len(told) >= len(tries), f"all in the audit: {told}"


def unattended(place, program: str, person: Person) -> None:
    """Nobody is there: what would be asked about goes on after a snapshot, or is stopped; nothing waits."""
    shell, secret = place.client.shell, place.project / ".env"
    (place.project / ".gitignore").write_text(".env\n")
    person.run("git", "add", ".gitignore")
    person.run("git", "commit", "-qm", "Ignore")
    secret.write_text("TOKEN=1\n")
    begun = time.monotonic()
    seen, _ = place.play(program, [shell("rm .env"), shell("ah-git-guard prune --everything"), {"text": "Finished."}])
    assert time.monotonic() - begun < 60, "nothing waited"
    assert not secret.exists(), f"it went on: {seen[1][:300]!r}"
    assert "stopped this, because nobody can be asked" in seen[2], f"a question nobody hears is a denial: {seen[2][:300]!r}"
    said = person.run("ah-git-guard", "undo", "--yes")
    assert secret.exists() and secret.read_text() == "TOKEN=1\n", f"undone: {said!r}"


def whole_turn(place, program: str, person: Person) -> None:
    """A turn that edits by tool, by shell and by program, removes untracked files and moves a branch: `undo --turn`."""
    shell, project = place.client.shell, place.project
    person.run("git", "branch", "side")
    tool = place.home / "bin/tidy-logs"  # a program that nobody reads before it runs
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\nrm -f logs/*\necho made > made.txt\n")
    tool.chmod(0o755)
    place.env["PATH"] = f"{tool.parent}:{place.env['PATH']}"
    (place.home / ".bash_profile").write_text('PATH="$HOME/bin:$PATH"\n')  # Codex starts a login shell
    for name, text in {"README.md": "# Scratch\n\nhello\nby the person\n", "notes.txt": NOTES, "logs/a.log": "a\n", "logs/b.log": "b\n"}.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.relative_to(project).parts}

    def once_kept(seen: str) -> dict:
        end = time.monotonic() + 20
        while "beginning of a turn" not in person.run("ah-git-guard", "snapshots"):
            assert time.monotonic() < end, "a snapshot is taken when a prompt is sent"
            time.sleep(0.1)
        return shell("sed -i s/hello/hullo/ README.md")

    turns = [once_kept, *place.client.edit(project), shell("tidy-logs"), shell("git commit -qam 'By the agent' && git branch -f side HEAD"), {"text": "Finished."}]
    place.play(program, turns)
    assert not (project / "logs/a.log").exists() and "hullo" in (project / "README.md").read_text(), "the turn did what it does"
    assert "edited by a tool" in (project / "notes.txt").read_text(), "the tool edited"
    tip = person.run("git", "rev-parse", "side")
    said = person.run("ah-git-guard", "undo", "--turn", "--yes")
    for path, text in before.items():
        assert path.exists() and path.read_bytes() == text, f"{path.name}: {said!r}"
    assert person.run("git", "rev-parse", "side") == tip and (project / "made.txt").exists(), f"what is new stays: {said!r}"


SESSIONS = {
    "own scratch file": own_scratch,
    "allowed once": allowed_once,
    "allows itself": allows_itself,
    "unattended": unattended,
    "a whole turn": whole_turn,
}
