//! Lessons whose name comes up for the first time in a session are handed over at that prompt.

use crate::judge_desk::{Desk, handed};
use serde_json::{Value, json};
use std::fs;

fn lesson(id: &str, scope: &[&str], question: &str) -> String {
    json!({"id": id, "origin_ms": 5, "question": question, "consequence": "it breaks", "scope": scope}).to_string() + "\n"
}

#[test]
fn a_name_hands_over_what_is_about_it_once() {
    let desk = Desk::new();
    let first = desk.prompt("set up the Beacon replay with recorded hosts and the named judge model");
    let text = first["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(handed(&first), ["L-replay-judge", "L-beacon-live"]);
    assert!(text.contains("Beacon") && text.len() <= 2_000, "{text}");
    assert_eq!(desk.prompt("Beacon again"), Value::Null);
    assert_eq!(desk.records("early").len(), 1);
    // Handed over is had: never free again, but it may still be asked.
    desk.reply(&[("L-beacon-live", 2)]);
    assert_eq!(desk.stop("worked on the Beacon"), Value::Null);
    assert_eq!(desk.prompt("next"), Value::Null);
}

#[test]
fn five_at_most_three_times_and_within_the_room() {
    let mut lessons = String::new();
    for name in ["Atlas", "Beacon", "Comet", "Delta"] {
        for n in 0..8 {
            lessons += &lesson(
                &format!("{name}-{n}"),
                &[name],
                &format!("Is the {name} relay of kind {n} told before? {}", "word ".repeat(30)),
            );
        }
    }
    let desk = Desk::with(&lessons);
    for name in ["Atlas", "Beacon", "Comet"] {
        let given = desk.prompt(&format!("change the {name} relay"));
        assert!((3..=5).contains(&handed(&given).len()), "{given}");
        assert!(given["hookSpecificOutput"]["additionalContext"].as_str().unwrap().len() <= 2_000);
    }
    assert_eq!(desk.prompt("change the Delta relay"), Value::Null);
}

#[test]
fn names_are_words_and_not_parts_of_them() {
    let desk = Desk::with(&(lesson("L-a", &["HTTPClient"], "Is the client closed?") + &lesson("L-b", &["", "\n"], "Is it?")));
    assert_eq!(desk.prompt("the httpclients and my client over HTTP"), Value::Null);
    assert_eq!(handed(&desk.prompt("close http_client")), ["L-a"]);
}

#[test]
fn new_and_retired_lessons_count_at_once() {
    let desk = Desk::with(&lesson("L-a", &["Beacon"], "Is it on?"));
    assert_eq!(desk.prompt("hello"), Value::Null);
    let file = desk.path("ah/data/collectives/team/lessons.jsonl");
    let tombstone =
        json!({"id": "L-a", "origin_ms": 5, "question": "(retired)", "reach": "personal", "version": 1, "scope": ["Beacon"]});
    let text = fs::read_to_string(&file).unwrap() + &lesson("L-b", &["Comet"], "Is it off?") + &format!("{tombstone}\n");
    fs::write(&file, text).unwrap();
    assert_eq!(desk.prompt("the Beacon"), Value::Null);
    assert_eq!(handed(&desk.prompt("the Comet")), ["L-b"]);
}
