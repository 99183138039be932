//! The snapshot at the beginning of a turn: taken beside the hook, only when something changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::guard_run::{call, feed, guard, hook};
use crate::snapshot_read::{files, manifest, snapshot, store};
use crate::support::TestRepo;

/// A prompt of a session in the work tree.
fn prompt(t: &TestRepo, session: &str, cwd: &Path) {
    let event = json!({
        "session_id": session, "transcript_path": "/home/dev/x.jsonl", "cwd": cwd, "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit", "prompt": "go on", "prompt_id": "22222222-2222-4222-8222-222222222222",
    });
    assert_eq!(hook(t, &event).verdict(), "allow");
}

/// The turn snapshots, oldest first.
fn turns(t: &TestRepo) -> Vec<Value> {
    let run = call(t, ["snapshots", "--all", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let list: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let mut all: Vec<Value> = list["snapshots"].as_array().unwrap().iter().filter(|s| s["kind"] == "turn").cloned().collect();
    all.reverse();
    all
}

/// Waits for so many.
fn wait(t: &TestRepo, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let all = turns(t);
        if all.len() >= count {
            return all;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{} of {count} after {:?}", all.len(), begun.elapsed());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Takes one as the hook's process does, and waits for it.
fn take(t: &TestRepo, session: &str) -> usize {
    let run = call(t, ["snapshot", "--turn", "--session", session]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{run:?}");
    turns(t).len()
}

#[test]
fn a_prompt_has_one_taken() {
    let t = TestRepo::new();
    t.write("a.txt", "the person's edit\n");
    t.write("new.txt", "untracked\n");
    prompt(&t, "one", &t.work());
    let all = wait(&t, 1);
    assert_eq!((&all[0]["session"], &all[0]["cwd"]), (&"one".into(), &t.work().to_str().unwrap().into()));
    let (id, store) = (all[0]["id"].as_str().unwrap(), store(&t, "work"));
    let held = files(&store, id);
    assert_eq!(held[&t.work().join("a.txt")], b"the person's edit\n");
    assert_eq!(held[&t.work().join("new.txt")], b"untracked\n");
    assert_eq!(manifest(&store, id)["parts"][0]["refs"][0][0], "refs/heads/main");
}

#[test]
fn one_more_only_when_something_changed() {
    let t = TestRepo::new();
    t.git(["branch", "side"]);
    t.write("a.txt", "edited\n");
    assert_eq!(take(&t, "s"), 1);
    assert_eq!(take(&t, "s"), 1, "nothing changed");
    t.write("a.txt", "edite2\n");
    assert_eq!(take(&t, "s"), 2, "content, of the same length");
    t.git(["add", "a.txt"]);
    assert_eq!(take(&t, "s"), 3, "the index");
    t.write("new.txt", "x\n");
    assert_eq!(take(&t, "s"), 4, "an untracked file");
    t.git(["branch", "-D", "side"]);
    assert_eq!(take(&t, "s"), 5, "a ref");
    t.git(["switch", "-qc", "other"]);
    assert_eq!(take(&t, "s"), 6, "HEAD");
    assert_eq!(take(&t, "s"), 6);
    assert_eq!(take(&t, "another"), 7, "a session has its own");
    assert_eq!(take(&t, "s"), 7);
    t.git(["init", "-q", "lib/nested"]);
    t.write("lib/nested/n", "1");
    assert_eq!(take(&t, "s"), 8, "a nested repository");
    t.write("lib/nested/n", "12");
    assert_eq!(take(&t, "s"), 9, "a change in it");
    assert_eq!(take(&t, "s"), 9);
}

#[test]
fn what_did_not_change_is_stored_once() {
    let t = TestRepo::new();
    let mut dice = crate::dice::Dice(7);
    let noise: Vec<u8> = (0..400_000).map(|_| dice.roll(256) as u8).collect();
    t.write("big", &noise);
    t.git(["add", "big"]);
    t.git(["commit", "-qm", "big"]);
    t.write("large", [&noise[..], b"and more"].concat());
    take(&t, "s");
    let store = store(&t, "work");
    let du = || {
        let out = std::process::Command::new("du").args(["-s", "-B1"]).arg(&store).output().unwrap();
        String::from_utf8(out.stdout).unwrap().split('\t').next().unwrap().parse::<u64>().unwrap()
    };
    let before = du();
    assert!(before > 800_000, "{before}");
    for n in 0..5 {
        t.write("small", format!("{n}"));
        assert_eq!(take(&t, "s"), n + 2);
    }
    assert!(du() - before < 200_000, "{before} {}", du());
}

#[test]
fn none_where_none_is_wanted() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    let config = t.root().join("ah/config/config.json");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    let none = |t: &TestRepo, why: &str| {
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(turns(t).len(), 0, "{why}");
        assert!(!t.root().join("ah/state/snapshots").exists(), "{why}");
    };
    fs::write(&config, "{\"git_guard\":{\"snapshot\":{\"turns\":false}}}").unwrap();
    prompt(&t, "s", &t.work());
    none(&t, "switched off");
    fs::write(&config, format!("{{\"off\":[{:?}]}}", t.work())).unwrap();
    prompt(&t, "s", &t.work());
    none(&t, "a repository that is off leaves no trace");
    fs::write(&config, "{\"profile\":\"ci\"}").unwrap();
    prompt(&t, "s", &t.work());
    none(&t, "in CI");
    fs::write(&config, "{}").unwrap();
    let outside: PathBuf = t.root().join("home");
    prompt(&t, "s", &outside);
    none(&t, "no repository");
    prompt(&t, "", &t.work());
    none(&t, "no session");
    let event = json!({"session_id": "s", "cwd": t.work(), "hook_event_name": "UserPromptSubmit", "prompt": "x"});
    let run = feed(guard(&t).arg("--jsonl"), format!("{event}\n").as_bytes());
    assert_eq!(run.stdout, "{}\n");
    none(&t, "a probe");
    let event = json!({"session_id": "s", "cwd": t.work(), "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(hook(&t, &event).verdict(), "allow");
    none(&t, "no prompt");
    prompt(&t, "s", &t.work());
    wait(&t, 1);
}

#[test]
fn a_session_of_any_name_is_no_option() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    prompt(&t, "--everything", &t.work());
    assert_eq!(wait(&t, 1)[0]["session"], "--everything");
}

#[test]
fn the_hook_does_not_wait_for_it() {
    let t = TestRepo::new();
    // A store that somebody tidies for a long time.
    t.write("a.txt", "edited\n");
    let (_, _) = snapshot(&t, &[]);
    let lock = ah::fs::lock(&store(&t, "work").join("ah/lock"), Duration::ZERO).unwrap();
    prompt(&t, "warm", &t.work());
    let begun = Instant::now();
    prompt(&t, "warm", &t.work());
    assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
    drop(lock);
}

#[test]
fn a_failure_is_a_line_in_the_log() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    fs::create_dir_all(t.root().join("ah/state")).unwrap();
    fs::write(t.root().join("ah/state/snapshots"), "in the way").unwrap();
    let run = call(&t, ["snapshot", "--turn", "--session", "s"]);
    assert_eq!(run.code, Some(73), "{run:?}");
    let log = fs::read_to_string(t.root().join("ah/state/log.jsonl")).unwrap();
    assert!(log.contains("no snapshot of a turn") && log.lines().count() == 1, "{log}");
}
