//! Every rule's own examples, in the smallest repository where they are true: the lost one is stopped, asked about or
//! noted by that rule, the harmless one is silent.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::guard_run::{call, dirty};
use crate::support::TestRepo;

fn clean() -> TestRepo {
    TestRepo::new()
}

/// A clone of `hub` that has pushed `main`.
fn pushed() -> TestRepo {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "hub"]);
    t.git(["remote", "add", "origin", "../hub"]);
    t.git(["fetch", "-q"]);
    t.git(["branch", "-q", "-u", "origin/main"]);
    t
}

/// A colleague's commit on a branch of the hub.
fn colleague(t: &TestRepo, branch: &str) {
    t.git_in(&t.root(), ["clone", "-q", "hub", "other"]);
    let other = t.root().join("other");
    t.git_in(&other, ["checkout", "-q", "-B", branch]);
    t.git_in(&other, ["commit", "-q", "--allow-empty", "-m", "a colleague's"]);
    t.git_in(&other, ["push", "-q", "origin", branch]);
}

/// A commit with content of its own, made without HEAD, so that no reflog holds it.
fn commit_aside(t: &TestRepo) -> String {
    t.write("aside.txt", "only here\n");
    t.git(["add", "aside.txt"]);
    let tree = t.git(["write-tree"]);
    t.git(["rm", "-qf", "aside.txt"]);
    t.git(["commit-tree", "-p", "HEAD", "-m", "only here", &tree])
}

fn untracked() -> TestRepo {
    let t = TestRepo::new();
    t.write("notes.txt", "mine\n");
    t
}

fn unpushed() -> TestRepo {
    let t = pushed();
    t.commit("b.txt", "one\n");
    t.commit("b.txt", "two\n");
    t
}

fn with_wip() -> TestRepo {
    let t = TestRepo::new();
    t.git(["branch", "wip", &commit_aside(&t)]);
    t
}

fn with_hook() -> TestRepo {
    let t = TestRepo::new();
    t.script(&t.work().join(".git/hooks/pre-commit"), "exit 0");
    t
}

/// A merge with a conflict that is resolved by hand.
fn resolved() -> TestRepo {
    let t = TestRepo::new();
    t.git(["checkout", "-q", "-b", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["checkout", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    t.try_git(&t.work(), ["merge", "-q", "side"]);
    t.write("a.txt", "thought about for an hour\n");
    t
}

fn stashed() -> TestRepo {
    let t = dirty();
    t.git(["stash", "-q"]);
    t
}

fn with_submodule() -> TestRepo {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    t.write("sub/a.txt", "edited\n");
    t
}

/// Makes the smallest repository in which an example is true.
type Place = fn() -> TestRepo;

/// What a rule says of its lost example, and where.
const EXAMPLES: &[(&str, &str, Place)] = &[
    ("ah.disarm", "ask", clean),
    ("branch.delete", "deny", || {
        let t = with_wip();
        t.git(["branch", "merged"]);
        t
    }),
    ("branch.move", "ask", with_wip),
    ("commit.drop", "ask", unpushed),
    ("config.disarm", "ask", clean),
    ("file.move", "deny", || {
        let t = untracked();
        t.write("new.txt", "other\n");
        t.write("docs/a", "x\n");
        t
    }),
    ("file.remove", "deny", untracked),
    ("file.replace", "deny", untracked),
    ("history.amend", "note", unpushed),
    ("history.rebase", "note", || {
        let t = TestRepo::new();
        t.git(["checkout", "-q", "-b", "topic"]);
        t.commit("b.txt", "mine\n");
        t.git(["checkout", "-q", "main"]);
        t.commit("c.txt", "theirs\n");
        t.git(["checkout", "-q", "topic"]);
        t
    }),
    ("history.rewrite", "deny", unpushed),
    ("hooks.disarm", "deny", with_hook),
    ("hooks.install", "note", clean),
    ("hooks.skip", "deny", with_hook),
    ("line.elsewhere", "deny", clean),
    ("line.unread", "ask", dirty),
    ("merge.abort", "deny", resolved),
    ("object.prune", "deny", || {
        let t = unpushed();
        t.git(["reset", "-q", "--hard", "HEAD~1"]);
        t.git(["reflog", "expire", "--expire=now", "--all"]);
        t
    }),
    ("push.delete", "ask", || {
        let t = pushed();
        t.git(["push", "-q", "origin", "main:topic"]);
        t.git(["branch", "topic"]);
        t
    }),
    ("push.force", "deny", || {
        let t = pushed();
        colleague(&t, "main");
        t.commit("b.txt", "mine\n");
        t
    }),
    ("push.mirror", "ask", || {
        let t = pushed();
        colleague(&t, "topic");
        t
    }),
    ("ref.write", "deny", with_wip),
    ("reflog.expire", "deny", || {
        let t = unpushed();
        t.git(["reset", "-q", "--hard", "HEAD~1"]);
        t
    }),
    ("remote.api", "ask", clean),
    ("remote.prune", "deny", || {
        let t = pushed();
        colleague(&t, "topic");
        t.git(["fetch", "-q"]);
        t.git_in(&t.root().join("other"), ["push", "-q", "origin", "--delete", "topic"]);
        t
    }),
    ("remote.url", "ask", pushed),
    ("repo.remove", "deny", clean),
    ("repo.write", "deny", clean),
    ("secret.remove", "ask", || {
        let t = TestRepo::new();
        t.commit(".gitignore", ".env\n");
        t.write(".env", "KEY=1\n");
        t
    }),
    ("stash.drop", "deny", stashed),
    ("stash.foreign", "ask", || {
        let t = stashed();
        t.git(["worktree", "add", "-q", "../tree"]);
        fs::write(t.root().join("tree/a.txt"), "edited there\n").expect("written");
        t.git_in(&t.root().join("tree"), ["stash", "-q"]);
        t
    }),
    ("submodule.update", "deny", with_submodule),
    ("tag.delete", "deny", || {
        let t = TestRepo::new();
        t.git(["tag", "keep", &commit_aside(&t)]);
        t
    }),
    ("tree.clean", "deny", untracked),
    ("tree.discard", "deny", dirty),
    ("tree.overwrite", "ask", || {
        let t = TestRepo::new();
        t.git(["checkout", "-q", "-b", "other"]);
        t.commit("out.log", "theirs\n");
        t.git(["checkout", "-q", "main"]);
        t.commit(".gitignore", "*.log\n");
        t.write("out.log", "mine\n");
        t
    }),
    ("tree.remove", "deny", dirty),
    ("worktree.remove", "deny", || {
        let t = TestRepo::new();
        t.git(["worktree", "add", "-q", "../wt"]);
        fs::write(t.root().join("wt/notes.txt"), "mine\n").expect("written");
        t
    }),
];

fn explained(t: &TestRepo, line: &str) -> Value {
    let run = call(t, ["explain", "--json", "--", line]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{line}");
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn catalogue() -> Vec<Value> {
    let run = call(&TestRepo::nothing(), ["rules", "--json"]);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
    value["rules"].as_array().expect("a list").clone()
}

#[test]
fn every_rule_has_an_example_here() {
    let rules: BTreeSet<String> = catalogue().iter().map(|r| r["id"].as_str().expect("an id").to_owned()).collect();
    let here: BTreeSet<String> = EXAMPLES.iter().map(|e| e.0.to_owned()).collect();
    assert_eq!(rules, here);
}

#[test]
fn examples_of_the_catalogue_are_true() {
    let mut wrong = Vec::new();
    for rule in catalogue() {
        let text = |key: &str| rule[key].as_str().expect("text");
        let id = text("id");
        let (_, expected, place) = EXAMPLES.iter().find(|e| e.0 == id).expect("an example");
        let t = place();
        let lost = explained(&t, text("lost"));
        let found = lost["findings"].as_array().expect("a list").iter().any(|f| f["rule"] == id && f["verdict"] == *expected);
        if !found || lost["verdict"] != *expected {
            wrong.push(format!("{id}: {}: wanted {expected}, got {} {}", text("lost"), lost["verdict"], lost["findings"]));
        }
        let harmless = explained(&t, text("harmless"));
        if harmless["verdict"] != "allow" {
            wrong.push(format!("{id}: {} is not harmless: {}", text("harmless"), harmless["findings"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Git refuses to delete a short name that the remote does not have; of a full one it drops what is tracked here.
#[test]
fn a_deletion_that_the_remote_ignores_may_drop_the_last_name_here() {
    let t = pushed();
    colleague(&t, "topic");
    let other = t.root().join("other");
    fs::write(other.join("theirs.txt"), "a colleague's\n").expect("written");
    t.git_in(&other, ["add", "."]);
    t.git_in(&other, ["commit", "-qm", "Theirs"]);
    t.git_in(&other, ["push", "-q", "origin", "topic"]);
    t.git(["fetch", "-q"]);
    t.git_in(&other, ["push", "-q", "origin", "--delete", "topic"]);
    let check = |name: &str| call(&t, ["check", "--", &format!("git push --delete origin {name}")]);
    assert_eq!(check("refs/heads/topic").code, Some(1));
    assert_eq!(check("topic").code, Some(0));
}
