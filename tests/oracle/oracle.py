#!/usr/bin/env python3
"""Ground-truth oracle: for (command, state) build a throwaway repo in that state with a bare origin,
record everything of value, run the command with bash in a private mount+network namespace, and report what was lost.

usage: oracle.py 'CMD' STATE          one command, JSON report
       oracle.py --corpus IN OUT      whole corpus (JSONL)
       oracle.py --states             list states
Content is followed by blob hash, so a renamed or moved file is not a loss.
 classes: safe      still in a work tree file, or reachable from a ref / HEAD / index of any repo in the box
          reflog    only reachable through a reflog (git reflog / stash reflog)
          dangling  object exists but nothing points to it (only `git fsck --lost-found` finds it)
          gone      no file and no object holds it any more
"""
import hashlib, json, os, shutil, signal, subprocess, sys, tempfile
ROOT = os.environ.get("AH_ORACLE_DIR", os.path.join(tempfile.gettempdir(), "ah-oracle"))
BOX = os.environ.get("GG_BOX", ROOT + "/box")
RUN = BOX + "/run"
TPL = BOX + "/tpl"
ENV = {
    "PATH": RUN + "/bin:/usr/local/bin:/usr/bin:/bin", "HOME": RUN + "/home", "LANG": "C.UTF-8", "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1", "TMPDIR": "/tmp", "USER": "dev", "GIT_EDITOR": "true", "GIT_SEQUENCE_EDITOR": "true",
    "EDITOR": "true", "GIT_PAGER": "cat", "PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
}
BASE = r'''
set -e
export GIT_AUTHOR_DATE="2026-01-01T10:00:00Z" GIT_COMMITTER_DATE="2026-01-01T10:00:00Z"
mkdir -p $RUN/home $RUN/bin; cd $RUN
for s in sudo doas; do printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do case $1 in -u|-g) shift 2;; *) shift;; esac; done\nexec "$@"\n' > bin/$s; chmod +x bin/$s; done
cat > home/.gitconfig <<E
[user]
 name = Dev
 email = dev@example.test
[init]
 defaultBranch = main
[advice]
 detachedHead = false
[protocol "file"]
 allow = always
[push]
 default = simple
[safe]
 directory = *
[gc]
 auto = 0
E
git init -q --bare origin.git
git clone -q origin.git work 2>/dev/null; cd work
mkdir -p src docs
printf 'alpha\nbeta\n' > a.txt; printf 'one\ntwo\n' > b.txt; printf 'print(1)\n' > src/main.py; printf '# Guide\n' > docs/readme.md
printf '*.log\n.env\nignored/\nbuild/\n' > .gitignore
git add -A; git commit -qm 'c1'
echo 'gamma' >> a.txt; git commit -qam 'c2'
git branch merged
echo 'three' >> b.txt; git commit -qam 'c3'; git tag v1.0
git push -q origin main v1.0; git branch -q -u origin/main main
git checkout -qb feature; echo 'print(2)' >> src/main.py; git commit -qam 'f1'; echo 'print(3)' >> src/main.py; git commit -qam 'f2'
git push -qu origin feature; git checkout -q main
git remote set-head origin main
unset GIT_AUTHOR_DATE GIT_COMMITTER_DATE
'''
DT = "echo 'precious edit' >> a.txt; echo '# wip refactor' >> src/main.py\n"
UN = "echo 'my notes' > notes.txt; mkdir -p scratch; echo idea > scratch/idea.md\n"
HOOKS = r'''
for h in pre-commit commit-msg pre-push; do printf '#!/bin/sh\necho %s >> "$RUN_LOG"\n' $h | sed "s#\"\$RUN_LOG\"#$RUN/hook.log#" > .git/hooks/$h; chmod +x .git/hooks/$h; done; rm -f $RUN/hook.log
'''
FAILHOOK = r'''
printf '#!/bin/sh\necho pre-commit >> %s/hook.log\necho lint failed; exit 1\n' $RUN > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; rm -f $RUN/hook.log
'''
STATES = {
 "clean": "",
 "dirty-tracked": DT,
 "dirty-staged": "echo 'staged edit' >> b.txt; git add b.txt\n",
 "staged-new": "echo 'brand new module' > newmod.py; git add newmod.py\n",
 "staged-and-edited": "echo 'first version' >> a.txt; git add a.txt; sed -i 's/first version/second version/' a.txt\n",
 "deleted-tracked": "rm b.txt\n",
 "untracked-files": UN,
 "ignored-files": "echo SECRET=1 > .env; echo l > run.log; mkdir -p build ignored; echo o > build/out.o; echo c > ignored/cache\n",
 "dirty-all": DT + UN + "echo 'staged edit' >> b.txt; git add b.txt; echo SECRET=1 > .env\n",
 "unpushed-commits": "echo u1 >> b.txt; git commit -qam u1; echo u2 >> b.txt; git commit -qam u2\n",
 "unpushed-dirty": "echo u1 >> b.txt; git commit -qam u1; echo u2 >> b.txt; git commit -qam u2\n" + DT,
 "unmerged-branch": "git checkout -qb wip; echo w1 > w.txt; git add w.txt; git commit -qm w1; echo w2 >> w.txt; git commit -qam w2; git checkout -q main\n",
 "on-wip-branch": "git checkout -qb wip; echo w1 > w.txt; git add w.txt; git commit -qm w1; echo w2 >> w.txt; git commit -qam w2\n",
 "on-feature": "git checkout -q feature\n",
 "on-feature-dirty": "git checkout -q feature\n" + DT,
 "feature-rewritten": "git checkout -q feature; git commit -q --amend -m 'f2 reworded'\n",
 "behind": "git clone -q ../origin.git ../peer; (cd ../peer; echo r1 >> docs/readme.md; git commit -qam r1; git push -q origin main); git fetch -q\n",
 "behind-dirty": "git clone -q ../origin.git ../peer; (cd ../peer; echo r1 >> docs/readme.md; git commit -qam r1; git push -q origin main); git fetch -q\n" + DT,
 "diverged": "git clone -q ../origin.git ../peer; (cd ../peer; echo r1 >> docs/readme.md; git commit -qam r1; git push -q origin main); rm -rf ../peer; git fetch -q; echo u1 >> b.txt; git commit -qam u1\n",
 "remote-ahead-unfetched": "git clone -q ../origin.git ../peer; (cd ../peer; echo r1 >> docs/readme.md; git commit -qam r1; git push -q origin main; git checkout -q feature; echo r2 >> docs/readme.md; git commit -qam r2; git push -q origin feature); rm -rf ../peer; echo u1 >> b.txt; git commit -qam u1\n",
 "stash-present": "echo 'stashed work' >> a.txt; git stash -q\n",
 "two-stashes": "echo 'stashed work' >> a.txt; git stash -q; echo 'other stash' >> b.txt; git stash -q\n",
 "stash-untracked": "echo 'u' > draft.md; echo 'stashed work' >> a.txt; git stash -qu\n",
 "worktree-dirty": "git worktree add -q ../wt -b wtb; echo 'wt edit' >> ../wt/a.txt; echo 'wt new' > ../wt/new.txt\n",
 "worktree-clean": "git worktree add -q ../wt -b wtb\n",
 "worktree-locked-dirty": "git worktree add -q ../wt -b wtb; git worktree lock ../wt; echo 'wt edit' >> ../wt/a.txt\n",
 "worktree-unpushed": "git worktree add -q ../wt -b wtb; (cd ../wt; echo wc > wc.txt; git add wc.txt; git commit -qm wc)\n",
 "worktree-detached-unique": "git worktree add -q --detach ../wt; (cd ../wt; echo wc > wc.txt; git add wc.txt; git commit -qm wc)\n",
 "detached-unique": "git checkout -q --detach; echo d1 > d.txt; git add d.txt; git commit -qm d1\n",
 "detached-clean": "git checkout -q --detach v1.0\n",
 "reflog-only-work": "echo gone1 > g.txt; git add g.txt; git commit -qm g1; git reset -q --hard HEAD~1\n",
 "merge-in-progress": "git checkout -qb other main~1; echo X >> b.txt; git commit -qam ox; git checkout -q main; git merge other >/dev/null 2>&1 || true; printf 'one\\ntwo\\nthree resolved by hand\\n' > b.txt\n",
 "rebase-in-progress": "git checkout -qb other main~1; echo X >> b.txt; git commit -qam ox; git rebase main >/dev/null 2>&1 || true; printf 'one\\ntwo\\nthree resolved by hand\\n' > b.txt\n",
 "cherry-in-progress": "git checkout -qb other main~1; echo X >> b.txt; git commit -qam ox; git checkout -q main; git cherry-pick other >/dev/null 2>&1 || true; printf 'one\\ntwo\\nthree resolved by hand\\n' > b.txt\n",
 "submodule-dirty": "git init -q ../subsrc; (cd ../subsrc; echo s > s.txt; git add .; git commit -qm s); git submodule --quiet add ../subsrc sub >/dev/null 2>&1; git commit -qm sub; git push -q; echo 'sub edit' >> sub/s.txt; echo new > sub/n.txt\n",
 "submodule-clean": "git init -q ../subsrc; (cd ../subsrc; echo s > s.txt; git add .; git commit -qm s); git submodule --quiet add ../subsrc sub >/dev/null 2>&1; git commit -qm sub; git push -q\n",
 "submodule-unpushed": "git init -q ../subsrc; (cd ../subsrc; echo s > s.txt; git add .; git commit -qm s); git submodule --quiet add ../subsrc sub >/dev/null 2>&1; git commit -qm sub; git push -q; (cd sub; echo local >> s.txt; git commit -qam local; git checkout -q --detach; git branch -D main >/dev/null 2>&1 || git branch -D master >/dev/null 2>&1)\n",
 "nested-repo-untracked": "git init -q vendor/lib; (cd vendor/lib; echo n > n.c; git add .; git commit -qm n)\n",
 "hooks-installed": "echo edit >> a.txt; git add a.txt\n" + HOOKS,
 "hooks-failing": "echo edit >> a.txt; git add a.txt\n" + FAILHOOK,
 "hooks-unpushed": "echo u1 >> b.txt; git commit -qam u1\n" + HOOKS,
 "alias-nuke": DT + UN + "git config alias.nuke '!git reset --hard && git clean -fdx'; git config alias.undo 'reset --hard'; git config alias.st status; git config alias.co checkout; git config alias.pf 'push --force'\n",
 "alias-clean": "git config alias.nuke '!git reset --hard && git clean -fdx'; git config alias.undo 'reset --hard'; git config alias.st status; git config alias.co checkout\n",
 "other-repo-dirty": "git clone -q ../origin.git ../other; echo 'other edit' >> ../other/a.txt; echo n > ../other/untracked.txt\n",
 "subdir-dirty": DT + UN + "echo 'doc edit' >> docs/readme.md\n",
 "tag-unpushed": "git checkout -q --detach; echo t > t.txt; git add t.txt; git commit -qm t; git tag keep; git checkout -q main\n",
 "script-nuke": DT + "printf '#!/bin/sh\\ngit reset --hard\\ngit clean -fd\\n' > reset.sh; chmod +x reset.sh; git add reset.sh; git commit -qm s reset.sh; git push -q\n",
 "makefile-nuke": DT + "printf 'clean:\\n\\tgit checkout -- .\\n' > Makefile; git add Makefile; git commit -qm m Makefile; git push -q\n",
 "collide-untracked": "git rm -q --cached docs/readme.md; git commit -qm rm-doc; echo 'my own doc' > docs/readme.md; git push -q\n",
 "ignored-collide": "git checkout -q feature; echo 'tracked log' > run.log; git add -f run.log; git commit -qm log; git push -q; git checkout -q main; echo 'my precious log' > run.log\n",
 "assume-unchanged": "git update-index --assume-unchanged a.txt; echo 'hidden edit' >> a.txt\n",
 "skip-worktree": "git update-index --skip-worktree a.txt; echo 'hidden edit' >> a.txt\n",
 "intent-to-add": "echo 'ita content' > ita.txt; git add -N ita.txt\n",
 "fresh-no-commits": "cd $RUN; rm -rf work; git init -q work; cd work; echo 'never committed' > only.txt; git add only.txt; echo u > u.txt\n",
 "no-repo": "cd $RUN; rm -rf work; mkdir work; cd work; echo x > plain.txt\n",
 "no-remote-unpushed": "git remote remove origin; echo u1 >> b.txt; git commit -qam u1\n",
 "notes-present": "git notes add -m 'review note' HEAD\n",
 "space-path-dirty": "mkdir -p '../my repo'; git clone -q ../origin.git '../my repo'; echo edit >> '../my repo/a.txt'\n",
 "remote-merged-branch": "git push -q origin merged\n",
 "lfs-like-bisect": "git bisect start -q HEAD HEAD~2 >/dev/null 2>&1 || true\n",
 "sparse": "git sparse-checkout set src >/dev/null 2>&1\n" + "echo '# wip' >> src/main.py\n",
 "unmerged-never-checked-out": "git clone -q . ../p2; (cd ../p2; echo wip-only > w.txt; git add w.txt; git commit -qm w); git fetch -q ../p2 HEAD:refs/heads/wip; rm -rf ../p2; rm -f .git/FETCH_HEAD\n",
 "staged-then-deleted": "echo 'only in index' > gone.py; git add gone.py; rm gone.py\n",
 "stash-dropped": "echo 'stashed work' >> a.txt; git stash -q; git stash drop -q\n",
 "tracking-only-gone": "git clone -q ../origin.git ../peer; (cd ../peer; git checkout -qb colleague; echo c >> b.txt; git commit -qam c; git push -q origin colleague); git fetch -q; (cd ../peer; git push -q origin :colleague); rm -rf ../peer\n",
 "hookspath-repo": "mkdir .githooks; printf '#!/bin/sh\\necho pre-commit >> %s/hook.log\\n' $RUN > .githooks/pre-commit; chmod +x .githooks/pre-commit; git add .githooks; git commit -qm hooks; git push -q; git config core.hooksPath .githooks; echo edit >> a.txt; git add a.txt\n",
 "tmp-clone-dirty": DT + "git clone -q ../origin.git ../tmpclone\n",
 "untracked-dir-only": "mkdir -p exp/data; echo 1 > exp/data/run1.csv\n",
 "worktree-wip-dirty-main-clean": "git worktree add -q ../wt -b wtb; echo 'wt edit' >> ../wt/a.txt\n",
 "dirty-a-only": "echo 'precious edit' >> a.txt\n",
 "crlf-noise": "touch a.txt\n",
 "remote-only-branch": "git clone -q ../origin.git ../peer; (cd ../peer; git checkout -qb colleague; echo c >> b.txt; git commit -qam c; git push -q origin colleague); git fetch -q; rm -rf ../peer\n",
 "squash-merged": "git checkout -qb wip; echo w1 > w.txt; git add w.txt; git commit -qm w1; git mv w.txt w2.txt; echo w2 >> w2.txt; git commit -qam w2; git checkout -q main; git merge -q --squash wip >/dev/null; git commit -qm 'squash wip'; git push -q\n",
 "stash-from-other-worktree": "git worktree add -q ../wt -b wtb; (cd ../wt; echo 'agent B work' >> a.txt; git stash -q)\n",
 "stash-conflicting": "echo 'stashed work' >> a.txt; git stash -q; echo 'other agent edit' >> a.txt; git commit -qam c4; git push -q\n",
 "patch-file": "git diff HEAD~1 HEAD > p.patch; git reset -q --hard HEAD; echo 'p' >/dev/null\n",
}
STATES["any"] = STATES["clean"]
EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"   # the id of no content, SHA-1

def sh(script, cwd, env, **k):
    return subprocess.run(["bash", "-c", script], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **k)

def ensure(state):
    d = f"{TPL}/{state}-{hashlib.sha1((BASE + STATES[state]).encode()).hexdigest()[:8]}"   # a changed script is a new template
    if not os.path.isdir(d):
        shutil.rmtree(RUN, ignore_errors=True); os.makedirs(RUN)
        env = dict(ENV, RUN=RUN)
        r = sh(BASE + STATES[state], RUN, env)
        if r.returncode: raise SystemExit(f"state {state}: {r.stderr.decode()}\n{r.stdout.decode()}")
        os.makedirs(TPL, exist_ok=True)
        subprocess.run(["cp", "-a", RUN, d], check=True)
    return d

def restore(state):
    d = ensure(state)
    shutil.rmtree(RUN, ignore_errors=True)
    subprocess.run(["cp", "-a", d, RUN], check=True)
    for w in worktrees():   # a copied tree has new ctimes: refresh the stat cache, as any earlier `git status` would have
        subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=w, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def git(cwd, *a, inp=None):
    return subprocess.run(["git", *a], cwd=cwd, env=dict(ENV, GIT_OPTIONAL_LOCKS="0"), input=inp, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

def blobsha(p):
    try:
        if os.path.islink(p): b = os.readlink(p).encode()
        else:
            with open(p, "rb") as f: b = f.read()
    except OSError: return None
    return hashlib.sha1(b"blob %d\0" % len(b) + b).hexdigest()

def repos():
    """every git dir in the box: (worktree or bare dir)"""
    out = []
    for dp, dn, fn in os.walk(RUN):
        if os.path.abspath(dp) in (RUN + "/home", RUN + "/bin"): dn[:] = []; continue
        if "HEAD" in fn and "objects" in dn: out.append(dp); dn[:] = [x for x in dn if x in ("modules",)] 
    return out

def worktrees():
    out = []
    for dp, dn, fn in os.walk(RUN):
        if ".git" in dn or ".git" in fn: out.append(dp)
        dn[:] = [x for x in dn if x != ".git" and not x.endswith(".git")]
    return out

def files():
    out = {}
    for dp, dn, fn in os.walk(RUN):
        dn[:] = [x for x in dn if x != ".git" and not (x.endswith(".git"))]
        rel = os.path.relpath(dp, RUN)
        if rel.split("/")[0] in ("home", "bin"): continue
        for f in fn:
            if f == ".git" or (rel == "." and f == "hook.log"): continue
            p = os.path.join(dp, f); out[os.path.relpath(p, RUN)] = blobsha(p)
    return out

def stashes(g):
    """the stash list is a reflog, but it is a list of names that people know"""
    try:
        if not os.path.exists(f"{g}/refs/stash") and "refs/stash" not in open(f"{g}/packed-refs").read(): return []
        return [l.split()[1] for l in open(f"{g}/logs/refs/stash")]
    except OSError: return []

def objsets():
    reach, refl, alln = set(), set(), set()
    for g in repos():
        # "--": in a git directory, HEAD without a commit would be taken for the file.
        b = git(g, "rev-list", "--objects", "--no-object-names", "--all", "--indexed-objects", "HEAD", "--") or git(g, "rev-list", "--objects", "--no-object-names", "--all", "--indexed-objects")
        reach |= set(b.decode().split())
        s = stashes(g)
        if s: reach |= set(git(g, "rev-list", "--objects", "--no-object-names", *s).decode().split())
        refl |= set(git(g, "rev-list", "--objects", "--no-object-names", "--reflog").decode().split())
        alln |= set(l.split()[0] for l in git(g, "cat-file", "--batch-all-objects", "--batch-check", "--unordered").decode().splitlines())
    return reach, refl, alln

def refs(g):
    return dict(l.split(" ", 1)[::-1] for l in git(g, "for-each-ref", "--format=%(objectname) %(refname)").decode().splitlines())

def commits_of(g):
    s = stashes(g)
    return set(git(g, "rev-list", "--all", *s, "HEAD", "--").decode().split() or git(g, "rev-list", "--all", *s).decode().split())

def snapshot():
    s = {"files": files(), "refs": {}, "commits": {}, "index": set(), "ignored": set(), "untracked": set(), "config": {}}
    for w in worktrees():
        rel = os.path.relpath(w, RUN)
        for l in git(w, "ls-files", "-s", "-z").decode().split("\0"):
            if l and not l.startswith("160000"): s["index"].add((rel, l.split("\t")[1], l.split()[1]))
        for f in git(w, "ls-files", "-o", "-i", "--exclude-standard", "-z").decode().split("\0"):
            if f: s["ignored"].add(os.path.normpath(os.path.join(rel, f)))
        for f in git(w, "ls-files", "-o", "--exclude-standard", "-z").decode().split("\0"):
            if f: s["untracked"].add(os.path.normpath(os.path.join(rel, f)))
    for g in repos():
        rel = os.path.relpath(g, RUN)
        s["refs"][rel] = refs(g); s["commits"][rel] = commits_of(g)
        s["config"][rel] = git(g, "config", "--local", "--list").decode()
    return s

def hooklog():
    try: return open(RUN + "/hook.log").read().split()
    except OSError: return []

# Only the box and a private /tmp can be written; /dev is private too (`mv x /dev/null` by root would replace the machine's).
NS = r'''
mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/box /mnt/dev && mount --bind %(box)s /mnt/box || exit 97
mount -t tmpfs -o mode=755 tmpfs /mnt/dev && mkdir /mnt/dev/shm /mnt/dev/pts && mount -t devpts -o newinstance,ptmxmode=666 devpts /mnt/dev/pts && ln -s pts/ptmx /mnt/dev/ptmx || exit 97
for n in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 /mnt/dev/${n%%:*} c 1 ${n#*:} || exit 97; done
ln -s /proc/self/fd /mnt/dev/fd && for n in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${n%%:*} /mnt/dev/${n#*:}; done
mount -t tmpfs tmpfs /tmp && mkdir -p %(box)s && mount --bind /mnt/box %(box)s && mount --move /mnt/dev /dev && umount -R /mnt || exit 97
mount -o remount,bind,ro / || exit 97
cd %(cwd)s || exit 96
exec timeout -k 1 20 bash -c "$GG_CMD"
'''

def verdict(rep):
    L, C = rep["lost"], rep["commits"]
    if L["gone"] or C["gone"] or rep["repo_removed"]: return "deny"
    if L["dangling"] or C["dangling"]: return "deny"
    if rep["hook_bypass"] or any("hookspath" in x.lower() for x in rep["config_changed"]): return "deny"
    if rep.get("remote_lost_unbacked"): return "deny"
    if rep["remote_lost"]: return "ask"
    if L["reflog"] or C["reflog"] or rep["ignored_lost"] or any(":refs/" in x and x.startswith("origin.git") for x in rep["refs_deleted"]): return "ask"
    return "allow"

_CACHE = {}
def judge(cmd, state, cwd=None, look=None, after=None):
    """`look` is called once the state is there and before the command runs (what it returns, if anything, runs
    instead), `after` once it has run and before anything is looked at."""
    restore(state)
    if look: cmd = look() or cmd
    hb = len(hooklog())
    if state not in _CACHE:
        before = snapshot(); r0, l0, a0 = objsets(); dang0 = a0 - r0 - l0; reflonly0 = set()
        for g in repos(): reflonly0 |= set(git(g, "rev-list", "--reflog").decode().split()) - r0
        _CACHE[state] = (before, dang0, reflonly0)
    before, dang0, reflonly0 = _CACHE[state]
    hooks = [h for h in ("pre-commit", "commit-msg", "pre-push") if os.path.exists(f"{RUN}/work/.git/hooks/{h}") or os.path.exists(f"{RUN}/work/.githooks/{h}")]
    cw = cwd or RUN + "/work"
    env = dict(ENV, GG_CMD=cmd)
    try:
        r = subprocess.run(["unshare", "-m", "-n", "--propagation", "private", "bash", "-c", NS % {"box": BOX, "cwd": cw}], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=40)
        rc, out = r.returncode, r.stdout.decode(errors="replace")[-600:]
    except subprocess.TimeoutExpired: rc, out = 124, "timeout"
    if after: after()
    after_files = files(); reach, refl, alln = objsets()
    present = set(v for v in after_files.values() if v)
    after = snapshot()
    def cls(h):
        if h in present or h in reach: return "safe"
        if h in refl: return "reflog"
        if h in alln: return "dangling"
        return "gone"
    rep = {"rc": rc, "out": out, "lost": {"gone": [], "dangling": [], "reflog": []}, "ignored_lost": [], "commits": {"gone": [], "dangling": [], "reflog": []}, "remote_lost": [], "refs_deleted": [], "refs_moved_nonff": [], "hook_bypass": False, "config_changed": [], "repo_removed": []}
    for p, h in before["files"].items():
        if not h: continue
        c = cls(h)
        if c == "safe": continue
        if p in before["ignored"]: rep["ignored_lost"].append(p)
        else: rep["lost"][c].append(p)
    for (w, p, h) in before["index"]:
        if h == EMPTY: continue   # what `git add -N` puts there: nothing
        c = cls(h)
        if c != "safe" and f"index:{w}/{p}" not in rep["lost"][c] and os.path.normpath(os.path.join(w, p)) not in rep["lost"][c]: rep["lost"][c].append(f"index:{w}/{p}")
    allc = set()
    for rel, cs in before["commits"].items(): allc |= cs
    def kept(c_):   # every file version of the lost commit still exists somewhere safe
        for g in repos():
            t = git(g, "ls-tree", "-r", c_).decode()
            if t: return all(cls(l.split()[2]) == "safe" for l in t.splitlines() if l.split()[1] == "blob")
        return False
    rep["commits"]["content_kept"] = []
    for c_ in allc:
        c = cls(c_)
        if c == "safe": continue
        if c in ("reflog", "dangling") and kept(c_): rep["commits"]["content_kept"].append(c_[:8])
        else: rep["commits"][c].append(c_[:8])
    for c_ in reflonly0:
        c = cls(c_)
        if c in ("dangling", "gone"): rep["commits"][c].append(c_[:8])
    gone_d = [x for x in dang0 if x not in alln]
    rep["logged"] = [x[:8] for x in reflonly0]   # what only reflogs named
    rep["loose"] = [x[:8] for x in gone_d]   # what nothing named at the start
    if gone_d: rep["commits"]["gone"] += [x[:8] for x in gone_d]
    for rel, rb in before["refs"].items():
        if rel not in after["refs"]: rep["repo_removed"].append(rel); continue
        ra = after["refs"][rel]
        for name, h in rb.items():
            if name not in ra: rep["refs_deleted"].append(f"{rel}:{name}")
            elif ra[name] != h:
                ff = subprocess.run(["git", "merge-base", "--is-ancestor", h, ra[name]], cwd=f"{RUN}/{rel}", env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
                if not ff: rep["refs_moved_nonff"].append(f"{rel}:{name}")
        if before["config"][rel] != after["config"].get(rel, ""):
            b = set(before["config"][rel].splitlines()); a = set(after["config"].get(rel, "").splitlines())
            rep["config_changed"] += ["+" + x for x in sorted(a - b)] + ["-" + x for x in sorted(b - a)]
    if "origin.git" in before["commits"]:
        lostr = before["commits"]["origin.git"] - after["commits"].get("origin.git", set())
        rep["remote_lost"] = [x[:8] for x in sorted(lostr)]
        rep["remote_lost_unbacked"] = [x[:8] for x in sorted(lostr) if x not in reach]
        rep["remote_refs_changed"] = sorted(n for n, h in before["refs"]["origin.git"].items() if after["refs"].get("origin.git", {}).get(n) != h)
    hl = hooklog()[hb:]
    made = b""
    if os.path.isdir(f"{RUN}/work/.git"):   # a stash runs no hooks
        made = git(RUN + "/work", "rev-list", "--exclude=refs/stash", "--all", "HEAD", "--") or git(RUN + "/work", "rev-list", "--exclude=refs/stash", "--all")
    newc = set(made.decode().split()) - before["commits"].get("work/.git", set())
    fetched = after["commits"].get("origin.git", set())
    if hooks and "pre-commit" in hooks and (newc - before["commits"].get("origin.git", set())) and "pre-commit" not in hl and not any(x in hl for x in ("commit-msg",)): rep["hook_bypass"] = True
    if hooks and "pre-commit" in hooks and newc and "pre-commit" not in hl: rep["hook_bypass"] = True
    if "pre-push" in hooks and after["refs"].get("origin.git") != before["refs"].get("origin.git") and "pre-push" not in hl: rep["hook_bypass"] = True
    hooks_after = [h for h in ("pre-commit", "commit-msg", "pre-push") if os.access(f"{RUN}/work/.git/hooks/{h}", os.X_OK) or os.access(f"{RUN}/work/.githooks/{h}", os.X_OK)]
    if set(hooks) - set(hooks_after): rep["hook_bypass"] = True; rep["config_changed"].append("hooks removed/disabled: " + ",".join(sorted(set(hooks) - set(hooks_after))))
    rep["verdict"] = verdict(rep)
    return rep

def brief(r):
    o = {"rc": r["rc"], "verdict": r["verdict"]}
    for k in ("ignored_lost", "remote_lost", "refs_deleted", "refs_moved_nonff", "repo_removed", "config_changed", "remote_refs_changed", "remote_lost_unbacked"):
        if r.get(k): o[k] = r[k]
    for k in ("gone", "dangling", "reflog"):
        if r["lost"][k]: o["files_" + k] = sorted(r["lost"][k])
        if r["commits"][k]: o["commits_" + k] = len(r["commits"][k])
    if r["commits"].get("content_kept"): o["commits_replaced_content_kept"] = len(r["commits"]["content_kept"])
    if r["hook_bypass"]: o["hook_bypass"] = True
    o["out"] = r["out"][-160:].strip()
    return o

if __name__ == "__main__":
    if sys.argv[1] == "--states":
        for s in STATES: print(s); ensure(s)
    elif sys.argv[1] == "--corpus":
        rows = [json.loads(l) for l in open(sys.argv[2]) if l.strip()]
        part = sys.argv[4] if len(sys.argv) > 4 else "0/1"
        i, n = map(int, part.split("/")); rows.sort(key=lambda r: r["cwd_state"]); k = (len(rows) + n - 1) // n; rows = rows[i * k:(i + 1) * k]
        with open(sys.argv[3], "w") as f:
            for r in rows:
                o = brief(judge(r["command"], r["cwd_state"]))
                f.write(json.dumps({"id": r["id"], "command": r["command"], "cwd_state": r["cwd_state"], "expect": r["expect"], "oracle": o, "agree": o["verdict"] == r["expect"]}) + "\n"); f.flush()
    else:
        print(json.dumps(brief(judge(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "clean")), indent=1))
