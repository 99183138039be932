//! The store: private, whole whatever happens to a snapshot that is being taken, and kept within its bounds.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::dice::Dice;
use crate::guard_run::{GUARD, call, guard};
use crate::snapshot_read::{files, git, manifest, snapshot, store};
use crate::support::TestRepo;

fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed + 1);
    (0..length).map(|_| dice.roll(256) as u8).collect()
}

/// The ids that `snapshots` lists here, newest first.
fn ids(t: &TestRepo) -> Vec<String> {
    let run = call(t, ["snapshots", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let list: Value = serde_json::from_str(&run.stdout).expect("JSON");
    list["snapshots"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap().to_owned()).collect()
}

/// Every snapshot of a store can be read to its last byte, and the store itself is sound.
fn sound(store: &Path) -> usize {
    git(store, &["fsck", "--full", "--strict", "--no-dangling"]);
    let names = String::from_utf8(git(store, &["for-each-ref", "--format=%(refname:lstrip=2)", "refs/ah"])).unwrap();
    for id in names.lines() {
        files(store, id);
        for (n, part) in manifest(store, id)["parts"].as_array().unwrap().iter().enumerate() {
            let pack = store.join(if n == 0 { format!("ah/packs/{id}.pack") } else { format!("ah/packs/{id}-{n}.pack") });
            let needed = !part["tips"].as_array().unwrap().is_empty() || !part["staged"].as_array().unwrap().is_empty();
            assert_eq!(pack.exists(), needed, "{id} {n}");
            if needed {
                let mut index = Command::new("git");
                let to = store.with_extension("idx");
                index.args(["index-pack", "-o"]).args([&to, &pack]).stdout(Stdio::null());
                assert!(index.status().expect("git runs").success(), "{id} {n}");
                fs::remove_file(to).unwrap();
            }
        }
    }
    names.lines().count()
}

fn config(t: &TestRepo, snapshot: &str) {
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    let text = format!("{{\"git_guard\":{{\"snapshot\":{snapshot}}}}}");
    fs::write(t.root().join("ah/config/config.json"), text).unwrap();
}

#[test]
fn it_is_private_and_shows_nowhere() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    t.write(".env", "KEY=1\n");
    t.commit("b.txt", "local\n");
    // A person's umask may be open.
    let run = shell(&t, &format!("umask 000; exec {GUARD} snapshot"));
    assert_eq!((run.0, run.2.as_str()), (Some(0), ""), "{run:?}");
    let mut todo: Vec<PathBuf> = vec![t.root().join("ah/state/snapshots")];
    let mut seen = 0;
    while let Some(path) = todo.pop() {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().flatten().map(|e| e.path()));
        }
        seen += 1;
    }
    assert!(seen > 15);
    assert_eq!(t.git(["log", "--all", "--format=%s"]).lines().count(), 2);
    assert!(!t.git(["for-each-ref"]).contains("refs/ah"));
    let bundle = t.root().join("all.bundle");
    t.git(["bundle", "create", "-q", bundle.to_str().unwrap(), "--all"]);
    assert!(!t.git(["bundle", "list-heads", bundle.to_str().unwrap()]).contains("refs/ah"));
}

#[test]
fn it_is_found_and_whole_after_the_repository_is_gone() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    let (id, _) = snapshot(&t, &[]);
    fs::remove_dir_all(t.work().join(".git")).unwrap();
    assert_eq!(ids(&t), std::slice::from_ref(&id));
    fs::create_dir_all(t.work().join("deep/er")).unwrap();
    let deep = t.work().join("deep/er");
    let run = call(&t, ["snapshots", "--cwd", deep.to_str().unwrap()]);
    assert!(run.stdout.starts_with(&id), "{run:?}");
    fs::remove_dir_all(t.work()).unwrap();
    assert_eq!(sound(&store(&t, "work")), 1);
    let run = call_in(&t, &t.root(), &["snapshots", "--all"]);
    assert!(run.starts_with(&id), "{run}");
}

fn call_in(t: &TestRepo, dir: &Path, args: &[&str]) -> String {
    let out = guard(t).args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn the_list_says_what_each_is() {
    let t = TestRepo::new();
    assert_eq!(ids(&t), Vec::<String>::new());
    t.write("a.txt", "edited\n");
    let (first, _) = snapshot(&t, &["-m", "before the talk\u{1b}[31m"]);
    t.git(["add", "a.txt"]);
    let (second, _) = snapshot(&t, &["--session", "brave-otter"]);
    let run = call(&t, ["snapshots"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with(&second) && lines[1].starts_with(&first), "{run:?}");
    assert!(lines[0].contains("  this worktree  session brave-otter  by hand  (1 file, 1 staged"), "{run:?}");
    assert!(lines[1].contains("by hand: before the talk") && !run.stdout.contains('\u{1b}'), "{run:?}");
    let run = call(&t, ["snapshots", "--json"]);
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&list["v"], &list["snapshots"][0]["files"]), (&1.into(), &1.into()));
    // A secret in what a person says is not written.
    snapshot(&t, &["-m", "token ghp_0123456789abcdefghijABCDEFGHIJ012345"]);
    let run = call(&t, ["snapshots"]);
    assert!(run.stdout.contains("[redacted]") && !run.stdout.contains("ghp_"), "{run:?}");
}

#[test]
fn many_at_once_each_have_an_id() {
    let t = TestRepo::new();
    for n in 0..50 {
        t.write(format!("f{n}"), noise(20_000, n));
    }
    t.write(".env", "KEY=1\n");
    let children: Vec<_> =
        (0..8).map(|_| guard(&t).arg("snapshot").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).collect();
    let mut all: Vec<String> = Vec::new();
    for child in children {
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        all.push(String::from_utf8(out.stdout).unwrap().trim().to_owned());
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 8);
    assert_eq!(sound(&store(&t, "work")), 8);
}

#[test]
fn a_kill_leaves_the_earlier_ones_whole() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    let (first, _) = snapshot(&t, &[]);
    for n in 0..30 {
        t.write(format!("f{n}"), noise(400_000, n));
    }
    t.write(".env", "KEY=1\n");
    let mut dice = Dice(11);
    let mut cut = 0;
    for _ in 0..12 {
        let mut child = guard(&t).arg("snapshot").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(dice.roll(400) as u64));
        let _ = child.kill();
        cut += usize::from(child.wait_with_output().unwrap().stdout.is_empty());
    }
    assert!(cut > 0, "some were cut short");
    // What a child of a killed one may still be doing is soon over.
    std::thread::sleep(Duration::from_millis(500));
    let store = store(&t, "work");
    assert!(sound(&store) >= 1);
    assert_eq!(files(&store, &first)[&t.work().join("a.txt")], b"edited\n");
    let (last, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(files(&store, &last).len(), 32);
    // Hours later, what they left is swept.
    let names = || fs::read_dir(store.join("ah/sides")).unwrap().count();
    let live = sound(&store);
    assert!(names() > live, "a killed one leaves its folder: {} {live}", names());
    let touched = Command::new("find").arg(&store).args(["-exec", "touch", "-d", "3 hours ago", "{}", "+"]).status().unwrap();
    assert!(touched.success());
    assert_eq!(call(&t, ["prune"]).code, Some(0));
    assert_eq!((names(), sound(&store)), (live, live));
    assert!(!fs::read_dir(&store).unwrap().flatten().any(|e| e.file_name().to_string_lossy().starts_with("fast_import")));
    assert!(
        fs::read_dir(store.join("objects/pack")).unwrap().flatten().all(|e| !e.file_name().to_string_lossy().starts_with("tmp_"))
    );
}

#[test]
fn a_store_that_cannot_grow_says_so_and_stays_whole() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    let (first, _) = snapshot(&t, &[]);
    t.write("big", noise(3_000_000, 1));
    // A limit on what one process may write, where no disk can be filled.
    let script = format!("ulimit -f 1000; {GUARD} snapshot");
    let run = shell(&t, &script);
    assert!(!matches!(run.0, Some(0 | 1)) && run.1.is_empty(), "{run:?}");
    assert_eq!(ids(&t), std::slice::from_ref(&first));
    assert_eq!(sound(&store(&t, "work")), 1);
    // A state folder that cannot be made: a file is in the way.
    let run = shell(&t, &format!("AH_STATE_HOME={0}/a.txt {GUARD} snapshot", t.work().display()));
    assert_eq!((run.0, run.1.as_str()), (Some(73), ""));
    assert!(run.2.starts_with("ah-git-guard: no snapshot was taken: ") && run.2.contains("a.txt"), "{run:?}");
}

fn shell(t: &TestRepo, script: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new("sh");
    command.args(["-c", script]).env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah"));
    let out = command.current_dir(t.work()).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn a_full_or_read_only_disk_is_the_cause_named() {
    if !Command::new("unshare").args(["-m", "true"]).status().is_ok_and(|s| s.success()) {
        println!("SKIP mounts: no private mounts here, so no disk was full");
        return;
    }
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    t.write("big", noise(1_500_000, 1));
    t.write("key.pem", noise(1_500_000, 2));
    let (at, out) = (t.root().join("ah"), t.root().join("out"));
    fs::create_dir_all(&at).unwrap();
    fs::create_dir_all(&out).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs {at} || exit 99
        {GUARD} snapshot a.txt > {out}/first || exit 98
        {GUARD} snapshot big 2> {out}/big; echo $? >> {out}/big
        {GUARD} snapshot key.pem 2> {out}/side; echo $? >> {out}/side
        {GUARD} snapshots > {out}/list
        mount -o remount,ro {at} || exit 97
        {GUARD} snapshot a.txt 2> {out}/ro; echo $? >> {out}/ro
        {GUARD} snapshots > {out}/list-ro
        git --git-dir {at}/state/snapshots/work-*.git fsck --full --strict > {out}/fsck 2>&1; echo $? >> {out}/fsck
        ls -R {at}/state/snapshots/work-*.git > {out}/left",
        at = at.display(),
        out = out.display()
    );
    let done = Command::new("unshare")
        .args(["-m", "sh", "-c", &script])
        .env_clear()
        .envs(t.vars().iter())
        .env("AH_HOME", &at)
        .current_dir(t.work())
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let id = read("first").trim().to_owned();
    for name in ["big", "side"] {
        let said = read(name);
        assert!(
            said.contains("no snapshot was taken") && (said.contains("No space left") || said.contains("Out of diskspace")),
            "{name}: {said}"
        );
        assert!(!said.ends_with("\n0\n") && !said.ends_with("\n1\n"), "{said}");
    }
    assert!(read("ro").contains("Read-only file system") && read("ro").ends_with("73\n"), "{}", read("ro"));
    assert!(read("fsck").ends_with("\n0\n") || read("fsck") == "0\n", "{}", read("fsck"));
    for list in ["list", "list-ro"] {
        assert!(read(list).starts_with(&id) && read(list).lines().count() == 1, "{}", read(list));
    }
    let left: Vec<String> = read("left").lines().map(str::to_owned).collect();
    let gits = ["HEAD", "info", "lock", "pack", "refs"];
    let named: Vec<_> = left.iter().filter(|l| l.len() == 4 && !gits.contains(&l.as_str())).collect();
    assert_eq!(named, [&id, &id], "its ref and its folder: {left:?}");
    assert!(!left.iter().any(|l| l.contains("tmp_") || l.contains("fast_import")), "{left:?}");
}

#[test]
fn the_oldest_go_first_and_their_bytes_with_them() {
    let t = TestRepo::new();
    t.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    let mut all = Vec::new();
    for n in 0..5 {
        t.write("big", noise(600_000, n));
        all.push(snapshot(&t, &[]).0);
    }
    let store = store(&t, "work");
    let size = || -> u64 {
        String::from_utf8(Command::new("du").args(["-s", "-B1"]).arg(&store).output().unwrap().stdout)
            .unwrap()
            .split('\t')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    config(&t, "{\"keep\":3}");
    let run = call(&t, ["prune"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("2 gone, 3 kept, 1.8 MB"), "{run:?}");
    all.reverse();
    assert_eq!(ids(&t), all[..3]);
    assert!(size() < 2_000_000, "{}", size());
    config(&t, "{\"keep_mb\":1}");
    let run = call(&t, ["prune", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["gone"], &report["kept"]), (&2.into(), &1.into()), "{report}");
    assert_eq!(ids(&t), all[..1]);
    assert!(size() < 1_000_000 && sound(&store) == 1);
    // By age: one as of long ago.
    let old = "commit refs/ah/2222\ncommitter ah <ah> 1000 +0000\ndata <<E\n{\"v\":1,\"id\":\"2222\",\"t\":1000000}\nE\n\ndone\n";
    let mut import = Command::new("git")
        .arg("--git-dir")
        .arg(&store)
        .args(["fast-import", "--quiet", "--done"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut import.stdin.take().unwrap(), old.as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    fs::create_dir_all(store.join("ah/sides/2222")).unwrap();
    assert_eq!(ids(&t).last().map(String::as_str), Some("2222"));
    config(&t, "{}");
    assert!(call(&t, ["prune"]).stdout.starts_with("1 gone, 1 kept"));
    assert_eq!(ids(&t), all[..1]);
    let run = call(&t, ["prune", "--everything"]);
    assert!(run.code == Some(0) && run.stdout.starts_with("1 gone, 0 kept"), "{run:?}");
    assert!(!store.exists());
    assert_eq!(ids(&t), Vec::<String>::new());
}

#[test]
fn tidying_takes_nothing_from_those_being_taken() {
    let t = TestRepo::new();
    config(&t, "{\"keep\":3}");
    for n in 0..20 {
        t.write(format!("f{n}"), noise(10_000, n));
    }
    snapshot(&t, &[]);
    let tidy = std::thread::scope(|scope| {
        let tidy = scope.spawn(|| {
            for _ in 0..12 {
                let run = call(&t, ["prune"]);
                assert!(matches!(run.code, Some(0 | 75)) && run.stderr.is_empty(), "{run:?}");
            }
        });
        for n in 0..12 {
            t.write("a.txt", format!("edit {n}\n"));
            let (id, run) = snapshot(&t, &[]);
            assert_eq!(run.code, Some(0), "{run:?}");
            assert!(!id.is_empty());
        }
        tidy.join()
    });
    tidy.expect("no panic");
    // What snapshots started in the background may still be letting some go.
    let begun = std::time::Instant::now();
    while call(&t, ["prune"]).code != Some(0) {
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
    assert_eq!(sound(&store(&t, "work")), 3);
}

#[test]
fn more_than_are_kept_are_let_go_without_being_asked() {
    let t = TestRepo::new();
    config(&t, "{\"keep\":10}");
    for n in 0..14 {
        t.write("a.txt", format!("edit {n}\n"));
        snapshot(&t, &[]);
    }
    let begun = std::time::Instant::now();
    while ids(&t).len() > 11 {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(50));
    }
}
