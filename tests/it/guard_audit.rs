//! The audit: a line for every verdict but silence, for people and for programs.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::ground::mode;
use crate::guard_allow::audit;
use crate::guard_run::{bash, call, claude, dirty, feed, guard, hook};

const HARD: &str = "git reset --hard";

#[test]
fn what_stands_in_a_line() {
    let t = dirty();
    for command in ["git status", "ls -la", "git add a.txt"] {
        hook(&t, &bash(&t, command));
    }
    assert!(audit(&t).is_empty(), "silence leaves no line");
    hook(&t, &bash(&t, "TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB git reset --hard"));
    t.git(["commit", "-qam", "second"]);
    hook(&t, &bash(&t, "git commit --amend -m x"));
    let lines = audit(&t);
    assert_eq!(lines.iter().map(|l| l["verdict"].as_str().unwrap()).collect::<Vec<_>>(), ["deny", "note"]);
    let line = &lines[0];
    assert_eq!((&line["v"], &line["harness"], &line["tool"]), (&1.into(), &"claude".into(), &"Bash".into()));
    assert_eq!(line["session"], "11111111-1111-4111-8111-111111111111");
    assert_eq!((&line["rules"], &line["lost"]), (&json!(["tree.discard"]), &1.into()));
    assert!(line["losses"][0].as_str().unwrap().contains("a.txt"));
    assert_eq!((line["cwd"].as_str(), line["repo"].as_str()), (t.work().to_str(), t.work().to_str()));
    assert!(line["command"].as_str().unwrap().contains("git reset") && !line.to_string().contains("ghp_"), "{line}");
    assert_eq!(line["hash"].as_str().unwrap().len(), 64);
    assert!(lines[1].get("code").is_none());
    let state = t.root().join("ah/state");
    assert_eq!((mode(&state), mode(&state.join("guard.jsonl"))), (0o700, 0o600));
}

#[test]
fn a_probe_and_a_check_leave_none() {
    let t = dirty();
    let event = bash(&t, HARD);
    assert!(feed(guard(&t).arg("--jsonl"), format!("{event}\n").as_bytes()).stdout.contains("deny"));
    let mut probe = event.clone();
    probe["ah"] = json!({"probe": true});
    assert_eq!(hook(&t, &probe).verdict(), "deny");
    assert_eq!(call(&t, ["check", "--", HARD]).code, Some(1));
    assert!(!t.root().join("ah/state").exists());
    feed(guard(&t).args(["--jsonl", "--record"]), format!("{event}\n").as_bytes());
    assert_eq!(audit(&t).len(), 1);
}

#[test]
fn what_is_off_has_a_line_that_names_nothing() {
    let t = dirty();
    t.write(".ah/config.json", r#"{"off": true}"#);
    hook(&t, &bash(&t, HARD));
    // From elsewhere into it, too.
    fs::create_dir_all(t.root().join("elsewhere")).unwrap();
    let from =
        claude(&t.root().join("elsewhere"), "Bash", json!({"command": format!("git -C {} reset --hard", t.work().display())}));
    hook(&t, &from);
    let lines = audit(&t);
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert_eq!((&line["verdict"], &line["rules"][0]), (&"deny".into(), &"tree.discard".into()));
        for key in ["command", "cwd", "repo", "losses", "lost"] {
            assert!(line.get(key).is_none(), "{key}: {line}");
        }
    }
    assert!(call(&t, ["allow"]).stdout.contains("(not recorded)"));
}

#[test]
fn it_stays_short_and_is_put_aside_once_full() {
    let t = dirty();
    let long = format!("git reset --hard # {}", "é\u{1}x".repeat(20_000));
    hook(&t, &bash(&t, &long));
    let file = t.root().join("ah/state/guard.jsonl");
    assert!(fs::metadata(&file).unwrap().len() <= 4096);
    File::options().write(true).open(&file).unwrap().set_len(4 << 20).unwrap();
    hook(&t, &bash(&t, HARD));
    assert_eq!(audit(&t).len(), 1);
    assert!(fs::metadata(file.with_extension("old.jsonl")).unwrap().len() >= 4 << 20);
}

#[test]
fn a_second_file_gets_the_same_lines() {
    let t = dirty();
    let sink = t.root().join("sink.jsonl");
    let policy = |file: &str| {
        fs::create_dir_all(t.root().join("ah/config")).unwrap();
        let text = json!({"git_guard": {"audit": {"file": file}}}).to_string();
        fs::write(t.root().join("ah/config/config.json"), text).unwrap();
    };
    policy(sink.to_str().unwrap());
    hook(&t, &bash(&t, HARD));
    assert_eq!(fs::read(&sink).unwrap(), fs::read(t.root().join("ah/state/guard.jsonl")).unwrap());
    policy("/no/such/folder/x");
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
    let log = fs::read_to_string(t.root().join("ah/state/log.jsonl")).unwrap();
    assert!(log.lines().count() == 1 && log.contains("audit") && audit(&t).len() == 2, "{log}");
}

#[test]
fn what_cannot_be_written_changes_no_answer() {
    for trouble in ["file", "fifo", "full", "folder"] {
        let t = dirty();
        let state = t.root().join("ah/state");
        fs::create_dir_all(state.parent().unwrap()).unwrap();
        match trouble {
            "file" => fs::write(&state, "x").unwrap(),
            "fifo" => {
                fs::create_dir_all(&state).unwrap();
                let made = std::process::Command::new("mkfifo").arg(state.join("guard.jsonl")).status().unwrap();
                assert!(made.success());
            }
            "full" => {
                fs::create_dir_all(&state).unwrap();
                symlink("/dev/full", state.join("guard.jsonl")).unwrap();
            }
            _ => fs::create_dir_all(state.join("guard.jsonl")).unwrap(),
        }
        let (verdict, text) = hook(&t, &bash(&t, HARD)).answer();
        assert!(verdict == "deny" && text.contains("a.txt") && !text.contains("allow"), "{trouble}: {text}");
    }
}

#[test]
fn the_log_for_people_and_programs() {
    let t = dirty();
    assert_eq!(call(&t, ["log"]).stdout, "");
    hook(&t, &bash(&t, "git reset --hard # \u{1b}]0;x\u{7}\n"));
    hook(&t, &bash(&t, "git checkout -- a.txt"));
    let shown = call(&t, ["log"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() == 2 && lines[0].contains("tree.discard") && lines[1].ends_with("git checkout -- a.txt"), "{shown}");
    assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'));
    let file = t.root().join("ah/state/guard.jsonl");
    assert_eq!(call(&t, ["log", "--json"]).stdout, fs::read_to_string(&file).unwrap());
    assert_eq!(call(&t, ["log", "--since", "2h"]).stdout, shown);
    assert_eq!(call(&t, ["log", "--since", "2020-01-01"]).stdout, shown);
    assert_eq!(call(&t, ["log", "--since", "2099-01-01"]).stdout, "");
    assert_eq!(call(&t, ["log", "--since", "soon"]).code, Some(64));
    // What was put aside comes first; what is no line is left out.
    fs::rename(&file, file.with_extension("old.jsonl")).unwrap();
    fs::write(&file, "\0\n{\"v\":1\n[]\n").unwrap();
    hook(&t, &bash(&t, "git stash drop"));
    hook(&t, &bash(&t, HARD));
    let later = call(&t, ["log"]).stdout;
    assert!(later.starts_with(&shown) && later.lines().count() == 3, "{later}");
}

#[test]
fn the_log_follows() {
    let t = dirty();
    hook(&t, &bash(&t, HARD));
    let mut child = guard(&t).args(["log", "--follow"]).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        line
    };
    assert!(next().contains(HARD));
    hook(&t, &bash(&t, "git checkout -- a.txt"));
    assert!(next().contains("git checkout"));
    let file = t.root().join("ah/state/guard.jsonl");
    fs::rename(&file, file.with_extension("old.jsonl")).unwrap();
    hook(&t, &bash(&t, "git restore a.txt"));
    assert!(next().contains("git restore"));
    // A reader that went away ends it quietly.
    drop(lines);
    hook(&t, &bash(&t, HARD));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
    let mut said = String::new();
    child.stderr.take().map(|mut e| e.read_to_string(&mut said));
    assert_eq!(said, "");
}
