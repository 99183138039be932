//! Taking a snapshot leaves the repository as it was: nothing written, no code run, nothing fetched, whatever its format.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::git_hostile::{environment, marks, touch};
use crate::guard_hostile::armed;
use crate::guard_run::{call, feed, guard};
use crate::snapshot_read::{everything, files, git, manifest, snapshot, store, unpacked};
use crate::support::TestRepo;

#[test]
fn the_repository_is_as_it_was() {
    let t = TestRepo::new();
    t.commit("b.txt", "b\n");
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    t.git(["worktree", "add", "-q", "../tree", "-b", "linked"]);
    t.git(["switch", "-qc", "other"]);
    t.commit("a.txt", "theirs\n");
    t.git(["switch", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    let merge = t.try_git(&t.work(), ["merge", "-q", "other"]);
    assert!(!merge.status.success(), "a conflict");
    t.write("sub/b.txt", "inside\n");
    fs::write(t.root().join("tree/a.txt"), "in the linked tree\n").unwrap();
    t.git_in(&t.root(), ["init", "-q", "fresh"]);
    fs::write(t.root().join("fresh/a.txt"), "first\n").unwrap();
    t.git_in(&t.root().join("fresh"), ["add", "a.txt"]);
    // Times that a status would refresh, and another git at work.
    touch_all(&t.work());
    fs::write(t.work().join(".git/index.lock"), "").unwrap();
    fs::write(t.work().join(".git/HEAD.lock"), "").unwrap();
    let before = everything(&t.root().join("work"));
    let (trees, fresh) = (everything(&t.root().join("tree")), everything(&t.root().join("fresh")));
    for dir in ["work", "work/sub", "tree", "fresh"] {
        let dir = t.root().join(dir);
        let run = call(&t, [OsStr::new("snapshot"), "--cwd".as_ref(), dir.as_os_str()]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}: {run:?}", dir.display());
    }
    assert_eq!(everything(&t.root().join("work")), before);
    assert_eq!((everything(&t.root().join("tree")), everything(&t.root().join("fresh"))), (trees, fresh));
    assert_eq!(t.git(["for-each-ref", "refs/ah"]), "");
}

fn touch_all(dir: &Path) {
    let past = SystemTime::now() - Duration::from_secs(3600);
    for file in ["a.txt", "b.txt"] {
        fs::File::options().write(true).open(dir.join(file)).unwrap().set_modified(past).unwrap();
    }
}

#[test]
fn other_formats() {
    for (args, format) in [(&["--object-format=sha256"][..], "sha256"), (&["--ref-format=reftable"], "sha1")] {
        let probe = TestRepo::nothing();
        let made = probe.try_git(&probe.root(), ["init", "-q"].iter().chain(args).chain(&["probe"]));
        if !made.status.success() {
            println!("SKIP formats: this git has no {args:?}");
            continue;
        }
        let t = TestRepo::fresh(args);
        let first = t.commit("a.txt", "one\n");
        t.write("a.txt", "staged\n");
        t.git(["add", "a.txt"]);
        t.write("b.txt", "untracked\n");
        let before = everything(&t.work());
        let (id, run) = snapshot(&t, &[]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(everything(&t.work()), before);
        let store = store(&t, "work");
        let part = &manifest(&store, &id)["parts"][0];
        assert_eq!((&part["tip"], &part["head"]), (&first.as_str().into(), &"refs/heads/main".into()));
        let there = unpacked(&t, &store.join(format!("ah/packs/{id}.pack")), format);
        assert_eq!(git(&there, &["cat-file", "blob", part["staged"][0]["oid"].as_str().unwrap()]), b"staged\n");
        git(&there, &["rev-list", "--objects", first.as_str()]);
        assert_eq!(files(&store, &id)[&t.work().join("b.txt")], b"untracked\n");
    }
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let t = TestRepo::new();
    t.commit("a.txt", "two\n");
    t.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", t.work().display());
    t.git_in(&t.root(), ["clone", "-q", "--filter=blob:none", &url, "partial"]);
    let dir = t.root().join("partial");
    fs::write(dir.join("a.txt"), "edited\n").unwrap();
    fs::write(dir.join("new.txt"), "staged\n").unwrap();
    t.git_in(&dir, ["add", "new.txt"]);
    t.git_in(&dir, ["commit", "-qm", "mine", "new.txt"]);
    let count = || t.git_in(&dir, ["count-objects", "-v"]);
    let (before, objects) = (count(), everything(&dir));
    let (id, run) = snapshot(&t, &["--cwd", dir.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!((count(), everything(&dir)), (before, objects));
    assert_eq!(files(&store(&t, "partial"), &id)[&dir.join("a.txt")], b"edited\n");
    // The whole of it is not there to be held.
    let (_, run) = snapshot(&t, &[dir.join(".git").to_str().unwrap()]);
    assert!(run.code == Some(1) && run.stdout.contains("partial clone"), "{run:?}");
    assert_eq!(everything(&dir).len(), everything(&dir).len());
}

#[test]
fn no_code_of_the_repository_runs() {
    let t = armed();
    t.git(["config", "--global", "init.templateDir", t.root().join("evil").to_str().unwrap()]);
    t.git(["config", "--global", "core.hooksPath", t.work().join(".git/hooks").to_str().unwrap()]);
    let _ = fs::remove_file(t.root().join("marks"));
    touch(&t.work());
    touch(&t.work().join("sub"));
    let before: Vec<_> = ["work", "source", "tree", "home"].map(|dir| everything(&t.root().join(dir))).into();
    for vars in [t.vars(), environment(&t)] {
        for args in [
            &["snapshot"][..],
            &["snapshot", ".git"],
            &["snapshot", "a.txt", "sub"],
            &["snapshot", "--cwd", "../tree"],
            &["snapshots"],
            &["prune"],
        ] {
            let mut command = guard(&t);
            command.env_clear().envs(vars.iter()).env("AH_HOME", t.root().join("ah"));
            let run = feed(command.args(args), b"");
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}: {run:?}");
            assert_eq!(marks(&t), "", "{args:?}");
        }
    }
    let now: Vec<_> = ["work", "source", "tree", "home"].map(|dir| everything(&t.root().join(dir))).into();
    assert_eq!(now, before);
    let store = store(&t, "work");
    let ids = git(&store, &["for-each-ref", "--format=%(refname:lstrip=2)"]);
    let all = String::from_utf8(ids).expect("text");
    let with = all.lines().filter(|id| files(&store, id).contains_key(&t.work().join("a.txt")));
    assert_eq!(with.count(), 6, "of 8, two are of the linked tree");
}

#[test]
fn what_selects_a_repository_for_a_command_does_so_for_its_files_and_not_for_the_store() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    t.write("new.txt", "staged\n");
    // A second index, as for a commit of some paths; and a repository whose work tree lies elsewhere.
    let index = t.root().join("other-index");
    fs::copy(t.work().join(".git/index"), &index).expect("copied");
    t.git_in(&t.root(), ["init", "-q", "--bare", "dots.git"]);
    fs::write(t.root().join("home/.profile"), "mine\n").expect("written");
    let selected = [("GIT_DIR", t.work().join(".git")), ("GIT_WORK_TREE", t.work()), ("GIT_INDEX_FILE", index.clone())];
    let objects = t.work().join(".git/objects");
    let more = [("GIT_OBJECT_DIRECTORY", objects.clone()), ("GIT_ALTERNATE_OBJECT_DIRECTORIES", objects)];
    t.try_git(&t.work(), ["update-index", "-q", "--refresh"]);
    let before = everything(&t.work());
    let with = |vars: &[(&str, std::path::PathBuf)], args: &[&str], dir: &Path| {
        let mut command = guard(&t);
        let run = feed(command.envs(vars.iter().map(|(n, v)| (n, v))).args(args).current_dir(dir), b"");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        run.stdout.trim().to_owned()
    };
    for vars in [&selected[..], &[&selected[..], &more].concat()] {
        let id = with(vars, &["snapshot"], &t.root().join("home"));
        let store = store(&t, "work");
        assert_eq!(files(&store, &id)[&t.work().join("a.txt")], b"edited\n");
        assert_eq!(everything(&t.work()), before);
    }
    let dots = [("GIT_DIR", t.root().join("dots.git")), ("GIT_WORK_TREE", t.root().join("home"))];
    let id = with(&dots, &["snapshot", ".profile"], &t.root().join("home"));
    assert_eq!(files(&store(&t, "dots_git"), &id)[&t.root().join("home/.profile")], b"mine\n");
    // Files of another repository are that one's, whatever is selected.
    let id = with(&dots, &["snapshot", "../work/a.txt"], &t.root().join("home"));
    assert_eq!(files(&store(&t, "work"), &id)[&t.work().join("a.txt")], b"edited\n");
}

#[test]
fn a_repository_that_git_refuses_is_named() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    let mut command = guard(&t);
    let run = feed(command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").args(["snapshot", "a.txt"]), b"");
    assert!(run.code == Some(1) && run.stdout.contains("another user owns it"), "{run:?}");
    let id = run.stdout.lines().next().expect("an id");
    assert_eq!(files(&store(&t, "work"), id)[&t.work().join("a.txt")], b"edited\n");
}
