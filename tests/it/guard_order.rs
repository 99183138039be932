//! A list is judged in its order: what saves, what fails, and what a step before has changed.

use crate::guard_run::call;
use crate::support::TestRepo;

/// A repository with an unsaved edit of `a.txt` and an untracked `notes.txt`.
fn dirty() -> TestRepo {
    let t = TestRepo::new();
    t.write("b.txt", "one\n");
    t.git(["add", "-A"]);
    t.git(["commit", "-qm", "second"]);
    t.write("a.txt", "alpha\nbeta\nan hour of work\n");
    t.write("notes.txt", "call Kim\n");
    t
}

#[track_caller]
fn verdict(t: &TestRepo, line: &str) -> &'static str {
    match call(t, ["check", "--", line]).code {
        Some(0) => "go",
        Some(1) => "deny",
        Some(3) => "ask",
        other => panic!("{other:?}: {line}"),
    }
}

#[test]
fn what_was_saved_before_is_not_lost() {
    let t = dirty();
    for line in [
        "git add -A && git commit -qm x && git clean -fd",
        "git commit -qam x; git reset --hard",
        "git stash -u && git clean -fd",
        "git stash push -q && git reset -q --hard && git stash pop -q",
        "cp a.txt a.bak && git checkout -- .",
        "cp a.txt a.bak && git add a.bak && git checkout a.txt && git clean -fd -e notes.txt",
        "mv notes.txt keep.txt; git stash; git status",
        "git branch keep && git reset --keep HEAD~1",
        "git switch -c topic && git commit -qam x && git switch - && git reset --hard",
        "git worktree add -q ../wt -b wt && git worktree remove ../wt",
        "echo x > new.txt && rm new.txt",
        "d=$(mktemp -d) && git clone -q . \"$d/c\" && cd \"$d/c\" && git reset -q --hard HEAD~1 && git clean -fdx",
    ] {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
}

#[test]
fn what_only_seems_saved_is_lost() {
    let t = dirty();
    for line in [
        "git add -A; git reset --hard",
        "git stash && git stash drop",
        "git stash && git -c color.ui=false stash drop",
        "git stash -q; git clean -fdq; git stash pop -q",
        "git stash -k && git checkout . && git stash drop",
        "git diff > /tmp/p.patch && git checkout .",
        "cp a.txt a.bak && rm a.bak && git checkout a.txt",
        "cp a.txt b.txt && git checkout .",
        "cp a.txt a.bak && git checkout a.txt && git clean -fd",
        "mv a.txt c.txt && rm c.txt",
        "cat a.txt > b.bak; git checkout -f; rm b.bak",
        "git commit -qm x notes.txt; rm notes.txt",
        "git rm -q --cached notes.txt; git clean -fd",
        "git config clean.requireForce false && git clean -d",
        "rm .gitignore; git clean -fd",
    ] {
        assert_eq!(verdict(&t, line), "deny", "{line}");
    }
    assert_eq!(verdict(&t, "git commit -qam x && git reset --hard HEAD~1"), "ask", "the reflog alone names it");
}

#[test]
fn what_follows_depends_on_how_a_step_ends() {
    let t = dirty();
    for (line, want) in [
        ("true || git reset --hard", "go"),
        ("false || git reset --hard", "deny"),
        ("false && git reset --hard", "go"),
        ("git push -q || git reset --hard", "deny"),
        ("cd nowhere && git reset --hard", "go"),
        ("cd nowhere; git reset --hard", "deny"),
        ("cd nowhere || git reset --hard", "deny"),
        ("if git diff --quiet; then :; else git reset --hard; fi", "deny"),
        ("(cd / && git status); git reset --hard", "deny"),
        ("(exit 1); git reset --hard", "deny"),
        ("exit 0; git reset --hard", "go"),
    ] {
        assert_eq!(verdict(&t, line), want, "{line}");
    }
}

#[test]
fn a_program_that_is_not_read_may_have_unpacked_the_stash() {
    let t = dirty();
    assert_eq!(verdict(&t, "git stash -q; ./tool; git reset --hard"), "deny");
    assert_eq!(verdict(&t, "git stash -q; git status; git reset --hard"), "go");
}

#[test]
fn nothing_to_lose_is_no_question() {
    let t = TestRepo::new();
    for line in [
        "git reset --hard",
        "git checkout -- . && git clean -fdx",
        "git stash && git stash drop",
        "git stash clear",
        "bash -c 'git reset --hard'",
        "git gc --prune=now -q",
        "rm -rf build target node_modules",
    ] {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
}

#[test]
fn clean_leaves_what_is_to_be_added() {
    let t = TestRepo::new();
    t.write("new.txt", "an hour of work\n");
    t.git(["add", "-N", "new.txt"]);
    for line in ["git clean -f", "git clean -fdx", "git add new.txt && git clean -f"] {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
    for line in ["git reset -q && git clean -f", "git rm -q --cached new.txt; git clean -fd", "git reset --hard", "rm new.txt"] {
        assert_ne!(verdict(&t, line), "go", "{line}");
    }
}

#[test]
fn a_repository_that_the_line_begins_tracks_nothing_yet() {
    let t = TestRepo::nothing();
    t.write("notes.txt", "call Kim\n");
    t.write("deep/er.txt", "x\n");
    for line in ["git init && git clean -fd", "git init -q . ; git clean -ffdx", "cd deep && git init -q && git clean -f"] {
        assert_ne!(verdict(&t, line), "go", "{line}");
    }
    for line in ["git init && git clean -n", "git init && git add -A && git clean -fd", "git init new && cd new && git clean -fd"]
    {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
    // Inside another repository it tracks nothing of that one's.
    let t = dirty();
    t.write("sub/draft.txt", "x\n");
    assert_ne!(verdict(&t, "cd sub && git init -q && git clean -fd"), "go");
    assert_eq!(verdict(&t, "git init && git status"), "go");
}

#[test]
fn what_git_refuses_or_cannot_fail_at_decides_the_rest() {
    let t = dirty();
    t.write("sub/a.txt", "x\n");
    t.git(["add", "sub"]);
    t.write("sub/a.txt", "y\n");
    for line in ["git rm -f sub", "git rm -f .", "git status -s || git checkout -- .", "git status || git reset --hard"] {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
    for line in
        ["git rm -rf sub", "git rm -f sub/a.txt", "git status --what || git checkout -- .", "git status -s; git reset --hard"]
    {
        assert_ne!(verdict(&t, line), "go", "{line}");
    }
}

#[test]
fn a_copy_aside_is_no_loss_while_the_file_is_there() {
    let t = dirty();
    t.write("unpack/notes.txt", "call Kim\n");
    t.write("unpack/sub/a.txt", "alpha\nbeta\nan hour of work\n");
    t.write("other/notes.txt", "call Kim, again\n");
    for line in ["rm -r unpack", "rm unpack/notes.txt", "git clean -fd unpack"] {
        assert_eq!(verdict(&t, line), "go", "{line}");
    }
    for line in [
        "rm -r unpack other",
        "rm notes.txt unpack/notes.txt",
        "rm notes.txt; rm -r unpack",
        "rm -r unpack; rm notes.txt",
        "git clean -fd",
        "rm unpack/sub/a.txt && git checkout a.txt",
        "echo x > notes.txt && rm unpack/notes.txt",
    ] {
        assert_ne!(verdict(&t, line), "go", "{line}");
    }
}
