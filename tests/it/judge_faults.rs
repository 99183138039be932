//! The judge when something fails at a stop: it lets the agent finish, says why in its log, and leaves nothing behind.

use crate::judge_desk::{Desk, JUDGE, answer, asked, handed};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Processes that were started from the desk's folder and still run, those that `beside` has the numbers of left out.
fn left_over(desk: &Desk) -> Vec<String> {
    let top = desk.path("").to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let inside = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&top));
        if line.contains(&top) || inside && line.contains("ah-judge") {
            found.push(line);
        }
    }
    found
}

/// Waits a little until nothing is left.
fn all_gone(desk: &Desk) {
    for _ in 0..60 {
        if left_over(desk).is_empty() {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("still there: {:?}", left_over(desk));
}

fn last_reason(desk: &Desk) -> String {
    desk.records("check").pop().map(|check| format!("{} {}", check["outcome"], check["reason"])).unwrap_or_default()
}

#[test]
fn a_model_that_hangs_is_ended_in_time_with_all_it_started() {
    let desk = Desk::new();
    desk.settings(&json!({"timeout_s": 1}));
    fs::write(desk.path("slow"), "60").unwrap();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    let begun = Instant::now();
    assert_eq!(desk.stop("done"), Value::Null);
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(last_reason(&desk).contains("failed") && last_reason(&desk).contains("timeout"), "{}", last_reason(&desk));
    all_gone(&desk);
    // The next turn is judged as if nothing had been.
    fs::remove_file(desk.path("slow")).unwrap();
    desk.prompt("y");
    assert_eq!(asked(&desk.stop("done")), ["L-lock-await"]);
}

#[test]
fn a_hook_that_is_killed_leaves_no_model_and_no_lock() {
    let desk = Desk::new();
    fs::write(desk.path("slow"), "60").unwrap();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    let mut hook = desk.start(JUDGE, &[], &desk.open("done"));
    let begun = Instant::now();
    while desk.calls().is_empty() && begun.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(desk.calls().len(), 1);
    hook.kill().unwrap();
    hook.wait().unwrap();
    all_gone(&desk);
    fs::remove_file(desk.path("slow")).unwrap();
    let begun = Instant::now();
    desk.prompt("y");
    assert_eq!(asked(&desk.stop("done")), ["L-lock-await"]);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(desk.records("check").iter().filter(|check| check["outcome"] == "started").count(), 2);
}

#[test]
fn prompts_and_tool_calls_do_not_wait_for_the_model() {
    let desk = Desk::new();
    desk.reply(&[("L-utc", 2)]);
    desk.prompt("x");
    desk.stop("done");
    fs::write(desk.path("slow"), "3").unwrap();
    let hook = desk.start(JUDGE, &[], &desk.open("done"));
    while desk.calls().len() < 2 {
        sleep(Duration::from_millis(10));
    }
    let begun = Instant::now();
    assert_eq!(handed(&desk.tool(&json!({}))), ["L-utc"]);
    assert!(begun.elapsed() < Duration::from_millis(1_500), "{:?}", begun.elapsed());
    // What the model chose meanwhile was shown already: it is not handed over again.
    assert_eq!(answer(&hook.wait_with_output().unwrap()), Value::Null);
    assert_eq!(desk.prompt("next"), Value::Null);
}

#[test]
fn two_stops_of_one_turn_pay_once() {
    let desk = Desk::new();
    fs::write(desk.path("slow"), "0.3").unwrap();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    let event = desk.open("done");
    let hooks: Vec<_> = (0..8).map(|_| desk.start(JUDGE, &[], &event)).collect();
    let blocks: usize = hooks.into_iter().map(|hook| asked(&answer(&hook.wait_with_output().unwrap())).len()).sum();
    assert_eq!((desk.calls().len(), blocks), (1, 1));
}

#[test]
fn the_model_is_killed_says_too_much_or_is_not_there() {
    for (script, reason) in [
        ("kill -9 $$", "program"),
        ("exec cat /dev/zero", "too_large"),
        ("yes '{\"applies\":[' | head -c 100000000", "too_large"),
        ("exec >&-; exit 0", "program"),
        ("printf '{\"applies\":[{\"id\":\"L-lock-await\",\"gra'", "no_json"),
        ("cat >/dev/null; echo '{\"error\":\"overloaded\"}'; exit 1", "program"),
    ] {
        let desk = Desk::new();
        fs::write(desk.path("model"), format!("#!/bin/sh\n{script}\n")).unwrap();
        desk.prompt("x");
        assert_eq!(desk.stop("done"), Value::Null);
        let why = last_reason(&desk);
        assert!(why.contains("failed"), "{script}: {why}");
        assert!(why.contains(reason) || why.contains("no_"), "{script}: {why}");
        assert_eq!(desk.failures().len(), 1, "{script}");
        all_gone(&desk);
    }
    let desk = Desk::new();
    fs::remove_file(desk.path("model")).unwrap();
    desk.prompt("x");
    assert_eq!(desk.stop("done"), Value::Null);
    assert!(last_reason(&desk).contains("failed"));
}

/// Runs a hook whose files may not grow: what a full disk does.
fn on_a_full_disk(desk: &Desk, event: &str) -> Value {
    let mut command: Command = desk.command("sh");
    let script = format!("trap '' XFSZ; ulimit -f 0; exec {JUDGE}");
    let mut child = command.args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    answer(&done)
}

#[test]
fn a_full_disk_and_a_state_that_cannot_be_written() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    let event = desk.open("done");
    assert_eq!(on_a_full_disk(&desk, &event), Value::Null);
    // Nothing was paid for that could not be written down.
    assert!(desk.calls().is_empty());
    desk.reply(&[("L-lock-await", 2)]);
    assert_eq!(desk.stop("done"), Value::Null);
    let prompt = desk.event("UserPromptSubmit", &json!({"prompt": "x"}));
    for _ in 0..3 {
        assert_eq!(on_a_full_disk(&desk, &prompt), Value::Null);
    }
    assert_eq!(handed(&desk.prompt("next")), ["L-lock-await"]);
    let desk = Desk::new();
    fs::write(desk.path("ah/state/sessions"), "in the way").unwrap();
    let ah = json!({"why": "score", "shortlist": [], "open": "stop:1"});
    for (moment, fields) in
        [("Stop", json!({"ah": ah})), ("UserPromptSubmit", json!({"prompt": "Beacon"})), ("SessionEnd", json!({}))]
    {
        assert_eq!(desk.hook(JUDGE, &[], &desk.event(moment, &fields)), Value::Null, "{moment}");
    }
    assert!(desk.calls().is_empty() && !desk.failures().is_empty());
}

#[test]
fn hostile_events_are_silent() {
    let desk = Desk::new();
    let huge = "x".repeat(20_000_000);
    let deep = format!("{{\"hook_event_name\":\"Stop\",\"x\":{}{}}}", "[".repeat(500), "]".repeat(500));
    let stop = |ah: &str| {
        format!("{{\"hook_event_name\":\"Stop\",\"session_id\":\"s\",\"cwd\":\"{}\",\"ah\":{ah}}}", desk.path("w").display())
    };
    for input in [
        "",
        "null",
        "[]",
        "{",
        "\0",
        &huge,
        &deep,
        &stop("7"),
        &stop("{\"open\":7}"),
        &stop("{\"open\":\"x\",\"shortlist\":{}}"),
        &stop("{\"open\":\"\\ud800\"}"),
        &stop("null"),
        &stop("{\"open\":\"\"}"),
    ] {
        assert_eq!(desk.hook(JUDGE, &[], input), Value::Null);
    }
    assert!(desk.calls().is_empty());
    // An id that is a path or an odd text is a name and nothing else.
    for id in ["../../../../tmp/x", "a/b", "é\u{0}", &"s".repeat(5_000)] {
        let event = desk.event("UserPromptSubmit", &json!({"prompt": "x", "session_id": id}));
        assert_eq!(desk.hook(JUDGE, &[], &event), Value::Null);
    }
}
