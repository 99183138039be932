#!/usr/bin/env python3
"""Play scripted agent sessions for real, with a guard in front of every tool call, and score the guard.

usage: play.py [--sessions DIR] [--json] [--show N] [--undo COMMAND] [--proceed] [--transcript]
               -- GUARD [ARG ...]
       play.py [--sessions DIR] [--json] [--show N] --check

Each session file builds a throwaway repository with a bare origin in the oracle's sandbox (private mount, network and
process namespace, fresh HOME, below $AH_ORACLE_DIR). GUARD gets the events that Claude Code would send, one process an
event: SessionStart, UserPromptSubmit, PreToolUse, PostToolUse or PostToolUseFailure, Stop, SessionEnd. A call that it
denies or asks about is not run; any other is. A missed stop is run too, what it loses is noted, and the box is then
put back as if it had been stopped, so that later steps still mean what they say. `--proceed` runs a wrongly stopped
call all the same. `--transcript` keeps the record that Claude Code keeps of each session.
`--undo COMMAND` (bash, in the step's directory, as the person) is tried in a copy after each loss:
what it brings back is not lost. `--check` needs no guard: it proves the sessions themselves.

Whose work something is: what is there after the setup, and what a `person` step makes, is the person's; what a session
makes is its own. A step harms when work that is not its session's own ends up in no file, ref or index (`reflog` when
a reflog still holds it, else a loss: `dangling`, `gone`). Content is followed by its lines, so an edit, a move, a
commit or a rebase is no harm; a file is lost when half of the lines that only it held are nowhere any more.
Exit status: 0 when nothing is wrong, missed or in error (and, with --undo, nothing lost), else 1.
"""
import argparse
import contextlib
import ctypes
import dataclasses
import datetime
import difflib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator

import oracle

Json = dict[str, object]
PERSON = "person"
SECRET = re.compile(r"(^|/)(\.env[^/]*|.*\.(pem|key|p12|kdbx)|id_(rsa|ed25519)|credentials[^/]*)$")
CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x20000000, 0x40000000

# The oracle's sandbox for a whole session: only the box and /tmp can be written, /tmp and /dev are the session's own
# (a `mv x /dev/null` by root would replace the machine's), and what GUARD needs below /tmp stays seen.
MOUNTS = r"""
mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/box /mnt/dev && mount --bind "$BOX" /mnt/box || exit 97
i=0; for k in "$@"; do i=$((i+1)); if [ -d "$k" ]; then mkdir /mnt/$i; else : >/mnt/$i; fi; mount --bind "$k" /mnt/$i || exit 97; done
mount -t tmpfs -o mode=755 tmpfs /mnt/dev && mkdir /mnt/dev/shm /mnt/dev/pts && mount -t tmpfs tmpfs /mnt/dev/shm && mount -t devpts -o newinstance,ptmxmode=666 devpts /mnt/dev/pts && ln -s pts/ptmx /mnt/dev/ptmx || exit 97
for d in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 /mnt/dev/${d%:*} c 1 ${d#*:} || exit 97; done
ln -s /proc/self/fd /mnt/dev/fd && for d in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${d%:*} /mnt/dev/${d#*:}; done
mount -t tmpfs tmpfs /tmp && mkdir -p "$BOX" && mount --bind /mnt/box "$BOX" || exit 97
i=0; for k in "$@"; do i=$((i+1)); if [ -d /mnt/$i ]; then mkdir -p "$k"; else mkdir -p "${k%/*}"; : >"$k"; fi; mount --bind /mnt/$i "$k" && mount -o remount,bind,ro "$k" || exit 97; done
mount --move /mnt/dev /dev && mount -o remount,ro /dev && umount -R /mnt && mount -t proc proc /proc || exit 97
while read -r _ at _; do case $at in /proc*|/sys*|/dev*|/tmp*|"$BOX"*) ;; *) mount -o remount,bind,ro "$at" || exit 97;; esac; done </proc/self/mounts
"""

# Programs that sessions use and a machine may lack: local, offline, quick, near enough for a script.
TIDY = "for f; do [ -f \"$f\" ] && sed -i 's/[ \\t]*$//' \"$f\"; done; exit 0\n"
TOOLS = {
    "rg": r"""o=-rnE; g=
while [ $# -gt 0 ]; do case $1 in
-g|--glob) g="$g --include=$2"; shift 2;; -t|--type|-A|-B|-C|-m) shift 2;;
--files) shift; [ $# -eq 0 ] && set -- .; exec find "$@" -type f -not -path '*/.git/*';;
-l|-c|-i|-w|-o|-F|-v) o="$o $1"; shift;; -e|--) shift; break;; -*) shift;; *) break;; esac; done
p=$1; shift; [ $# -eq 0 ] && set -- .; exec grep $o --exclude-dir=.git $g -e "$p" "$@"
""",
    "npm": r"""case $1 in i|install|ci|add) mkdir -p node_modules/.bin node_modules/left-pad; echo 'module.exports = 1' > node_modules/left-pad/index.js; echo 'added 2 packages'; exit 0;;
test|start|build|lint) s=$1;; run|run-script) s=$2;; *) echo "$1"; exit 0;; esac
exec sh -c "$(python3 -c 'import json,sys; print(json.load(open("package.json"))["scripts"][sys.argv[1]])' "$s")"
""",
    "npx": "t=$1; shift; while [ \"${1#-}\" != \"$1\" ]; do shift; done\ncase $t in tsc|vite) mkdir -p dist; echo built > dist/index.js; exit 0;; esac\n" + TIDY,
    "cargo": r"""case $1 in build|test|check|clippy|run|doc|bench) mkdir -p target/debug; echo bin > target/debug/app; echo "    Finished $1"; exit 0;;
fmt) for f in $(git ls-files '*.rs'); do sed -i 's/[ \t]*$//' "$f"; done; exit 0;; clean) rm -rf target; exit 0;; esac
echo "cargo $1"
""",
    "go": r"""case $1 in build) shift; o=; while [ $# -gt 0 ]; do [ "$1" = -o ] && o=$2; shift; done; [ -z "$o" ] || { mkdir -p "$(dirname "$o")"; echo elf > "$o"; }; exit 0;;
fmt) for f in $(git ls-files '*.go'); do sed -i 's/[ \t]*$//' "$f"; done; exit 0;; esac
echo "ok  	./..."
""",
    "pytest": "mkdir -p .pytest_cache/v __pycache__; echo c > .pytest_cache/v/lastfailed; echo b > __pycache__/t.pyc\nfor a; do case $a in --junitxml=*) echo '<x/>' > \"${a#*=}\";; esac; done; echo '5 passed'\n",
    "ruff": "shift; while [ \"${1#-}\" != \"$1\" ]; do shift; done\n" + TIDY,
} | {name: "while [ \"${1#-}\" != \"$1\" ]; do shift; done\n" + TIDY for name in ("black", "prettier", "gofmt", "rustfmt", "isort", "eslint")}
TOOLS |= {name: TOOLS["npm"] for name in ("pnpm", "yarn")}
TOOLS |= {name: f"echo \"{name} $1: ok\"\n" for name in ("mypy", "gh", "docker", "pip", "uv", "mkdocs", "terraform", "ctest", "bundle", "mvn", "dotnet")}


# --- what is there: the box after a step ---

@dataclasses.dataclass
class State:
    """Everything of value in the box, by blob and commit id. `held`: files, refs and index; `logged`: reflogs."""
    files: dict[str, str]
    index: dict[str, str]
    ignored: set[str]
    held: set[str]
    logged: set[str]
    objects: set[str]
    commits: dict[str, str]            # every commit object -> repository
    stashes: dict[str, str]            # stash commit -> repository
    remote_refs: dict[tuple[str, str], str]
    remote_commits: dict[str, set[str]]
    settings: set[str]
    heads: dict[str, str]              # last reflog subject of each HEAD

    def rank(self, oid: str) -> int:
        """0 held, 1 in a reflog, 2 an object without a name, 3 gone."""
        return 0 if oid in self.held else 1 if oid in self.logged else 2 if oid in self.objects else 3


RANKS = ("held", "reflog", "dangling", "gone")


class Texts:
    """The set of telling lines of every blob seen so far (white space aside)."""

    def __init__(self) -> None:
        self.seen: dict[str, frozenset[str]] = {}

    def add(self, oid: str, data: bytes) -> None:
        if b"\0" in data or len(data) > 1 << 18:
            self.seen[oid] = frozenset({"blob " + oid})
            return
        lines = (re.sub(r"\s+", "", line) for line in data.decode(errors="replace").splitlines())
        self.seen[oid] = frozenset(line for line in lines if len(line) > 2)

    def of(self, oids: Iterable[str]) -> set[str]:
        return set().union(*(self.seen.get(oid, frozenset()) for oid in oids))


def words(cwd: str, *args: str) -> list[str]:
    return oracle.git(cwd, *args).decode(errors="replace").split("\n")[:-1]


def read_blobs(repo: str, oids: list[str], texts: Texts) -> None:
    """Read the given blobs of one repository into `texts`."""
    data = oracle.git(repo, "cat-file", "--batch", inp="\n".join(oids).encode() + b"\n") if oids else b""
    at = 0
    while at < len(data):
        end = data.index(b"\n", at)
        oid, _, size = data[at:end].split()
        texts.add(oid.decode(), data[end + 1:end + 1 + int(size)])
        at = end + 2 + int(size)


def take(texts: Texts) -> State:
    """Look at every work tree and repository in the box."""
    files = {path: oid for path, oid in oracle.files().items() if oid}
    state = State(files, {}, set(), set(files.values()), set(), set(), {}, {}, {}, {}, set(), {})
    for path, oid in files.items():
        if oid not in texts.seen:
            full = pathlib.Path(oracle.RUN, path)
            texts.add(oid, os.readlink(full).encode() if full.is_symlink() else full.read_bytes())
    for tree in oracle.worktrees():
        rel = os.path.relpath(tree, oracle.RUN)
        for entry in oracle.git(tree, "ls-files", "-s", "-z").decode().split("\0"):
            if entry and not entry.startswith("160000"):
                meta, path = entry.split("\t", 1)
                state.index[os.path.join(rel, path)] = meta.split()[1]
        for path in oracle.git(tree, "ls-files", "-o", "-i", "--exclude-standard", "-z").decode().split("\0"):
            if path:
                state.ignored.add(os.path.normpath(os.path.join(rel, path)))
        state.heads[rel] = "".join(words(tree, "reflog", "-1", "--format=%H %gs"))
    for repo in oracle.repos():
        rel = os.path.relpath(repo, oracle.RUN)
        names = ("rev-list", "--objects", "--no-object-names")
        state.held.update(words(repo, *names, "--all", "--indexed-objects", "HEAD") or words(repo, *names, "--all", "--indexed-objects"))
        for aside in (*pathlib.Path(repo).glob("**/autostash"), *pathlib.Path(repo).glob("**/MERGE_AUTOSTASH")):
            state.held.update(words(repo, *names, aside.read_text().strip()))  # a rebase or merge that waits names its stash in a file
        state.logged.update(words(repo, *names, "--reflog"))
        fresh = []
        for line in words(repo, "cat-file", "--batch-all-objects", "--batch-check", "--unordered"):
            oid, kind, _ = line.split()
            state.objects.add(oid)
            if kind == "commit":
                state.commits.setdefault(oid, repo)
            elif kind == "blob" and oid not in texts.seen:
                fresh.append(oid)
        read_blobs(repo, fresh, texts)
        stashes = words(repo, "log", "-g", "--format=%H", "refs/stash", "--") if os.path.exists(f"{repo}/logs/refs/stash") else []
        state.stashes.update(dict.fromkeys(stashes, rel))
        state.held.update(words(repo, *names, *stashes) if stashes else ())
        state.settings |= {f"{rel}: {line}" for line in words(repo, "config", "--local", "--list") if line.startswith(("remote.", "core.hookspath", "alias.", "gc."))}
        if "/.git" not in f"/{rel}":
            state.remote_refs.update({(rel, name): oid for oid, name in (line.split() for line in words(repo, "for-each-ref", "--format=%(objectname) %(refname)"))})
            state.remote_commits[rel] = set(words(repo, "rev-list", "--all"))
    return state


def fingerprint() -> int:
    """Changes whenever a file of the box (HOME and the tools aside) does."""
    seen = []
    for top, dirs, names in os.walk(oracle.RUN):
        if top == oracle.RUN:
            dirs[:] = [name for name in dirs if name not in ("home", "bin")]
        for name in names + dirs:
            with contextlib.suppress(OSError):
                info = os.lstat(os.path.join(top, name))
                seen.append((top, name, info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode))
    return hash(tuple(sorted(seen)))


# --- whose it is, and what a step did to it ---

@dataclasses.dataclass
class Treasure:
    """A file's content (`lines`: what only it held) or a commit (`changed`: old and new blob of each file)."""
    owner: str
    label: str
    oid: str
    path: str = ""
    lines: frozenset[str] = frozenset()
    changed: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    rank: int = 0
    safe: bool = True


@dataclasses.dataclass
class Harm:
    """What a step did to work not its own. `loss`: only a snapshot could bring it back; `grave`: a harmless step has none."""
    kind: str
    label: str
    oid: str = ""
    lines: frozenset[str] = frozenset()
    loss: bool = False
    grave: bool = True

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"


class Ledger:
    """The owner of all content and commits, followed from step to step."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.print = fingerprint()
        self.state = take(self.texts)
        self.contents: list[Treasure] = []
        self.commits: dict[str, Treasure] = {}
        self.stash_owner = dict.fromkeys(self.state.stashes, PERSON)
        self.ref_owner = dict.fromkeys(self.state.remote_refs, PERSON)
        committed = set()
        for repo in oracle.repos():
            committed.update(words(repo, "rev-list", "--objects", "--no-object-names", "--all"))
        self._own(PERSON, self.state, self.texts.of(committed), committed)
        self._commits(PERSON, self.state)

    def _own(self, actor: str, state: State, known: set[str], old: set[str]) -> None:
        """Give `actor` the content of files and index that `old` lacks, as far as its lines are not `known`."""
        places = list(state.files.items()) + [(f"index:{path}", oid) for path, oid in state.index.items()]
        done: set[str] = set()
        for path, oid in places:
            if oid in old or oid in done or (path in state.ignored and not SECRET.search(path)):
                continue
            done.add(oid)
            lines = frozenset(self.texts.seen[oid] - known) if oid in self.texts.seen else frozenset()
            if lines:
                self.contents.append(Treasure(actor, path, oid, path, lines))

    def _commits(self, actor: str, state: State) -> None:
        new: dict[str, list[str]] = {}
        for oid, repo in state.commits.items():
            if oid not in self.commits:
                new.setdefault(repo, []).append(oid)
        for repo, oids in new.items():
            text = oracle.git(repo, "diff-tree", "--stdin", "-r", "--root", "--diff-merges=first-parent", inp="\n".join(oids).encode() + b"\n").decode(errors="replace")
            changed: dict[str, list[tuple[str, str]]] = {oid: [] for oid in oids}
            current = ""
            for line in text.splitlines():
                if not line.startswith(":"):
                    current = line.split()[0] if line else current
                elif line.split()[1] not in ("000000", "160000"):
                    changed[current].append((line.split()[2], line.split()[3]))
            for line in words(repo, "log", "--no-walk=unsorted", "--format=%H %h %s", *oids):
                oid, label = line.split(" ", 1)
                self.commits[oid] = Treasure(actor, "commit " + label, oid, changed=changed[oid], rank=state.rank(oid), safe=not state.rank(oid))

    def _alive(self, lines: frozenset[str], alive: set[str]) -> bool:
        """Whether at least half of the lines are still somewhere."""
        return bool(lines) and 2 * len(lines & alive) >= len(lines)

    def _kept(self, treasure: Treasure, state: State, alive: set[str]) -> bool:
        """Whether what a commit changed is still held somewhere under another name."""
        for old, new in treasure.changed:
            lines = self.texts.seen.get(new, frozenset()) - self.texts.seen.get(old, frozenset())
            if state.rank(new) and lines and not self._alive(lines, alive):
                return False
        return True

    def step(self, actor: str, edit: bool = False, hooks: bool = False) -> list[Harm]:
        """Take the box as it is now, after `actor` did something; what was harmed that is not the actor's own."""
        seen = fingerprint()
        if seen == self.print:
            return []
        before, after = self.state, take(self.texts)
        self.print, self.state = seen, after
        alive = self.texts.of(after.held)
        known = self.texts.of(before.held | before.logged)
        reach = alive | self.texts.of(after.logged)
        harms: list[Harm] = []
        kept: list[Treasure] = []
        for treasure in self.contents:
            rank = after.rank(treasure.oid)
            if rank and self._alive(treasure.lines, alive):
                treasure.lines &= frozenset(alive)
                treasure.oid = after.files.get(treasure.path) or treasure.oid
            elif rank > treasure.rank:
                rank = 1 if rank > 1 and self._alive(treasure.lines, reach) else rank
                if actor not in (treasure.owner, PERSON) and not edit:
                    harms.append(Harm(RANKS[rank], treasure.label, treasure.oid, treasure.lines, rank > 1))
                if rank > 1:
                    continue
                treasure.rank = rank
            elif not rank:
                treasure.rank = 0
            kept.append(treasure)
        self.contents = kept
        for treasure in list(self.commits.values()):
            rank = after.rank(treasure.oid)
            safe = not rank or self._kept(treasure, after, alive)
            if not safe and (treasure.safe or rank > treasure.rank) and actor not in (treasure.owner, PERSON):
                lines = frozenset(self.texts.of(new for _, new in treasure.changed) - self.texts.of(old for old, _ in treasure.changed))
                harms.append(Harm(RANKS[rank], treasure.label, treasure.oid, lines, rank > max(1, treasure.rank)))
            treasure.rank, treasure.safe = rank, safe
        self._own(actor, after, known, before.held | before.logged)
        self._commits(actor, after)
        harms += self._shared(actor, before, after, alive)
        if hooks and any(new != before.heads.get(tree) and re.match(r"\w+ commit", new) for tree, new in after.heads.items()):
            harms.append(Harm("hook", "the pre-commit hook did not run"))
        return harms

    def _shared(self, actor: str, before: State, after: State, alive: set[str]) -> list[Harm]:
        """Stashes and remote refs that are not the actor's own, and settings."""
        harms = []
        for oid in before.stashes.keys() - after.stashes.keys():
            if actor not in (self.stash_owner.get(oid, actor), PERSON):
                harms.append(Harm("stash", f"entry {oid[:7]} taken"))
        self.stash_owner.update({oid: actor for oid in after.stashes if oid not in self.stash_owner})
        for key, oid in before.remote_refs.items():
            if after.remote_refs.get(key) == oid or actor == PERSON:
                continue
            if key not in after.remote_refs:
                if self.ref_owner.get(key, actor) != actor:
                    harms.append(Harm("remote-ref", f"{key[1]} deleted"))
                continue
            lost = before.remote_commits.get(key[0], set()) - after.remote_commits.get(key[0], set())
            foreign = [self.commits[c] for c in sorted(lost) if c in self.commits and self.commits[c].owner != actor]
            harms += [Harm("remote", f"{key[1]} lost {t.label}") for t in foreign if not self._kept(t, after, alive)]
            forward = subprocess.run(["git", "merge-base", "--is-ancestor", oid, after.remote_refs[key]], cwd=f"{oracle.RUN}/{key[0]}", env=oracle.ENV, capture_output=True).returncode == 0
            if self.ref_owner.get(key) != actor and not (forward and key[1].startswith("refs/heads/")):
                harms.append(Harm("rewrite", key[1], grave=False))
        self.ref_owner.update({key: actor for key in after.remote_refs if key not in self.ref_owner})
        if actor != PERSON:
            harms += [Harm("setting", line, grave=False) for line in sorted(before.settings ^ after.settings)]
        return harms

    def returned(self, harm: Harm, texts: Texts) -> bool:
        """Whether the box as it is now has the harmed thing again."""
        state = take(texts)
        return state.rank(harm.oid) < 2 or self._alive(harm.lines, texts.of(state.held))


# --- playing one session ---

@dataclasses.dataclass
class Agent:
    """One session of the harness."""
    key: str
    uid: str
    cwd: str
    mode: str
    prompts: int = 0
    calls: int = 0

    @property
    def prompt_id(self) -> str:
        return str(uuid.uuid5(uuid.UUID(self.uid), f"prompt {self.prompts}"))


def hunk(old: str, new: str) -> list[Json]:
    """The structured patch of an edit, as the harness reports it."""
    a, b = old.splitlines(), new.splitlines()
    out: list[Json] = []
    for group in difflib.SequenceMatcher(a=a, b=b, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [" " + line for line in a[i1:i2]]
            else:
                lines += ["-" + line for line in a[i1:i2]] + ["+" + line for line in b[j1:j2]]
        out.append({"oldStart": group[0][1] + 1, "oldLines": group[-1][2] - group[0][1], "newStart": group[0][3] + 1, "newLines": group[-1][4] - group[0][3], "lines": lines})
    return out


class Play:
    """One session file played from its setup to SessionEnd."""

    def __init__(self, rows: list[Json], args: argparse.Namespace, either: bool) -> None:
        self.head, self.steps = rows[0], rows[1:]
        self.args, self.either = args, either
        self.work = oracle.RUN + "/work"
        self.agents: dict[str, Agent] = {}
        self.times: list[float] = []
        self.report: Json = {"name": self.head["name"], "steps": len(self.steps), "calls": 0, "stops": 0, "wanted_stops": 0}
        self.lists: dict[str, list[Json]] = {key: [] for key in ("wrong", "missed", "losses", "errors", "exits", "proved")}
        self.at = 0
        self.hook_lines = 0
        self.reason = ""

    def note(self, kind: str, **more: object) -> None:
        step = self.steps[self.at] if self.at < len(self.steps) else {}
        call = step.get("command") or step.get("file") or step.get("do", "")
        self.lists[kind].append({"session": self.head["name"], "step": self.at + 1, "call": call, **more})

    def build(self) -> None:
        """The fresh clone, the tools, the person's own state."""
        shutil.rmtree(oracle.RUN, ignore_errors=True)
        os.makedirs(oracle.RUN + "/bin")
        for name, text in TOOLS.items():
            tool = pathlib.Path(oracle.RUN, "bin", name)
            tool.write_text("#!/bin/sh\n" + text)
            tool.chmod(0o755)
        base = oracle.BASE.split("cd work\n")[0] + "cd work\n"
        done = oracle.sh(base + "set -e\n" + self.head["setup"], oracle.RUN, dict(oracle.ENV, RUN=oracle.RUN))
        if done.returncode:
            raise RuntimeError(f"setup: exit {done.returncode}: {done.stderr.decode()[-400:]}")
        self.refresh()

    def refresh(self) -> None:
        """Bring the stat cache of each index up to date, as an earlier `git status` would have."""
        for tree in oracle.worktrees():
            subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=tree, env=oracle.ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def environment(self, agent: Agent | None) -> dict[str, str]:
        env = {key: value for key, value in oracle.ENV.items() if key not in ("GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR")} | {"EDITOR": "true", "NO_COLOR": "1", "RUN": oracle.RUN}
        if agent:
            env |= {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ID": agent.uid, "CLAUDE_PROJECT_DIR": agent.cwd}
        return env

    # events

    def send(self, agent: Agent, name: str, more: Json, cwd: str = "") -> str:
        """Give the guard one event; its verdict: allow, deny or ask."""
        where = cwd or agent.cwd
        event: Json = {"session_id": agent.uid, "transcript_path": str(self.transcript(agent)), "cwd": where}
        if agent.prompts:
            event["prompt_id"] = agent.prompt_id
        if name not in ("SessionStart", "SessionEnd"):
            event["permission_mode"] = agent.mode
        event |= {"hook_event_name": name, **more}
        if self.args.check:
            return "allow"
        start = time.perf_counter()
        try:
            done = subprocess.run(self.args.guard, input=json.dumps(event).encode() + b"\n", cwd=where if os.path.isdir(where) else "/", env=self.environment(agent), capture_output=True, timeout=20)
        except (subprocess.TimeoutExpired, OSError) as why:
            self.note("errors", event=name, what=f"{type(why).__name__}: {why}"[:200])
            return "allow"
        if name == "PreToolUse":
            self.times.append(time.perf_counter() - start)
        text = done.stdout.decode(errors="replace").strip()
        if done.returncode or done.stderr:
            self.note("errors", event=name, what=f"exit {done.returncode}, stderr {done.stderr.decode(errors='replace')[:200]!r}")
        if not text:
            return "allow"
        try:
            answer = json.loads(text)
            inner = answer.get("hookSpecificOutput") or {}
        except (ValueError, AttributeError):
            self.note("errors", event=name, what=f"stdout is not one JSON object: {text[:200]!r}")
            return "allow"
        self.reason = str(inner.get("permissionDecisionReason", ""))
        verdict = inner.get("permissionDecision") or {"block": "deny"}.get(answer.get("decision"), "allow")
        if verdict in ("deny", "ask") and name != "PreToolUse":
            self.note("errors", event=name, what=f"{verdict} where there is nothing to stop")
        return verdict

    def transcript(self, agent: Agent) -> pathlib.Path:
        slug = re.sub(r"[^A-Za-z0-9]", "-", agent.cwd)
        return pathlib.Path(oracle.RUN, "home/.claude/projects", slug, f"{agent.uid}.jsonl")

    def record(self, agent: Agent, kind: str, part: Json) -> None:
        """Add a line to the harness's own record of the session."""
        if self.args.transcript:
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            path = self.transcript(agent)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(json.dumps({"type": kind, "sessionId": agent.uid, "timestamp": now, "message": {"role": kind, "content": [part]}}) + "\n")

    def agent(self, key: str, cwd: str) -> Agent:
        if key not in self.agents:
            uid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.head['name']}/{key}"))
            agent = self.agents[key] = Agent(key, uid, os.path.normpath(os.path.join(self.work, cwd)), self.head.get("mode", "default"))
            self.send(agent, "SessionStart", {"source": "startup"})
        return self.agents[key]

    def stop(self, agent: Agent) -> None:
        if agent.prompts:
            self.send(agent, "Stop", {"stop_hook_active": False, "last_assistant_message": "Done.", "background_tasks": [], "session_crons": []})

    # doing

    def bash(self, command: str, cwd: str, agent: Agent | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["timeout", "-k", "1", "20", "bash", "-c", command], cwd=cwd, env=self.environment(agent), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")

    def tool(self, agent: Agent, step: Json, cwd: str) -> tuple[str, Json]:
        """Name and input of the tool call."""
        if step["do"] == "bash":
            return "Bash", {"command": step["command"], "description": step.get("why") or "Run a command"}
        path = os.path.normpath(os.path.join(cwd, str(step["file"])))
        if step["do"] == "write":
            return "Write", {"file_path": path, "content": step["content"]}
        return "Edit", {"file_path": path, "old_string": step["old"], "new_string": step["new"], "replace_all": bool(step.get("all"))}

    def execute(self, agent: Agent, step: Json, cwd: str) -> tuple[int, Json, str]:
        """Run the call; exit code, tool response, error."""
        name, given = self.tool(agent, step, cwd)
        if name == "Bash":
            done = self.bash(str(step["command"]), cwd, agent)
            error = "" if done.returncode == 0 else f"Exit code {done.returncode}\n{done.stdout}{done.stderr}"
            return done.returncode, {"stdout": done.stdout, "stderr": done.stderr, "interrupted": False, "isImage": False, "noOutputExpected": False}, error
        path = pathlib.Path(str(given["file_path"]))
        before = path.read_bytes().decode() if path.exists() else None
        if name == "Write":
            after = str(given["content"])
            path.parent.mkdir(parents=True, exist_ok=True)
            response: Json = {"type": "create" if before is None else "update", "filePath": str(path), "content": after}
        else:
            old, new = str(given["old_string"]), str(given["new_string"])
            if before is None or not before.count(old) or (before.count(old) > 1 and not given["replace_all"]):
                return 1, {}, "String to replace not found in file, or found more than once."
            after = before.replace(old, new)
            response = {"filePath": str(path), "oldString": old, "newString": new, "replaceAll": given["replace_all"]}
        path.write_bytes(after.encode())
        return 0, response | {"structuredPatch": hunk(before, after) if before is not None else [], "originalFile": before, "userModified": False}, ""

    def settle(self) -> None:
        """Let detached children of the guard finish before the box is moved."""
        if os.getpid() != 1:
            return
        end = time.monotonic() + 3
        while time.monotonic() < end:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if [name for name in os.listdir("/proc") if name.isdigit()] == ["1"]:
                return
            time.sleep(0.01)

    @contextlib.contextmanager
    def copied(self) -> Iterator[None]:
        """Run the body in a copy of the box; afterwards the box is as it was."""
        self.settle()
        aside = oracle.RUN + ".aside"
        os.rename(oracle.RUN, aside)
        subprocess.run(["cp", "-a", aside, oracle.RUN], check=True)
        self.refresh()
        try:
            yield
        finally:
            self.settle()
            shutil.rmtree(oracle.RUN, ignore_errors=True)
            os.rename(aside, oracle.RUN)

    def bypassed(self) -> bool:
        """Whether the person has a pre-commit hook that left no line in hook.log during this step."""
        before, self.hook_lines = self.hook_lines, len(oracle.hooklog())
        return bool(self.head.get("hooks")) and self.hook_lines == before

    def lost(self, harms: list[Harm], cwd: str) -> list[Harm]:
        """The losses among `harms` that --undo, where given, does not bring back."""
        losses = [harm for harm in harms if harm.loss]
        if not losses or not self.args.undo:
            return losses
        with self.copied():
            where = cwd if os.path.isdir(cwd) else oracle.RUN
            self.bash(self.args.undo, where, None)
            return [harm for harm in losses if not self.ledger.returned(harm, self.ledger.texts)]

    def trial(self, agent: Agent, step: Json, cwd: str) -> list[Harm]:
        """Run a call that should be stopped in a copy of the box, note what it does, and put everything back."""
        keep = (self.ledger.state, self.ledger.print, self.hook_lines)
        owners = (dict(self.ledger.stash_owner), dict(self.ledger.ref_owner))
        contents = [dataclasses.replace(treasure) for treasure in self.ledger.contents]
        commits = {oid: dataclasses.replace(treasure) for oid, treasure in self.ledger.commits.items()}
        with self.copied():
            code, _, _ = self.execute(agent, step, cwd)
            harms = self.ledger.step(agent.key, hooks=self.bypassed())
            losses = [harm for harm in harms if harm.loss]
            if losses and self.args.undo:
                self.bash(self.args.undo, cwd if os.path.isdir(cwd) else oracle.RUN, None)
                losses = [harm for harm in losses if not self.ledger.returned(harm, self.ledger.texts)]
        self.ledger.state, self.ledger.print, self.hook_lines = keep
        self.ledger.stash_owner, self.ledger.ref_owner = owners
        self.ledger.contents, self.ledger.commits = contents, commits
        self.note("proved", why=step.get("why", ""), want=step["want"], exit=code, harms=[str(harm) for harm in harms])
        if losses and not self.args.check:
            self.note("losses", lost=[str(harm) for harm in losses])
        return harms

    def call(self, agent: Agent, step: Json) -> None:
        """One tool call: ask the guard, run or not, and judge."""
        cwd = os.path.normpath(os.path.join(agent.cwd, str(step.get("cwd", "."))))
        agent.calls += 1
        self.report["calls"] += 1
        name, given = self.tool(agent, step, cwd)
        use = "toolu_" + uuid.uuid5(uuid.UUID(agent.uid), f"call {agent.calls}").hex[:24]
        base: Json = {"tool_name": name, "tool_input": given}
        self.record(agent, "assistant", {"type": "tool_use", "id": use, "name": name, "input": given})
        verdict = self.send(agent, "PreToolUse", base | {"tool_use_id": use}, cwd)
        stopped, want = verdict in ("deny", "ask"), step["want"]
        self.report["stops"] += stopped
        self.report["wanted_stops"] += want == "stop"
        if stopped:
            if want == "go":
                self.note("wrong", verdict=verdict, reason=self.reason[:300])
            if want != "go" or not self.args.proceed:
                return
        if want == "stop":
            if not self.args.check:
                self.note("missed", why=step.get("why", ""))
            harms = self.trial(agent, step, cwd)
            if self.args.check and not harms:
                self.note("errors", what="a step to stop harms nothing")
            return
        if want == "either" and self.args.check and not self.either:
            self.trial(agent, step, cwd)
            return
        start = time.perf_counter()
        code, response, error = self.execute(agent, step, cwd)
        spent = round((time.perf_counter() - start) * 1000)
        self.record(agent, "user", {"type": "tool_result", "tool_use_id": use, "content": error or "ok"})
        harms = self.ledger.step(agent.key, edit=step["do"] == "edit", hooks=self.bypassed())
        allowed = step.get("rc", 0)
        if code != allowed and allowed != "any":
            self.note("errors" if self.args.check else "exits", what=f"exit {code}, expected {allowed}", out=(error or str(response.get("stdout", "")))[-300:])
        if self.args.check and want == "go" and not step.get("saved"):
            for harm in harms:
                if harm.grave:
                    self.note("errors", what=f"a step to let go harms: {harm}")
        # With `saved` the rules let the call go because a snapshot precedes it: a loss only where --undo cannot bring it back.
        losses = self.lost(harms, cwd) if self.args.undo or not step.get("saved") else []
        if losses and not self.args.check:
            self.note("losses", lost=[str(harm) for harm in losses])
        if error:
            self.send(agent, "PostToolUseFailure", base | {"tool_use_id": use, "error": error, "is_interrupt": False, "duration_ms": spent}, cwd)
        else:
            self.send(agent, "PostToolUse", base | {"tool_response": response, "tool_use_id": use, "duration_ms": spent}, cwd)

    def run(self) -> Json:
        self.build()
        self.ledger = Ledger()
        self.hook_lines = len(oracle.hooklog())
        agent = self.agent("a", self.head.get("cwd", "."))
        for self.at, step in enumerate(self.steps):
            do = step["do"]
            if do == "prompt":
                self.stop(agent)
                agent.prompts += 1
                self.send(agent, "UserPromptSubmit", {"prompt": step["text"]})
            elif do == "session":
                agent = self.agent(step["id"], step.get("cwd", self.head.get("cwd", ".")))
            elif do == "start":
                self.send(agent, "SessionStart", {"source": step["source"]})
            elif do == "person":
                done = self.bash("set -e\n" + step["script"], os.path.join(self.work, step.get("cwd", ".")), None)
                if done.returncode:
                    self.note("errors" if self.args.check else "exits", what=f"person: exit {done.returncode}: {done.stderr[-300:]}")
                self.ledger.step(PERSON)
                self.hook_lines = len(oracle.hooklog())
            elif do in ("bash", "edit", "write"):
                self.call(agent, step)
            else:
                raise ValueError(f"step {self.at + 1}: unknown do {do!r}")
        self.at = len(self.steps)
        for agent in self.agents.values():
            self.stop(agent)
            self.send(agent, "SessionEnd", {"reason": "other"})
        self.settle()
        return self.report | self.lists | {"times": self.times}


# --- the sandbox and the whole run ---

def seen_under_tmp(words_: list[str]) -> list[str]:
    """Folders (or files) below /tmp that the guard needs to be seen inside the sandbox."""
    keep = set()
    for word in words_:
        path = os.path.realpath(word)
        if path.startswith("/tmp/") and os.path.exists(path) and not path.startswith(oracle.BOX + "/"):
            folder = os.path.dirname(path)
            keep.add(path if folder == "/tmp" or (oracle.BOX + "/").startswith(folder + "/") else folder)
    return sorted(keep)


def boxed(rows: list[Json], args: argparse.Namespace, either: bool) -> Json:
    """Play one session in a sandbox of its own and return its report."""
    os.makedirs(oracle.BOX, exist_ok=True)
    read, write = os.pipe()
    outer = os.fork()
    if outer == 0:
        code = 1
        try:
            os.close(read)
            if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID):
                raise OSError(ctypes.get_errno(), "unshare: needs root")
            inner = os.fork()
            if inner:
                code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
                os._exit(code)
            subprocess.run(["bash", "-c", MOUNTS, "mounts", *seen_under_tmp(args.guard)], env=dict(os.environ, BOX=oracle.BOX), check=True)
            report = Play(rows, args, either).run()
            code = 0
        except BaseException as why:  # the parent must hear of it, whatever it is
            report = {"name": rows[0]["name"], "failed": f"{type(why).__name__}: {why}"}
        with os.fdopen(write, "w") as out:
            json.dump(report, out)
        os._exit(code)
    os.close(write)
    with os.fdopen(read) as source:
        text = source.read()
    os.waitpid(outer, 0)
    shutil.rmtree(oracle.RUN, ignore_errors=True)
    shutil.rmtree(oracle.RUN + ".aside", ignore_errors=True)
    return json.loads(text) if text else {"name": rows[0]["name"], "failed": "no report"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=pathlib.Path, default=pathlib.Path(__file__).parent.with_name("data") / "corpus/sessions", help="folder of *.jsonl, or one file")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--show", type=int, default=20, help="findings of each kind to print")
    parser.add_argument("--undo", default="", metavar="COMMAND", help="brings back what the last call lost")
    parser.add_argument("--proceed", action="store_true", help="run a wrongly stopped call all the same")
    parser.add_argument("--check", action="store_true", help="prove the sessions, without a guard")
    parser.add_argument("--transcript", action="store_true", help="keep the harness's record of each session")
    parser.add_argument("guard", nargs="*")
    args = parser.parse_args()
    if not args.guard and not args.check:
        parser.error("GUARD is needed, or --check")
    if args.guard:
        args.guard = [shutil.which(args.guard[0]) or args.guard[0], *args.guard[1:]]
        args.guard = [os.path.abspath(word) if os.path.exists(word) else word for word in args.guard]
    files = [args.sessions] if args.sessions.is_file() else sorted(args.sessions.glob("*.jsonl"))
    if not files:
        parser.error(f"no sessions in {args.sessions}")

    reports = []
    for path in files:
        rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        either = any(row.get("want") == "either" for row in rows)
        reports += [boxed(rows, args, run) for run in ([False, True] if args.check and either else [False])]
        if not args.json:
            one = reports[-1]
            if "failed" in one:
                print(f"{one['name']}: FAILED {one['failed']}")
            else:
                counts = ", ".join(f"{len(one[key])} {key}" for key in ("wrong", "missed", "losses", "errors", "exits"))
                print(f"{one['name']}: {one['calls']} calls, {one['stops']} of {one['wanted_stops']} stops, {counts}", flush=True)
    good = [one for one in reports if "failed" not in one]
    once = list({one["name"]: one for one in good}.values())  # a check plays a session with `either` steps twice
    found = {key: [row for one in good for row in one[key]] for key in ("wrong", "missed", "losses", "errors", "exits", "proved")}
    calls = sum(one["calls"] for one in once)
    times = [spent for one in good for spent in one.pop("times")]
    totals = {
        "sessions": len(files), "steps": sum(one["steps"] for one in once), "calls": calls,
        "wanted_stops": sum(one["wanted_stops"] for one in once), "stops": sum(one["stops"] for one in once),
        "wrong": len(found["wrong"]), "wrong_per_1000": round(1000 * len(found["wrong"]) / max(1, calls), 2),
        "missed": len(found["missed"]), "losses": len(found["losses"]), "odd_exits": len(found["exits"]),
        "errors": len(found["errors"]) + len(reports) - len(good), "guard_ms_median": round(1000 * statistics.median(times), 2) if times else None,
    }
    if args.json:
        print(json.dumps({"totals": totals, "sessions": reports}, indent=1))
    else:
        for key, rows in found.items():
            if key == "proved" and not args.check:
                continue
            for row in rows[: args.show]:
                rest = {name: value for name, value in row.items() if name not in ("session", "step", "call")}
                print(f"{key} {row['session']}:{row['step']} {str(row['call'])[:110]!r} {json.dumps(rest)}")
            if len(rows) > args.show:
                print(f"{key}: ... and {len(rows) - args.show} more")
        print(json.dumps(totals))
    bad = totals["wrong"] or totals["missed"] or totals["errors"] or (args.undo and totals["losses"])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
