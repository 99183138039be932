//! HEAD, refs, reflogs, the stash and operations, as git itself sees them.

use std::fs;

use ah::git::{Config, Head, Kind};

use crate::support::TestRepo;

fn as_git_lists(t: &TestRepo) -> Vec<(String, String)> {
    let text = t.git(["for-each-ref", "--format=%(refname) %(objectname)"]);
    text.lines().filter_map(|l| l.split_once(' ')).map(|(n, o)| (n.to_owned(), o.to_owned())).collect()
}

fn as_we_list(t: &TestRepo) -> Vec<(String, String)> {
    t.facts().refs("refs/").expect("refs").into_iter().map(|r| (r.name, r.oid.to_string())).collect()
}

#[test]
fn loose_packed_and_symbolic() {
    let t = TestRepo::new();
    for name in ["b/one", "b/two", "c"] {
        t.git(["branch", name]);
    }
    t.git(["tag", "-a", "-m", "x", "v1"]);
    t.git(["symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/main"]);
    t.git(["update-ref", "refs/remotes/o/main", "HEAD"]);
    assert_eq!(as_we_list(&t), as_git_lists(&t));
    t.git(["pack-refs", "--all"]);
    t.commit("a.txt", "newer than the packed one\n");
    t.git(["branch", "-D", "c"]);
    assert_eq!(as_we_list(&t), as_git_lists(&t));
    let repo = t.facts();
    assert_eq!(repo.resolve("refs/heads/main").expect("read"), Some(t.oid("main")));
    assert_eq!(repo.find("v1").expect("read").map(|r| r.name), Some("refs/tags/v1".into()));
    assert_eq!(repo.find("o").expect("read").and_then(|r| r.target), Some("refs/remotes/o/main".into()));
    assert_eq!(repo.find("../../x").expect("read"), None);
    assert_eq!(repo.refs("refs/heads/b/").expect("refs").len(), 2);
    assert_eq!(repo.refs("refs/heads/b").expect("refs").len(), 2);
    assert_eq!(repo.refs("refs/heads/none/").expect("refs").len(), 0);
    // Refs that name each other end.
    fs::write(t.work().join(".git/refs/heads/x"), "ref: refs/heads/y\n").expect("written");
    fs::write(t.work().join(".git/refs/heads/y"), "ref: refs/heads/x\n").expect("written");
    assert_eq!(t.facts().resolve("refs/heads/x").expect("read"), None);
}

#[test]
fn refs_of_one_tree_stay_there() {
    let t = TestRepo::new();
    t.git(["worktree", "add", "-q", "../other", "-b", "side"]);
    let other = t.root().join("other");
    t.git_in(&other, ["update-ref", "refs/worktree/mine", "HEAD"]);
    let names = |dir| t.facts_in(dir).refs("refs/worktree/").expect("refs").len();
    assert_eq!((names(&other), names(&t.work())), (1, 0));
}

#[test]
fn heads() {
    let t = TestRepo::new();
    assert_eq!(t.facts().head().expect("a head"), Head::Branch("refs/heads/main".into()));
    t.git(["pack-refs", "--all"]);
    assert_eq!(t.facts().head().expect("a head"), Head::Branch("refs/heads/main".into()));
    t.git(["checkout", "-q", "--detach"]);
    assert_eq!(t.facts().head().expect("a head"), Head::Detached(t.oid("HEAD")));
}

#[test]
fn stash_and_reflogs() {
    let t = TestRepo::new();
    assert!(t.facts().stashes().expect("read").is_empty());
    t.write("a.txt", "one\n");
    t.git(["stash", "push", "-q", "-m", "first one"]);
    t.write("a.txt", "two\n");
    t.write("new/file", "untracked\n");
    t.git(["stash", "push", "-qu"]);
    let all = t.facts().stashes().expect("read");
    assert_eq!(all.len(), 2);
    assert_eq!((all[0].oid.clone(), all[1].oid.clone()), (t.oid("stash@{0}"), t.oid("stash@{1}")));
    assert_eq!(all[1].message, "On main: first one");
    assert!(all[0].time > 1_600_000_000);
    let paths = t.ask(|g| g.stash_paths(&all[0].oid)).expect("paths");
    assert_eq!((paths.changed, paths.untracked), (vec!["a.txt".into()], vec!["new/file".into()]));
    assert_eq!(paths.base, Some(t.oid("HEAD")));
    assert!(t.ask(|g| g.stash_paths(&t.oid("HEAD"))).is_err());
    t.git(["branch", "quiet"]);
    t.git(["config", "core.logAllRefUpdates", "false"]);
    t.git(["branch", "unlogged"]);
    let repo = t.facts();
    assert!(repo.has_reflog("refs/heads/quiet") && !repo.has_reflog("refs/heads/unlogged"));
    assert_eq!(repo.reflog("HEAD").expect("read").map(|l| l[0].new.clone()), Some(t.oid("HEAD")));
}

/// Two branches that change the same line.
fn conflict() -> TestRepo {
    let t = TestRepo::new();
    t.git(["checkout", "-qb", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["checkout", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    t
}

#[test]
fn operations_in_progress() {
    let kinds = |t: &TestRepo| t.facts().operations().into_iter().map(|o| o.kind).collect::<Vec<_>>();
    let t = conflict();
    assert_eq!(kinds(&t), []);
    let fails = |t: &TestRepo, args: &[&str]| assert!(!t.try_git(&t.work(), args).status.success(), "{args:?}");
    fails(&t, &["merge", "side"]);
    assert_eq!(kinds(&t), [Kind::Merge]);
    t.git(["merge", "--abort"]);
    fails(&t, &["cherry-pick", "side"]);
    assert_eq!(kinds(&t), [Kind::CherryPick]);
    t.git(["cherry-pick", "--abort"]);
    fails(&t, &["revert", "--no-edit", "side"]);
    assert_eq!(kinds(&t), [Kind::Revert]);
    t.git(["revert", "--abort"]);
    t.git(["checkout", "-q", "side"]);
    t.write("b", "untouched");
    t.git(["add", "b"]);
    fails(&t, &["rebase", "--autostash", "main"]);
    let all = t.facts().operations();
    assert_eq!((all.len(), all[0].kind), (1, Kind::Rebase));
    assert_eq!(all[0].branch.as_deref(), Some("refs/heads/side"));
    assert_eq!(all[0].original, Some(t.oid("side")));
    assert!(all[0].autostash.is_some());
    t.git(["rebase", "--abort"]);
    fails(&t, &["rebase", "--apply", "--autostash", "main"]);
    assert_eq!(kinds(&t), [Kind::Rebase]);
    t.git(["rebase", "--abort"]);
    t.git(["stash", "-q"]);
    t.git(["format-patch", "-q", "-1", "-o", "../patches", "main"]);
    let patch = fs::read_dir(t.root().join("patches")).expect("patches").next().expect("one").expect("one").path();
    fails(&t, &["am", patch.to_str().expect("text")]);
    assert_eq!(kinds(&t), [Kind::Am]);
    t.git(["am", "--abort"]);
    t.git(["bisect", "start", "-q", "HEAD", "HEAD~1"]);
    let all = t.facts().operations();
    assert_eq!((all[0].kind, all[0].branch.as_deref()), (Kind::Bisect, Some("refs/heads/side")));
}

#[test]
fn hooks_that_would_run() {
    let t = TestRepo::new();
    let hooks = |t: &TestRepo| {
        let repo = t.facts();
        repo.hooks(&Config::load(Some(&repo), &t.vars()), &t.vars())
    };
    assert_eq!(hooks(&t), [""; 0]);
    t.script(&t.work().join(".git/hooks/pre-push"), "true");
    t.script(&t.work().join(".git/hooks/commit-msg.sample"), "true");
    t.write(".git/hooks/commit-msg", "not executable");
    assert_eq!(hooks(&t), ["pre-push"]);
    t.script(&t.work().join(".husky/pre-commit"), "true");
    t.git(["config", "core.hooksPath", ".husky"]);
    assert_eq!(hooks(&t), ["pre-commit"]);
    t.git(["worktree", "add", "-q", "../other"]);
    t.script(&t.root().join("other/.husky/post-merge"), "true");
    let other = t.facts_in(&t.root().join("other"));
    assert_eq!(other.hooks(&Config::load(Some(&other), &t.vars()), &t.vars()), ["post-merge"]);
    t.git(["config", "core.hooksPath", "~/hooks"]);
    t.script(&t.root().join("home/hooks/pre-rebase"), "true");
    assert_eq!(hooks(&t), ["pre-rebase"]);
}

/// Git shows no entry then, whatever the log says; so what only the log names is no more than logged.
#[test]
fn a_stash_without_its_ref_has_no_entry() {
    let t = TestRepo::new();
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    assert_eq!(t.facts().stashes().expect("read").len(), 1);
    std::fs::remove_file(t.work().join(".git/refs/stash")).expect("removed");
    assert!(t.work().join(".git/logs/refs/stash").exists());
    assert_eq!(t.facts().stashes().expect("read").len(), 0);
    assert_eq!(t.ask(|git| git.stashes()).expect("asked").len(), 0);
}
