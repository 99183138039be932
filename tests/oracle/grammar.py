"""Random command lines: git verbs x options x operands, sequences, and the ways a shell can hide them.

Nothing here knows what a line does: the oracle runs it and says. In a template `{a|b|}` is one choice (innermost
first), an upper-case word is drawn from WORDS, and an option of git may come out abbreviated.
"""
import random
import re
import shlex

WORDS = {
    "REF": "HEAD HEAD HEAD~1 HEAD~1 HEAD~2 HEAD^ @{u} @ main feature merged wip origin/main origin/feature v1.0 ORIG_HEAD HEAD@{1}".split(),
    "BRANCH": "main feature merged wip wip wtb other keep".split(),
    "NEW": "topic try-2 topic/x".split(),
    "PATH": "a.txt b.txt src/main.py src docs . . docs/readme.md notes.txt scratch newmod.py ':/' '*.txt' ita.txt d.txt w.txt .env nothing.txt".split(),
    "FILE": "a.txt b.txt src/main.py docs/readme.md notes.txt scratch/idea.md newmod.py run.log .env gone.py only.txt draft.md exp/data/run1.csv".split(),
    "DIR": "src docs scratch exp ignored build ../wt ../other sub".split(),
    "TREE": "../wt ../wt ../wt2 wt".split(),
    "STASH": ["", "", "stash@{0}", "stash@{1}", "1"],
    "TAG": "v1.0 v1.0 keep v2".split(),
    "REMOTE": "origin origin origin origin ../origin.git".split(),
}

# What a state has beyond the plain repository: paths, branches.
EXTRA = [
    ("untracked-files dirty-all alias-nuke subdir-dirty", "notes.txt notes.txt scratch scratch/idea.md", ""), ("dirty-all ignored-files", ".env", ""), ("ignored-files", ".env run.log build ignored", ""),
    ("ignored-collide", "run.log", ""), ("staged-new", "newmod.py newmod.py", ""), ("staged-then-deleted", "gone.py", ""), ("intent-to-add", "ita.txt ita.txt", ""), ("untracked-dir-only", "exp exp/data exp/data/run1.csv", ""),
    ("unmerged-branch on-wip-branch", "w.txt", "wip wip wip"), ("unmerged-never-checked-out squash-merged", "", "wip wip wip"), ("detached-unique", "d.txt d.txt", ""), ("tag-unpushed", "t.txt", "keep"),
    ("merge-in-progress rebase-in-progress cherry-in-progress", "b.txt b.txt", "other"), ("submodule-dirty submodule-clean submodule-unpushed", "sub sub sub/s.txt", ""), ("fresh-no-commits", "only.txt u.txt", ""), ("no-repo", "plain.txt", ""),
    ("worktree-dirty worktree-clean worktree-locked-dirty worktree-unpushed worktree-detached-unique worktree-wip-dirty-main-clean stash-from-other-worktree", "../wt ../wt/a.txt", "wtb wtb"),
    ("other-repo-dirty", "../other ../other/a.txt", ""), ("remote-only-branch tracking-only-gone", "", "colleague colleague"), ("collide-untracked", "docs/readme.md", ""), ("stash-untracked", "draft.md", ""),
]


def words_in(state: str) -> dict[str, list[str]]:
    """WORDS, but mostly of things that the state has."""
    paths, branches = "a.txt b.txt src/main.py docs/readme.md src docs . .".split(), "main feature merged".split()
    for states, more, heads in EXTRA:
        if state in states.split():
            paths += 2 * more.split()
            branches += 2 * heads.split()
    isdir = {"src", "docs", ".", "scratch", "exp", "exp/data", "build", "ignored", "sub", "../wt", "../other"}
    return WORDS | {
        "PATH": 6 * paths + WORDS["PATH"], "BRANCH": 6 * branches + WORDS["BRANCH"], "FILE": 6 * [path for path in paths if path not in isdir] + WORDS["FILE"],
        "DIR": 6 * [path for path in paths if path in isdir - {"."}] + WORDS["DIR"],
    }


# (weight, template after `git `)
LOSERS = [
    (10, "reset {--hard|--hard|--merge|--keep|--mixed|--soft|} {REF|REF|}"),
    (3, "reset {-q|} {REF|} {-- |}PATH"),
    (3, "reset {--hard REF --quiet|REF --hard|--mixed --hard|--hard --soft|-q --hard|--hard --no-recurse-submodules}"),
    (8, "checkout {-q|} {REF|REF|} {-- |}PATH {PATH|}"),
    (6, "checkout {-f|--force|-q|-m|} {BRANCH|REF|-}"),
    (2, "checkout {-b|-B|--orphan|-f -B} {BRANCH|NEW} {REF|}"),
    (2, "checkout {--ours|--theirs|-m|--conflict=diff3} -- PATH"),
    (2, "checkout {--detach|-d} {REF|}"),
    (1, "checkout {--pathspec-from-file=- -- |--overlay REF -- |--no-overlay REF -- }PATH"),
    (8, "restore {--staged|--worktree|--staged --worktree|-S|-W|-SW|} {-s REF|--source=REF|--source REF|} {-- |}PATH {PATH|}"),
    (5, "switch {-f|--discard-changes|--force|-m|-q|} {BRANCH|-|--detach REF}"),
    (2, "switch {-c|-C|--force-create|--create|--orphan} {BRANCH|NEW} {REF|}"),
    (8, "clean {-f|-fd|-fd|-fdx|-fX|-ffdx|-dfx|--force -d|-n|-nfd|-fd --dry-run|-d|-fdq} {PATH|-e PATH|--exclude=PATH|}"),
    (4, "stash {push|push -u|push -k|push --staged|push -a|-u|-q|save x|push -m x -- PATH}"),
    (5, "stash {pop|pop --index|apply|drop|drop|clear|list|show|show -p} STASH"),
    (1, "stash {branch NEW STASH|create|store -m x HEAD}"),
    (7, "branch {-D|-D|-d|--delete --force|-df|-d -f|-d -r|-rD} {BRANCH|BRANCH BRANCH|origin/feature}"),
    (3, "branch {-m|-M|-c|-C|-f|--force|--move|--copy --force} {BRANCH|BRANCH BRANCH|NEW|BRANCH REF|NEW REF}"),
    (2, "tag {-d TAG|-f TAG|-f TAG REF|--delete TAG|--force TAG REF|TAG|NEW}"),
    (9, "push {-f|--force|--force-with-lease|--force-with-lease=main|--force-if-includes|-q|} {REMOTE|REMOTE {BRANCH|HEAD|HEAD:BRANCH|+BRANCH|+HEAD:BRANCH|REF:refs/heads/BRANCH}|}"),
    (3, "push {-d|--delete} REMOTE {BRANCH|TAG|refs/heads/BRANCH}"),
    (2, "push REMOTE {:BRANCH|:refs/tags/TAG|+main~1:main|+refs/heads/*:refs/heads/*}"),
    (2, "push {--mirror|--all|--all --force|--tags|--tags -f|--prune|-n --force|--dry-run -f|--follow-tags} {REMOTE|REMOTE refs/heads/*:refs/heads/*|}"),
    (3, "fetch {--prune|-p|--all|-f|--tags|--prune-tags|} {REMOTE|REMOTE main|REMOTE +main:wip|REMOTE +main:BRANCH|REMOTE main:BRANCH|}"),
    (3, "pull {--rebase|--ff-only|--no-rebase|-r|--rebase --autostash|--force|} {REMOTE main|REMOTE BRANCH|}"),
    (4, "rm {-r|-f|-rf|--cached|--cached -f|-r --cached|-rfq|-n -rf|} PATH {PATH|}"),
    (3, "mv {-f|-k|-n|} {FILE FILE|FILE docs|FILE NEW|DIR NEW}"),
    (5, "worktree {remove TREE|remove -f TREE|remove --force TREE|remove -f -f TREE|remove --force --force TREE|prune|list|add ../wt3|add -f ../wt3 BRANCH|add -B BRANCH ../wt3|move TREE ../wt4|lock TREE|unlock TREE}"),
    (3, "update-ref {-d refs/heads/BRANCH|-d HEAD|refs/heads/BRANCH REF|HEAD REF|-d refs/stash|--no-deref HEAD REF|-d refs/tags/TAG}"),
    (1, "symbolic-ref {HEAD refs/heads/BRANCH|HEAD|-d HEAD}"),
    (3, "reflog {expire --expire=now --all|expire --expire-unreachable=now --all|expire --all|delete HEAD@{1}|delete stash@{0}|show|expire --expire=now BRANCH|drop --all|expire -n --expire=now --all}"),
    (2, "{gc|gc --prune=now|gc -q --auto|prune|prune -n|prune --expire=now|repack -ad|gc --aggressive --prune=all|prune-packed}"),
    (3, "rebase {--abort|--skip|--quit|--continue|main|origin/main|BRANCH|--onto REF REF|--autostash origin/main|-f HEAD~1|--root}"),
    (3, "{merge|cherry-pick|revert|am} {--abort|--quit|--skip|--continue}"),
    (3, "merge {BRANCH|origin/main|--no-ff BRANCH|--squash BRANCH|-X theirs BRANCH|--no-verify BRANCH|-s ours BRANCH|--autostash BRANCH}"),
    (1, "{cherry-pick|revert --no-edit} REF"),
    (4, "commit {--amend --no-edit|--amend -m x|-qm x|-qam x|-am x --no-verify|-n -m x|-nam x|--allow-empty -m x|-m x -- PATH|--amend -n --no-edit}"),
    (1, "-c core.hooksPath=/dev/null commit {-am x|--allow-empty -m x}"),
    (2, "submodule {deinit sub|deinit -f sub|deinit -f --all|update|update --force|update --init --force|status|foreach 'git reset --hard'|foreach git status}"),
    (2, "{checkout-index -f -a|checkout-index -a|checkout-index -f FILE|read-tree --reset -u HEAD|read-tree -u -m HEAD|read-tree --empty|read-tree HEAD|rm --cached -r .}"),
    (2, "{diff|diff HEAD|diff --cached|show HEAD} | git apply {-R|--reverse|-R --index|--check -R|-R --cached}"),
    (1, "{sparse-checkout set docs|sparse-checkout disable|update-index --refresh|update-index --force-remove FILE|update-index --assume-unchanged FILE|update-index --cacheinfo 100644,HEAD:b.txt,a.txt}"),
    (1, "{remote remove origin|remote prune origin|remote rename origin up|remote -v|remote set-head origin -a|remote update -p}"),
    (1, "{notes remove|notes add -f -m x|notes list|replace HEAD HEAD~1|bisect reset|bisect start|bisect run git reset --hard}"),
]
CALM = [
    (6, "status {-s|--porcelain|-sb|}"), (4, "log {--oneline -3|-p -1|--graph --all|-g|--stat}"), (4, "diff {--stat|HEAD|--cached|REF..REF|}"),
    (2, "show {--stat|REF|REF:a.txt}"), (3, "branch {-a|-vv|--list|--show-current|--merged|NEW|NEW REF}"), (2, "stash list"), (2, "add {-N|-u|-p --help|} {-- |}NEW"),
    (1, "reset --help"), (2, "blame -s {a.txt|b.txt}"), (2, "ls-files {-o|-s|-m|}"), (1, "rev-parse {HEAD|--show-toplevel}"), (1, "reflog"), (1, "cat-file -p HEAD"),
    (1, "grep -n {alpha|reset}"), (1, "config {--get user.name|--list|user.name Dev}"), (1, "check-ignore -v run.log"), (1, "log --grep 'git reset --hard'"), (2, "fetch {-q|--dry-run|}"),
    (2, "push {-n|--dry-run|-q|} {origin main|origin NEW|}"), (1, "worktree list"), (1, "tag {-l|NEW}"), (1, "describe --tags"), (1, "shortlog -s HEAD"), (1, "clean -nd"), (1, "fsck"),
]
FILES = [  # not git: the same work lost by other means
    (6, "rm {-f|-r|-rf|-v|} {FILE|DIR|FILE FILE|*.txt|./PATH}"), (5, "mv {-f|-n|-b|} {FILE FILE|FILE NEW|FILE docs/|DIR NEW|FILE /tmp/}"),
    (4, "cp {-f|-n|-p|-r|} {FILE FILE|FILE NEW|FILE /tmp/x|/dev/null FILE|DIR/. docs}"), (3, "{echo x|printf ''|cat b.txt|git show HEAD:a.txt} > {FILE|NEW}"),
    (1, "{: >|>} FILE"), (1, "echo x | tee {FILE|NEW}"), (1, "truncate -s 0 FILE"), (1, "dd if=/dev/zero of=FILE bs=1 count=1"), (1, "ln -sf b.txt FILE"), (1, "install -m 644 b.txt FILE"),
    (1, "unlink FILE"), (2, "find {.|DIR|docs} -name '{*.txt|*.md|*.log|*.py}' {-delete|-exec rm <> +|-exec rm <> \\;|-print}"), (1, "rm -rf {.git|.git/index|../work|.git/index.lock|.git/modules/sub|.git/hooks}"),
    (1, "git ls-files {-o|-m|-o --exclude-standard} | xargs rm -f"), (1, "git archive HEAD | tar x"), (1, "rmdir DIR"), (1, "git clone -q ../origin.git {fresh|../fresh}"),
]
HARMLESS = [
    "ls -la", "cat a.txt", "grep -rn alpha .", "sed -n 1,5p a.txt", "echo 'git reset --hard' > /dev/null", "echo \"use git clean -fdx with care\"", "printf 'git push --force\\n'", "mkdir -p out && touch out/x",
    "grep -rn 'git checkout -- .' . || true", "python3 -c 'print(1)'", "test -f a.txt && echo yes", "head -n 2 src/main.py", "wc -l *.txt", "find . -name '*.md' | head", "cat > NOTE.md <<'EOF'\nnever run git reset --hard\nEOF",
    "# git reset --hard\nls", "touch new.txt && rm new.txt", "mktemp", "cd src && ls", "sed -i 's/alpha/ALPHA/' a.txt", "echo more >> b.txt", "git log --oneline | head -3", "diff a.txt b.txt", "which git", "true",
]
SAVES = [
    "git add -A && git commit -qm wip", "git stash", "git stash -u", "git stash push -q -u -m x", "git branch keep", "git tag safe", "git switch -qc keep", "git fetch -q", "git add -A", "git commit -qam x", "git push -q",
    "git checkout -q main", "git checkout -qb side", "cp a.txt /tmp/a", "git status -s", "git diff > /tmp/p.patch", "git worktree add -q ../wt3", "cd docs", "cd ..", "git log -1", "git stash list", "git pull -q", "git merge -q feature", "git diff --quiet",
]
LONG = re.compile(r"(?<=\s)--[a-z]+(?:-[a-z]+)*(?==|\s|$)")


def draw(rng: random.Random, table: list[tuple[int, str]], words: dict[str, list[str]]) -> str:
    """One template of the table, filled in; the words have dice of their own, so that others change nothing else."""
    text = rng.choices([text for _, text in table], [weight for weight, _ in table])[0]
    while True:
        inner = re.search(r"\{([^{}@]*\|[^{}]*|[^{}]*\|[^{}@]*)\}", text)
        if not inner:
            break
        text = text[: inner.start()] + rng.choice(inner[1].split("|")) + text[inner.end():]
    dice = random.Random(rng.random())
    text = re.sub(r"\b(" + "|".join(WORDS) + r")\b", lambda m: dice.choice(words[m[1]]), text)
    return re.sub(r" +", " ", text).replace("<>", "{}").strip()


def abbreviate(rng: random.Random, text: str) -> str:
    """Cut some of git's long options short; git refuses what has become ambiguous, and the oracle sees that."""
    return LONG.sub(lambda m: m[0][: rng.randint(4, len(m[0]))] if rng.random() < 0.15 and len(m[0]) > 5 else m[0], text)


def git_line(rng: random.Random, table: list[tuple[int, str]], words: dict[str, list[str]]) -> str:
    text = abbreviate(rng, " " + draw(rng, table, words)).strip()
    before = rng.choice(["", "", "", "", "", "", "-C . ", "-C ../work ", "--no-pager ", "-c advice.detachedHead=false ", "--git-dir=.git --work-tree=. ", "-P ", "-c color.ui=false -C . "])
    return "git " + before + text


def simple(rng: random.Random, words: dict[str, list[str]]) -> str:
    """One command."""
    kind = rng.random()
    if kind < 0.63:
        return git_line(rng, LOSERS, words)
    if kind < 0.73:
        return git_line(rng, CALM, words)
    return draw(rng, FILES, words) if kind < 0.89 else rng.choice(HARMLESS)


def alias(rng: random.Random, line: str) -> str:
    if not line.startswith("git ") or line.startswith("git -") or "|" in line or "\n" in line:
        return line
    rest = line[4:]
    return f"git -c alias.zz={shlex.quote(rest if rng.random() < 0.6 else '!' + line)} zz"


def variable(rng: random.Random, line: str) -> str:
    words = line.split(" ")
    if not line.startswith("git ") or len(words) < 2 or set(line) & set("'\"|<>$`*;&\n"):
        return line
    at = rng.randrange(len(words))
    name = rng.choice(["X", "cmd", "opt"])
    use = rng.choice(["$" + name, '"$' + name + '"', "${" + name + "}"])
    return f"{name}={words[at]}; " + " ".join(words[:at] + [use] + words[at + 1:])


def quotes(rng: random.Random, line: str) -> str:
    words = line.split(" ")
    if not line.startswith("git ") or set(line) & set("'\"|<>$`*;&\n\\{}()"):
        return line
    at = rng.randrange(len(words))
    word = words[at]
    cut = rng.randint(0, len(word))
    words[at] = rng.choice([f"'{word}'", f'"{word}"', f"{word[:cut]}''{word[cut:]}", f'{word[:cut]}"{word[cut:]}"', f"$'{word}'", (word[:1] + "\\" + word[1:]) if len(word) > 1 else word])
    return " ".join(words)


def python(rng: random.Random, line: str) -> str:
    if not line.startswith("git ") or set(line) & set("'\"|<>$`*;&\n\\"):
        return line
    call = rng.choice([f"import subprocess; subprocess.run({line.split()!r})", f"import os; os.system({line!r})", f"import subprocess; subprocess.call({line!r}, shell=True)"])
    return f"python3 -c {shlex.quote(call)}"


def own_program(line: str) -> bool:
    """A simple command that programs, not only a shell, can start."""
    return not set(line) & set("|<>;&\n#") and not re.match(r"(cd|:|>|[A-Za-z_]+=)", line)


PREFIXES = ["env ", "env GIT_PAGER=cat ", "command ", "nice ", "nohup ", "timeout 15 ", "sudo ", "time ", "stdbuf -oL ", "setsid -w ", "GIT_TRACE=0 ", "exec ", "nice -n 5 ", "ionice -c 3 ", "/usr/bin/env ", "! ", "builtin command "]
WRAPS = [
    lambda r, l: f"sh -c {shlex.quote(l)}", lambda r, l: f"bash -c {shlex.quote(l)}", lambda r, l: f"bash -lc {shlex.quote(l)}", lambda r, l: f"eval {shlex.quote(l)}", lambda r, l: f"( {l} )" if "\n" not in l else l,
    lambda r, l: f"{{ {l}; }}" if "\n" not in l else l, lambda r, l: f"{l} && true" if "\n" not in l else l, lambda r, l: f"true; {l}", lambda r, l: f"true && {l}", lambda r, l: f"cd . && {l}", lambda r, l: f"cd ../work; {l}",
    lambda r, l: f"{l} 2>&1" if "\n" not in l and "|" not in l else l, lambda r, l: f"{l} > /dev/null" if own_program(l) else l, lambda r, l: f"{l} | cat" if own_program(l) else l, lambda r, l: f"{l} || echo failed" if "\n" not in l else l,
    lambda r, l: f"if true; then {l}; fi" if "\n" not in l else l, lambda r, l: f"for i in 1; do {l}; done" if "\n" not in l else l, lambda r, l: f"f() {{ {l}; }}; f" if "\n" not in l else l, lambda r, l: f"echo $({l})" if "\n" not in l and "#" not in l else l,
    lambda r, l: f"bash <<'EOF'\n{l}\nEOF" if "EOF" not in l else l, lambda r, l: f"echo {shlex.quote(l)} | sh" if "\n" not in l else l, lambda r, l: f"sh <<< {shlex.quote(l)}", lambda r, l: f"(cd src && cd .. && {l})" if "\n" not in l else l,
    lambda r, l: r.choice(PREFIXES) + l if own_program(l) else l, lambda r, l: r.choice(PREFIXES) + l if own_program(l) else l, lambda r, l: r.choice(PREFIXES) + l if own_program(l) else l, lambda r, l: f"x=1 y=2; {l}",
    lambda r, l: f"env -S {shlex.quote(l)}" if own_program(l) and not set(l) & set("'\"$\\{}*") else l, lambda r, l: f"echo {l[4:]} | xargs git" if l.startswith("git ") and own_program(l) and not set(l) & set("'\"$\\{}*") else l,
    alias, alias, variable, variable, quotes, quotes, quotes, python,
]


def wrapped(rng: random.Random, line: str) -> str:
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        line = rng.choice(WRAPS)(rng, line)
    return line


# Words of a line -> states in which it has something to work on.
FITTING = [
    (r"\bstash\b", "stash-present two-stashes stash-untracked stash-conflicting dirty-all stash-from-other-worktree stash-dropped untracked-files"),
    (r"\bworktree\b|\bwt\b|\bwtb\b", "worktree-dirty worktree-clean worktree-locked-dirty worktree-unpushed worktree-detached-unique worktree-wip-dirty-main-clean"),
    (r"\bsub(module)?\b", "submodule-dirty submodule-clean submodule-unpushed"),
    (r"\bwip\b|branch -[dDmMcC]", "unmerged-branch on-wip-branch unmerged-never-checked-out squash-merged"),
    (r"\bpush\b|\bfetch\b|\bpull\b", "diverged behind remote-ahead-unfetched unpushed-commits feature-rewritten on-feature clean hooks-unpushed tracking-only-gone remote-only-branch remote-merged-branch"),
    (r"\bcommit\b|hooksPath|no-verify", "hooks-installed hooks-unpushed hooks-failing hookspath-repo dirty-staged unpushed-commits"),
    (r"abort|skip|--quit|--ours|--theirs|rebase|merge\b", "merge-in-progress rebase-in-progress cherry-in-progress unpushed-commits diverged"),
    (r"reflog|\bgc\b|prune|repack", "reflog-only-work stash-dropped clean detached-unique unpushed-commits"),
    (r"\btag\b|v1\.0|keep", "tag-unpushed clean"),
    (r"clean|untracked|notes\.txt|scratch", "untracked-files dirty-all untracked-dir-only ignored-files nested-repo-untracked clean"),
    (r"\.env|run\.log|ignored|build", "ignored-files ignored-collide dirty-all"),
    (r"reset|checkout|restore|switch|\brm\b|\bmv\b|>", "dirty-tracked dirty-all dirty-staged staged-new unpushed-dirty staged-then-deleted staged-and-edited detached-unique behind-dirty intent-to-add clean subdir-dirty on-feature-dirty"),
]


def fitting(rng: random.Random, line: str, states: list[str]) -> str:
    """A state for the line: mostly one where it matters, at times any."""
    fits = [names for pattern, names in FITTING if re.search(pattern, line)]
    if not fits or rng.random() < 0.15:
        return rng.choice(states) if rng.random() < 0.7 else "clean"
    named = [name for name in rng.choice(fits).split() if name in states]
    return rng.choice(named or states)


def sequence(rng: random.Random, words: dict[str, list[str]]) -> str:
    """One to three commands, each perhaps wrapped."""
    steps = [simple(rng, words)]
    while len(steps) < 3 and rng.random() < 0.3:
        steps.insert(rng.randrange(len(steps) + 1), rng.choice(SAVES) if rng.random() < 0.75 else simple(rng, words))
    text = wrapped(rng, steps[0])
    for step in steps[1:]:
        joint = "\n" if "<<'EOF'" in text or "#" in text else rng.choice([" && ", " && ", "; ", " || ", "\n"])
        text += joint + wrapped(rng, step)
    return text


def line_and_state(rng: random.Random, states: list[str]) -> tuple[str, str]:
    """A random line and a state; the line is thrown a second time, with the words of the state."""
    seed = rng.random()
    state = fitting(rng, sequence(random.Random(seed), WORDS), states)
    return sequence(random.Random(seed), words_in(state)), state
