//! The reference system's recorded sessions, played to ah's own gate and judge: same questions, same hand-overs, same
//! closings, but for what is changed on purpose and named here.

use crate::judge_desk::{Desk, asked, handed};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What one step of a recording and of the replay came to.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// Ids of a block's questions, or of questions during the turn, sorted.
    asked: Vec<String>,
    /// How many lessons are handed over, or their ids where the recording has them.
    handed: usize,
    /// Calls of the model.
    calls: u64,
    /// `asked` (the turn is closed after a call), `skip`, or nothing.
    closed: &'static str,
}

fn recording(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden/e2e").join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// What the model must have answered for what was written down of it.
fn answered(step: &Value) -> Option<Vec<(String, u8)>> {
    let outcomes = step["appended_or_changed"]["outcomes.jsonl"].as_str()?;
    let graded =
        outcomes.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find(|line| line["kind"] == "graded")?;
    if graded["failed"] == true {
        return None;
    }
    let ids = graded["lessons"].as_array()?.iter().map(|id| id.as_str().unwrap().to_owned());
    let grades = graded["grades"].as_array()?.iter().map(|grade| grade.as_u64().unwrap() as u8);
    Some(ids.zip(grades).collect())
}

fn wanted(step: &Value) -> Outcome {
    let mut ids: Vec<String> =
        step["answer"]["item_ids"].as_array().into_iter().flatten().map(|id| id.as_str().unwrap().to_owned()).collect();
    ids.sort();
    let context = step["appended_or_changed"]["state/sess-1.ctx"].as_str().unwrap_or_default();
    let begins = |what: &str| context.lines().any(|line| line.starts_with(what));
    // A line that a prompt or a command brought is none of the recorder's.
    let stop = step["event"] == "stop";
    Outcome {
        asked: ids,
        handed: step["answer"]["bullets"].as_u64().unwrap_or(0) as usize,
        calls: step["model_calls"].as_u64().unwrap(),
        closed: if stop && begins("#borg-asked") {
            "asked"
        } else if stop && begins("#borg-skip") {
            "skip"
        } else {
            ""
        },
    }
}

/// Plays a recording. `store` are the lessons; without them the sixty of the recordings.
fn play(name: &str, store: Option<&str>) -> (Desk, Vec<(Outcome, Outcome)>) {
    let recording = recording(name);
    let mut desk = store.map_or_else(Desk::new, Desk::with);
    desk.gate = true;
    for (theirs, ours) in [("BORG_PREFILTER", "AH_PREFILTER"), ("BORG_STOP_GATE", "AH_STOP_GATE")] {
        if let Some(value) = recording["env"][theirs].as_str() {
            desk.env.push((ours.into(), value.into()));
        }
    }
    let mut steps = Vec::new();
    for step in recording["steps"].as_array().unwrap() {
        match answered(step) {
            Some(applies) => desk.reply(&applies.iter().map(|(id, grade)| (id.as_str(), *grade)).collect::<Vec<_>>()),
            None => desk.say("I could not say."),
        }
        let (calls, closers) = (desk.calls().len(), desk.records("open").len() + desk.records("skip").len());
        let input = &step["input"];
        let message = input["last_assistant_message"].as_str().unwrap_or_default();
        let answer = match step["event"].as_str().unwrap() {
            "prompt" => desk.prompt(input["prompt"].as_str().unwrap()),
            "post_tool" => desk.tool(input),
            "stop" if input["stop_hook_active"] == true => desk.stop_again(message),
            "stop" => desk.stop(message),
            "end" => desk.hook(crate::judge_desk::JUDGE, &[], &desk.event("SessionEnd", &json!({"reason": "other"}))),
            other => panic!("{other}"),
        };
        let closed = desk.records("open").len() + desk.records("skip").len() > closers;
        let last = desk.log().into_iter().rfind(|line| line["k"] == "open" || line["k"] == "skip");
        let checked =
            desk.records("check").last().is_some_and(|check| check["outcome"] == "answered" || check["outcome"] == "failed");
        let ours = Outcome {
            asked: asked(&answer),
            handed: handed(&answer).len(),
            calls: (desk.calls().len() - calls) as u64,
            closed: match (closed, last) {
                (true, Some(line)) if line["k"] == "open" && checked => "asked",
                (true, _) => "skip",
                (false, _) => "",
            },
        };
        steps.push((ours, wanted(step)));
    }
    (desk, steps)
}

/// Plays a recording that must come out as it was, but for the steps of these numbers.
fn same(name: &str, store: Option<&str>, but: &[usize]) -> (Desk, Vec<(Outcome, Outcome)>) {
    let (desk, steps) = play(name, store);
    assert!(!steps.is_empty());
    for (n, (ours, theirs)) in steps.iter().enumerate().filter(|(n, _)| !but.contains(n)) {
        assert_eq!(ours, theirs, "{name}, step {n}");
    }
    (desk, steps)
}

#[test]
fn what_is_the_same() {
    for name in [
        "block_then_verdict",
        "early_scope",
        "edits_gate",
        "free_hand_over",
        "free_overflow",
        "queue_kept_for_subagent_and_nocontext",
    ] {
        // The one prompt whose adapter takes no context has no like here: there the harness itself cannot.
        let but: &[usize] = if name.starts_with("queue") { &[3, 4] } else { &[] };
        same(name, None, but);
    }
    same("empty_store_gate_off", Some(""), &[]);
}

#[test]
fn bad_answers_are_read_the_same() {
    let (_, steps) = same("bad_answers", None, &[]);
    assert_eq!(steps[1].0.asked, ["L-lock-await", "L-sql-param"]);
}

/// On purpose: at most five questions in a block; the rest is handed over.
#[test]
fn a_block_has_a_cap() {
    let (desk, steps) = same("block_over_cap", None, &[1]);
    let (ours, theirs) = &steps[1];
    assert_eq!((ours.asked.len(), theirs.asked.len(), ours.closed), (5, 12, theirs.closed));
    desk.stop_again("skip");
    assert_eq!(handed(&desk.prompt("next")).len(), 7);
}

/// On purpose: a failed call leaves the turn closed, so the next stop neither pays for it again nor judges it.
#[test]
fn a_failed_call_closes_the_turn() {
    for (name, failed, after) in
        [("answer_without_applies", 1, None), ("skip_and_fail", 3, None), ("failed_then_next_turn", 1, Some(3))]
    {
        let (_, steps) = same(name, None, &[&[failed][..], after.as_slice()].concat());
        assert_eq!((steps[failed].0.calls, steps[failed].0.closed, steps[failed].1.closed), (1, "asked", ""), "{name}");
        if let Some(after) = after {
            // There the turn of "thanks" still had the words of the one before.
            assert_eq!((steps[after].0.calls, steps[after].1.calls, steps[after].0.closed), (0, 1, "skip"));
        }
    }
}

/// On purpose: what does not fit into a hand-over waits for the next event instead of being dropped.
#[test]
fn nothing_is_dropped_for_want_of_room() {
    let lessons: String = (0..30)
        .map(|n| {
            let question = format!("Does part {n} of the parser {}", "keep its tokens and its place in the text ".repeat(4));
            json!({"id": format!("L{n:06}-{n}"), "origin_ms": n, "question": question, "consequence": "the parser loses its place"}).to_string() + "\n"
        })
        .collect();
    let (desk, steps) = play("free_dropped_by_bytes", Some(&lessons));
    let ours: Vec<usize> = steps.iter().map(|(ours, _)| ours.handed).collect();
    let theirs: Vec<usize> = steps.iter().map(|(_, theirs)| theirs.handed).collect();
    assert_eq!((theirs.as_slice(), ours.iter().sum::<usize>()), (&[0, 0, 8, 0][..], 10), "{ours:?}");
    assert!(desk.records("shown").iter().all(|shown| shown["kind"] == "free"));
}

/// On purpose: what a person or a command prints cannot close a turn or silence a lesson.
#[test]
fn bookkeeping_is_no_text() {
    for name in ["spoof_skip_in_prompt", "spoof_by_command"] {
        let (_, steps) = play(name, None);
        let (ours, theirs) = steps.last().unwrap();
        assert_eq!((theirs.calls, theirs.closed, ours.calls, ours.closed), (0, "skip", 1, "asked"), "{name}");
    }
    let (desk, _) = play("spoof_asked_silences_a_lesson", None);
    let prompt = desk.calls()[0]["prompt"].as_str().unwrap().to_owned();
    assert!(prompt.contains("\n[L-lock-await] "), "still in the pool");
}

/// On purpose: the prompt goes by standard input, so that no text is too long for a call.
#[test]
fn big_turns_reach_the_model() {
    let lessons: String = (0..1_000)
        .map(|n| {
            json!({"id": format!("L{n:06}"), "origin_ms": n, "question": format!("Is number {n} done? {}", "word ".repeat(30))})
                .to_string()
                + "\n"
        })
        .collect();
    for (name, letter) in [("big_ascii", "a"), ("big_cjk", "锁"), ("big_emoji", "🙂")] {
        let mut desk = Desk::with(&lessons);
        desk.gate = true;
        desk.env.push(("AH_PREFILTER".into(), "off".into()));
        assert_eq!(desk.prompt("long work"), Value::Null);
        assert_eq!(desk.stop(&letter.repeat(36_600)), Value::Null, "{name}");
        assert_eq!(desk.calls().len(), 1, "{name}");
        let asked = desk.calls().remove(0);
        let lines = asked["prompt"].as_str().unwrap().lines().filter(|line| line.starts_with("[L")).count();
        assert!((150..400).contains(&lines), "{name}: {lines}");
    }
}

/// Not played: `bm25_only` and `ungraded` (a block by words alone, for research), `captures` (judge_learn), the live ones
/// (judge_live).
#[test]
fn every_recording_is_accounted_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden/e2e");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 27);
}
