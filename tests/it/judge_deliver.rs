//! What is handed over: once, to whom it is for, within the room there is, whatever is killed in between.

use crate::judge_desk::{Desk, JUDGE, answer, asked, handed};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::thread::sleep;
use std::time::Duration;

/// A desk with these lessons in the queue.
fn waiting(lessons: &[(&str, u8)]) -> Desk {
    let desk = Desk::new();
    desk.reply(lessons);
    desk.prompt("x");
    assert_eq!(desk.stop("done"), Value::Null);
    desk
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

#[test]
fn what_waits_is_handed_over_once_and_twos_come_first() {
    let desk = waiting(&[("L-utc", 1), ("L-lock-await", 2), ("L-websocket-send", 2)]);
    let flag = desk.path("ah/state/sessions/sess-1.waits");
    assert!(flag.exists());
    let next = desk.prompt("next");
    assert_eq!(handed(&next), ["L-lock-await", "L-websocket-send", "L-utc"]);
    assert_eq!(next["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    assert!(context(&next).len() <= 2_000 && !context(&next).contains("shown already"));
    assert_eq!(desk.prompt("and next"), Value::Null);
    assert!(!flag.exists());
    let shown = desk.records("shown").pop().unwrap();
    assert_eq!((&shown["kind"], &shown["repeat"], &shown["at"]), (&json!("free"), &json!(false), &json!("UserPromptSubmit")));
    // Had once, it is never handed over again in this session.
    assert_eq!(desk.stop("done"), Value::Null);
    assert_eq!(desk.prompt("again"), Value::Null);
}

#[test]
fn it_waits_for_an_event_that_takes_it() {
    let desk = waiting(&[("L-lock-await", 2)]);
    assert_eq!(desk.tool(&json!({"agent_id": "sub1"})), Value::Null);
    let machine = json!({"prompt": "<task-notification>x</task-notification>"});
    assert_eq!(desk.hook(JUDGE, &[], &desk.event("UserPromptSubmit", &machine)), Value::Null);
    for moment in ["PreToolUse", "SessionEnd", "SubagentStop", "Interrupt", "Notification"] {
        assert_eq!(desk.hook(JUDGE, &[], &desk.event(moment, &json!({}))), Value::Null, "{moment}");
    }
    let probe = json!({"prompt": "p", "ah": {"probe": true}});
    assert_eq!(desk.hook(JUDGE, &[], &desk.event("UserPromptSubmit", &probe)), Value::Null);
    let given = desk.tool(&json!({}));
    assert_eq!(
        (handed(&given), &given["hookSpecificOutput"]["hookEventName"]),
        (vec!["L-lock-await".to_owned()], &json!("PostToolUse"))
    );
    assert_eq!(desk.tool(&json!({})), Value::Null);
    // Codex knows no failed tool call.
    let mut desk = waiting(&[("L-lock-await", 2)]);
    desk.harness = "codex";
    assert_eq!(desk.hook(JUDGE, &[], &desk.event("PostToolUseFailure", &json!({"tool_name": "Bash"}))), Value::Null);
    assert_eq!(handed(&desk.prompt("next")), ["L-lock-await"]);
}

#[test]
fn what_does_not_fit_goes_on_waiting() {
    let long: String = (0..30)
        .map(|n| {
            let question = format!("Question number {n} with many words {}", "about the parser and its tokens ".repeat(8));
            json!({"id": format!("L{n:06}-{n}"), "origin_ms": n, "question": question, "consequence": "it breaks"}).to_string()
                + "\n"
        })
        .collect();
    let desk = Desk::with(&long);
    let ids: Vec<String> = (0..10).map(|n| format!("L{n:06}-{n}")).collect();
    desk.reply(&ids.iter().map(|id| (id.as_str(), 2)).collect::<Vec<_>>());
    desk.prompt("x");
    desk.stop("done");
    let (first, second, third) = (desk.prompt("next"), desk.tool(&json!({})), desk.prompt("and next"));
    assert!(handed(&first).len() < 10 && context(&first).len() <= 2_000 && context(&second).len() <= 2_000);
    assert_eq!([handed(&first), handed(&second), handed(&third)].concat(), ids);
}

#[test]
fn a_lesson_that_is_gone_is_not_shown() {
    let desk = waiting(&[("L-lock-await", 2), ("L-utc", 1)]);
    let file = desk.path("ah/data/collectives/team/lessons.jsonl");
    let left: String = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .filter(|l| !l.contains("\"L-lock-await\""))
        .map(|l| l.to_owned() + "\n")
        .collect();
    let tombstone = json!({"id": "L-utc", "origin_ms": 1, "question": "(retired)", "reach": "personal", "version": 9});
    fs::write(&file, format!("{left}{tombstone}\n")).unwrap();
    assert_eq!(desk.prompt("next"), Value::Null);
    assert_eq!(desk.records("shown").pop().unwrap()["kind"], "gone");
    assert!(!desk.path("ah/state/sessions/sess-1.waits").exists());
}

#[test]
fn forty_hooks_at_once_deliver_once() {
    for round in 0..3 {
        let desk = waiting(&[("L-lock-await", 2), ("L-utc", 1)]);
        let event = desk.event("PostToolUse", &json!({"tool_name": "Read", "tool_input": {}}));
        let hooks: Vec<_> = (0..40).map(|_| desk.start(JUDGE, &[], &event)).collect();
        let given: Vec<String> = hooks.into_iter().flat_map(|hook| handed(&answer(&hook.wait_with_output().unwrap()))).collect();
        let mut all = given.clone();
        all.extend(handed(&desk.prompt("the rest, if each was too late")));
        assert_eq!(all, ["L-lock-await", "L-utc"], "round {round}");
        assert_eq!(given.len(), 2, "round {round}");
    }
}

#[test]
fn nobody_reads_so_it_waits_and_is_no_repeat() {
    let desk = waiting(&[("L-lock-await", 2)]);
    let event = desk.event("UserPromptSubmit", &json!({"prompt": "x"}));
    for _ in 0..3 {
        let mut hook = desk.command(JUDGE).stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap()).spawn().unwrap();
        std::io::Write::write_all(&mut hook.stdin.take().unwrap(), event.as_bytes()).unwrap();
        assert!(hook.wait().unwrap().success());
    }
    let next = desk.prompt("x");
    assert_eq!(handed(&next), ["L-lock-await"]);
    assert!(!context(&next).contains("Perhaps"), "{next}");
    assert_eq!(desk.prompt("x"), Value::Null);
}

#[test]
fn killed_at_any_moment_nothing_is_lost_and_a_repeat_says_so() {
    let (mut seen, mut repeats) = (0, 0);
    for round in 0..60_u64 {
        let desk = waiting(&[("L-lock-await", 2), ("L-utc", 1)]);
        let event = desk.event("UserPromptSubmit", &json!({"prompt": "x"}));
        let mut hook = desk.start(JUDGE, &[], &event);
        sleep(Duration::from_micros(200 + round * 130));
        hook.kill().unwrap();
        let mut said = String::new();
        hook.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        hook.wait().unwrap();
        let first = handed(&serde_json::from_str(&said).unwrap_or_default());
        // The lock went with its holder: the next hook is not kept waiting.
        let next = desk.prompt("next");
        let second = handed(&next);
        assert!(first.len() + second.len() >= 2, "round {round}: {first:?} {second:?}");
        if !first.is_empty() && !second.is_empty() {
            assert!(context(&next).contains("Perhaps shown already"), "round {round}: {next}");
            repeats += 1;
        }
        seen += usize::from(!first.is_empty());
        assert_eq!(desk.prompt("and next"), Value::Null, "round {round}");
    }
    println!("{seen} of 60 hooks had spoken when they were killed, {repeats} of them once more");
}

#[test]
fn a_question_that_a_killed_stop_leaves_is_asked() {
    let mut lost = 0;
    let begun = std::time::Instant::now();
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.stop("done");
    let whole = begun.elapsed();
    for round in 0..40_u32 {
        let desk = Desk::new();
        desk.reply(&[("L-lock-await", 3)]);
        desk.prompt("x");
        let mut hook = desk.start(JUDGE, &[], &desk.open("done"));
        sleep(whole * round / 36);
        hook.kill().unwrap();
        let mut said = String::new();
        hook.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        hook.wait().unwrap();
        let first = asked(&serde_json::from_str(&said).unwrap_or_default());
        let next = desk.tool(&json!({}));
        let text = context(&next);
        let answered = desk.records("check").iter().any(|check| check["outcome"] == "answered");
        match (first.is_empty(), answered) {
            // Before the model's answer was written down there is no question yet, and the turn stays closed.
            (true, false) => lost += 1,
            (true, true) => assert!(text.contains("1. [L-lock-await]"), "round {round}: {next}"),
            (false, _) => assert!(text.is_empty() || text.contains("Perhaps asked already"), "round {round}: {next}"),
        }
        assert_eq!(desk.tool(&json!({})), Value::Null, "round {round}");
        assert!(desk.calls().len() <= 1);
    }
    println!("{lost} of 40 stops were killed before there was an answer");
}

#[test]
fn a_state_that_cannot_be_written_shows_nothing_twice() {
    let desk = waiting(&[("L-lock-await", 2)]);
    // What cannot be taken is not shown: it would be shown at every prompt.
    let log = desk.path("ah/state/sessions/sess-1.jsonl");
    let kept = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    for _ in 0..3 {
        assert_eq!(desk.hook(JUDGE, &[], &desk.event("UserPromptSubmit", &json!({"prompt": "x"}))), Value::Null);
    }
    assert!(!desk.failures().is_empty());
    fs::remove_dir(&log).unwrap();
    fs::write(&log, kept).unwrap();
    assert_eq!(handed(&desk.prompt("next")), ["L-lock-await"]);
    assert_eq!(desk.prompt("next"), Value::Null);
}

#[test]
fn damaged_logs_and_a_clock_that_goes_backwards() {
    let desk = waiting(&[("L-lock-await", 2)]);
    let log = desk.path("ah/state/sessions/sess-1.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    // Later lines with earlier times, lines that are none, half a line.
    let back = |line: &str| line.split_once(',').map(|(_, rest)| format!("{{\"t\":5,{rest}\n")).unwrap_or_default();
    let first = text.lines().next().unwrap().to_owned() + "\n";
    let mut bytes = (first + &text.lines().skip(1).map(back).collect::<String>()).into_bytes();
    bytes.extend(b"\xff\xfe\n{\"t\":1,\"k\":\"queue\"}\n{\"t\":1,\"k\":\"shown\",\"entries\":7}\nnull\n[]\n{\"t\":1,\"k\":\"que");
    fs::write(&log, bytes).unwrap();
    assert_eq!(handed(&desk.prompt("next")), ["L-lock-await"]);
    assert_eq!(desk.prompt("next"), Value::Null);
}
