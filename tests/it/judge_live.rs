//! The live check: what a stop would ask, asked while the agent still works, and never twice.

use crate::judge_desk::{Desk, JUDGE, asked, handed};
use crate::judge_whole::{GATE, Whole};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PROMPT: &str = "Refactor the session store: keep the mutex guard alive across the await point, another task needs the same lock while it holds the websocket send lock on the delivery queue";

/// A desk in live mode with these further settings of the live check.
fn live(settings: &Value) -> Whole {
    let desk = Whole::new();
    let mut section = json!({"debounce_s": 0});
    for (key, value) in settings.as_object().unwrap() {
        section[key] = value.clone();
    }
    desk.settings(&json!({"mode": "live", "live": section}));
    desk.prompt(PROMPT);
    desk
}

fn write(desk: &Whole, id: &str) -> Value {
    let fields = json!({"tool_name": "Write", "tool_use_id": id, "tool_response": {},
        "tool_input": {"file_path": desk.path("w/src/session.rs"), "content": "let guard = state.lock().await; // mutex guard across await"}});
    desk.tool(&fields)
}

fn read(desk: &Whole, id: &str) -> Value {
    let fields = json!({"tool_name": "Read", "tool_use_id": id, "tool_response": {}, "tool_input": {"file_path": desk.path("w/src/session.rs")}});
    desk.tool(&fields)
}

/// Waits until so many records of a kind are there.
fn wait(desk: &Whole, kind: &str, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    while desk.records(kind).len() < count && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    desk.records(kind)
}

/// The ids of questions that are asked while the agent works, sorted.
fn meanwhile(answer: &Value) -> Vec<String> {
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    asked(&json!({"reason": text}))
}

/// The reference's scenario `live_ask`: a check after the first change, its questions at the next tool call, and a stop
/// that asks no model because the check has seen every change.
#[test]
fn the_references_live_ask() {
    let desk = live(&json!({}));
    desk.reply(&[("L-lock-await", 3), ("L-websocket-send", 2)]);
    assert_eq!(write(&desk, "t1"), Value::Null);
    let marks = wait(&desk, "mark", 1);
    assert_eq!((desk.calls().len(), &marks[0]["covered"], &marks[0]["failed"]), (1, &json!(1), &json!(0)));
    assert!(desk.records("queue").iter().all(|line| line["kind"] == "live"), "{:?}", desk.records("queue"));
    let answer = read(&desk, "t2");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUse");
    assert_eq!(meanwhile(&answer), ["L-lock-await", "L-websocket-send"]);
    assert_eq!(desk.records("asked")[0]["channel"], "live");
    assert_eq!(desk.stop("done.\nL-lock-await: applies\nL-websocket-send: skip"), Value::Null);
    assert_eq!(desk.calls().len(), 1);
    assert_eq!(desk.prompt("next task"), Value::Null);
    // Neither the check nor the ask closed the turn; the stop did, once.
    assert_eq!(desk.records("open").len() + desk.records("skip").len(), 1);
}

/// `live_ask_at_stop`: what no tool call took is asked by the stop, without a second call.
#[test]
fn the_references_live_ask_at_stop() {
    let desk = live(&json!({}));
    desk.reply(&[("L-lock-await", 3), ("L-websocket-send", 2)]);
    write(&desk, "t1");
    wait(&desk, "mark", 1);
    assert_eq!(asked(&desk.stop("done, the guard is held over the await")), ["L-lock-await", "L-websocket-send"]);
    assert_eq!(desk.calls().len(), 1);
}

/// `live_free_covered`: without a three nothing is asked; it is handed over at the next event, within the turn.
#[test]
fn the_references_live_free_covered() {
    let desk = live(&json!({}));
    desk.reply(&[("L-lock-await", 2), ("L-utc", 1)]);
    write(&desk, "t1");
    wait(&desk, "mark", 1);
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!(desk.calls().len(), 1);
    assert_eq!(handed(&desk.prompt("and now?")), ["L-lock-await", "L-utc"]);
}

/// `live_failed`: a failed check covers nothing, the stop asks for itself.
#[test]
fn the_references_live_failed() {
    let desk = live(&json!({"debounce_s": 3_600}));
    desk.say("no JSON");
    write(&desk, "t1");
    let marks = wait(&desk, "mark", 1);
    assert_eq!((&marks[0]["covered"], &marks[0]["failed"]), (&json!(0), &json!(1)));
    desk.reply(&[]);
    desk.stop("mutex guard await point same lock another task");
    assert_eq!(desk.calls().len(), 2);
    assert_eq!(desk.failures().iter().filter(|what| what.contains("panic")).count(), 0);
}

/// `live_empty`, and the lower bar: a turn that is about no lesson calls no model and says why.
#[test]
fn a_check_that_is_worth_nothing_says_why() {
    let fields = |desk: &Whole| json!({"tool_name": "Write", "tool_use_id": "x", "tool_input": {"file_path": desk.path("w/a"), "content": "x"}, "tool_response": {}});
    let quiet = Whole::new();
    quiet.settings(&json!({"mode": "live", "live": {"debounce_s": 0}}));
    quiet.prompt("make the button blue");
    quiet.tool(&fields(&quiet));
    assert_eq!(wait(&quiet, "live", 1)[0]["skip"], "below");
    assert_eq!(quiet.calls().len(), 0);
    let empty = Whole(Desk::with(""));
    empty.settings(&json!({"mode": "live", "live": {"debounce_s": 0, "bar": 0}}));
    empty.prompt(PROMPT);
    empty.tool(&fields(&empty));
    assert_eq!(wait(&empty, "live", 1)[0]["skip"], "empty");
    assert_eq!(empty.calls().len(), 0);
}

#[test]
fn hook_mode_is_the_default_and_starts_nothing() {
    let desk = Whole::new();
    desk.prompt(PROMPT);
    write(&desk, "t1");
    std::thread::sleep(Duration::from_millis(300));
    assert!(desk.calls().is_empty() && desk.records("mark").is_empty());
    let done = desk.start(JUDGE, &["check", "--session", "sess-1"], "").wait_with_output().unwrap();
    assert!(String::from_utf8(done.stdout).unwrap().contains("hook mode"));
}

#[test]
fn fifty_at_once_make_one_call() {
    let desk = live(&json!({"debounce_s": 3_600}));
    desk.reply(&[("L-lock-await", 3)]);
    std::fs::write(desk.path("slow"), "1").unwrap();
    let fields = |n: usize| {
        json!({"tool_name": "Write", "tool_use_id": format!("t{n}"), "tool_response": {},
        "tool_input": {"file_path": desk.path("w/src/session.rs"), "content": "let guard = state.lock().await;"}})
    };
    for n in 0..50 {
        desk.hook(GATE, &[], &desk.event("PostToolUse", &fields(n)));
    }
    let all: Vec<_> = (0..50).map(|_| desk.start(JUDGE, &["check", "--session", "sess-1"], "")).collect();
    all.into_iter().for_each(|check| assert!(check.wait_with_output().unwrap().status.code().is_some_and(|code| code < 2)));
    let answered = desk.records("check").iter().filter(|line| line["outcome"] == "answered").count();
    assert_eq!((desk.calls().len(), desk.records("mark").len(), answered), (1, 1, 1));
}

#[test]
fn a_stop_waits_for_a_check_and_does_not_ask_again() {
    let desk = live(&json!({"debounce_s": 3_600}));
    desk.reply(&[("L-lock-await", 3)]);
    std::fs::write(desk.path("slow"), "1").unwrap();
    write(&desk, "t1");
    let begun = Instant::now();
    while desk.calls().is_empty() && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(asked(&desk.stop("done, the guard is held")), ["L-lock-await"]);
    assert_eq!(desk.calls().len(), 1);
}

#[test]
fn a_failing_model_is_left_alone_longer_and_longer() {
    let desk = live(&json!({"debounce_s": 1}));
    desk.say("no JSON");
    write(&desk, "t0");
    wait(&desk, "mark", 1);
    std::thread::sleep(Duration::from_millis(1_100));
    // One second has passed, but after a failure it takes two.
    write(&desk, "t1");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(desk.records("mark").len(), 1);
    std::thread::sleep(Duration::from_millis(900));
    write(&desk, "t2");
    assert_eq!(wait(&desk, "mark", 2)[1]["failed"], 2);
}

#[test]
fn a_session_has_so_many_checks_and_no_more() {
    let desk = live(&json!({"per_session": 2}));
    desk.reply(&[]);
    for n in 0..4 {
        write(&desk, &format!("t{n}"));
        if n < 2 {
            wait(&desk, "mark", n + 1);
        }
    }
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!((desk.calls().len(), desk.records("mark").len()), (2, 2));
}

/// Killed at any moment, a check costs at most itself: the lock is free, the next one does the work, nothing is asked
/// twice.
#[test]
fn a_killed_check_leaves_the_session_as_it_was_or_done() {
    for pause in [0, 2, 5, 10, 20, 40, 80, 160] {
        let desk = live(&json!({}));
        desk.reply(&[("L-lock-await", 3)]);
        std::fs::write(desk.path("slow"), "0.05").unwrap();
        let fields = json!({"tool_name": "Write", "tool_use_id": "t1", "tool_response": {},
            "tool_input": {"file_path": desk.path("w/src/session.rs"), "content": "let guard = state.lock().await; // mutex guard across await"}});
        desk.hook(GATE, &[], &desk.event("PostToolUse", &fields));
        let mut first = desk.start(JUDGE, &["check", "--session", "sess-1"], "");
        std::thread::sleep(Duration::from_millis(pause));
        first.kill().unwrap();
        first.wait().unwrap();
        let second = desk.start(JUDGE, &["check", "--session", "sess-1"], "").wait_with_output().unwrap();
        assert!(second.status.code().is_some_and(|code| code < 2), "{second:?}");
        assert_eq!(wait(&desk, "mark", 1).len(), 1, "after {pause} ms");
        assert_eq!(meanwhile(&read(&desk, "t2")), ["L-lock-await"], "after {pause} ms");
        assert_eq!(read(&desk, "t3"), Value::Null);
        assert_eq!(desk.stop("done"), Value::Null);
    }
}
