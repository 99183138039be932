//! Every judged verb in a repository, a configuration and an environment that run programs wherever git lets them: the
//! built guard runs none of them and changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::git_hostile::{environment, hostile, marks, touch};
use crate::guard_run::{bash, feed, guard};
use crate::support::TestRepo;

/// A line or more for every verb that is judged.
const LINES: &[&str] = &[
    "GIT_DIR=.git GIT_WORK_TREE=. git checkout .",
    "cd sub && git checkout . && git clean -fdx",
    "chmod -x .git/hooks/pre-commit",
    "cp b.q a.txt",
    "dd if=/dev/zero of=a.txt",
    "find . -name '*.txt' -delete",
    "git -C sub reset --hard",
    "git -c alias.x='!git reset --hard' x",
    "git am --abort",
    "git apply -R change.patch",
    "git archive HEAD | tar x",
    "git bisect run git reset --hard",
    "git branch -D side",
    "git branch -M side main",
    "git branch -f main HEAD~1",
    "git checkout -- a.txt",
    "git checkout -B main HEAD~2",
    "git checkout -f side",
    "git checkout-index -fa",
    "git cherry-pick --abort",
    "git clean -fdx",
    "git commit --amend --no-verify",
    "git commit -nam x",
    "git config --unset core.hooksPath",
    "git config core.hooksPath /dev/null",
    "git diff | git apply -R",
    "git evil --hard",
    "git fetch --prune origin '+refs/heads/*:refs/heads/*'",
    "git filter-branch --tree-filter true",
    "git gc --prune=now --aggressive",
    "git merge --abort",
    "git merge --no-verify side",
    "git mv -f b.q a.txt",
    "git prune --expire=now",
    "git pull --force --rebase",
    "git push --force origin main",
    "git push --force-with-lease",
    "git push --mirror",
    "git push --no-verify origin :main",
    "git push --prune --delete origin main",
    "git read-tree -u --reset HEAD~1",
    "git rebase --abort",
    "git rebase --exec 'git reset --hard' main",
    "git rebase -i --no-verify HEAD~2",
    "git reflog delete HEAD@{1}",
    "git reflog expire --expire=now --all",
    "git remote remove origin",
    "git remote set-url origin https://example.test/y",
    "git repack -adf --unpack-unreachable=now",
    "git replace -f HEAD HEAD~1",
    "git reset --hard HEAD~2",
    "git reset --keep HEAD~1",
    "git reset --merge",
    "git reset HEAD -- a.txt",
    "git restore --source=HEAD~1 --staged --worktree .",
    "git rm -rf .",
    "git show HEAD:a.txt > a.txt",
    "git stash && git stash drop",
    "git stash clear",
    "git stash drop",
    "git stash pop --index",
    "git stash store -m x HEAD",
    "git submodule deinit -f --all",
    "git submodule foreach git reset --hard",
    "git submodule update --init --force --recursive",
    "git switch --discard-changes side",
    "git switch -C main side",
    "git symbolic-ref HEAD refs/heads/side",
    "git tag -d keep",
    "git tag -f keep HEAD~1",
    "git update-ref -d refs/heads/side",
    "git worktree prune --expire=now",
    "git worktree remove --force ../tree",
    "make evil",
    "mv b.q a.txt",
    "rm -rf .git",
    "rm -rf a.txt untracked.txt sub",
    "rsync -a --delete sub/ ./",
    "sh ./evil.sh",
    "tee a.txt < b.q",
    "truncate -s0 a.txt",
];

/// Everything below a folder: type and mode, time of the last change, content.
pub fn picture(dir: &Path, of: &mut BTreeMap<PathBuf, (String, SystemTime, Vec<u8>)>) {
    for entry in fs::read_dir(dir).expect("listed").flatten() {
        let path = entry.path();
        let meta = fs::symlink_metadata(&path).expect("there");
        let content = if meta.is_file() { fs::read(&path).expect("read") } else { Vec::new() };
        if meta.is_dir() {
            picture(&path, of);
        }
        of.insert(path, (format!("{:?}", meta.permissions()), meta.modified().expect("a time"), content));
    }
}

fn everything(t: &TestRepo) -> BTreeMap<PathBuf, (String, SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    for part in ["work", "source", "tree", "home"] {
        picture(&t.root().join(part), &mut all);
    }
    all
}

pub fn armed() -> TestRepo {
    let t = hostile();
    let evil = t.root().join("evil/alias");
    t.git(["config", "alias.evil", &format!("!{} && git reset", evil.display())]);
    t.git(["config", "core.hooksPath", ".git/hooks"]);
    t.git(["config", "branch.main.remote", "origin"]);
    t.git(["config", "branch.main.merge", "refs/heads/main"]);
    t.git(["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    t.git(["config", "remote.origin.uploadpack", &evil.display().to_string()]);
    t.git(["config", "remote.origin.receivepack", &evil.display().to_string()]);
    t.write("Makefile", "evil:\n\tgit reset --hard\n");
    t.write("evil.sh", "git checkout .\n");
    t.write("a.txt", "edited\n");
    t.write("change.patch", "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-alpha\n+edited\n");
    t.write("sub/a.txt", "edited inside\n");
    fs::write(t.root().join("work/.git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").expect("written");
    let quiet = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "core.hooksPath=/dev/null"]).args(args).current_dir(t.work()).env_clear().envs(t.vars().iter());
        assert!(git.output().expect("git runs").status.success(), "{args:?}");
    };
    quiet(&["tag", "keep", "HEAD~1"]);
    quiet(&["worktree", "add", "-q", "--no-checkout", "../tree", "HEAD~1"]);
    fs::write(t.root().join("tree/notes.txt"), "mine\n").expect("written");
    let _ = fs::remove_file(t.root().join("marks"));
    t
}

#[test]
fn the_guard_only_looks() {
    let t = armed();
    touch(&t.work());
    touch(&t.work().join("sub"));
    let before = everything(&t);
    let mut objected = 0;
    for vars in [t.vars(), environment(&t)] {
        for line in LINES {
            let mut check = guard(&t);
            check.env_clear().envs(vars.iter()).env("AH_HOME", t.root().join("ah"));
            let mut event = guard(&t);
            event.env_clear().envs(vars.iter()).env("AH_HOME", t.root().join("ah"));
            let run = feed(check.args(["check", "--", line]), b"");
            assert!(matches!(run.code, Some(0 | 1 | 3)) && run.stderr.is_empty(), "{line}: {run:?}");
            objected += usize::from(run.code != Some(0));
            feed(&mut event, bash(&t, line).to_string().as_bytes()).answer();
            assert_eq!(marks(&t), "", "{line}");
            let now = everything(&t);
            let changed: Vec<_> = now
                .iter()
                .filter(|(path, state)| before.get(*path) != Some(state))
                .map(|(path, _)| path)
                .chain(before.keys().filter(|path| !now.contains_key(*path)))
                .collect();
            assert!(changed.is_empty(), "{line}: {changed:?}");
        }
    }
    assert!(objected > LINES.len(), "the guard looked: {objected}");
}

#[test]
fn the_repository_is_hostile() {
    // What the guard did not run does run when git is asked plainly.
    let t = armed();
    for args in [&["status"][..], &["diff"], &["commit", "--allow-empty", "-m", "x"], &["evil"]] {
        let _ = fs::remove_file(t.root().join("marks"));
        let _ = t.try_git(&t.work(), args);
        assert_ne!(marks(&t), "", "{args:?}");
    }
}
