//! The gate's functions by hand, and stores that many processes look at.

use crate::guard_run::feed;
use crate::prefilter_run::{call, passed, places, prefilter, prompt, silent, stop, teach};
use crate::support::TestRepo;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden").join(name)
}

fn json_of(t: &TestRepo, args: &[&str]) -> Value {
    let run = call(t, args, "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stdout))
}

fn close(a: &Value, b: &Value) -> bool {
    matches!((a.as_f64(), b.as_f64()), (Some(a), Some(b)) if (a - b).abs() < 1e-9)
}

#[test]
fn golden_contexts_score_as_in_the_reference() {
    let t = TestRepo::new();
    let lessons = golden("inputs/lessons60.jsonl");
    let all: Value = serde_json::from_slice(&fs::read(golden("score_lessons60.json")).unwrap()).unwrap();
    let file = t.root().join("context");
    for case in all["cases"].as_array().unwrap().iter().step_by(4) {
        fs::write(&file, case["context"].as_str().unwrap()).unwrap();
        let (file, lessons) = (file.to_str().unwrap(), lessons.to_str().unwrap());
        let scored = json_of(&t, &["score", "--context", file, "--lessons", lessons, "--compat", "--json"]);
        assert!(close(&scored["score"], &case["score"]) && close(&scored["idf_max"], &all["idf_max"]), "{}", case["name"]);
        assert_eq!(scored["skip"].is_null(), case["skip"].is_null(), "{}", case["name"]);
        let features = json_of(&t, &["features", "--context", file, "--lessons", lessons, "--compat"]);
        for key in ["n", "qtokens", "shortlist", "turn_chars", "turn_ids"] {
            assert_eq!(features[key], case["features"][key], "{} {key}", case["name"]);
        }
        let turn = json_of(&t, &["turn", "--context", file, "--json"]);
        assert_eq!((&turn["turn"], &turn["turn_work_text"]), (&case["turn"], &case["turn_work_text"]), "{}", case["name"]);
        assert_eq!(call(&t, &["turn", "--context", file], "").stdout, case["turn"].as_str().unwrap());
        let ours = json_of(&t, &["score", "--context", file, "--lessons", lessons, "--json"]);
        assert!(ours["n"] == 60 && ours["score"].as_f64().is_some_and(|score| score >= 0.0));
    }
}

#[test]
fn labelled_turns_are_scored_and_a_threshold_is_proposed() {
    let t = TestRepo::new();
    let lessons = t.root().join("l.jsonl");
    let turns = t.root().join("t.jsonl");
    // Without times, as other makers write them.
    fs::write(&lessons, "{\"id\":\"a\",\"question\":\"Is the mutex guard dropped before the await?\"}\nnothing\n{\"id\":\"b\",\"question\":\"Is the cache flushed?\"}\n").unwrap();
    let turn = |id: &str, said: &str, relevant: &[&str]| {
        json!({"id": id, "prompt": "go on", "touches": [], "edits": "", "final": said, "relevant": relevant}).to_string() + "\n"
    };
    let text = turn("1", "The mutex guard lives across the await.", &["a"])
        + &turn("2", "Fixed a typo.", &[])
        + &turn("3", "Done.", &[]);
    fs::write(&turns, text).unwrap();
    let (lessons, turns) = (lessons.to_str().unwrap(), turns.to_str().unwrap());
    let run = call(&t, &["eval", "--lessons", lessons, "--turns", turns], "");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["ranked"], &lines[1]["ranked"]), (3, &json!(["a"]), &json!([])));
    assert!(lines[0]["score"].as_f64() > lines[1]["score"].as_f64(), "{run:?}");
    let proposed = json_of(&t, &["calibrate", "--lessons", lessons, turns, "--json"]);
    assert_eq!((&proposed["with"], &proposed["rows"][2]["recall"]), (&json!(1), &json!(1.0)));
    fs::write(t.root().join("bad"), "{\"id\":").unwrap();
    for (args, code) in [
        (&["calibrate", "--lessons", lessons, "/nonexistent"][..], 66),
        (&["calibrate", "--lessons", lessons, t.root().join("bad").to_str().unwrap()], 65),
        (&["eval", "--lessons", "/nonexistent", "--turns", turns], 66),
        (&["eval", "--lessons", lessons], 64),
        (&["score", "--lessons", lessons], 64),
        (&["threshold", "x"], 64),
    ] {
        let run = call(&t, args, "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{args:?}");
    }
}

#[test]
fn the_threshold_says_where_it_is_from() {
    let t = TestRepo::new();
    assert_eq!(json_of(&t, &["threshold", "--json"])["source"], "shipped");
    let run = feed(prefilter(&t).args(["threshold", "--json"]).env("AH_PREFILTER", "2.5"), b"");
    assert!(run.stdout.contains("\"environment\"") && run.stdout.contains("2.5"), "{run:?}");
    let run = feed(prefilter(&t).arg("threshold").env("AH_PREFILTER", "off"), b"");
    assert_eq!(run.stdout, "off: every turn asks\n");
}

fn many(from: usize, to: usize) -> String {
    let line =
        |n| format!("{{\"id\":\"L{n}\",\"origin_ms\":{n},\"question\":\"Is the w{}q of the w{}x checked?\"}}\n", n % 97, n % 31);
    (from..to).map(line).collect()
}

fn store(t: &TestRepo) -> PathBuf {
    let routed = ah::route::route(&ah::config::Config::load(&places(t), None).0, &t.work());
    places(t).collective(&routed.scope().unwrap().store)
}

#[test]
fn sixteen_compile_one_store_at_once_while_it_grows() {
    let t = TestRepo::new();
    teach(&t, &many(0, 1500));
    let file = store(&t).join("lessons.jsonl");
    std::thread::scope(|scope| {
        let (t, file) = (&t, &file);
        for n in 0..16 {
            scope.spawn(move || {
                let lessons = json_of(t, &["index", "--json"])["lessons"].as_u64().unwrap();
                assert!((1500..=1600).contains(&lessons), "{n} {lessons}");
            });
        }
        scope.spawn(move || (0..10).for_each(|n| ah::fs::append(file, many(1500 + 10 * n, 1510 + 10 * n).as_bytes()).unwrap()));
    });
    assert_eq!(json_of(&t, &["index", "--json"])["lessons"], 1600);
    let index = store(&t).join("lessons.idx");
    let kept = fs::read(&index).unwrap();
    let left: Vec<String> = fs::read_dir(store(&t))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".tmp"))
        .collect();
    assert_eq!((left, &kept[..7]), (Vec::new(), b"ahindex".as_slice()));
}

#[test]
fn a_store_that_cannot_be_written_is_answered_all_the_same() {
    let t = TestRepo::new();
    teach(&t, &many(0, 200));
    // A file is in the way of each that would be written, which stops root too.
    for name in ["lessons.idx", "lessons.idx.lock", "lessons.tail.idx"] {
        fs::create_dir(store(&t).join(name)).unwrap();
    }
    silent(&t, &prompt(&t, "Look at w5q and w5x."));
    let text = passed(&t, &stop(&t, "The w5q of the w5x is not checked. w5q w5x w5q."));
    let closer: Value = crate::prefilter_run::lines(&t).pop().unwrap();
    assert!(closer["score"].as_f64().is_some_and(|score| score > 0.0), "{closer} {text}");
}

#[test]
fn two_gigabytes_of_one_line_cost_a_hook_a_bounded_look() {
    let t = TestRepo::new();
    teach(&t, &many(0, 50));
    let file = fs::OpenOptions::new().write(true).open(store(&t).join("lessons.jsonl")).unwrap();
    file.set_len(2 << 30).unwrap();
    silent(&t, &prompt(&t, "Look at w5q and w5x."));
    let begun = std::time::Instant::now();
    passed(&t, &stop(&t, "The w5q of the w5x is not checked."));
    assert!(begun.elapsed().as_secs() < 10);
    let closer: Value = crate::prefilter_run::lines(&t).pop().unwrap();
    assert!(closer["score"].as_f64().is_some_and(|score| score > 0.0), "{closer}");
}
