//! What came of lessons: verdicts, each once, from the work before and after, and what is learned of their use.

use crate::judge_desk::{JUDGE, asked, handed};
use crate::judge_whole::Whole;
use serde_json::{Value, json};
use std::fs;

const FIRST: &str = "Refactor the session store: keep the mutex guard alive across the await point, another task needs the same lock while it holds the websocket send lock on the delivery queue";
const SECOND: &str = "now also keep the mutex guard alive across the await point while another task needs the same lock in the relay, atomic counter compare and swap";

fn outcomes(desk: &Whole) -> Vec<Value> {
    let text = fs::read_to_string(desk.path("ah/data/collectives/team/outcomes.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_kind(desk: &Whole, kind: &str) -> Vec<String> {
    let mut ids: Vec<String> = outcomes(desk)
        .iter()
        .filter(|line| line["kind"] == kind)
        .flat_map(|line| line["lessons"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()))
        .collect();
    ids.sort();
    ids
}

fn edit(desk: &Whole, id: &str, text: &str) {
    let file = desk.path("w/src/session.rs");
    let fields = json!({"tool_name": "Edit", "tool_use_id": id, "tool_input": {"file_path": file, "old_string": "a", "new_string": text}, "tool_response": {}});
    desk.tool(&fields);
}

fn reply(desk: &Whole, applies: &[(&str, u8)], resolved: &[(&str, &str, bool)]) {
    let applies: Vec<Value> = applies.iter().map(|(id, grade)| json!({"id": id, "why": "w", "grade": grade})).collect();
    let resolved: Vec<Value> = resolved
        .iter()
        .map(|(id, verdict, avoids)| json!({"id": id, "verdict": verdict, "avoids_consequence": avoids}))
        .collect();
    desk.say(&json!({"moves": [], "applies": applies, "resolved": resolved}).to_string());
}

/// A desk whose gate lets every stop through, after a block with three questions that were answered.
fn blocked() -> Whole {
    let mut desk = Whole::new();
    desk.env.push(("AH_PREFILTER".into(), "off".into()));
    desk.prompt(FIRST);
    edit(&desk, "t1", "let guard = state.lock().await;");
    reply(&desk, &[("L-lock-await", 3), ("L-websocket-send", 2), ("L-deadlock-order", 1)], &[]);
    let block = desk.stop("I hold the mutex guard across the await point.");
    assert_eq!(asked(&block), ["L-deadlock-order", "L-lock-await", "L-websocket-send"]);
    edit(&desk, "t2", "drop(guard); queue.send(x).await;");
    let said = "I drop the guard before awaiting.\nL-lock-await: applies\nL-websocket-send: skip\nL-deadlock-order: skip";
    assert_eq!(desk.stop_with(&json!({"stop_hook_active": true, "last_assistant_message": said})), Value::Null);
    assert_eq!(desk.calls().len(), 1);
    desk
}

/// The reference's scenario `block_then_verdict`: the same asks, verdicts, hand-over and settling.
#[test]
fn the_references_verdicts() {
    let desk = blocked();
    desk.prompt(SECOND);
    let verdicts =
        [("L-lock-await", "changed", true), ("L-websocket-send", "unchanged", false), ("L-deadlock-order", "unclear", false)];
    reply(&desk, &[("L-atomic-counter", 2)], &verdicts);
    assert_eq!(desk.stop("The relay now drops the guard too."), Value::Null);
    assert_eq!(desk.calls().len(), 2);
    assert_eq!(of_kind(&desk, "asked_then_changed"), ["L-lock-await"]);
    assert_eq!(of_kind(&desk, "asked_ignored"), ["L-websocket-send"]);
    assert_eq!(of_kind(&desk, "asked_unclear"), ["L-deadlock-order"]);
    assert_eq!(handed(&desk.prompt("thanks")), ["L-atomic-counter"]);
    desk.hook(JUDGE, &[], &desk.event("SessionEnd", &json!({"reason": "other"})));
    assert_eq!(
        of_kind(&desk, "asked_not_corrected"),
        ["L-atomic-counter", "L-deadlock-order", "L-lock-await", "L-websocket-send"]
    );
    let reasons: Vec<String> = outcomes(&desk)
        .iter()
        .filter(|o| o["kind"] == "asked_not_corrected")
        .map(|o| format!("{} {}", o["lessons"][0].as_str().unwrap(), o["reason"].as_str().unwrap()))
        .collect();
    for want in ["L-atomic-counter no_call", "L-deadlock-order no_call", "L-lock-await judged", "L-websocket-send judged"] {
        assert!(reasons.contains(&want.to_owned()), "{reasons:?}");
    }
    assert_eq!(outcomes(&desk).iter().filter(|o| o["kind"] == "ended").count(), 1);
    // A second end of the same session settles nothing twice.
    desk.hook(JUDGE, &[], &desk.event("SessionEnd", &json!({"reason": "other"})));
    assert_eq!(outcomes(&desk).iter().filter(|o| o["kind"] == "ended").count(), 1);
}

/// What the model is told: before and after in true order, declarations only where none of the group is stripped, and
/// nothing of how a lesson came.
#[test]
fn the_judge_sees_the_work_and_not_the_way() {
    let desk = blocked();
    desk.prompt(SECOND);
    reply(&desk, &[], &[]);
    desk.stop("The relay now drops the guard too.");
    let sent = desk.calls()[1]["prompt"].as_str().unwrap().to_owned();
    let earlier = sent.split_once("## Current work").unwrap().0;
    let at = |text: &str| earlier.find(text).unwrap_or_else(|| panic!("{text}: {earlier}"));
    assert!(at("let guard = state.lock().await;") < at("drop(guard); queue.send(x).await;"));
    assert!(at("drop(guard)") < at("I drop the guard before awaiting.") && at("I drop the guard") < at("The relay now"));
    for word in ["blocked", "handed over", "queued", "stop hook", "placebo"] {
        assert!(!earlier.to_lowercase().contains(word), "{word}");
    }
    let check = desk.records("asked")[0]["check"].as_str().unwrap().to_owned();
    let ids = ["L-deadlock-order", "L-lock-await", "L-websocket-send"];
    let coin = |id: &str| {
        let done = desk.start(JUDGE, &["strip", &check, id], "").wait_with_output().unwrap();
        done.stdout == b"stripped\n"
    };
    let hidden = ids.iter().any(|id| coin(id));
    assert_eq!(sent.contains("L-lock-await: applies"), !hidden);
    assert_eq!(sent.contains("(declared: applies)"), !hidden);
}

#[test]
fn nothing_is_judged_twice_and_unclear_once_more() {
    let desk = blocked();
    let verdicts =
        [("L-lock-await", "changed", true), ("L-websocket-send", "unchanged", false), ("L-deadlock-order", "unclear", false)];
    for n in 0..4 {
        desk.prompt(SECOND);
        edit(&desk, &format!("u{n}"), "let relay = 1;");
        reply(&desk, &[], &verdicts);
        desk.stop(&format!("The relay goes on, {n}."));
    }
    assert_eq!(of_kind(&desk, "asked_then_changed").len(), 1);
    assert_eq!(of_kind(&desk, "asked_ignored").len(), 1);
    assert_eq!(of_kind(&desk, "asked_unclear").len(), 2);
    assert_eq!(desk.records("judged").len(), 4);
    // Two calls judged; the others had nothing left to judge.
    let judges: Vec<bool> = desk.calls().iter().map(|call| call["prompt"].as_str().unwrap().contains("for `resolved`")).collect();
    assert_eq!(judges, [false, true, true, false, false]);
}

#[test]
fn a_failed_call_judges_nothing_and_uses_up_no_try() {
    let desk = blocked();
    for n in 0..2 {
        desk.prompt(SECOND);
        edit(&desk, &format!("u{n}"), "let relay = 1;");
        desk.say("no JSON");
        desk.stop(&format!("The relay goes on, {n}."));
    }
    assert_eq!(desk.calls().len(), 3);
    assert_eq!((desk.records("judged").len(), of_kind(&desk, "asked_unclear").len()), (0, 0));
    fs::remove_file(desk.path("ah/state/meter.json")).unwrap();
    desk.prompt(SECOND);
    edit(&desk, "u9", "let relay = 1;");
    reply(&desk, &[], &[("L-lock-await", "changed", true)]);
    desk.stop("The relay goes on at last.");
    assert_eq!(of_kind(&desk, "asked_then_changed"), ["L-lock-await"]);
}

#[test]
fn use_is_shown_and_what_never_helps_is_muted() {
    let desk = Whole::new();
    let mut text = String::new();
    for n in 0..5 {
        for (kind, id) in [
            ("asked", "L-lock-await"),
            ("asked_ignored", "L-lock-await"),
            ("asked", "L-fsync"),
            ("asked_then_changed", "L-fsync"),
        ] {
            text += &format!(
                "{}\n",
                json!({"kind": kind, "session": format!("s{n}"), "lessons": [id], "ms": 1_790_000_000_000_u64 + n, "repo": "w", "channel": "stop"})
            );
        }
    }
    fs::write(desk.path("ah/data/collectives/team/outcomes.jsonl"), text).unwrap();
    let run = |args: &[&str]| String::from_utf8(desk.start(JUDGE, args, "").wait_with_output().unwrap().stdout).unwrap();
    let stat = run(&["lessons", "--stat"]);
    let first = stat.lines().nth(1).unwrap();
    assert!(first.contains("L-fsync") && first.split_whitespace().take(3).eq(["5", "5", "0"]), "{stat}");
    assert!(stat.contains("Muted, since they reached the agent often and never changed anything: L-lock-await."), "{stat}");
    let json: Value = serde_json::from_str(&run(&["lessons", "--stat", "--json"])).unwrap();
    let row = |id: &str| json["lessons"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    assert_eq!(
        (&row("L-lock-await")["muted"], &row("L-lock-await")["ignored"], &row("L-fsync")["changed"]),
        (&json!(true), &json!(5), &json!(5))
    );
    assert!(run(&["lessons", "why", "L-lock-await"]).contains("the work stayed as it was"));
    // The model is not told of a muted one, and is again once a person says so.
    let shown = |text: &str| {
        let mut desk = Whole::new();
        desk.env.push(("AH_PREFILTER".into(), "off".into()));
        desk.session = "other".into();
        fs::write(desk.path("ah/data/collectives/team/outcomes.jsonl"), text).unwrap();
        desk.prompt(FIRST);
        edit(&desk, "t1", "let guard = state.lock().await;");
        desk.stop("I hold the mutex guard across the await point.");
        desk.calls()[0]["prompt"].as_str().unwrap().contains("[L-lock-await]")
    };
    let log = |desk: &Whole| fs::read_to_string(desk.path("ah/data/collectives/team/outcomes.jsonl")).unwrap();
    assert!(!shown(&log(&desk)));
    run(&["lessons", "unmute", "L-lock-await"]);
    assert!(shown(&log(&desk)) && !run(&["lessons", "--stat"]).contains("Muted"));
}
