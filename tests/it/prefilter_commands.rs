//! The recorder's functions by hand, against the golden values of the reference.

use crate::prefilter_run::{SESSION, bash, call, log_file, prompt, silent, stop, teach};
use crate::support::TestRepo;
use ah::session::{Applied, Asked, Check, Entry, Judged, Logged, Session, Shown};
use serde_json::{Value, json};

#[test]
fn every_labelled_call_as_the_reference_tells_it_and_as_it_is() {
    let golden: Value = serde_json::from_str(include_str!("../data/golden/changes.json")).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    let input: String = cases.iter().map(|c| format!("{}\n", json!({"tool": c["tool"], "input": c["input"]}))).collect();
    let t = TestRepo::nothing();
    for (args, column) in [(&["changes", "--compat"][..], "changes"), (&["changes"], "want")] {
        let run = call(&t, args, &input);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let told: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(told.len(), 337);
        for (told, case) in told.iter().zip(cases) {
            assert_eq!(told["changes"], case[column], "{column}: {case}");
            assert_eq!(told["reason"] == "reads", told["changes"] == false, "{told}");
        }
    }
    let odd = call(&t, &["changes"], "{}\n\n{\"tool\":\"Bash\"}\n{\"tool\":\"Bash\",\"input\":{\"command\":\"mkdir x\"}}\nnull");
    assert_eq!((odd.code, odd.stderr.lines().count()), (Some(65), 2));
    let lines: Vec<&str> = odd.stdout.lines().collect();
    assert_eq!(lines, ["{}", r#"{"changes":false,"reason":"reads"}"#, r#"{"changes":true,"reason":"writes x"}"#, "{}"]);
}

#[test]
fn tallies_are_the_references() {
    let golden: Value = serde_json::from_str(include_str!("../data/golden/tally.json")).unwrap();
    for case in golden.as_array().unwrap() {
        let t = TestRepo::nothing();
        for (name, text) in case["files"].as_object().unwrap() {
            t.write(name, text.as_str().unwrap());
        }
        let run = call(&t, &["tally", "--compat", t.work().to_str().unwrap()], "");
        let told: Value = serde_json::from_str(&run.stdout).unwrap();
        let (told, wanted) = (told.as_object().unwrap(), case["tally"].as_object().unwrap());
        assert_eq!(told.len(), wanted.len());
        for (key, value) in wanted {
            let near = (told[key].as_f64().unwrap() - value.as_f64().unwrap()).abs() < 1e-9;
            assert!(near, "{}: {key}: {} and not {value}", case["name"], told[key]);
        }
    }
    let t = TestRepo::nothing();
    let none = call(&t, &["tally", "--json", "/nonexistent"], "");
    assert_eq!((none.code, none.stdout.contains("\"asked\":0")), (Some(0), true));
    t.write("a.ctx", "#borg-predict-cost 5123.0000\n#borg-predict-cost 0.0300\n");
    let apart: Value = serde_json::from_str(&call(&t, &["tally", "--json", "."], "").stdout).unwrap();
    assert_eq!(apart["cost"], json!({"tokens": 5123.0, "usd": 0.03}));
    assert_eq!(call(&t, &["tally", "a.ctx"], "").code, Some(66));
}

#[test]
fn our_logs_are_counted_by_unit() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "x"));
    silent(&t, &stop(&t, "y"));
    let session = Session::open(&crate::prefilter_run::places(&t), SESSION, "").unwrap();
    let check = |of: &str, outcome: &str, unit: &str, amount: f64| {
        let applied = vec![Applied { grade: 3, id: "L".into(), rank: 0 }];
        let usage = [(unit.to_owned(), amount)].into();
        Entry::Check(Check { applied, of: of.into(), outcome: outcome.into(), usage, ..Check::default() })
    };
    let ids = || vec!["L".to_owned(), "M".to_owned()];
    let lines = [
        check("stop:1", "answered", "tokens_in", 100.0),
        check("stop:2", "answered", "usd", 0.5),
        check("stop:3", "failed", "usd", 0.25),
        check("live:1", "answered", "usd", 0.125),
        check("stop:4", "started", "usd", 0.0),
        Entry::Asked(Asked { channel: "stop".into(), ids: ids(), text: "abc".into(), ..Asked::default() }),
        Entry::Shown(Shown { entries: ids(), ids: ids(), kind: "free".into(), ..Shown::default() }),
        Entry::Judged(Judged { id: "L".into(), verdict: "unclear".into(), ..Judged::default() }),
        Entry::Judged(Judged { id: "L".into(), verdict: "changed".into(), ..Judged::default() }),
    ];
    session.log(lines.into_iter().map(|entry| Logged::new(1, "", entry)).collect(), None).unwrap();
    let told: Value = serde_json::from_str(&call(&t, &["tally", "--json"], "").stdout).unwrap();
    for (key, value) in [
        ("asked", json!(2)),
        ("cost", json!({"tokens_in": 100.0, "usd": 0.75})),
        ("failed", json!(1)),
        ("free", json!(1)),
        ("free_lessons", json!(2)),
        ("judge_resolved", json!(1)),
        ("judged", json!(2)),
        ("live_checks", json!(1)),
        ("live_cost", json!({"usd": 0.125})),
        ("questions", json!(2)),
        ("rounds", json!(1)),
        ("skipped", json!(1)),
    ] {
        assert_eq!(told[key], value, "{key}");
    }
    let text = call(&t, &["tally"], "").stdout;
    assert!(text.contains("100 tokens_in, 0.75 usd"), "{text}");
}

#[test]
fn the_gate_can_be_asked_by_hand() {
    let t = TestRepo::new();
    let nothing = call(&t, &["skip"], "");
    assert_eq!(nothing.code, Some(66), "{nothing:?}");
    teach(&t, "{\"id\":\"L1\",\"origin_ms\":1,\"question\":\"Is it so?\"}\n");
    silent(&t, &prompt(&t, "x"));
    silent(&t, &bash(&t, "t1", "touch b.txt"));
    let before = std::fs::read(log_file(&t)).unwrap();
    let run = call(&t, &["skip", "--json"], "");
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &told["why"], &told["skip"]), (Some(0), &json!("below"), &json!(0.0)));
    assert_eq!(call(&t, &["skip", "--session", "none"], "").code, Some(66));
    assert_eq!(std::fs::read(log_file(&t)).unwrap(), before);
    let golden: Value = serde_json::from_str(include_str!("../data/golden/score_lessons60.json")).unwrap();
    t.write("lessons", include_str!("../data/golden/inputs/lessons60.jsonl"));
    for case in golden["cases"].as_array().unwrap() {
        t.write("context", case["context"].as_str().unwrap());
        let run = call(&t, &["skip", "--context", "context", "--lessons", "lessons", "--json"], "");
        let told: Value = serde_json::from_str(&run.stdout).unwrap();
        let near = match (&told["skip"], &case["skip"]) {
            (Value::Null, Value::Null) => true,
            (told, wanted) => (told.as_f64().unwrap() - wanted.as_f64().unwrap()).abs() < 1e-9,
        };
        assert!(near && run.code == Some(i32::from(case["skip"].is_null())), "{}: {told}", case["name"]);
    }
}

#[test]
fn what_closes_a_turn_is_listed() {
    let t = TestRepo::nothing();
    assert_eq!(call(&t, &["markers"], "").stdout, "compat\t#borg-asked\ncompat\t#borg-skip\nlog\topen\nlog\tskip\n");
    let told: Value = serde_json::from_str(&call(&t, &["markers", "--json"], "").stdout).unwrap();
    assert_eq!(told, json!({"compat": ["#borg-asked", "#borg-skip"], "log": ["open", "skip"]}));
    for args in [&["markers", "x"][..], &["tally", "a", "b"], &["skip", "x"], &["changes", "x"], &["nonsense"]] {
        assert_eq!(call(&t, args, "").code, Some(64), "{args:?}");
    }
}
