//! The canonical event: Claude-shaped, borrowed from the bytes on standard input.

use serde_json::value::RawValue;
use std::borrow::Cow;

/// Which moment of a session an event tells of. Names that no program acts on are `Other`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// A session starts, resumes or was compacted.
    SessionStart,
    /// A prompt was sent, by a person or a machine.
    UserPromptSubmit,
    /// A tool call is about to run.
    PreToolUse,
    /// A tool call has run.
    PostToolUse,
    /// A tool call failed or was refused.
    PostToolUseFailure,
    /// The agent wants to end its turn.
    Stop,
    /// A sub-agent wants to end.
    SubagentStop,
    /// The turn was interrupted (Codex); no Stop follows.
    Interrupt,
    /// The session ends.
    SessionEnd,
    /// Anything else.
    #[default]
    Other,
}

/// One hook event. Text fields are empty when the harness did not send them.
#[derive(Clone, Debug, Default)]
pub struct Event<'a> {
    /// `hook_event_name`.
    pub moment: Moment,
    /// The harness's id of the session; a sub-agent's events carry its parent's.
    pub session_id: Cow<'a, str>,
    /// Where the session (not necessarily the tool call) works.
    pub cwd: Cow<'a, str>,
    /// The prompt, at UserPromptSubmit.
    pub prompt: Cow<'a, str>,
    /// The harness's id of the prompt or turn; part of the session log's key.
    pub prompt_id: Cow<'a, str>,
    /// Canonical (Claude's) name of the tool.
    pub tool_name: Cow<'a, str>,
    /// The harness's id of this tool call.
    pub tool_use_id: Cow<'a, str>,
    /// The tool's input as sent: raw JSON until the one tool a hook cares about is known.
    pub tool_input: Option<&'a RawValue>,
    /// The tool's result as sent.
    pub tool_response: Option<&'a RawValue>,
    /// Why a tool call failed.
    pub error: Cow<'a, str>,
    /// What the agent said last, at Stop.
    pub last_assistant_message: Cow<'a, str>,
    /// The harness's own record of the session; may not exist.
    pub transcript_path: Cow<'a, str>,
    /// Claude's word for who is asked: `default`, `acceptEdits`, `plan`, `bypassPermissions`, `dontAsk`, `auto`.
    pub permission_mode: Cow<'a, str>,
    /// The turn goes on because of a Stop hook.
    pub stop_hook_active: bool,
    /// Set in a sub-agent's events.
    pub agent_id: Cow<'a, str>,
    /// Why a session started: `startup`, `resume`, `clear`, `compact`.
    pub source: Cow<'a, str>,
    /// Why a session ended.
    pub reason: Cow<'a, str>,
    /// The event asks only to be judged: write, spawn and connect nothing (`"ah":{"probe":true}`, or `--jsonl`).
    pub probe: bool,
}

impl Event<'_> {
    /// Whether a sub-agent sent it.
    #[must_use]
    pub fn in_subagent(&self) -> bool {
        !self.agent_id.is_empty()
    }
}
