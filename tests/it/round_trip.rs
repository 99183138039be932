//! What a snapshot holds comes back, every byte: files, modes, links, names, index, refs, stash.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::guard_run::{Run, call, feed, guard};
use crate::snapshot_read::snapshot;
use crate::support::TestRepo;
use crate::undo::{lose, shell, undo};

/// Files by path: mode and content.
type Files = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// Every file and link below a directory but what is git's: its mode and its content.
fn files(dir: &Path) -> Files {
    let mut all = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(here) = todo.pop() {
        for entry in fs::read_dir(here).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            if entry.file_name() == ".git" {
                continue;
            }
            if meta.is_dir() {
                todo.push(path);
            } else if meta.is_symlink() {
                all.insert(path.clone(), (0, fs::read_link(path).unwrap().into_os_string().as_bytes().to_vec()));
            } else {
                all.insert(path.clone(), (meta.permissions().mode(), fs::read(path).unwrap()));
            }
        }
    }
    all
}

/// Files, index, refs, HEAD and stash.
fn state(t: &TestRepo, dir: &Path) -> (Files, [String; 4]) {
    let git = |args: &[&str]| String::from_utf8_lossy(&t.try_git(dir, args).stdout).into_owned();
    let texts = [
        git(&["ls-files", "-s", "-z"]),
        git(&["for-each-ref", "--format=%(refname) %(objectname)"]),
        git(&["symbolic-ref", "HEAD"]),
        git(&["stash", "list", "--format=%H %gs"]),
    ];
    (files(dir), texts)
}

#[track_caller]
fn restore(t: &TestRepo, args: &[&str]) -> Run {
    let run = call(t, ["restore", "--yes"].iter().chain(args));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run
}

fn rich() -> TestRepo {
    let t = TestRepo::new();
    for file in ["b.txt", "gone.txt", "both.txt", "deep/er/c.txt", "unlinked.txt"] {
        t.commit(file, "as committed\n");
    }
    t.write("a.txt", "edited\n");
    t.write("b.txt", "staged\n");
    t.git(["add", "b.txt"]);
    t.write("both.txt", "staged\n");
    t.git(["add", "both.txt"]);
    t.write("both.txt", "and edited\n");
    fs::remove_file(t.work().join("gone.txt")).unwrap();
    t.git(["rm", "-q", "unlinked.txt"]);
    t.write("binary", (0..=255).cycle().take(70_000).collect::<Vec<u8>>());
    t.write("empty", "");
    t.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(t.work().join("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    let odd: [&[u8]; 7] =
        [b"new\nline", b"-rf", b"quo\"te'", b"\xff\xfe", "\u{fc}\u{1f600}".as_bytes(), b" lead", b"back\\slash"];
    for name in odd {
        t.write(Path::new("odd").join(OsStr::from_bytes(name)), name);
    }
    t.write("staged odd\n\"name", "x");
    t.git(["add", "staged odd\n\"name"]);
    symlink("/etc/passwd", t.work().join("link")).unwrap();
    symlink(OsStr::from_bytes(b"nowhere\xff\n"), t.work().join("broken")).unwrap();
    t.write(".env", "SECRET=1\n");
    fs::create_dir(t.work().join("hollow")).unwrap();
    t
}

#[test]
fn a_hard_reset_and_a_clean_are_undone_to_the_byte() {
    let t = rich();
    let before = state(&t, &t.work());
    let (id, _) = snapshot(&t, &[]);
    t.git(["reset", "-q", "--hard"]);
    t.git(["clean", "-qffdx"]);
    restore(&t, &[&id]);
    let now = state(&t, &t.work());
    assert_eq!(now.1, before.1);
    assert_eq!(now.0, before.0);
    // Once more, from files that are all others now.
    for path in ["a.txt", "b.txt", "binary", "run.sh", "link", "odd/-rf"] {
        fs::remove_file(t.work().join(path)).unwrap();
        t.write(path, "other\n");
    }
    t.git(["add", "-A", "."]);
    restore(&t, &[&id]);
    assert_eq!(files(&t.work()), before.0);
}

#[test]
fn line_ends_and_filters_do_not_change_a_byte() {
    let t = TestRepo::new();
    t.git(["config", "core.autocrlf", "true"]);
    t.git(["config", "filter.rot.clean", "tr a-z b-za"]);
    t.git(["config", "filter.rot.smudge", "tr b-za a-z"]);
    t.git(["config", "filter.rot.required", "true"]);
    t.write(".gitattributes", "*.rot filter=rot\n*.lf text eol=lf\n");
    for (file, text) in
        [("crlf.txt", "one\r\ntwo\r\n"), ("x.rot", "secret words\n"), ("clean.rot", "clean words\n"), ("y.lf", "one\n")]
    {
        t.write(file, text);
    }
    t.git(["add", "-A"]);
    t.git(["commit", "-qm", "filtered"]);
    t.write("crlf.txt", "one\r\ntwo\nthree\r");
    t.write("x.rot", "other words\n");
    t.write("y.lf", "one\r\n");
    t.write("new.rot", "new words\r\n");
    t.write("staged.rot", "staged words\n");
    t.git(["add", "staged.rot"]);
    let before = state(&t, &t.work());
    let (id, _) = snapshot(&t, &[]);
    t.git(["reset", "-q", "--hard"]);
    t.git(["clean", "-qfdx"]);
    restore(&t, &[&id]);
    assert_eq!(state(&t, &t.work()), before);
    assert_eq!(fs::read(t.work().join("clean.rot")).unwrap(), b"clean words\n");
}

#[test]
fn a_conflict_comes_back_with_its_stages() {
    let t = TestRepo::new();
    t.git(["switch", "-qc", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["switch", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    assert!(!t.try_git(&t.work(), ["merge", "-q", "side"]).status.success());
    t.write("a.txt", "resolved by hand\n");
    let before = state(&t, &t.work());
    lose(&t, "git merge --abort");
    assert_ne!(state(&t, &t.work()), before);
    undo(&t, &[]);
    assert_eq!(state(&t, &t.work()), before);
}

#[test]
fn nothing_of_a_snapshot_is_shown_pushed_or_bundled() {
    let t = rich();
    t.git_in(&t.root(), ["init", "-q", "--bare", "mirror.git"]);
    let count = || t.git(["count-objects", "-v"]);
    let before = (t.git(["log", "--all", "--reflog", "--format=%H"]), count(), state(&t, &t.work()));
    let (id, _) = snapshot(&t, &[]);
    assert_eq!((t.git(["log", "--all", "--reflog", "--format=%H"]), count(), state(&t, &t.work())), before);
    t.git(["push", "-q", "--mirror", "../mirror.git"]);
    t.git(["bundle", "create", "-q", "../all.bundle", "--all"]);
    let shown = t.git_in(&t.root().join("mirror.git"), ["for-each-ref"]) + &t.git(["bundle", "list-heads", "../all.bundle"]);
    assert!(!shown.contains(&id) && !shown.contains("refs/ah"), "{shown}");
}

#[test]
fn in_a_linked_tree() {
    let t = TestRepo::new();
    t.git(["worktree", "add", "-q", "../tree", "-b", "linked"]);
    let tree = t.root().join("tree");
    fs::write(tree.join("a.txt"), "edited\n").unwrap();
    fs::write(tree.join("s"), "staged\n").unwrap();
    t.git_in(&tree, ["add", "s"]);
    fs::write(tree.join("s"), "and edited\n").unwrap();
    let before = (state(&t, &tree), state(&t, &t.work()));
    let run = call(&t, [OsStr::new("snapshot"), "--cwd".as_ref(), tree.as_os_str()]);
    let id = run.stdout.trim().to_owned();
    t.git_in(&tree, ["reset", "-q", "--hard"]);
    let mut command = guard(&t);
    command.args(["restore", &id, "--yes"]).current_dir(&tree);
    let run = feed(&mut command, b"");
    assert_eq!((state(&t, &tree), state(&t, &t.work())), before, "{run:?}");
}

#[test]
fn in_a_repository_without_commits() {
    let t = TestRepo::fresh(&[]);
    t.write("a", "staged\n");
    t.git(["add", "a"]);
    t.write("a", "edited\n");
    t.write("b", "untracked\n");
    let before = state(&t, &t.work());
    let (id, _) = snapshot(&t, &[]);
    t.git(["rm", "-qf", "--cached", "a"]);
    t.git(["clean", "-qfdx"]);
    restore(&t, &[&id]);
    assert_eq!(state(&t, &t.work()), before);
}

#[test]
fn after_the_repository_is_gone() {
    for command in ["rm -rf .git", "rm -rf ../work"] {
        let t = rich();
        t.git(["tag", "-a", "-m", "note", "v1"]);
        t.git(["branch", "side"]);
        t.git(["config", "user.nickname", "dev"]);
        t.write("a.txt", "stashed\n");
        t.git(["stash", "-q"]);
        t.git(["stash", "apply", "-q", "--index"]);
        let before = state(&t, &t.work());
        lose(&t, command);
        assert!(!t.work().join(".git").exists());
        let dir = if t.work().is_dir() { t.work() } else { t.root() };
        let mut call = guard(&t);
        call.args(["undo", "--yes"]).current_dir(dir);
        let run = feed(&mut call, b"");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command}: {run:?}");
        let now = state(&t, &t.work());
        assert_eq!(now, before, "{command}: {run:?}");
        assert_eq!(t.git(["config", "user.nickname"]), "dev");
        t.git(["fsck", "--strict"]);
    }
}

#[test]
fn a_bare_repository() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "bare.git"]);
    let bare = t.root().join("bare.git");
    t.git_in(&bare, ["branch", "only-here"]);
    let before = t.git_in(&bare, ["for-each-ref"]);
    crate::undo::lose_in(&t, &t.root(), "rm -rf bare.git");
    let mut command = guard(&t);
    command.args(["undo", "--yes"]).current_dir(t.root());
    let run = feed(&mut command, b"");
    assert_eq!(t.git_in(&bare, ["for-each-ref"]), before, "{run:?}");
}

#[test]
fn nested_repositories_and_submodules_come_back_together() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    t.git_in(&t.root(), ["init", "-q", "work/vendor/lib"]);
    let lib = t.work().join("vendor/lib");
    fs::write(lib.join("n.c"), "n\n").unwrap();
    t.git_in(&lib, ["add", "."]);
    t.git_in(&lib, ["commit", "-qm", "n"]);
    fs::write(lib.join("n.c"), "edited\n").unwrap();
    t.write("sub/a.txt", "inside\n");
    t.write("sub/new", "new\n");
    let before = [state(&t, &t.work()), state(&t, &lib), state(&t, &t.work().join("sub"))];
    lose(&t, "rm -rf vendor sub");
    shell(&t, &t.work(), "true");
    undo(&t, &[]);
    assert_eq!([state(&t, &t.work()), state(&t, &lib), state(&t, &t.work().join("sub"))], before);
}

#[test]
fn files_in_no_repository() {
    let t = TestRepo::nothing();
    t.write("sub/notes.md", "x\n");
    t.write("sub/b", "y\n");
    lose(&t, "rm sub/notes.md");
    undo(&t, &[]);
    assert_eq!(fs::read(t.work().join("sub/notes.md")).unwrap(), b"x\n");
}
