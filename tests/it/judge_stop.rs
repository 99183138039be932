//! The judge at a stop: one question to the model, at most one block, three outcomes kept apart.

use crate::judge_desk::{Desk, JUDGE, asked, handed};
use serde_json::{Value, json};

/// The last check's outcome and reason.
fn outcome(desk: &Desk) -> (String, String) {
    let check = desk.records("check").pop().expect("a check");
    (check["outcome"].as_str().unwrap().to_owned(), check["reason"].as_str().unwrap().to_owned())
}

#[test]
fn a_three_blocks_once_and_the_answer_is_kept() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3), ("L-websocket-send", 2), ("L-deadlock-order", 1)]);
    assert_eq!(desk.prompt("hold the lock"), Value::Null);
    let block = desk.stop("I hold the guard over the await");
    assert_eq!(block.as_object().unwrap().len(), 2, "{block}");
    assert_eq!(block["decision"], "block");
    assert_eq!(asked(&block), ["L-deadlock-order", "L-lock-await", "L-websocket-send"]);
    let reason = block["reason"].as_str().unwrap();
    assert!(reason.contains("ah-doctor off ah-judge") && reason.lines().count() == 4, "{reason}");
    // The turn goes on; whatever is said, this stop passes, and nothing is asked again.
    assert_eq!(desk.stop_again("L-lock-await: applies\nL-websocket-send: skip"), Value::Null);
    let answer = desk.records("answer").pop().unwrap();
    assert_eq!(answer["ids"].as_array().unwrap().len(), 3);
    assert!(answer["text"].as_str().unwrap().contains("L-lock-await: applies"));
    assert_eq!(desk.calls().len(), 1);
    // In the next turn the model says the same: what was asked is not in the pool any more.
    desk.prompt("next");
    assert_eq!(desk.stop("done"), Value::Null);
    let calls = desk.calls();
    let lessons =
        calls[1]["prompt"].as_str().unwrap().split("## Current work").next().unwrap().split("## Earlier").next().unwrap();
    assert!(!lessons.contains("[L-lock-await]") && lessons.contains("[L-utc]"), "{lessons}");
    assert_eq!(desk.records("asked").len(), 1);
}

#[test]
fn a_declined_question_is_closed() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    assert_eq!(asked(&desk.stop("done")), ["L-lock-await"]);
    desk.stop_again("L-lock-await: skip");
    for turn in 0..3 {
        desk.prompt(&format!("turn {turn}"));
        assert_eq!(desk.stop("done"), Value::Null);
    }
}

#[test]
fn never_two_blocks_a_turn_whatever_the_harness_says() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    assert_eq!(asked(&desk.stop("done")), ["L-lock-await"]);
    // A harness that does not say that this stop follows a question: no person spoke since.
    desk.reply(&[("L-utc", 3)]);
    assert_eq!(desk.stop("done"), Value::Null);
    // It was not lost: it is handed over.
    assert_eq!(handed(&desk.prompt("next")), ["L-utc"]);
}

#[test]
fn a_prompt_with_an_id_is_stopped_once() {
    let desk = Desk::new();
    let stop = |id: &str| {
        let mut event: Value = serde_json::from_str(&desk.open("done")).unwrap();
        event["prompt_id"] = json!(id);
        desk.hook(JUDGE, &[], &event.to_string())
    };
    desk.reply(&[("L-lock-await", 3)]);
    assert_eq!(asked(&stop("p1")), ["L-lock-await"]);
    desk.reply(&[("L-utc", 3)]);
    assert_eq!(stop("p1"), Value::Null);
    desk.reply(&[("L-fsync", 3)]);
    assert_eq!(asked(&stop("p2")), ["L-fsync"]);
}

#[test]
fn a_block_is_capped_and_the_rest_is_handed_over() {
    let desk = Desk::new();
    let twelve = [
        "L-lock-await", "L-retry-budget", "L-idempotent", "L-fsync", "L-utc", "L-sql-param", "L-migrate-lock", "L-flaky-sleep",
        "L-feature-flag", "L-log-secret", "L-n-plus-one", "L-reuse-client",
    ];
    let graded: Vec<(&str, u8)> = twelve.iter().enumerate().map(|(n, id)| (*id, if n == 5 { 3 } else { 2 })).collect();
    desk.reply(&graded);
    desk.prompt("x");
    let block = desk.stop("done");
    let mut first = vec!["L-sql-param", "L-lock-await", "L-retry-budget", "L-idempotent", "L-fsync"];
    first.sort_unstable();
    assert_eq!(asked(&block), first);
    assert!(block["reason"].as_str().unwrap().chars().count() <= 3_500);
    desk.stop_again("skip them all");
    let rest = handed(&desk.prompt("next"));
    assert_eq!(rest, twelve.into_iter().filter(|id| !first.contains(id)).collect::<Vec<_>>());
    assert_eq!(desk.prompt("and next"), Value::Null);
}

#[test]
fn nobody_watches() {
    let mut desk = Desk::new();
    desk.env.push(("CLAUDE_CODE_SESSION_ATTENDED".into(), "0".into()));
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!(handed(&desk.prompt("next")), ["L-lock-await"]);
    desk.settings(&json!({"block_headless": true}));
    desk.reply(&[("L-utc", 3)]);
    assert_eq!(asked(&desk.stop("done")), ["L-utc"]);
}

#[test]
fn three_outcomes_are_kept_apart() {
    let desk = Desk::new();
    desk.prompt("x");
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!(outcome(&desk), ("answered".into(), String::new()));
    for (says, reason) in [("no JSON at all", "no_json"), ("{\"moves\":[]}", "no_applies"), ("", "program")] {
        desk.say(says);
        desk.prompt("y");
        assert_eq!(desk.stop("done"), Value::Null);
        let (outcome, why) = outcome(&desk);
        assert!(outcome == "failed" && why.starts_with(reason), "{says}: {outcome} {why}");
        assert!(desk.failures().pop().unwrap().contains(reason));
    }
    let failures = desk.failures().len();
    desk.settings(&json!({"model": "off"}));
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!((outcome(&desk), desk.failures().len()), (("skipped".into(), "off".into()), failures));
    let desk = Desk::with("");
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!((outcome(&desk), desk.calls().len()), (("skipped".into(), "empty".into()), 0));
}

#[test]
fn a_failed_call_is_not_paid_again_for_the_same_turn() {
    let desk = Desk::new();
    desk.say("no");
    desk.prompt("the first task");
    desk.stop("done");
    desk.reply(&[]);
    desk.prompt("the second task");
    desk.stop("done");
    let work = desk.calls()[1]["prompt"].as_str().unwrap().split("## Current work").nth(1).unwrap().to_owned();
    assert!(work.contains("the second task") && !work.contains("the first task"), "{work}");
}

#[test]
fn words_hand_over_and_block_only_when_told() {
    let desk = Desk::new();
    let open = |key: &str| {
        let ah = json!({"why": "score", "shortlist": ["L-utc", "L-fsync"], "open": key});
        desk.event("Stop", &json!({"last_assistant_message": "x", "ah": ah}))
    };
    desk.settings(&json!({"model": "words"}));
    assert_eq!(desk.hook(JUDGE, &[], &open("stop:1")), Value::Null);
    assert_eq!(handed(&desk.prompt("next")), ["L-utc", "L-fsync"]);
    let desk2 = Desk::new();
    desk2.settings(&json!({"model": "words", "words": {"block": true}}));
    let block =
        desk2.hook(JUDGE, &[], &desk2.event("Stop", &json!({"ah": {"why": "score", "shortlist": ["L-utc"], "open": "stop:1"}})));
    assert_eq!(asked(&block), ["L-utc"]);
    assert!(desk.calls().is_empty());
}

#[test]
fn a_verdict_is_asked_for_once_something_changed() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("x");
    desk.stop("I hold the guard");
    desk.record(&[json!({"k": "edit", "key": "e1", "paths": ["s.rs"], "text": "drop(guard);"})]);
    desk.stop_again("I drop the guard.\nL-lock-await: applies");
    desk.say(
        r#"{"moves":[],"applies":[],"resolved":[{"id":"L-lock-await","verdict":"changed","avoids_consequence":true},{"id":"L-utc","verdict":"changed","avoids_consequence":true}]}"#,
    );
    desk.prompt("next");
    desk.stop("done");
    let prompt = desk.calls()[1]["prompt"].as_str().unwrap().to_owned();
    assert!(prompt.contains("## Earlier work") && prompt.contains("drop(guard);"), "{prompt}");
    let judged = desk.records("judged");
    assert_eq!((judged.len(), &judged[0]["id"], &judged[0]["verdict"]), (1, &json!("L-lock-await"), &json!("changed")));
    let outcomes = std::fs::read_to_string(desk.path("ah/data/collectives/team/outcomes.jsonl")).unwrap();
    for kind in ["\"kind\":\"graded\"", "\"kind\":\"asked\"", "\"kind\":\"asked_then_changed\""] {
        assert!(outcomes.contains(kind), "{kind} in {outcomes}");
    }
}

#[test]
fn what_is_no_stop_of_ours_is_silent() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    let event = |fields: Value| desk.event("Stop", &fields);
    let ah = json!({"why": "score", "shortlist": [], "open": "stop:1"});
    for fields in [
        json!({"ah": ah, "session_id": ""}),
        json!({"ah": ah, "agent_id": "sub"}),
        json!({"ah": ah, "cwd": "/"}),
        json!({"ah": ah, "cwd": ""}),
        json!({"ah": {"probe": true, "open": "stop:1"}}),
        json!({"ah": ah, "stop_hook_active": true}),
    ] {
        assert_eq!(desk.hook(JUDGE, &[], &event(fields.clone())), Value::Null, "{fields}");
    }
    for (name, value) in [("AH_JUDGE", "1"), ("AH_OFF", "1")] {
        let mut command = desk.command(JUDGE);
        command.env(name, value).stdin(std::process::Stdio::null());
        assert!(command.output().unwrap().stdout.is_empty());
    }
    assert!(desk.calls().is_empty());
    let mut desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.env.push(("AH_OFF".into(), "1".into()));
    assert_eq!(desk.stop("done"), Value::Null);
}
