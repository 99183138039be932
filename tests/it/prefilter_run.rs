//! Runs the built `ah-prefilter` in a throwaway home, and reads the log it wrote.

use crate::guard_run::{Run, feed};
use crate::support::TestRepo;
use ah::paths::Paths;
use ah::session::{Fold, Session};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

pub const PREFILTER: &str = env!("CARGO_BIN_EXE_ah-prefilter");

/// The session of the events below.
pub const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// The recorder, in the home and work tree of `t`, told nothing of the machine around it.
pub fn prefilter(t: &TestRepo) -> Command {
    let mut command = Command::new(PREFILTER);
    command.env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah")).current_dir(t.work());
    command
}

/// One event as a hook, which must be silent.
#[track_caller]
pub fn silent(t: &TestRepo, event: &Value) {
    let run = feed(&mut prefilter(t), event.to_string().as_bytes());
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{event}");
}

/// One event with `--pass`; what was printed.
#[track_caller]
pub fn passed(t: &TestRepo, event: &Value) -> String {
    let run = feed(prefilter(t).arg("--pass"), event.to_string().as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{event}");
    assert!(run.stdout.is_empty() || run.stdout.ends_with('\n') && run.stdout.matches('\n').count() == 1, "{run:?}");
    run.stdout
}

/// Runs a command word with `input`.
pub fn call(t: &TestRepo, args: &[&str], input: &str) -> Run {
    feed(prefilter(t).args(args), input.as_bytes())
}

/// An event of Claude Code in the work tree.
pub fn event(t: &TestRepo, name: &str, fields: Value) -> Value {
    let mut event = json!({
        "session_id": SESSION, "cwd": t.work(), "hook_event_name": name, "permission_mode": "default",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/11111111-1111-4111-8111-111111111111.jsonl",
    });
    event.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    event
}

/// A prompt.
pub fn prompt(t: &TestRepo, text: &str) -> Value {
    event(t, "UserPromptSubmit", json!({"prompt": text, "prompt_id": "p1"}))
}

/// A tool call that ran.
pub fn ran(t: &TestRepo, id: &str, tool: &str, input: Value) -> Value {
    let response = json!({"stdout": "", "stderr": ""});
    event(t, "PostToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response}))
}

/// A shell command that ran.
pub fn bash(t: &TestRepo, id: &str, command: &str) -> Value {
    ran(t, id, "Bash", json!({"command": command}))
}

/// A tool call that failed.
pub fn failed(t: &TestRepo, id: &str, tool: &str, input: Value, error: &str) -> Value {
    let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "error": error, "is_interrupt": false});
    event(t, "PostToolUseFailure", fields)
}

/// A stop.
pub fn stop(t: &TestRepo, text: &str) -> Value {
    event(t, "Stop", json!({"stop_hook_active": false, "last_assistant_message": text}))
}

/// ah's places in the home of `t`.
pub fn places(t: &TestRepo) -> Paths {
    let home = t.root().join("ah");
    Paths::new(&|name| (name == "AH_HOME").then(|| home.clone().into_os_string())).expect("places")
}

/// The session's log, whatever its scope.
pub fn log_file(t: &TestRepo) -> PathBuf {
    places(t).sessions().join(format!("{SESSION}.jsonl"))
}

/// The records of the log, first to last, without line 1. Every line must be whole.
pub fn lines(t: &TestRepo) -> Vec<Value> {
    let text = std::fs::read_to_string(log_file(t)).unwrap_or_default();
    let all = text.lines().filter(|line| !line.is_empty()).skip(1);
    all.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The records of one kind.
pub fn of_kind(t: &TestRepo, kind: &str) -> Vec<Value> {
    lines(t).into_iter().filter(|line| line["k"] == kind).collect()
}

/// What the log adds up to.
pub fn fold(t: &TestRepo) -> Fold {
    Session::open(&places(t), SESSION, "").expect("a log").fold().expect("readable")
}

/// The lines of the failure log.
pub fn failures(t: &TestRepo) -> String {
    std::fs::read_to_string(places(t).log()).unwrap_or_default()
}

/// Puts lessons into the store of the repository.
pub fn teach(t: &TestRepo, lessons: &str) {
    let paths = places(t);
    let routed = ah::route::route(&ah::config::Config::load(&paths, None).0, &t.work());
    let store = paths.lessons(&routed.scope().expect("a scope").store);
    std::fs::create_dir_all(store.parent().expect("a folder")).expect("made");
    std::fs::write(store, lessons).expect("written");
}
