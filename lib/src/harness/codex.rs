//! OpenAI Codex CLI (protocol as of 0.171.0). It refuses an answer with any key that is not in its schema and then
//! runs the tool, so it gets exactly that schema.

use super::reply::claude_shaped;
use super::wire::Wire;
use super::wiring::{File, Form, Wiring};
use super::{Capabilities, Harness};
use crate::event::{Event, Moment};

/// The entry of the table.
pub const HARNESS: Harness = Harness {
    name: "codex",
    title: "Codex",
    // It sets no variable of its own, and inherits those of the session that started it.
    environment: &[],
    plainly,
    can: Capabilities {
        // `ask` is not supported: the tool would run.
        ask: false,
        block: &[Moment::Stop, Moment::SubagentStop],
        context: &[Moment::SessionStart, Moment::UserPromptSubmit, Moment::PreToolUse, Moment::PostToolUse],
        note: &[Moment::SessionStart, Moment::UserPromptSubmit, Moment::PreToolUse, Moment::PostToolUse, Moment::Interrupt],
        rewrite: true,
        // Over 10,000 (its default `additionalContextLimit`) the middle is cut out.
        text_units: 9_000,
        blocks_in_a_row: None,
    },
    read,
    render: claude_shaped,
};

/// How it is told of hooks.
pub const WIRING: Wiring = Wiring {
    harness: "codex",
    title: "Codex",
    client: "codex",
    folder: ("CODEX_HOME", ".codex"),
    user: &[File { name: "hooks.json", form: Form::Json }, File { name: "config.toml", form: Form::Toml }],
    project: &[File { name: ".codex/hooks.json", form: Form::Json }, File { name: ".codex/config.toml", form: Form::Toml }],
    managed: "/etc/codex/requirements.toml",
    exec: false,
    on_failure: false,
    per_second: 1,
    guarded: "Bash|apply_patch|mcp__.*git.*",
    edits: "apply_patch",
    moments: &[
        Moment::SessionStart,
        Moment::UserPromptSubmit,
        Moment::PreToolUse,
        Moment::PostToolUse,
        Moment::Stop,
        Moment::Interrupt,
        Moment::SessionEnd,
    ],
    // It starts hooks where the session is, which may lie anywhere in the project.
    project_command: &[
        "sh -c 'd=$PWD; until [ -x \"$d/.ah/hook\" ] || [ -z \"$d\" ]; do d=${d%/*}; done; [ -z \"$d\" ] || exec \"$d/.ah/hook\" \"$@\"' ah",
        "{}",
    ],
    then: "Codex runs a hook only once you trust it: start codex, type /hooks, trust each one.",
};

/// Turn events carry a model and a turn; the others name a `rollout-` file as their record.
fn plainly(wire: &Wire) -> bool {
    let record = wire.event.transcript_path.rsplit('/').next().unwrap_or_default();
    !wire.turn_id.is_empty() && !wire.event.model.is_empty() || record.starts_with("rollout-")
}

fn read(wire: Wire) -> Event {
    let mut event = wire.event;
    if event.prompt_id.is_empty() {
        event.prompt_id = wire.turn_id;
    }
    match &*event.native_tool {
        "apply_patch" => event.tool_name = "Edit".into(),
        "spawn_agent" => event.tool_name = "Agent".into(),
        _ => {}
    }
    event
}
