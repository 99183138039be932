//! Status, index, lines, clean and kept content, with paths of every kind.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use ah::git::{Against, CleanFlags, Git, IgnoredFiles, Paths, State, Untracked};

use crate::support::{TestRepo, minute};

fn odd() -> Vec<PathBuf> {
    let names: [&[u8]; 8] = [
        b"plain",
        b"with space",
        b"new\nline",
        b"\"quoted\"",
        b"back\\slash",
        "\u{e4}".as_bytes(),
        b"not-\xff-utf8",
        b"*[glob]?",
    ];
    names.iter().map(|n| PathBuf::from(OsString::from_vec([b"dir/", *n].concat()))).collect()
}

fn sorted(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.sort();
    paths
}

#[test]
fn odd_names_come_back_whole() {
    let t = TestRepo::new();
    t.commit("dir/tracked", "x\n");
    for path in odd() {
        t.write(&path, "content\n");
    }
    let status = |t: &TestRepo, paths: Paths<'_>| t.ask(|g| g.status(paths, Untracked::All, false)).expect("a status");
    let names = |all: Vec<ah::git::Entry>| sorted(all.into_iter().map(|e| e.path).collect());
    assert_eq!(names(status(&t, Paths::All)), sorted(odd()));
    let clean = t.ask(|g| g.clean_preview(&CleanFlags { paths: vec!["dir".into()], ..CleanFlags::default() }));
    assert_eq!(sorted(clean.expect("a preview")), sorted(odd()));
    assert_eq!(t.ask(|g| g.hash(&odd(), true)).expect("hashes").iter().flatten().count(), 8);
    t.git(["add", "-A"]);
    assert_eq!(
        sorted(
            t.ask(|g| g.index_entries(Paths::All))
                .expect("entries")
                .into_iter()
                .map(|e| e.path)
                .filter(|p| p.starts_with("dir") && !p.ends_with("tracked"))
                .collect()
        ),
        sorted(odd())
    );
    t.git(["commit", "-qm", "odd"]);
    for path in odd() {
        t.write(&path, "content\nmore\n");
    }
    // Each by itself, as it is: no pattern, no magic.
    for path in odd() {
        let one = [path.clone()];
        assert_eq!(names(status(&t, Paths::Exact(&one))), one);
        let lines = t.ask(|g| g.numstat(Paths::Exact(&one), Against::HeadToTree)).expect("lines");
        assert_eq!((lines.len(), lines[0].added, &lines[0].path), (1, Some(1), &path));
    }
    assert!(status(&t, Paths::Exact(&[])).is_empty());
    assert_eq!(status(&t, Paths::Exact(&["dir".into()])).len(), 8);
    // More than fit on a command line.
    let many: Vec<PathBuf> = (0..20_000).map(|i| PathBuf::from(format!("none/{i}"))).chain([odd()[2].clone()]).collect();
    assert_eq!(status(&t, Paths::Exact(&many)).len(), 1);
    // Patterns count from the directory of the command.
    let repo = t.facts_in(&t.work().join("dir"));
    let vars = t.vars();
    let git = Git::new(&repo, &vars, minute()).expect("git");
    let specs: [OsString; 1] = ["p*".into()];
    let found = git.status(Paths::Specs(&specs), Untracked::No, false).expect("a status");
    assert_eq!(found.iter().map(|e| e.path.as_path()).collect::<Vec<_>>(), [Path::new("dir/plain")]);
    assert_eq!(git.clean_preview(&CleanFlags::default()).expect("a preview"), [""; 0].map(PathBuf::from));
}

#[test]
fn states() {
    let t = TestRepo::new();
    for file in ["del", "mod", "staged", "type"] {
        t.commit(file, "1\n2\n");
    }
    t.write(".gitignore", "*.log\nbuild/\n");
    t.git(["add", ".gitignore"]);
    t.git(["commit", "-qm", "ignore"]);
    fs::remove_file(t.work().join("del")).expect("removed");
    t.write("mod", "1\n");
    t.write("staged", "x\n");
    t.write("new", "n\n");
    t.git(["add", "staged", "new"]);
    t.write("new", "n2\n");
    t.write("later", "content\n");
    t.git(["add", "-N", "later"]);
    fs::remove_file(t.work().join("type")).expect("removed");
    symlink("mod", t.work().join("type")).expect("a link");
    t.write("run.log", "");
    t.write("build/o", "");
    t.write("loose/one", "");
    let all = t.ask(|g| g.status(Paths::All, Untracked::Normal, true)).expect("a status");
    let shown: Vec<(String, String)> = all
        .iter()
        .map(|e| {
            let state = match &e.state {
                State::Changed { index, tree, .. } => format!("{index}{tree}"),
                State::Ignored => "!".into(),
                State::Unmerged { sides, .. } => sides.iter().collect(),
                State::Untracked => "?".into(),
            };
            (e.path.to_string_lossy().into_owned(), state)
        })
        .collect();
    let want = [
        ("del", ".D"),
        ("later", ".A"),
        ("mod", ".M"),
        ("new", "AM"),
        ("staged", "M."),
        ("type", ".T"),
        ("loose/", "?"),
        ("build/", "!"),
        ("run.log", "!"),
    ];
    assert_eq!(shown, want.map(|(p, s)| (p.to_owned(), s.to_owned())));
    assert!(all[3].in_tree() && all[3].in_index() && !all[2].in_index() && !all[4].in_tree());
    assert_eq!(t.ask(|g| g.ignored_paths(Paths::All)).expect("paths"), [PathBuf::from("build/"), PathBuf::from("run.log")]);
    let lines = |against| {
        let all = t.ask(|g| g.numstat(Paths::All, against)).expect("lines");
        all.into_iter().map(|l| (l.path.to_string_lossy().into_owned(), l.added, l.removed)).collect::<Vec<_>>()
    };
    assert_eq!(lines(Against::HeadToIndex), [("new".into(), Some(1), Some(0)), ("staged".into(), Some(1), Some(2))]);
    assert!(lines(Against::IndexToTree).contains(&("mod".into(), Some(0), Some(1))));
    assert!(lines(Against::HeadToTree).contains(&("del".into(), Some(0), Some(2))));
}

#[test]
fn conflicts_have_their_stages() {
    let t = TestRepo::new();
    t.git(["checkout", "-qb", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["checkout", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    assert!(!t.try_git(&t.work(), ["merge", "side"]).status.success());
    let all = t.ask(|g| g.status(Paths::All, Untracked::No, false)).expect("a status");
    assert!(
        matches!(&all[0].state, State::Unmerged { sides: ['U', 'U'], stages: [Some(_), Some(o), Some(_)] } if *o == t.oid("main:a.txt"))
    );
    let stages: Vec<u8> = t.ask(|g| g.index_entries(Paths::All)).expect("entries").iter().map(|e| e.stage).collect();
    assert_eq!(stages, [1, 2, 3]);
}

#[test]
fn flags_that_hide_changes() {
    let t = TestRepo::new();
    for file in ["assumed", "same", "skipped"] {
        t.commit(file, "1\n");
    }
    t.git(["update-index", "--assume-unchanged", "assumed", "same"]);
    t.git(["update-index", "--skip-worktree", "skipped"]);
    t.write("assumed", "2\n");
    t.write("skipped", "2\n");
    let hidden = t.ask(|g| g.hidden(Paths::All)).expect("asked");
    assert_eq!((hidden.assumed, hidden.skipped), (vec!["assumed".into()], vec!["skipped".into()]));
    assert!(t.ask(|g| g.status(Paths::All, Untracked::No, false)).expect("a status").is_empty());
    fs::remove_file(t.work().join("same")).expect("removed");
    assert_eq!(t.ask(|g| g.hidden(Paths::Exact(&["same".into()]))).expect("asked").assumed, [PathBuf::from("same")]);
}

#[test]
fn clean_previews() {
    let t = TestRepo::new();
    t.write(".gitignore", "*.log\n");
    t.git(["add", ".gitignore"]);
    t.git(["commit", "-qm", "ignore"]);
    t.write("loose", "");
    t.write("x.log", "");
    t.write("dir/file", "");
    t.write("keep.me", "");
    t.git(["init", "-q", "nested"]);
    t.write("nested/file", "");
    let preview = |flags: CleanFlags| {
        let all = t.ask(|g| g.clean_preview(&flags)).expect("a preview");
        sorted(all).iter().map(|p| p.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let flags = CleanFlags { exclude: vec!["keep.*".into()], ..CleanFlags::default() };
    assert_eq!(preview(flags.clone()), ["loose"]);
    assert_eq!(preview(CleanFlags { directories: true, ..flags.clone() }), ["dir/", "loose"]);
    assert_eq!(preview(CleanFlags { directories: true, force: 2, ..flags.clone() }), ["dir/", "loose", "nested/"]);
    assert_eq!(preview(CleanFlags { ignored: IgnoredFiles::Too, ..flags.clone() }), ["loose", "x.log"]);
    assert_eq!(preview(CleanFlags { ignored: IgnoredFiles::Only, ..CleanFlags::default() }), ["x.log"]);
    assert_eq!(preview(CleanFlags { directories: true, paths: vec!["dir".into()], ..flags }), ["dir/"]);
    assert!(t.work().join("loose").exists());
}
