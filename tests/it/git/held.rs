//! What would be lost with a name: unheld commits, merged work, dangling objects.

use ah::git::{Oid, Question, Reflogs, Unheld};

use crate::support::TestRepo;

fn unheld(t: &TestRepo, tips: &[Oid], without: &[&str], also: &[Oid], reflogs: Reflogs) -> Unheld {
    t.ask(|g| g.unheld(&Question { also, reflogs, show: 3, tips, without })).expect("asked")
}

#[test]
fn a_branch_and_its_commits() {
    let t = TestRepo::new();
    t.git(["checkout", "-qb", "wip"]);
    for i in 0..4 {
        t.commit("w.txt", &format!("{i}\n"));
    }
    let tip = [t.oid("wip")];
    t.git(["checkout", "-q", "main"]);
    let lost = unheld(&t, &tip, &["refs/heads/wip"], &[], Reflogs::No);
    assert_eq!((lost.total, lost.commits.len(), lost.hidden, lost.more), (4, 3, 0, false));
    assert_eq!(lost.commits[0].subject, "change w.txt");
    assert!(tip[0].as_str().starts_with(&lost.commits[0].short));
    assert_eq!(unheld(&t, &tip, &[], &[], Reflogs::No).total, 0, "the branch holds them");
    assert_eq!(unheld(&t, &tip, &["refs/heads/wip"], &[], Reflogs::Removed).total, 0, "HEAD was there");
    assert_eq!(unheld(&t, &tip, &["refs/heads/wip"], &[t.oid("wip~1")], Reflogs::No).total, 1);

    // A branch that HEAD never saw: its own log goes with it.
    t.git(["branch", "unseen", "wip"]);
    let foreign = t.git(["commit-tree", "-p", "main", "-m", "elsewhere", "main^{tree}"]);
    t.git(["branch", "-f", "unseen", &foreign]);
    let tip = [t.oid("unseen")];
    assert_eq!(unheld(&t, &tip, &["refs/heads/unseen"], &[], Reflogs::Removed).total, 1);
    assert_eq!(unheld(&t, &tip, &["refs/heads/unseen"], &[], Reflogs::Moved).total, 0);

    t.git(["tag", "-a", "-m", "keep", "keep", "unseen"]);
    assert_eq!(unheld(&t, &tip, &["refs/heads/unseen"], &[], Reflogs::No).total, 0, "a tag holds them");
    assert_eq!(unheld(&t, &tip, &["refs/heads/unseen", "refs/tags/"], &[], Reflogs::No).total, 1);
}

#[test]
fn hidden_refs_are_told_apart() {
    let t = TestRepo::new();
    t.git(["checkout", "-qb", "wip"]);
    t.commit("w.txt", "1\n");
    t.git(["update-ref", "refs/original/refs/heads/wip", "wip"]);
    t.commit("w.txt", "2\n");
    t.git(["update-ref", "refs/ah/snapshot", "wip"]);
    let tip = [t.oid("wip")];
    t.git(["checkout", "-q", "main"]);
    let lost = unheld(&t, &tip, &["refs/heads/wip"], &[], Reflogs::No);
    assert_eq!((lost.total, lost.hidden), (2, 1));
    assert_eq!(lost.commits.iter().map(|c| c.hidden).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn heads_of_other_trees_hold() {
    let t = TestRepo::new();
    let other = t.root().join("other");
    t.git(["worktree", "add", "-q", "--detach", "../other"]);
    std::fs::write(other.join("o.txt"), "o").expect("written");
    t.git_in(&other, ["add", "-A"]);
    t.git_in(&other, ["commit", "-qm", "on no branch"]);
    let tip = [Oid::parse(&t.git_in(&other, ["rev-parse", "HEAD"])).expect("a commit")];
    assert_eq!(unheld(&t, &tip, &[], &[], Reflogs::No).total, 0);
    assert_eq!(unheld(&t, &tip, &["worktrees/other/HEAD"], &[], Reflogs::No).total, 1);
    assert_eq!(unheld(&t, &tip, &["worktrees/other/HEAD"], &[], Reflogs::Moved).total, 0);
    let with_its_log = unheld(&t, &tip, &["worktrees/other/HEAD"], &[], Reflogs::Removed);
    assert_eq!(with_its_log.total, 1, "its log goes with it");
    // From inside, that HEAD is plain HEAD; the branch of the main tree holds itself.
    let repo = t.facts_in(&other);
    let vars = t.vars();
    let git = ah::git::Git::new(&repo, &vars, crate::support::minute()).expect("git");
    let question = Question { also: &[], reflogs: Reflogs::No, show: 3, tips: &tip, without: &["HEAD"] };
    assert_eq!(git.unheld(&question).expect("asked").total, 1);
}

#[test]
fn a_remote_head_does_not_hold_its_branch() {
    let t = TestRepo::new();
    let gone = t.git(["commit-tree", "-m", "colleague", "main^{tree}"]);
    t.git(["update-ref", "refs/remotes/origin/only", &gone]);
    t.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/only"]);
    let tip = [t.oid("origin/only")];
    assert_eq!(unheld(&t, &tip, &["refs/remotes/origin/only"], &[], Reflogs::No).total, 1);
    assert_eq!(unheld(&t, &tip, &["refs/remotes/origin/"], &[], Reflogs::No).total, 1);
}

#[test]
fn merged_though_not_by_ancestry() {
    let t = TestRepo::new();
    let merged = |branch: &str| t.ask(|g| g.merged_by_content(&t.oid(branch), &t.oid("main"))).expect("asked");
    t.git(["checkout", "-qb", "squashed"]);
    t.commit("w.txt", "1\n");
    t.git(["mv", "w.txt", "v.txt"]);
    t.git(["commit", "-qm", "moved"]);
    t.commit("a.txt", "alpha\nbeta\ngamma\n");
    t.git(["checkout", "-q", "main"]);
    assert_eq!(merged("squashed"), Some(false));
    t.commit("other.txt", "x\n");
    assert_eq!(merged("squashed"), Some(false));
    t.git(["merge", "-q", "--squash", "squashed"]);
    t.git(["commit", "-qm", "squash"]);
    assert_eq!(merged("squashed"), Some(true), "the same content now");
    t.commit("v.txt", "changed since\n");
    assert_eq!(merged("squashed"), Some(true), "the same content then");

    // Onto other changes in the same file: only the patches are alike.
    let text: String = (0..40).map(|i| format!("line {i}\n")).collect();
    t.commit("long.txt", &text);
    t.git(["checkout", "-qb", "picked"]);
    t.commit("long.txt", &text.replace("line 3\n", "line three\n"));
    t.commit("n.txt", "n\n");
    t.git(["checkout", "-q", "main"]);
    t.commit("long.txt", &text.replace("line 30\n", "line thirty\n"));
    assert_eq!(merged("picked"), Some(false));
    t.git(["cherry-pick", "picked~1"]);
    assert_eq!(merged("picked"), Some(false), "half of it");
    t.git(["cherry-pick", "picked"]);
    assert_eq!(merged("picked"), Some(true), "each commit");
    assert_eq!(merged("main~1"), Some(true), "an ancestor");

    t.git(["checkout", "-q", "--orphan", "apart"]);
    t.git(["commit", "-qm", "apart"]);
    assert_eq!(merged("apart"), None, "no common history");
}

#[test]
fn what_only_logs_or_nothing_hold() {
    let t = TestRepo::new();
    assert!(t.ask(|g| g.rescue()).expect("asked").is_empty());
    let gone = t.commit("g.txt", "1\n");
    t.git(["reset", "-q", "--hard", "HEAD~1"]);
    let rescue = t.ask(|g| g.rescue()).expect("asked");
    assert_eq!(rescue.logged.iter().map(|c| &c.oid).collect::<Vec<_>>(), [&gone]);
    assert!(rescue.dangling.is_empty() && rescue.loose == 0);
    t.git(["reflog", "expire", "--expire=now", "--all"]);
    let rescue = t.ask(|g| g.rescue()).expect("asked");
    assert_eq!((rescue.logged.len(), rescue.dangling), (0, vec![gone]));
    t.write("a.txt", "staged then replaced\n");
    t.git(["add", "a.txt"]);
    t.git(["reset", "-q", "--hard"]);
    assert_eq!(t.ask(|g| g.rescue()).expect("asked").loose, 1);
    t.git(["gc", "-q", "--prune=now"]);
    assert!(t.ask(|g| g.rescue()).expect("asked").is_empty());
}

#[test]
fn stashes_and_merges_are_no_mistakes() {
    let t = TestRepo::new();
    for text in ["one\n", "two\n"] {
        t.write("a.txt", text);
        t.git(["stash", "-q"]);
    }
    let rescue = t.ask(|g| g.rescue()).expect("asked");
    assert_eq!((rescue.logged.len(), rescue.dangling.len(), rescue.loose), (0, 0, 0));
    assert_eq!(rescue.stashed.iter().map(|s| &s.oid).collect::<Vec<_>>(), [&t.oid("stash@{1}")]);
    t.git(["stash", "drop", "-q", "stash@{1}"]);
    assert_eq!(t.ask(|g| g.rescue()).expect("asked").dangling.len(), 1);

    let t = TestRepo::new();
    t.git(["checkout", "-qb", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["checkout", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    assert!(!t.try_git(&t.work(), ["merge", "side"]).status.success());
    assert!(t.work().join(".git/AUTO_MERGE").exists());
    assert!(t.ask(|g| g.rescue()).expect("asked").is_empty());
}

#[test]
fn ancestry_and_counts() {
    let t = TestRepo::new();
    let first = t.oid("HEAD");
    let second = t.commit("a.txt", "2\n");
    t.ask(|g| {
        assert!(g.is_ancestor(&first, &second).expect("asked"));
        assert!(!g.is_ancestor(&second, &first).expect("asked"));
        assert_eq!(g.ahead(&first, &second).expect("asked"), 1);
        assert_eq!(g.merge_base(&first, &second).expect("asked"), Some(first.clone()));
        for junk in ["--all", "-x", "nothing", "HEAD@{99999999}", "", "HEAD~99", ":/zzz", "a\0b"] {
            assert_eq!(g.rev_parse(junk).expect("asked"), None, "{junk:?}");
        }
        assert_eq!(g.rev_parse("HEAD^{commit}").expect("asked"), Some(second.clone()));
        let changes = g.diff_paths(&first, &second).expect("asked");
        assert_eq!((changes.len(), changes[0].status), (1, 'M'));
        assert_eq!(g.tree_paths(&second, &[]).expect("asked").len(), 1);
    });
}
