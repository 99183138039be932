//! `restore`: a snapshot or some of its files, here or elsewhere; what is in the way stays, whoever put it there.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::guard_run::{Run, call, feed, guard};
use crate::snapshot_read::{manifest, snapshot, store};
use crate::support::TestRepo;
use crate::undo::{ids, lose, rewrite, says, undo, way_back};

fn text(t: &TestRepo, path: &str) -> String {
    fs::read_to_string(t.root().join(path)).unwrap_or_else(|e| format!("{e}"))
}

#[track_caller]
fn restore(t: &TestRepo, args: &[&str]) -> Run {
    let run = call(t, ["restore", "--yes"].iter().chain(args));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run
}

#[test]
fn only_what_is_named() {
    let t = TestRepo::new();
    for file in ["one", "dir/two", "dir/three"] {
        t.write(file, "then\n");
    }
    let (id, _) = snapshot(&t, &[]);
    for file in ["one", "dir/two", "dir/three"] {
        t.write(file, "now\n");
    }
    let run = restore(&t, &[&id, "dir/two"]);
    assert_eq!([text(&t, "work/one"), text(&t, "work/dir/two"), text(&t, "work/dir/three")], ["now\n", "then\n", "now\n"]);
    restore(&t, &[&way_back(&run)]);
    assert_eq!(text(&t, "work/dir/two"), "now\n");
    restore(&t, &[&id, "./dir/../dir"]);
    assert_eq!([text(&t, "work/one"), text(&t, "work/dir/two"), text(&t, "work/dir/three")], ["now\n", "then\n", "then\n"]);
    let run = call(&t, ["restore", &id, "no-such", "--yes"]);
    assert_eq!((run.code, run.stderr.contains("does not hold: ")), (Some(1), true), "{run:?}");
}

#[test]
fn wrong_calls() {
    let t = TestRepo::new();
    assert_eq!(call(&t, ["restore"]).code, Some(64));
    for id in ["zzzz", "../x", "", "a\nb", "--", "HEAD"] {
        let run = call(&t, ["restore", "--yes", "--", id]);
        assert!(matches!(run.code, Some(1 | 64)) && !run.stderr.is_empty(), "{id:?}: {run:?}");
    }
    assert_eq!(call(&t, ["undo", "--yes"]).code, Some(1));
    assert_eq!(call(&t, ["undo", "--yes", "--turn"]).code, Some(1));
    assert_eq!(call(&t, ["undo", "--cwd", "/no/such"]).code, Some(66));
}

#[test]
fn into_another_folder_and_nothing_else() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    t.write("deep/n", "new\n");
    symlink("deep/n", t.work().join("link")).unwrap();
    t.write("s", "staged\n");
    t.git(["add", "s"]);
    let (id, _) = snapshot(&t, &[]);
    t.git(["reset", "-q", "--hard"]);
    let before = crate::snapshot_read::everything(&t.work());
    fs::create_dir(t.root().join("out")).unwrap();
    fs::write(t.root().join("out/a.txt"), "already there\n").unwrap();
    let run = call(&t, ["restore", &id, "--into", "../out"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!([text(&t, "out/a.txt"), text(&t, "out/deep/n"), text(&t, "out/s")], ["already there\n", "new\n", "staged\n"]);
    assert_eq!(fs::read_link(t.root().join("out/link")).unwrap().to_str(), Some("deep/n"));
    assert!(run.stdout.contains("something of that name is there, left alone"), "{run:?}");
    assert_eq!(crate::snapshot_read::everything(&t.work()), before);
    assert_eq!(ids(&t).len(), 1, "nothing was replaced, so nothing had to be kept");
    let run = call(&t, ["restore", &id, "deep", "--into", "../some/where"]);
    assert_eq!((run.code, text(&t, "some/where/deep/n").as_str()), (Some(0), "new\n"), "{run:?}");
    assert!(!t.root().join("some/where/a.txt").exists());
}

#[test]
fn what_is_in_the_way_is_left_and_named_and_the_rest_comes_back() {
    let t = TestRepo::new();
    for file in ["was-file", "was-dir/f", "locked/f", "fine", "linked/f"] {
        t.write(file, "then\n");
    }
    let (id, _) = snapshot(&t, &[]);
    for file in ["was-file", "was-dir/f", "locked/f", "fine", "linked/f"] {
        fs::remove_file(t.work().join(file)).unwrap();
    }
    t.write("was-file/now", "a directory\n");
    fs::remove_dir(t.work().join("was-dir")).unwrap();
    t.write("was-dir", "a file\n");
    fs::remove_dir(t.work().join("linked")).unwrap();
    fs::create_dir(t.root().join("out")).unwrap();
    symlink(t.root().join("out"), t.work().join("linked")).unwrap();
    let run = restore(&t, &[&id]);
    for (name, why) in [
        ("was-file", "a directory is there now"),
        ("was-dir/f", "was-dir is no directory now"),
        ("linked/f", "a link above it leads elsewhere now"),
    ] {
        assert!(says(&run, name, &format!("{why}, left alone")), "{name}: {run:?}");
    }
    assert_eq!([text(&t, "work/fine"), text(&t, "work/locked/f")], ["then\n", "then\n"]);
    assert_eq!([text(&t, "work/was-file/now"), text(&t, "work/was-dir")], ["a directory\n", "a file\n"]);
    assert_eq!(fs::read_dir(t.root().join("out")).unwrap().count(), 0);
}

#[test]
fn a_directory_that_cannot_be_written() {
    let t = TestRepo::new();
    for file in ["locked/f", "fine"] {
        t.write(file, "then\n");
    }
    lose(&t, "rm -rf locked/f fine");
    let locked = t.work().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        // Root writes everywhere, but for where even it may not.
        fs::remove_file(locked.join("probe")).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        if !std::process::Command::new("chattr").arg("+i").arg(&locked).output().is_ok_and(|out| out.status.success()) {
            println!("SKIP chattr: not supported here");
            return;
        }
    }
    let run = call(&t, ["undo", "--yes"]);
    let _ = std::process::Command::new("chattr").arg("-i").arg(&locked).output();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(run.code, Some(73), "{run:?}");
    assert!(run.stdout.contains("locked/f  failed: ") && run.stdout.contains("done, but for what failed"), "{run:?}");
    assert_eq!(text(&t, "work/fine"), "then\n");
    assert_eq!(fs::read_dir(&locked).unwrap().count(), 0, "nothing half done");
    undo(&t, &[]);
    assert_eq!(text(&t, "work/locked/f"), "then\n", "it can be tried again");
}

#[test]
fn a_manifest_is_not_believed_to_lead_out() {
    let t = TestRepo::new();
    t.write("n", "x\n");
    let id = lose(&t, "rm n");
    let store = store(&t, "work");
    let mut other = manifest(&store, &id);
    let out = t.root().join("out");
    for path in [t.work().join("../out/f"), out.join("f")] {
        fs::create_dir_all(&out).unwrap();
        other["parts"][0]["files"][0]["path"] = path.to_str().unwrap().into();
        rewrite(&store, &id, &other);
        let run = call(&t, ["restore", &id, "--yes"]);
        assert!(!run.stdout.contains("  bring back"), "{}: {run:?}", path.display());
        assert!(fs::read_dir(&out).unwrap().next().is_none() && !path.exists());
    }
}

#[test]
fn no_code_of_the_repository_runs_but_the_persons_filters() {
    let t = TestRepo::new();
    let mark = t.root().join("ran");
    for hook in ["post-checkout", "post-merge", "reference-transaction", "post-index-change", "pre-commit", "post-rewrite"] {
        t.script(&t.work().join(".git/hooks").join(hook), &format!("touch {}", mark.display()));
    }
    t.git(["config", "core.hooksPath", ".git/hooks"]);
    t.git(["config", "core.fsmonitor", &format!("touch {}", mark.display())]);
    t.commit("a.txt", "two\n");
    t.write("s", "staged\n");
    t.git(["add", "s"]);
    let _ = fs::remove_file(&mark);
    lose(&t, "git -c core.hooksPath=/dev/null -c core.fsmonitor=false reset -q --hard HEAD~1");
    undo(&t, &[]);
    assert_eq!(t.git(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "log", "--oneline"]).lines().count(), 2);
    assert!(!mark.exists());
}

#[test]
fn two_at_once_and_one_that_is_busy() {
    let t = TestRepo::new();
    t.write("n", "x\n");
    lose(&t, "rm n");
    let file = fs::File::create(store(&t, "work").join("ah/undo.lock")).unwrap();
    file.lock().unwrap();
    let run = call(&t, ["undo", "--yes"]);
    assert_eq!((run.code, run.stderr.contains("try again")), (Some(75), true), "{run:?}");
    drop(file);
    undo(&t, &[]);
    t.write("m", "y\n");
    lose(&t, "rm m");
    let runs: Vec<Option<i32>> = std::thread::scope(|scope| {
        let one = || {
            let mut command = guard(&t);
            command.args(["undo", "--yes"]);
            feed(&mut command, b"").code
        };
        let all = [scope.spawn(one), scope.spawn(one)];
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(runs.contains(&Some(0)) && runs.iter().all(|code| matches!(code, Some(0 | 1))), "{runs:?}");
    assert_eq!(text(&t, "work/m"), "y\n");
}

#[test]
fn what_cannot_be_kept_first_is_not_replaced() {
    let t = TestRepo::new();
    t.write("n", "small\n");
    let (id, _) = snapshot(&t, &[]);
    fs::write(t.work().join("n"), vec![b'x'; 3 << 20]).unwrap();
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    fs::write(t.root().join("ah/config/config.json"), r#"{"git_guard":{"snapshot":{"max_file_mb":2}}}"#).unwrap();
    let run = restore(&t, &[&id]);
    assert!(run.stdout.contains("cannot be kept as it is now: larger than 2 MiB"), "{run:?}");
    assert_eq!(fs::metadata(t.work().join("n")).unwrap().len(), 3 << 20);
}
