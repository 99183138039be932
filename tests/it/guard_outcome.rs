//! What becomes of a finding: whose the work is, what the policy says, who can be asked, whether a snapshot holds it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::guard_run::{Run, bash, call, feed, guard, hook};
use crate::support::TestRepo;

/// A session's event with more fields.
fn event(t: &TestRepo, session: &str, name: &str, more: Value) -> Value {
    let mut event = json!({
        "session_id": session, "transcript_path": "/nonexistent.jsonl", "cwd": t.work(),
        "permission_mode": "default", "hook_event_name": name,
    });
    for (key, value) in more.as_object().expect("an object") {
        event[key] = value.clone();
    }
    event
}

/// A session begins, and finds what is there.
fn begin(t: &TestRepo, session: &str) {
    assert_eq!(hook(t, &event(t, session, "SessionStart", json!({"source": "startup"}))).verdict(), "allow");
}

/// A shell command of a session, judged and, where it goes on, run.
fn run(t: &TestRepo, session: &str, command: &str) -> Run {
    run_in(t, session, command, json!({}), &[])
}

fn run_in(t: &TestRepo, session: &str, command: &str, more: Value, env: &[(&str, &str)]) -> Run {
    let mut event = event(t, session, "PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": command}}));
    for (key, value) in more.as_object().expect("an object") {
        event[key] = value.clone();
    }
    let mut guard = guard(t);
    let judged = feed(guard.envs(env.iter().copied()), event.to_string().as_bytes());
    if matches!(judged.verdict().as_str(), "allow" | "note") {
        let mut shell = std::process::Command::new("sh");
        shell.env_clear().envs(t.vars().iter()).current_dir(t.work()).args(["-c", command]);
        assert!(shell.output().expect("sh").status.success(), "{command}");
    }
    judged
}

/// The Write tool of a session.
fn write(t: &TestRepo, session: &str, path: &str, text: &str) -> Run {
    let input = json!({"file_path": t.work().join(path), "content": text});
    let judged = hook(t, &event(t, session, "PreToolUse", json!({"tool_name": "Write", "tool_input": input})));
    if judged.verdict() == "allow" {
        t.write(path, text);
    }
    judged
}

fn undo(t: &TestRepo) -> Run {
    call(t, ["undo", "--yes"])
}

#[track_caller]
fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}

#[test]
fn own_work_goes_on_silently_and_comes_back() {
    let t = TestRepo::new();
    t.write("theirs.md", "a person's\n");
    begin(&t, "s1");
    assert_eq!(run(&t, "s1", "echo mine > scratch.txt").verdict(), "allow");
    assert_eq!(run(&t, "s1", "rm scratch.txt").answer(), ("allow".into(), String::new()));
    assert!(!t.work().join("scratch.txt").exists());
    assert_eq!(run(&t, "s1", "rm theirs.md").verdict(), "deny");
    let undone = undo(&t);
    assert_eq!(undone.code, Some(0), "{undone:?}");
    assert_eq!(text(&t.work().join("scratch.txt")), "mine\n");
}

#[test]
fn what_another_session_made_is_not_own() {
    let t = TestRepo::new();
    begin(&t, "s1");
    begin(&t, "s2");
    run(&t, "s1", "echo one > one.txt");
    run(&t, "s2", "echo two > two.txt");
    assert_eq!(run(&t, "s1", "rm two.txt").verdict(), "deny");
    assert_eq!(run(&t, "s2", "rm one.txt").verdict(), "deny");
    assert_eq!(run(&t, "s2", "rm two.txt").verdict(), "allow");
}

#[test]
fn a_policy_of_deny_stops_own_work_and_one_of_snapshot_lets_everything_local_go_on() {
    let t = TestRepo::new();
    t.write("theirs.md", "a person's\n");
    begin(&t, "s1");
    run(&t, "s1", "echo mine > scratch.txt");
    let with = |on_loss: &str, command: &str| run_in(&t, "s1", command, json!({}), &[("AH_ON_LOSS", on_loss)]).answer();
    assert_eq!(with("deny", "rm scratch.txt").0, "deny");
    let (verdict, text) = with("snapshot", "rm theirs.md");
    assert_eq!(verdict, "note");
    assert!(text.contains("kept first as") && text.contains("ah-git-guard undo"), "{text}");
    undo(&t);
    assert_eq!(self::text(&t.work().join("theirs.md")), "a person's\n");
}

#[test]
fn written_over_by_a_tool_is_kept_and_goes_on() {
    let t = TestRepo::new();
    t.write("theirs.md", "a person's\n");
    begin(&t, "s1");
    assert_eq!(write(&t, "s1", "theirs.md", "an agent's\n").answer(), ("allow".into(), String::new()));
    undo(&t);
    assert_eq!(text(&t.work().join("theirs.md")), "a person's\n");
}

#[test]
fn where_nobody_can_be_asked_local_questions_go_on_after_a_snapshot() {
    let t = TestRepo::new();
    t.commit(".gitignore", ".env\n");
    t.write(".env", "TOKEN=1\n");
    begin(&t, "s1");
    assert_eq!(run(&t, "s1", "rm .env").verdict(), "ask");
    let bypass = json!({"permission_mode": "bypassPermissions"});
    let deny = run_in(&t, "s1", "rm .env", bypass.clone(), &[("AH_NO_PROMPT", "deny")]).answer();
    assert_eq!(deny.0, "deny");
    assert!(deny.1.contains("nobody can be asked"), "{}", deny.1);
    assert_eq!(run_in(&t, "s1", "rm .env", bypass.clone(), &[]).verdict(), "note");
    undo(&t);
    assert_eq!(text(&t.work().join(".env")), "TOKEN=1\n");
    // What is beyond this machine no snapshot brings back.
    t.git(["remote", "add", "origin", "elsewhere.git"]);
    assert_eq!(run_in(&t, "s1", "git remote set-url origin other.git", bypass, &[]).verdict(), "deny");
}

#[test]
fn without_a_place_for_snapshots_nothing_more_is_let_through() {
    let t = TestRepo::new();
    begin(&t, "s1");
    run(&t, "s1", "echo mine > scratch.txt");
    let state = t.root().join("ah/state");
    fs::create_dir_all(&state).expect("made");
    fs::write(state.join("snapshots"), "in the way").expect("written");
    let (verdict, text) = run(&t, "s1", "rm scratch.txt").answer();
    assert_eq!(verdict, "ask");
    assert!(text.contains("No snapshot could keep it"), "{text}");
    assert!(t.work().join("scratch.txt").exists());
}

#[test]
fn in_ci_there_are_no_snapshots() {
    let t = TestRepo::new();
    t.write("theirs.md", "a person's\n");
    let ci = &[("AH_PROFILE", "ci")];
    assert_eq!(run_in(&t, "s1", "rm theirs.md", json!({}), ci).verdict(), "allow");
    assert!(!t.root().join("ah/state/snapshots").exists());
}

#[test]
fn a_probe_takes_no_snapshot() {
    let t = TestRepo::new();
    t.write("theirs.md", "a person's\n");
    let mut probe = bash(&t, "rm theirs.md");
    probe["ah"] = json!({"probe": true});
    let run = feed(guard(&t).env("AH_ON_LOSS", "snapshot"), probe.to_string().as_bytes());
    assert_eq!(run.verdict(), "note");
    assert!(!t.root().join("ah").exists());
}
