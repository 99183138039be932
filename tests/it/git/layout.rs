//! Where a repository is found, and what kind it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use ah::clock::Deadline;
use ah::git::{Git, Head, Paths, Repo, Trouble, Untracked};

use crate::support::{TestRepo, minute};

#[test]
fn from_a_subdirectory_and_from_outside() {
    let t = TestRepo::new();
    t.write("deep/er/x", "x");
    let repo = t.facts_in(&t.work().join("deep/er"));
    assert_eq!(repo.work_tree, Some(t.work()));
    assert_eq!(repo.git_dir, t.work().join(".git"));
    assert!(!repo.bare && !repo.is_linked && !repo.is_submodule && repo.foreign.is_none());
    assert!(Repo::discover(&t.root().join("home"), &t.vars()).expect("readable").is_none());
    assert!(matches!(Repo::discover(&t.root().join("none"), &t.vars()), Err(Trouble::Io { .. })));
    symlink(t.work().join("deep"), t.root().join("link")).expect("a link");
    assert_eq!(t.facts_in(&t.root().join("link")).work_tree, Some(t.work()));
    let inside = t.facts_in(&t.work().join(".git/refs"));
    assert_eq!((inside.work_tree, inside.bare), (None, false));
}

#[test]
fn a_broken_git_file_is_no_repository() {
    let t = TestRepo::new();
    for text in ["gitdir: nowhere\n", "junk", ""] {
        t.write("sub/.git", text);
        let found = Repo::discover(&t.work().join("sub"), &t.vars());
        assert!(matches!(found, Err(Trouble::NotARepository)), "{text:?}");
        assert!(!t.try_git(&t.work().join("sub"), ["rev-parse"]).status.success());
    }
    // An empty directory of that name is passed over, as git does.
    fs::remove_file(t.work().join("sub/.git")).expect("removed");
    fs::create_dir(t.work().join("sub/.git")).expect("made");
    assert_eq!(t.facts_in(&t.work().join("sub")).work_tree, Some(t.work()));
}

#[test]
fn the_environment_chooses() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["init", "-q", "--bare", "bare.git"]);
    let mut vars = t.vars();
    vars.set("GIT_DIR", "../bare.git");
    vars.set("GIT_WORK_TREE", "..");
    let repo = Repo::discover(&t.work(), &vars).expect("readable").expect("a repository");
    assert_eq!((repo.git_dir.clone(), repo.work_tree.clone()), (t.root().join("bare.git"), Some(t.root())));
    // Relative names still mean the same places when git is asked at the top of the tree.
    let git = Git::new(&repo, &vars, minute()).expect("git");
    let status = git.status(Paths::All, Untracked::Normal, false).expect("a status");
    assert!(status.iter().any(|e| e.path.to_str() == Some("home/")), "{status:?}");
    vars.unset("GIT_WORK_TREE");
    vars.set("GIT_DIR", t.work().join(".git"));
    let repo = Repo::discover(&t.root(), &vars).expect("readable").expect("a repository");
    assert_eq!(repo.work_tree, Some(t.root()));
    vars.set("GIT_DIR", "");
    assert!(matches!(Repo::discover(&t.work(), &vars), Err(Trouble::NotARepository)));
    vars.unset("GIT_DIR");
    t.write("deep/x", "");
    vars.set("GIT_CEILING_DIRECTORIES", t.work());
    assert!(Repo::discover(&t.work().join("deep"), &vars).expect("readable").is_none());
    assert!(Repo::discover(&t.work(), &vars).expect("readable").is_some());
}

#[test]
fn linked_trees() {
    let t = TestRepo::new();
    let other = t.root().join("other");
    t.git(["worktree", "add", "-q", "../other", "-b", "side"]);
    t.git(["worktree", "add", "-q", "--detach", "../third"]);
    t.git(["worktree", "lock", "../third"]);
    let repo = t.facts_in(&other);
    assert!(repo.is_linked);
    assert_eq!(repo.common_dir, t.work().join(".git"));
    assert_eq!(repo.git_dir, t.work().join(".git/worktrees/other"));
    assert_eq!(repo.work_tree, Some(other.clone()));
    assert_eq!(repo.main_tree(), Some(t.work()));
    assert_eq!(repo.head().expect("a head").branch(), Some("side"));
    assert_eq!(repo.main_head().expect("a head").branch(), Some("main"));
    let trees = repo.linked_trees();
    let ids: Vec<_> = trees.iter().map(|t| (t.id.as_str(), t.locked)).collect();
    assert_eq!(ids, [("other", false), ("third", true)]);
    assert_eq!(trees[0].path.as_ref(), Some(&other));
    assert_eq!(trees[1].head, Some(Head::Detached(t.oid("main"))));
}

#[test]
fn submodules() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "--name", "lib/one", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    let sub = t.facts_in(&t.work().join("sub"));
    assert!(sub.is_submodule && !sub.is_linked);
    assert_eq!(sub.work_tree, Some(t.work().join("sub")));
    let top = t.facts();
    assert!(!top.is_submodule);
    let modules = top.submodules();
    assert_eq!(modules.len(), 1);
    assert_eq!((modules[0].name.as_str(), modules[0].work_tree.clone()), ("lib/one", Some(t.work().join("sub"))));
    assert_eq!(modules[0].git_dir, sub.git_dir);
    let opened = Repo::open(&sub.git_dir, &t.vars()).expect("a repository");
    assert_eq!(opened.work_tree, sub.work_tree);
    let links = t.ask(|g| g.gitlinks(Paths::All)).expect("links");
    assert_eq!(links, [("sub".into(), t.oid("HEAD:sub"))]);
    // What is inside is the submodule's own affair; another commit there shows.
    t.write("sub/a.txt", "edited");
    assert!(t.ask(|g| g.status(Paths::All, Untracked::All, false)).expect("a status").is_empty());
    t.git_in(&t.work().join("sub"), ["commit", "-qam", "inside"]);
    assert_eq!(t.ask(|g| g.status(Paths::All, Untracked::All, false)).expect("a status").len(), 1);
}

#[test]
fn bare_and_fresh() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "bare.git"]);
    let bare = t.facts_in(&t.root().join("bare.git"));
    assert!(bare.bare && bare.work_tree.is_none());
    let vars = t.vars();
    let git = Git::new(&bare, &vars, minute()).expect("git");
    assert!(matches!(git.status(Paths::All, Untracked::No, false), Err(Trouble::NotARepository)));
    assert_eq!(git.rev_parse("main").expect("asked"), Some(t.oid("main")));

    let t = TestRepo::fresh(&[]);
    t.write("only.txt", "never committed\nx\n");
    t.git(["add", "only.txt"]);
    assert_eq!(t.facts().head().expect("a head"), Head::Unborn("refs/heads/main".into()));
    let lines = t.ask(|g| g.numstat(Paths::All, ah::git::Against::HeadToIndex)).expect("lines");
    assert_eq!((lines.len(), lines[0].added), (1, Some(2)));
    assert_eq!(t.ask(|g| g.status(Paths::All, Untracked::All, false)).expect("a status").len(), 1);
    assert_eq!(t.ask(|g| g.rev_parse("HEAD")).expect("asked"), None);
    let kept = t.ask(|g| g.kept(&["only.txt".into()], true)).expect("asked");
    assert_eq!(kept, [ah::git::Kept::Index]);
}

#[test]
fn formats_that_only_git_reads() {
    for (name, args) in [("reftable", ["--ref-format=reftable"]), ("sha256", ["--object-format=sha256"])] {
        let t = TestRepo::fresh(&args);
        assert!(matches!(t.ask(|g| g.head()), Ok(Head::Unborn(_))), "{name}");
        let first = t.commit("a.txt", "1\n");
        let second = t.commit("a.txt", "2\n");
        t.git(["branch", "side", "HEAD~1"]);
        let repo = t.facts();
        assert_eq!(repo.foreign, Some(name));
        assert!(matches!(repo.head(), Err(Trouble::Foreign(_))));
        assert!(matches!(repo.refs("refs/"), Err(Trouble::Foreign(_))));
        t.ask(|g| {
            assert_eq!(g.head().expect("a head"), Head::Branch("refs/heads/main".into()));
            let refs: Vec<_> = g.refs("refs/heads/").expect("refs").into_iter().map(|r| (r.name, r.oid)).collect();
            assert_eq!(refs, [("refs/heads/main".into(), second.clone()), ("refs/heads/side".into(), first.clone())]);
            assert_eq!(g.find("side").expect("asked").map(|r| r.oid), Some(first.clone()));
            assert_eq!(g.find("nothing").expect("asked"), None);
            let question = ah::git::Question {
                also: &[],
                reflogs: ah::git::Reflogs::No,
                show: 5,
                tips: std::slice::from_ref(&second),
                without: &["refs/heads/main"],
            };
            assert_eq!(g.unheld(&question).expect("asked").total, 1);
            let question = ah::git::Question { reflogs: ah::git::Reflogs::Removed, ..question };
            assert_eq!(g.unheld(&question).expect("asked").total, 0, "HEAD's log holds it");
        });
        t.git(["worktree", "add", "-q", "--detach", "../other"]);
        let other = t.root().join("other");
        t.git_in(&other, ["commit", "-q", "--allow-empty", "-m", "on no branch"]);
        let tip = [ah::git::Oid::parse(&t.git_in(&other, ["rev-parse", "HEAD"])).expect("a commit")];
        for (without, total) in [(&[][..], 0), (&["worktrees/other/HEAD"], 1)] {
            let question = ah::git::Question { also: &[], reflogs: ah::git::Reflogs::No, show: 5, tips: &tip, without };
            assert_eq!(t.ask(|g| g.unheld(&question)).expect("asked").total, total, "{name}");
        }
        t.write("a.txt", "stashed\n");
        t.git(["stash", "-q"]);
        assert_eq!(t.ask(|g| g.stashes()).expect("stashes").len(), 1);
    }
    let t = TestRepo::new();
    t.git(["config", "core.repositoryformatversion", "1"]);
    t.git(["config", "extensions.noop", "true"]);
    assert_eq!(t.facts().foreign, None);
    t.git(["config", "extensions.unheardOf", "true"]);
    assert!(t.facts().foreign.is_some());
    assert!(matches!(t.ask(|g| g.head()), Err(Trouble::Failed { .. })));
}

#[test]
fn trouble_has_its_name() {
    let t = TestRepo::new();
    let mut vars = t.vars();
    vars.set("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    let repo = t.facts();
    let git = Git::new(&repo, &vars, minute()).expect("git");
    assert!(matches!(git.rev_parse("HEAD"), Err(Trouble::Dubious)));

    let none: ah::git::Vars = [("PATH", "")].into_iter().collect();
    assert!(matches!(Git::new(&repo, &none, minute()), Err(Trouble::NoGit)));

    let past = Git::new(&repo, &vars, Deadline::after(Duration::ZERO)).expect("git");
    assert!(matches!(past.rev_parse("HEAD"), Err(Trouble::Deadline { step }) if step == "rev-parse"));

    fs::write(t.work().join(".git/index"), "DIRC junk").expect("written");
    let failed = t.ask(|g| g.status(Paths::All, Untracked::No, false));
    assert!(matches!(&failed, Err(Trouble::Failed { line, .. }) if line.contains("index")), "{failed:?}");
}

#[test]
fn a_slow_git_is_ended_with_what_it_started() {
    let t = TestRepo::new();
    let bin = t.root().join("bin");
    t.script(&bin.join("git"), "sleep 600 & echo $! > \"$HOME/pid\"; wait");
    let mut vars = t.vars();
    let path = format!("{}:{}", bin.display(), vars.text("PATH").unwrap_or_default());
    vars.set("PATH", path);
    let vars: ah::git::Vars = vars.iter().collect();
    let repo = t.facts();
    // On a busy machine it may not have come far by the first deadline.
    let pid = [1, 4, 16].into_iter().find_map(|seconds| {
        let git = Git::new(&repo, &vars, Deadline::after(Duration::from_secs(seconds))).expect("git");
        assert!(matches!(git.rev_parse("HEAD"), Err(Trouble::Deadline { .. })));
        let text = fs::read_to_string(t.root().join("home/pid")).ok()?;
        text.ends_with('\n').then(|| text.trim().to_owned())
    });
    let pid = pid.expect("it ran");
    // Being killed takes a moment, and a zombie stays until its new parent collects it; it must not go on running.
    let ended = (0..1_000).any(|_| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let state = stat.rsplit(") ").next().and_then(|s| s.chars().next());
        std::thread::sleep(Duration::from_millis(10));
        matches!(state, None | Some('Z' | 'X'))
    });
    assert!(ended);
}
