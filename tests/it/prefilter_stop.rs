//! The end of a turn: one closing line, and who is told.

use crate::guard_run::feed;
use crate::prefilter_run::{
    SESSION, bash, event, failures, fold, of_kind, passed, places, prefilter, prompt, silent, stop, teach,
};
use crate::support::TestRepo;
use ah::session::{Asked, Entry, Judged, Logged, Queue, Session, Shown};
use serde_json::{Value, json};
use std::process::{Command, Stdio};

const LESSON: &str = r#"{"id":"L1","origin_ms":1,"question":"Does the retry loop of the uploader wait with exponential backoff plus jitter between attempts, stop after a bounded number, honour cancellation tokens, surface the last failure, release pooled sockets, and keep idempotency keys stable?"}"#;

const WORK: &str = "the retry loop of the uploader should wait with exponential backoff plus jitter between attempts, stop after a bounded number, honour cancellation tokens, surface the last failure, release pooled sockets, keep idempotency keys stable";

/// A store in which the words of [`WORK`] are rare.
fn lessons() -> String {
    let other = |n: u32| format!(r#"{{"id":"O{n}","origin_ms":1,"question":"Is zebra{n} giraffe{n} painted lion{n}?"}}"#);
    [LESSON.to_owned()].into_iter().chain((0..40).map(other)).collect::<Vec<_>>().join("\n") + "\n"
}

fn session(t: &TestRepo) -> Session {
    Session::open(&places(t), SESSION, "").unwrap()
}

fn judge(t: &TestRepo, entries: Vec<Entry>) {
    let lines = entries.into_iter().map(|entry| Logged::new(1, "", entry)).collect();
    session(t).log(lines, None).unwrap();
}

#[test]
fn a_turn_worth_a_model_is_passed_on() {
    let t = TestRepo::new();
    teach(&t, &lessons());
    silent(&t, &prompt(&t, WORK));
    let mut sent = stop(&t, "Done.\n\"quoted\" \u{1f600}");
    sent["odd"] = json!({"deep": [1.5e300, null]});
    let line = passed(&t, &sent);
    let told: Value = serde_json::from_str(&line).unwrap();
    let ah = &told["ah"];
    assert_eq!((&ah["why"], &ah["open"], &ah["shortlist"][0]), (&json!("score"), &json!("stop:1"), &json!("L1")));
    assert!(ah["score"].as_f64() >= ah["threshold"].as_f64());
    let mut back = told.clone();
    back.as_object_mut().unwrap().remove("ah");
    assert_eq!(back, sent, "the event is as it was");
    // The same stop once more gives the same, and writes nothing.
    assert_eq!(passed(&t, &sent), line);
    assert_eq!((of_kind(&t, "open").len(), of_kind(&t, "skip").len()), (1, 0));
    // What nothing is about is skipped.
    silent(&t, &prompt(&t, "thanks"));
    assert_eq!(passed(&t, &stop(&t, "You are welcome.")), "");
    assert_eq!(of_kind(&t, "skip")[0]["why"], "below");
    assert_eq!(failures(&t), "");
}

#[test]
fn without_pass_nothing_is_ever_printed() {
    let t = TestRepo::new();
    teach(&t, &lessons());
    silent(&t, &prompt(&t, WORK));
    silent(&t, &stop(&t, "Done."));
    assert_eq!(of_kind(&t, "open").len(), 1);
    for name in ["UserPromptSubmit", "PostToolUse", "SessionEnd", "PreToolUse", "SubagentStop", "Nonsense"] {
        assert_eq!(passed(&t, &event(&t, name, json!({"tool_name": "Read", "tool_input": {}, "prompt": WORK}))), "", "{name}");
    }
}

#[test]
fn a_stop_hooks_own_turn_closes_nothing() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "go"));
    let mut active = stop(&t, "second end");
    active["stop_hook_active"] = json!(true);
    let told: Value = serde_json::from_str(&passed(&t, &active)).unwrap();
    assert_eq!((&told["ah"]["why"], &told["ah"]["open"]), (&json!("active"), &json!("")));
    assert!(of_kind(&t, "skip").is_empty() && of_kind(&t, "open").is_empty() && of_kind(&t, "final").is_empty());
}

#[test]
fn a_waiting_question_opens_the_gate() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "go"));
    let queue = |kind: &str| Queue { entry: format!("e-{kind}"), lesson: "L1".into(), kind: kind.into(), ..Queue::default() };
    judge(&t, vec![Entry::Queue(queue("free"))]);
    assert_eq!(passed(&t, &stop(&t, "one")), "", "what is free can wait");
    judge(&t, vec![Entry::Queue(queue("live"))]);
    let told: Value = serde_json::from_str(&passed(&t, &stop(&t, "two"))).unwrap();
    assert_eq!(told["ah"]["why"], "waiting");
    let shown = Shown { entries: vec!["e-live".into()], ids: vec!["L1".into()], kind: "live".into(), ..Shown::default() };
    judge(&t, vec![Entry::Shown(shown)]);
    silent(&t, &prompt(&t, "more"));
    assert_eq!(passed(&t, &stop(&t, "three")), "");
}

#[test]
fn a_verdict_that_is_due_opens_the_gate_once_something_changed() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "go"));
    silent(&t, &stop(&t, "one"));
    judge(&t, vec![Entry::Asked(Asked { channel: "stop".into(), ids: vec!["L1".into()], ..Asked::default() })]);
    assert_eq!(fold(&t).state.unanswered, ["L1"]);
    silent(&t, &bash(&t, "t1", "ls"));
    assert_eq!(passed(&t, &stop(&t, "two")), "", "nothing changed");
    silent(&t, &bash(&t, "t2", "touch b.txt"));
    let told: Value = serde_json::from_str(&passed(&t, &stop(&t, "three"))).unwrap();
    assert_eq!(told["ah"]["why"], "waiting");
    let verdict = Judged { id: "L1".into(), verdict: "unchanged".into(), ..Judged::default() };
    judge(&t, vec![Entry::Answer { ids: vec!["L1".into()], text: "L1: skip".into() }, Entry::Judged(verdict)]);
    silent(&t, &bash(&t, "t3", "touch c.txt"));
    assert_eq!(passed(&t, &stop(&t, "four")), "");
    assert!(fold(&t).state.unanswered.is_empty());
}

#[test]
fn a_pipe_is_safe_on_every_shell() {
    let t = TestRepo::new();
    teach(&t, &lessons());
    silent(&t, &prompt(&t, WORK));
    let event = stop(&t, &"Done. ".repeat(100_000)).to_string();
    for shell in ["sh", "bash", "dash", "zsh", "fish"] {
        for line in ["\"$P\" --pass | cat", "\"$P\" --pass | true", "\"$P\" --pass | head -c 1", "\"$P\" --pass >/dev/full"] {
            let mut command = Command::new(shell);
            command.args(["-c", line]).env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah"));
            command.env("P", crate::prefilter_run::PREFILTER).current_dir(t.work());
            if command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
                continue; // not installed
            }
            let run = feed(&mut command, event.as_bytes());
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}: {line}");
        }
    }
    assert_eq!(of_kind(&t, "open").len(), 1);
}

#[test]
fn jsonl_probes_and_writes_nothing() {
    let t = TestRepo::new();
    teach(&t, &lessons());
    silent(&t, &prompt(&t, WORK));
    let before = crate::prefilter_run::lines(&t);
    let input = format!("{}\nnot json\n{}\n", stop(&t, "Done."), prompt(&t, "x"));
    let run = feed(prefilter(&t).args(["--jsonl", "--pass"]), input.as_bytes());
    let answers: Vec<&str> = run.stdout.lines().collect();
    assert_eq!((run.code, answers.len(), answers[1], answers[2]), (Some(0), 3, "{}", "{}"));
    assert_eq!(serde_json::from_str::<Value>(answers[0]).unwrap()["ah"]["why"], "score");
    assert_eq!(crate::prefilter_run::lines(&t), before);
}
