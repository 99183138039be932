//! `undo --turn`: what the agent's last turn changed or removed comes back, whatever did it.

use std::fs;

use crate::guard_run::{Run, call};
use crate::support::TestRepo;
use crate::undo::{ids, says, shell, way_back};

fn begin(t: &TestRepo, session: &str) {
    let run = call(t, ["snapshot", "--turn", "--session", session]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
}

#[track_caller]
fn undo_turn(t: &TestRepo, args: &[&str]) -> Run {
    let run = call(t, ["undo", "--turn", "--yes"].iter().chain(args));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run
}

fn read(t: &TestRepo, path: &str) -> String {
    String::from_utf8_lossy(&fs::read(t.work().join(path)).unwrap_or_default()).into_owned()
}

#[test]
fn dirty_untracked_and_clean_files_come_back() {
    let t = TestRepo::new();
    for file in ["clean.txt", "removed.txt", "dirty.txt", "deep/clean"] {
        t.commit(file, "committed\n");
    }
    t.write("dirty.txt", "the person's edit\n");
    t.write("notes.md", "the person's notes\n");
    t.write("s.txt", "staged\n");
    t.git(["add", "s.txt"]);
    begin(&t, "s");
    // A program of the agent's: no tool call shows what it does.
    shell(
        &t,
        &t.work(),
        "echo agent > clean.txt; rm removed.txt notes.md; rm -rf deep; echo agent >> dirty.txt; echo new > made.txt; git rm -q --cached s.txt; git config alias.x y",
    );
    let run = undo_turn(&t, &[]);
    for file in ["clean.txt", "removed.txt", "deep/clean"] {
        assert_eq!(read(&t, file), "committed\n", "{file}: {run:?}");
    }
    assert_eq!((read(&t, "dirty.txt").as_str(), read(&t, "notes.md").as_str()), ("the person's edit\n", "the person's notes\n"));
    assert!(says(&run, "made.txt", "new since, left alone"), "{run:?}");
    assert_eq!(read(&t, "made.txt"), "new\n");
    assert_eq!(t.git(["status", "--porcelain"]), " M dirty.txt\nA  s.txt\n?? made.txt\n?? notes.md");
    call(&t, ["restore", &way_back(&run), "--yes"]);
    assert_eq!((read(&t, "clean.txt").as_str(), read(&t, "notes.md").as_str()), ("agent\n", ""), "the way back");
}

#[test]
fn commits_of_the_turn_stay_and_lost_ones_get_a_name() {
    let t = TestRepo::new();
    let old = t.commit("a.txt", "two\n");
    begin(&t, "s");
    t.write("a.txt", "agent\n");
    t.git(["commit", "-qam", "agent's"]);
    let run = undo_turn(&t, &[]);
    assert_eq!((read(&t, "a.txt").as_str(), t.git(["log", "--format=%s", "-1"]).as_str()), ("two\n", "agent's"), "{run:?}");
    t.git(["reset", "-q", "--hard", "HEAD~2"]);
    undo_turn(&t, &[]);
    assert_eq!((t.oid("main"), read(&t, "a.txt").as_str()), (old, "two\n"));
}

#[test]
fn a_clean_file_comes_back_as_a_checkout_writes_it() {
    let t = TestRepo::new();
    t.git(["config", "filter.rot.clean", "tr a-z b-za"]);
    t.git(["config", "filter.rot.smudge", "tr b-za a-z"]);
    t.write(".gitattributes", "*.rot filter=rot\n*.crlf text eol=crlf\n");
    t.write("x.rot", "words\n");
    t.write("y.crlf", "one\r\n");
    t.write("run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("x.rot", t.work().join("link")).unwrap();
    shell(&t, &t.work(), "chmod +x run.sh");
    t.git(["add", "-A"]);
    t.git(["commit", "-qm", "filtered"]);
    begin(&t, "s");
    shell(&t, &t.work(), "echo agent > x.rot; rm y.crlf run.sh; rm link; echo file > link");
    let run = undo_turn(&t, &[]);
    assert_eq!((read(&t, "x.rot").as_str(), read(&t, "y.crlf").as_str()), ("words\n", "one\r\n"), "{run:?}");
    assert!(t.work().join("link").is_symlink());
    assert_eq!(t.git(["status", "--porcelain"]), "");
}

#[test]
fn the_newest_turn_of_the_session() {
    let t = TestRepo::new();
    t.write("n", "one\n");
    begin(&t, "first");
    t.write("n", "two\n");
    begin(&t, "second");
    t.write("n", "three\n");
    undo_turn(&t, &["--session", "first"]);
    assert_eq!(read(&t, "n"), "one\n");
    undo_turn(&t, &[]);
    assert_eq!(read(&t, "n"), "two\n");
    let run = call(&t, ["undo", "--turn", "--yes", "--session", "third"]);
    assert_eq!((run.code, run.stderr.contains("of this session")), (Some(1), true), "{run:?}");
}

#[test]
fn an_earlier_turn_is_restored_by_its_id_or_a_file_of_it() {
    let t = TestRepo::new();
    t.commit("b.txt", "b\n");
    t.write("n", "one\n");
    begin(&t, "s");
    shell(&t, &t.work(), "echo two > n; echo agent > a.txt; echo agent > b.txt");
    begin(&t, "s");
    let id = ids(&t)[1].clone();
    let run = call(&t, ["restore", &id, "a.txt", "--yes"]);
    assert_eq!((run.code, read(&t, "a.txt").as_str(), read(&t, "n").as_str()), (Some(0), "alpha\nbeta\n", "two\n"), "{run:?}");
    call(&t, ["restore", &id, "--yes"]);
    assert_eq!((read(&t, "b.txt").as_str(), read(&t, "n").as_str()), ("b\n", "one\n"));
}

#[test]
fn looking_writes_nothing_into_the_repository() {
    let t = TestRepo::new();
    t.write("n", "one\n");
    begin(&t, "s");
    shell(&t, &t.work(), "rm n; touch -d 2001-01-01 a.txt");
    let before = crate::snapshot_read::everything(&t.work());
    let run = call(&t, ["undo", "--turn", "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.stdout.contains("a.txt"), "only its time is another: {run:?}");
    assert_eq!(crate::snapshot_read::everything(&t.work()), before);
}
