//! Runs the built `ah-git-guard` in a throwaway home, and reads its one answer.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::TestRepo;

pub const GUARD: &str = env!("CARGO_BIN_EXE_ah-git-guard");

/// What one run came to.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stderr: String,
    pub stdout: String,
}

impl Run {
    fn of(out: &Output) -> Self {
        Self {
            code: out.status.code(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
        }
    }

    /// What a hook run said: `allow` for silence, `note`, else the decision; with its text. Every rule of a hook's
    /// output is checked on the way.
    #[track_caller]
    pub fn answer(&self) -> (String, String) {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "a hook exits 0 and is silent on stderr: {self:?}");
        if self.stdout.is_empty() {
            return ("allow".into(), String::new());
        }
        assert!(self.stdout.ends_with('\n'), "{self:?}");
        let object: Value = serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("one JSON object ({e}): {self:?}"));
        assert!(object.is_object(), "{self:?}");
        if let Some(text) = object["systemMessage"].as_str() {
            return ("note".into(), text.into());
        }
        let specific = &object["hookSpecificOutput"];
        let text = |key: &str| specific[key].as_str().unwrap_or_else(|| panic!("no {key}: {self:?}")).to_owned();
        assert_eq!(text("hookEventName"), "PreToolUse");
        let reason = text("permissionDecisionReason");
        assert!(!reason.trim().is_empty() && reason.chars().count() <= 900, "{} characters: {reason}", reason.chars().count());
        (text("permissionDecision"), reason)
    }

    /// The decision alone.
    #[track_caller]
    pub fn verdict(&self) -> String {
        self.answer().0
    }
}

/// The guard, in the home and work tree of `t`, told nothing of the machine around it.
pub fn guard(t: &TestRepo) -> Command {
    let mut command = Command::new(GUARD);
    command.env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah")).current_dir(t.work());
    command
}

/// Runs `command` with `input`; a program that does not read it all is no failure.
pub fn feed(command: &mut Command, input: &[u8]) -> Run {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = loop {
        match command.spawn() {
            // A copy that was just written: another test's child, forked meanwhile, still has it open.
            Err(e) if e.kind() == std::io::ErrorKind::ExecutableFileBusy => std::thread::sleep(Duration::from_millis(5)),
            started => break started.expect("it starts"),
        }
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let out = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic");
    Run::of(&out)
}

/// Runs a command word of the guard.
pub fn call<S: AsRef<OsStr>>(t: &TestRepo, args: impl IntoIterator<Item = S>) -> Run {
    Run::of(&guard(t).args(args).stdin(Stdio::null()).output().expect("it runs"))
}

/// One event as a hook.
pub fn hook(t: &TestRepo, event: &Value) -> Run {
    feed(&mut guard(t), event.to_string().as_bytes())
}

/// A PreToolUse event of Claude Code where a person is asked.
pub fn claude(cwd: &Path, tool: &str, input: Value) -> Value {
    json!({
        "session_id": "11111111-1111-4111-8111-111111111111",
        "transcript_path": "/home/dev/.claude/projects/-home-dev-project/11111111-1111-4111-8111-111111111111.jsonl",
        "cwd": cwd, "prompt_id": "22222222-2222-4222-8222-222222222222", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_fake_0001_0",
    })
}

/// A PreToolUse event of Codex.
pub fn codex(cwd: &Path, tool: &str, command: &str) -> Value {
    json!({
        "session_id": "11111111-1111-4111-8111-111111111111", "turn_id": "33333333-3333-4333-8333-333333333333",
        "transcript_path": "/home/dev/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-1.jsonl",
        "cwd": cwd, "hook_event_name": "PreToolUse", "model": "gpt-5.5", "permission_mode": "default",
        "tool_name": tool, "tool_input": {"command": command}, "tool_use_id": "call_fake_0001_0",
    })
}

/// A shell command of Claude Code in the work tree.
pub fn bash(t: &TestRepo, command: &str) -> Value {
    claude(&t.work(), "Bash", json!({"command": command}))
}

/// A repository with an edit that nothing else holds.
pub fn dirty() -> TestRepo {
    let t = TestRepo::new();
    t.write("a.txt", "alpha\nedited\nmore\n");
    t
}
