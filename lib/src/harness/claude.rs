//! Claude Code (protocol as of 2.1.332), and whatever sends Claude-shaped events and says nothing else of itself.

use super::reply::claude_shaped;
use super::wire::Wire;
use super::wiring::{File, Form, Wiring};
use super::{Capabilities, Harness};
use crate::event::{Event, Moment};

/// The entry of the table.
pub const HARNESS: Harness = Harness {
    name: "claude",
    title: "Claude Code",
    // Not CLAUDE_PROJECT_DIR: several other harnesses set it too.
    environment: &["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
    plainly,
    can: Capabilities {
        ask: true,
        block: &[Moment::Stop, Moment::SubagentStop],
        context: &[
            Moment::SessionStart,
            Moment::UserPromptSubmit,
            Moment::PreToolUse,
            Moment::PostToolUse,
            Moment::PostToolUseFailure,
        ],
        note: &[
            Moment::SessionStart,
            Moment::UserPromptSubmit,
            Moment::PreToolUse,
            Moment::PostToolUse,
            Moment::PostToolUseFailure,
            Moment::Other,
        ],
        rewrite: true,
        // Longer text is replaced by a pointer to a file; the limit observed is 10,000.
        text_units: 9_000,
        // After so many blocks in a row the turn ends with a warning.
        blocks_in_a_row: Some(8),
    },
    read,
    render: claude_shaped,
};

/// How it is told of hooks.
pub const WIRING: Wiring = Wiring {
    harness: "claude",
    title: "Claude Code",
    client: "claude",
    folder: ("CLAUDE_CONFIG_DIR", ".claude"),
    user: &[File { name: "settings.json", form: Form::Json }],
    project: &[File { name: ".claude/settings.json", form: Form::Json }],
    managed: if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode/managed-settings.json"
    } else {
        "/etc/claude-code/managed-settings.json"
    },
    exec: true,
    on_failure: true,
    per_second: 1,
    guarded: "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|mcp__.*git.*",
    edits: "Edit|MultiEdit|Write|NotebookEdit",
    moments: &[
        Moment::SessionStart,
        Moment::UserPromptSubmit,
        Moment::PreToolUse,
        Moment::PostToolUse,
        Moment::PostToolUseFailure,
        Moment::Stop,
        Moment::SessionEnd,
    ],
    // A program that is not there lets the call run; a shell that cannot open its script would stop it (dash ends with 2).
    project_command: &["${CLAUDE_PROJECT_DIR}/.ah/hook", "{}"],
    then: "",
};

/// Nothing in a payload proves Claude Code: its shape is everybody's.
fn plainly(_: &Wire) -> bool {
    false
}

fn read(wire: Wire) -> Event {
    wire.event
}
