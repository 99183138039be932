//! Where contents are kept, and that nothing is fetched to find out.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use ah::git::{Git, Kept, Paths, Untracked};

use crate::support::{TestRepo, minute};

#[test]
fn where_content_is_kept() {
    let t = TestRepo::new();
    t.commit("old", "version one\n");
    t.commit("old", "version two\n");
    t.git(["checkout", "-qb", "side"]);
    t.commit("tip", "at the tip\n");
    t.git(["checkout", "-q", "main"]);
    t.write("copy", "alpha\nbeta\n");
    t.write("old", "version one\n");
    t.write("tip", "at the tip\n");
    t.write("staged", "only staged\n");
    t.git(["add", "staged"]);
    t.write("new\nline", "nowhere\n");
    t.write("dir/x", "alpha\nbeta\n");
    symlink("nowhere", t.work().join("link")).expect("a link");
    // An object that nothing names any more keeps nothing.
    t.write("dangling", "dangling\n");
    t.git(["hash-object", "-w", "dangling"]);
    let paths = ["copy", "old", "tip", "staged", "new\nline", "dir", "dir/x", "link", "absent", "dangling"].map(PathBuf::from);
    let want = [
        Kept::Head,
        Kept::History,
        Kept::Tip,
        Kept::Index,
        Kept::Nowhere,
        Kept::Absent,
        Kept::Head,
        Kept::Nowhere,
        Kept::Absent,
        Kept::Nowhere,
    ];
    assert_eq!(t.ask(|g| g.kept(&paths, true)).expect("asked"), want);
    let staged =
        [(PathBuf::from("staged"), t.oid(":staged")), ("old".into(), t.oid("HEAD~1:old")), ("copy".into(), t.oid("HEAD:a.txt"))];
    let want = [Kept::Nowhere, Kept::History, Kept::Head];
    assert_eq!(t.ask(|g| g.blobs_kept(&staged)).expect("asked"), want);
    assert_eq!(t.ask(|g| g.kept(&["staged".into()], false)).expect("asked"), [Kept::Nowhere]);
    // With other line ends, as git stores it.
    t.git(["config", "core.autocrlf", "true"]);
    t.write("crlf", "alpha\r\nbeta\r\n");
    assert_eq!(t.ask(|g| g.kept(&["crlf".into()], true)).expect("asked"), [Kept::Head]);
}

#[test]
fn content_is_found_in_every_kind_of_store() {
    let t = TestRepo::new();
    t.commit("loose", "loose\n");
    let kept = |t: &TestRepo, path: &str| t.ask(|g| g.kept(&[path.into()], true)).expect("asked")[0];
    t.commit("gone", "an old version\n");
    t.commit("gone", "a new version\n");
    t.write("gone", "an old version\n");
    assert_eq!((kept(&t, "loose"), kept(&t, "gone")), (Kept::Head, Kept::History));
    t.git(["gc", "-q"]);
    assert_eq!((kept(&t, "loose"), kept(&t, "gone")), (Kept::Head, Kept::History), "packed");
    let far = t.root().join("far");
    t.git(["clone", "-q", "-s", &t.work().to_string_lossy(), &far.to_string_lossy()]);
    fs::write(far.join("gone"), "an old version\n").expect("written");
    let repo = t.facts_in(&far);
    let git = Git::new(&repo, &t.vars(), minute()).expect("git");
    assert_eq!(git.kept(&["gone".into()], true).expect("asked"), [Kept::History], "in an alternate store");
    t.write("gone", "never committed\n");
    assert_eq!(kept(&t, "gone"), Kept::Nowhere);
    // An attribute decides what git stores of a file.
    t.write(".gitattributes", "*.txt working-tree-encoding=UTF-16LE eol=lf\n");
    t.commit("wide.txt", "w\0\n\0");
    t.commit("wide.txt", "x\0\n\0");
    t.write("wide.txt", "w\0\n\0");
    assert_eq!(kept(&t, "wide.txt"), Kept::History);
}

#[test]
fn names_of_blobs_are_gits() {
    let t = TestRepo::new();
    for text in ["", "x", "a\nb\n", "\0\u{1}\r\n", &"long ".repeat(100_000)] {
        t.write("f", text);
        let git = t.git(["hash-object", "--no-filters", "f"]);
        assert_eq!(t.facts().blob_name(text.as_bytes()).map(|o| o.to_string()).as_deref(), Some(git.trim()));
    }
}

#[test]
fn sparse_and_partial() {
    let t = TestRepo::new();
    t.commit("in/x", "1\n");
    t.commit("out/y", "1\n");
    t.commit("out/y", "2\n");
    t.git(["config", "uploadpack.allowFilter", "true"]);
    let clone = t.root().join("clone");
    let url = format!("file://{}", t.work().display());
    t.git_in(&t.root(), ["clone", "-q", "--filter=blob:none", "--sparse", &url, "clone"]);
    t.git_in(&clone, ["sparse-checkout", "set", "in"]);
    fs::write(clone.join("in/x"), "edited\n").expect("written");
    let objects = || t.git_in(&clone, ["count-objects", "-v"]);
    let before = objects();
    let repo = t.facts_in(&clone);
    assert_eq!(repo.foreign, None);
    let vars = t.vars();
    let git = Git::new(&repo, &vars, minute()).expect("git");
    let all = git.status(Paths::All, Untracked::All, false).expect("a status");
    assert_eq!(all.iter().map(|e| e.path.as_os_str()).collect::<Vec<_>>(), [OsStr::from_bytes(b"in/x")]);
    assert_eq!(git.hidden(Paths::All).expect("asked").skipped, [PathBuf::from("out/y")]);
    // An older blob was never fetched, and asking for it must not fetch it.
    let oid = t.oid("HEAD~1:out/y");
    assert!(git.diff_paths(&t.oid("HEAD~1"), &t.oid("HEAD")).expect("trees are here").len() == 1);
    assert_eq!(git.kept(&["in/x".into()], true).expect("asked"), [Kept::Nowhere]);
    let missing = git.merged_by_content(&t.oid("HEAD"), &t.oid("HEAD~1"));
    assert!(missing.is_err() || missing.is_ok_and(|m| m != Some(true)));
    assert_eq!(objects(), before, "{oid} was fetched");
}
