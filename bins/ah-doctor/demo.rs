//! `demo`: what the installed guard does, played in a throwaway repository.

use crate::finding::Level;
use crate::run;
use crate::stage::Stage;
use ah::cli::{Call, Cli};
use ah::exit;
use serde_json::json;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// How long one call may take.
const WAIT: Duration = Duration::from_secs(30);

/// One command of the play.
struct Scene {
    command: &'static str,
    /// Whether the tree is dirty.
    dirty: bool,
    /// What is to be seen.
    stopped: bool,
}

const SCENES: &[Scene] = &[
    Scene { command: "git reset --hard", dirty: false, stopped: false },
    Scene { command: "git status", dirty: true, stopped: false },
    Scene { command: "git reset --hard", dirty: true, stopped: true },
    Scene { command: "sh -c 'cd . && git checkout -f main'", dirty: true, stopped: true },
    Scene { command: "rm notes.md", dirty: true, stopped: true },
    Scene { command: "git commit -am \"Never git reset --hard\"", dirty: true, stopped: false },
];

/// `demo`: 1 where it was not as it should be.
pub fn demo(cli: &Cli, _: &Call) -> Result<ExitCode, ExitCode> {
    let cannot = |what: &str| exit::fail(cli.name, exit::UNAVAILABLE, &format!("cannot build a repository: {what}"));
    let stage = Stage::new().map_err(|error| cannot(&error.to_string()))?;
    let exe = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let guard = exe.with_file_name("ah-git-guard");
    let mut text = format!("in {} (nothing outside it is touched)\n", ah::quote::path(stage.top()));
    let (mut right, mut reason) = (0, String::new());
    for scene in SCENES {
        if scene.dirty { stage.dirty() } else { stage.clean() }.map_err(|error| cannot(&error.to_string()))?;
        let (level, said, ms) = ask(&guard, &stage, scene.command).map_err(|error| cannot(&error.to_string()))?;
        let got = if level == Level::Fail { "stopped".to_owned() } else { format!("silent, {ms} ms") };
        let as_wanted = (level == Level::Fail) == scene.stopped;
        right += usize::from(as_wanted);
        if reason.is_empty() {
            reason = said;
        }
        let tree = if scene.dirty { "2 files, 9 unsaved lines" } else { "clean tree" };
        let note = if as_wanted { "" } else { "   NOT as expected" };
        text += &format!("  agent: {:42} {tree:26} {got}{note}\n", scene.command);
    }
    let shown: String = reason.lines().map(|line| format!("  | {line}\n")).collect();
    text += &format!("\nWhat the agent reads when it is stopped:\n{shown}\n{right} of {} as expected\n", SCENES.len());
    exit::print(cli.name, &text);
    Ok(ExitCode::from(if right == SCENES.len() { exit::OK } else { exit::NO }))
}

/// What the guard answers to a command in the stage: whether it stops it, the reason, and the milliseconds.
fn ask(guard: &Path, stage: &Stage, command: &str) -> std::io::Result<(Level, String, u128)> {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "demo", "cwd": stage.work(), "tool_name": "Bash",
        "tool_use_id": "demo", "tool_input": {"command": command},
    });
    let mut call = Command::new(guard);
    call.args(["--harness", "claude"]).current_dir(stage.work()).env("AH_HOME", stage.top().join("ah"));
    call.env_remove("AH_OFF").env_remove("AH_PROFILE");
    let done = run::finish(&mut call, event.to_string().as_bytes(), WAIT)?;
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    let answer = &answer["hookSpecificOutput"];
    let stops = matches!(answer["permissionDecision"].as_str(), Some("deny" | "ask"));
    let reason = answer["permissionDecisionReason"].as_str().unwrap_or_default().to_owned();
    Ok((if stops { Level::Fail } else { Level::Ok }, reason, done.took.as_millis()))
}
