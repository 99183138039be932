//! Each registered hook, run as its harness would run it: answer, exit, standard error, time.

use super::Settings;
use crate::finding::Finding;
use crate::ground::Ground;
use crate::run::{self, Done};
use crate::stage::Stage;
use ah::event::Moment;
use ah::harness::wiring::{Found, Wiring};
use ah::quote;
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long one hook may take here.
const WAIT: Duration = Duration::from_secs(5);
/// A silent hook that takes longer is felt.
const SLOW: Duration = Duration::from_millis(100);
/// What loses the stage's unsaved work, and what loses nothing.
const LOSS: &str = "git reset --hard";
const HARMLESS: &str = "ls -la";

/// One line for the harness when all is well, else one for each hook that is not.
pub fn look(ground: &Ground, wiring: &'static Wiring, all: &[Settings]) -> Vec<Finding> {
    let stage = match Stage::new() {
        Ok(stage) => stage,
        Err(error) => {
            return vec![
                Finding::warn("agents.stage", wiring.harness, format!("no hook was run: {error}")).mend("git --version"),
            ];
        }
    };
    let mut found = Vec::new();
    let (mut runs, mut slowest, mut stopped) = (0, Duration::ZERO, None);
    for settings in all {
        for entry in settings.ours() {
            let mut commands = vec![HARMLESS];
            if guards(entry) {
                commands.push(LOSS);
            }
            for command in commands {
                let done = match play(ground, wiring, entry, &stage, command) {
                    Ok(done) => done,
                    Err(error) => {
                        found.push(problem(wiring, settings, entry, "agents.broken", &format!("does not start: {error}")));
                        break;
                    }
                };
                runs += 1;
                let wanted = command == LOSS;
                if let Some((code, what)) = wrong(&done, wanted) {
                    found.push(problem(wiring, settings, entry, code, &what));
                    break;
                }
                if wanted {
                    stopped = Some(done.took);
                } else {
                    slowest = slowest.max(done.took);
                }
            }
        }
    }
    if slowest > SLOW {
        let what = format!("a hook that has nothing to say took {} ms", slowest.as_millis());
        found.push(
            Finding::warn("agents.slow", wiring.harness, what)
                .mend("ah-doctor --json agents; look at the disk and at the machine's load"),
        );
    }
    if found.is_empty() {
        let loss =
            stopped.map_or("no guard at PreToolUse".to_owned(), |took| format!("test loss stopped, {} ms", took.as_millis()));
        let what = format!("{runs} hooks ran as {} runs them: {loss}; silent, {} ms at most", wiring.title, slowest.as_millis());
        found.push(Finding::ok("agents.ok", wiring.harness, what));
    }
    found
}

fn guards(entry: &Found) -> bool {
    entry.runs("ah-git-guard") && entry.event == Moment::PreToolUse.name()
}

fn problem(wiring: &Wiring, settings: &Settings, entry: &Found, code: &'static str, what: &str) -> Finding {
    let what = format!("{}: {} at {}: {what}", settings.at(entry), entry.names().join(" | "), quote::line(&entry.event, 40));
    Finding::fail(code, wiring.harness, what, "sh install/install.sh")
}

/// What is wrong with how a hook ended. `loss`: it was to stop the call.
fn wrong(done: &Done, loss: bool) -> Option<(&'static str, String)> {
    if done.code != Some(0) {
        return Some(("agents.exit", format!("ends with {}", done.ending())));
    }
    if !done.stderr.is_empty() {
        return Some(("agents.noise", format!("writes to standard error: {}", quote::bytes(&done.stderr, 100))));
    }
    let said = done.stdout.trim_ascii();
    if loss {
        let answer: Value = serde_json::from_slice(said).unwrap_or_default();
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str();
        let stops = matches!(decision, Some("deny" | "ask"));
        return (!stops).then(|| ("agents.unstopped", format!("does not stop {LOSS} where work is unsaved")));
    }
    (!said.is_empty()).then(|| ("agents.answer", format!("speaks where it should be silent: {}", quote::bytes(said, 100))))
}

/// Runs a hook with the little environment that a harness is sure to give it.
fn play(ground: &Ground, wiring: &Wiring, entry: &Found, stage: &Stage, command: &str) -> io::Result<Done> {
    let cwd = if command == LOSS { stage.work() } else { stage.top().to_owned() };
    let mut call = match &entry.args {
        Some(args) => {
            let mut call = Command::new(expanded(&entry.command, ground.root.as_deref()));
            call.args(args);
            call
        }
        None => {
            // Codex takes the person's bash, Claude Code sh.
            let mut call = Command::new(if wiring.harness == "codex" { "/bin/bash" } else { "/bin/sh" });
            call.arg("-c").arg(&entry.command);
            call
        }
    };
    call.current_dir(ground.root.as_ref().filter(|_| !entry.programs.iter().any(|path| path.is_absolute())).unwrap_or(&cwd));
    call.env_clear().env("PATH", "/usr/bin:/bin");
    for name in ["AH_HOME", "HOME"] {
        if let Some(value) = std::env::var_os(name) {
            call.env(name, value);
        }
    }
    run::finish(&mut call, event(wiring, entry, &cwd, command).to_string().as_bytes(), WAIT)
}

/// What Claude Code puts in place of its own variable.
fn expanded(command: &str, root: Option<&Path>) -> String {
    let root = root.map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    command.replace("${CLAUDE_PROJECT_DIR}", &root)
}

/// An event as the harness words it, that asks to be judged and no more.
fn event(wiring: &Wiring, entry: &Found, cwd: &Path, command: &str) -> Value {
    let mut event = json!({
        "ah": {"probe": true}, "cwd": cwd, "hook_event_name": entry.event, "permission_mode": "default",
        "session_id": "ah-doctor", "transcript_path": null,
    });
    let turn = if wiring.harness == "codex" {
        json!({"model": "none", "turn_id": "ah-doctor"})
    } else {
        json!({"prompt_id": "ah-doctor"})
    };
    let more = match Moment::named(&entry.event) {
        Moment::PreToolUse => json!({"tool_input": {"command": command}, "tool_name": "Bash", "tool_use_id": "ah-doctor"}),
        Moment::PostToolUse => {
            json!({"tool_input": {"command": command}, "tool_name": "Bash", "tool_response": "", "tool_use_id": "ah-doctor"})
        }
        Moment::PostToolUseFailure => {
            json!({"error": "exit 1", "tool_input": {"command": command}, "tool_name": "Bash", "tool_use_id": "ah-doctor"})
        }
        Moment::SessionEnd => json!({"reason": "other"}),
        Moment::SessionStart => json!({"source": "startup"}),
        Moment::Stop => json!({"last_assistant_message": "Done.", "stop_hook_active": false}),
        Moment::UserPromptSubmit => json!({"prompt": "hello"}),
        _ => json!({}),
    };
    for part in [turn, more] {
        if let (Value::Object(event), Value::Object(part)) = (&mut event, part) {
            event.extend(part);
        }
    }
    event
}
