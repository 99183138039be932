//! The gate: what it makes of turns that somebody labelled, and the commands that measure it.

use crate::prefilter_run::{PREFILTER, call, prefilter};
use crate::support::TestRepo;
use ah::gate::{Calibration, Labels, Query, SHIPPED, Turn, Work, evaluate, measure};
use ah::index::{Index, ONE};
use ah::store::Store;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

fn golden(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(name)).unwrap()
}

/// An index of lessons in a folder that stays as long as it.
fn index(lessons: &str) -> (tempfile::TempDir, Index) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    std::fs::write(store.lessons_file(), lessons).unwrap();
    let index = Index::open(&store).unwrap();
    (dir, index)
}

fn starter() -> (tempfile::TempDir, Index) {
    index(include_str!("../../defaults/lessons.jsonl"))
}

/// A run of numbers that is the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// 32 turns that are plainly about a lesson and 21 that are not: the reference opens 10 and 0.
#[test]
fn turns_that_people_labelled_are_told_apart() {
    let (_dir, index) = index(&golden("inputs/lessons60.jsonl"));
    let scores: Value = serde_json::from_str(&golden("score_lessons60.json")).unwrap();
    let cases = scores["cases"].as_array().unwrap().iter();
    let contexts: BTreeMap<&str, &str> = cases.map(|c| (c["name"].as_str().unwrap(), c["context"].as_str().unwrap())).collect();
    let rows: Vec<Value> = serde_json::from_str(&golden("gate_labels.json")).unwrap();
    let (mut labels, mut first) = (Vec::new(), 0);
    for row in rows.iter().filter(|row| row["label"] != "unsure") {
        let context = contexts[row["name"].as_str().unwrap()];
        let turn = Turn::of_text(&ah::compat::work_text(ah::compat::turn(context)));
        let found = evaluate(&index, &turn).unwrap();
        labels.push((found.score, row["label"] == "ask"));
        first += usize::from(row["label"] == "ask" && found.ranked.first().map(String::as_str) == row["lesson"].as_str());
    }
    let labels: Labels = labels.into_iter().collect();
    assert_eq!((labels.with.len(), labels.without.len()), (32, 21));
    assert!(labels.auc().unwrap() > 0.97, "{labels:?}");
    assert!(labels.recall(SHIPPED) >= 0.9 && labels.skipped(SHIPPED) == 1.0, "{labels:?}");
    assert!(first >= 30, "{first}");
}

/// Whatever is said or done beside, what was met before is met no less.
#[test]
fn more_words_never_lower_a_score() {
    let (_dir, index) = starter();
    let lessons: Vec<Value> =
        include_str!("../../defaults/lessons.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<&str> =
        lessons.iter().flat_map(|lesson| [&lesson["question"], &lesson["consequence"]]).filter_map(Value::as_str).collect();
    let pool: Vec<&str> =
        texts.iter().flat_map(|text| text.split_whitespace()).chain(["src/a.rs", "fn", "==", "检查锁", "\u{0}", "a_b"]).collect();
    let mut dice = Dice(7);
    let mut met = 0;
    for _ in 0..300 {
        let mut some = |most: usize| (0..dice.below(most)).map(|_| pool[dice.below(pool.len())]).collect::<Vec<_>>().join(" ");
        let parts = [some(8), some(8), some(12)];
        let more = [some(6), some(6), some(6)];
        let score = |prompt: &str, edits: &str, said: &str, touches: &[String]| {
            let edits = [edits.to_owned()];
            let work = Work { prompt, edits: &edits, final_message: said, touches, ..Work::default() };
            measure(&index, &Query::of(&work), &work).unwrap().score
        };
        let longer = |at: usize| format!("{} {}", parts[at], more[at]);
        let least = score(&parts[0], &parts[1], &parts[2], &[]);
        met += usize::from(least > 1.0);
        for (prompt, edits, said) in [
            (longer(0), parts[1].clone(), parts[2].clone()),
            (parts[0].clone(), longer(1), parts[2].clone()),
            (parts[0].clone(), parts[1].clone(), longer(2)),
            (longer(0), longer(1), longer(2)),
        ] {
            let with = score(&prompt, &edits, &said, &[]);
            assert!(with >= least - 1e-6, "{least} {with}\n{parts:?}\n{prompt:?} {edits:?} {said:?}");
        }
        for touched in ["docs/retry_budget.txt", "a.py", "a.rs"] {
            let named = score(&parts[0], &parts[1], &parts[2], &[touched.to_owned()]);
            assert!(named >= least - 1e-6, "{touched} {least} {named} {parts:?}");
        }
    }
    assert!(met > 100, "{met}");
}

/// 48 writers at once: the file is whole whenever it is read.
#[test]
fn a_calibration_under_races_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path().to_owned());
    std::thread::scope(|scope| {
        for n in 0..48u32 {
            let store = &store;
            scope.spawn(move || {
                for m in 0..8u32 {
                    Calibration::read(store).saw(store, f64::from(n * 8 + m), 8);
                    let bytes = std::fs::read(store.calibration_file()).unwrap_or_else(|_| b"{}".to_vec());
                    let _: Value = serde_json::from_slice(&bytes).unwrap();
                }
            });
        }
    });
    // Who finds it taken leaves its score out, so of 384 some are kept.
    let kept = Calibration::read(&store);
    assert!(!kept.scores.is_empty() && kept.scores.iter().all(|score| *score < 384 * ONE), "{kept:?}");
    for n in 0..300u32 {
        Calibration::read(&store).saw(&store, f64::from(n), 8);
    }
    let kept = Calibration::read(&store);
    assert_eq!((kept.scores.len(), kept.scores.last(), kept.quantile(0.5)), (200, Some(&(299 * ONE)), Some(200.0)));
    for broken in ["", "[]", "{\"v\":1,\"scores\":\"x\"}", "{\"v\":9,\"scores\":[1]}", "\u{0}"] {
        std::fs::write(store.calibration_file(), broken).unwrap();
        assert_eq!(Calibration::read(&store).quantile(0.78), None, "{broken:?}");
    }
}

fn lessons(t: &TestRepo) -> String {
    let file = t.root().join("some.jsonl");
    let lines = [
        json!({"id": "a", "question": "Is the mutex released before awaiting?", "situations": "async code that locks", "consequence": "A deadlock."}),
        json!({"id": "b", "origin_ms": 1, "question": "Does the retry have a budget and jitter?"}),
    ];
    std::fs::write(&file, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    file.to_string_lossy().into_owned()
}

fn turns(t: &TestRepo, lines: &[Value]) -> String {
    let file = t.root().join("turns.jsonl");
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    file.to_string_lossy().into_owned()
}

#[test]
fn turns_of_a_file_are_scored_and_ranked() {
    let t = TestRepo::new();
    let (lessons, turns) = (
        lessons(&t),
        turns(
            &t,
            &[
                json!({"id": "1", "prompt": "hold the mutex while awaiting", "touches": ["src/a.rs"], "edits": "", "final": "Done.", "relevant": ["a"]}),
                json!({"id": "2", "prompt": "rename a file", "final": "Renamed."}),
            ],
        ),
    );
    for more in [&[][..], &["--compat"]] {
        let args = [&["eval", "--lessons", &lessons, "--turns", &turns], more].concat();
        let run = call(&t, &args, "");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), lines[0]["id"].as_str(), &lines[0]["ranked"][0]), (2, Some("1"), &json!("a")), "{more:?}");
        assert!(lines[0]["score"].as_f64() > lines[1]["score"].as_f64());
    }
    let beside: Vec<_> = std::fs::read_dir(t.root()).unwrap().filter_map(|e| e.unwrap().file_name().into_string().ok()).collect();
    assert!(!beside.iter().any(|name| name.ends_with(".idx") || name.ends_with(".lock")), "{beside:?}");
    assert!(!t.root().join("ah").exists());
    assert_eq!(call(&t, &["eval", "--lessons", &lessons], "").code, Some(64));
    assert_eq!(call(&t, &["eval", "--turns", &turns], "").code, Some(64));
    assert_eq!(call(&t, &["eval", "--lessons", "none", "--turns", &turns], "").code, Some(66));
    std::fs::write(t.root().join("bad"), "{}\n{\"prompt\":1}\n").unwrap();
    let bad = t.root().join("bad");
    let run = call(&t, &["eval", "--lessons", &lessons, "--turns", bad.to_str().unwrap()], "");
    assert!(run.code == Some(65) && run.stderr.contains("bad:2"), "{run:?}");
    let run = call(&t, &["eval", "--lessons", bad.to_str().unwrap(), "--turns", &turns], "");
    assert!(run.code == Some(0) && run.stderr.contains("2 lines"), "{run:?}");
}

#[test]
fn labelled_turns_propose_a_threshold() {
    let t = TestRepo::new();
    let mut lines: Vec<Value> = (0..100).map(|n| json!({"score": f64::from(n) / 10.0, "relevant": []})).collect();
    lines.extend((0..10).map(|n| json!({"score": 5.0 + f64::from(n), "relevant": true})));
    lines.push(json!({"score": 99.0}));
    let file = turns(&t, &lines);
    let run = call(&t, &["calibrate", "--json", &file], "");
    let all: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&all["with"], &all["without"]), (&json!(10), &json!(100)));
    assert_eq!(all["proposed"], json!({"skip": 0.78, "threshold": 7.8, "recall": 0.7}));
    assert_eq!(all["rates"][3], json!({"skip": 0.9, "threshold": 9.0, "recall": 0.6}));
    assert_eq!(all["now"]["source"], "shipped");
    let run = call(&t, &["calibrate", &file], "");
    assert!(run.stdout.contains("proposed    threshold   7.8000  recall 0.700"), "{}", run.stdout);
    let lessons = lessons(&t);
    assert_eq!(call(&t, &["calibrate", "--lessons", &lessons, &file], "").code, Some(0));
    let run = call(&t, &["calibrate", &turns(&t, &[json!({"score": 1, "relevant": true})])], "");
    assert!(run.code == Some(65) && run.stderr.contains("are needed"), "{run:?}");
}

#[test]
fn the_threshold_says_where_it_is_from() {
    let t = TestRepo::new();
    let said = |name: &str, value: &str, more: &[&str]| {
        let mut command = prefilter(&t);
        command.args(["threshold", "--json"]).args(more).env(name, value);
        let run = crate::guard_run::feed(&mut command, b"");
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    for (name, value, gate, number, source) in [
        ("AH_PREFILTER", "", "score", SHIPPED, "shipped"),
        ("AH_PREFILTER", "high", "score", SHIPPED, "shipped"),
        ("AH_PREFILTER", " 2.5 ", "score", 2.5, "environment"),
        ("AH_PREFILTER", "Off", "off", SHIPPED, "shipped"),
        ("AH_STOP_GATE", "edits", "edits", SHIPPED, "shipped"),
        ("BORG_PREFILTER", "off", "score", SHIPPED, "shipped"),
    ] {
        let all = said(name, value, &[]);
        assert_eq!(
            (&all["gate"], &all["value"], &all["source"]),
            (&json!(gate), &json!(number), &json!(source)),
            "{name}={value}"
        );
    }
    assert_eq!(said("X", "", &["--compat"])["value"], 8.0);
    assert_eq!(said("AH_PREFILTER", "6", &["--compat"])["value"], 6.0);
    assert_eq!(call(&t, &["threshold"], "").stdout, format!("score {SHIPPED:.4}, as shipped\n"));
}

/// Every golden text through the command, as the reference scores it.
#[test]
fn texts_of_the_reference_are_scored_as_it_does() {
    let t = TestRepo::new();
    let all: Value = serde_json::from_str(&golden("score_lessons60.json")).unwrap();
    let lessons = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden/inputs/lessons60.jsonl");
    let file = t.root().join("context");
    let context = file.to_str().unwrap();
    for case in all["cases"].as_array().unwrap().iter().step_by(9) {
        std::fs::write(&file, case["context"].as_str().unwrap()).unwrap();
        let args = ["features", "--compat", "--context", context, "--lessons", lessons.to_str().unwrap()];
        let run = call(&t, &args, "");
        let said: Value = serde_json::from_str(&run.stdout).unwrap();
        let want = &case["features"];
        for key in ["n", "qtokens", "shortlist", "turn_chars", "turn_ids"] {
            assert_eq!(said[key], want[key], "{} {key}", case["name"]);
        }
        assert!((said["score"].as_f64().unwrap() - want["score"].as_f64().unwrap()).abs() < 1e-9, "{}", case["name"]);
        assert_eq!(call(&t, &["turn", "--context", context], "").stdout, case["turn"].as_str().unwrap());
        let own = call(&t, &["score", "--json", "--context", context, "--lessons", lessons.to_str().unwrap()], "");
        let own: Value = serde_json::from_str(&own.stdout).unwrap();
        assert!(own["score"].is_f64() && own["ranked"].is_array());
    }
    assert!(Path::new(PREFILTER).exists());
}
