//! The canonical event: Claude-shaped, borrowed from the bytes on standard input.

use serde_json::value::RawValue;
use std::borrow::Cow;

mod raw;

pub use raw::{field, fields, text, text_head};

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

impl Moment {
    /// Every moment, in the order of a session.
    pub const ALL: [Self; 10] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Stop,
        Self::SubagentStop,
        Self::Interrupt,
        Self::SessionEnd,
        Self::Other,
    ];

    /// The moment that Claude Code and its followers call `name`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|moment| moment.name() == name).unwrap_or_default()
    }

    /// Its name in Claude Code's events; empty for `Other`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::Interrupt => "Interrupt",
            Self::SessionEnd => "SessionEnd",
            Self::Other => "",
        }
    }
}

/// One hook event. Text fields are empty when the harness did not send them, or sent something that is no text.
#[derive(Clone, Debug, Default)]
pub struct Event<'a> {
    /// What `event_name` means.
    pub moment: Moment,
    /// `hook_event_name` as sent.
    pub event_name: Cow<'a, str>,
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
    /// The tool's name as sent, where the canonical one is another (`apply_patch` is an `Edit`).
    pub native_tool: Cow<'a, str>,
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
    /// The record of the sub-agent, at SubagentStop.
    pub agent_transcript_path: Cow<'a, str>,
    /// Claude's word for who is asked: `default`, `acceptEdits`, `plan`, `bypassPermissions`, `dontAsk`, `auto`.
    pub permission_mode: Cow<'a, str>,
    /// The turn goes on because of a Stop hook.
    pub stop_hook_active: bool,
    /// How long a tool call ran, in milliseconds, where the harness says.
    pub duration_ms: Option<u64>,
    /// A person interrupted the tool call that failed.
    pub is_interrupt: bool,
    /// Set in a sub-agent's events.
    pub agent_id: Cow<'a, str>,
    /// What kind of sub-agent.
    pub agent_type: Cow<'a, str>,
    /// The model at work, where the harness says.
    pub model: Cow<'a, str>,
    /// Why a session started: `startup`, `resume`, `clear`, `compact`.
    pub source: Cow<'a, str>,
    /// Why a session ended.
    pub reason: Cow<'a, str>,
    /// What an earlier program of this project added (`"ah":{...}`).
    pub ah: Option<&'a RawValue>,
    /// The event asks only to be judged: write, spawn and connect nothing (`"ah":{"probe":true}`, or `--jsonl`).
    pub probe: bool,
}

impl<'a> Event<'a> {
    /// Whether a sub-agent sent it.
    #[must_use]
    pub fn in_subagent(&self) -> bool {
        !self.agent_id.is_empty()
    }

    /// The text field `name` of the tool's input.
    #[must_use]
    pub fn input(&self, name: &str) -> Option<Cow<'a, str>> {
        field(self.tool_input?, name).and_then(text)
    }

    /// Whether no person wrote the prompt: an empty one after tool results, or the client's note that a task ended.
    #[must_use]
    pub fn machine_prompt(&self) -> bool {
        let prompt = self.prompt.trim();
        // Both ends, so that a person who quotes such a note and adds a word is still heard.
        self.moment == Moment::UserPromptSubmit
            && (prompt.is_empty() || prompt.starts_with("<task-notification>") && prompt.ends_with("</task-notification>"))
    }

    /// The tool's name as sent: what its input belongs to.
    #[must_use]
    pub fn tool(&self) -> &str {
        if self.native_tool.is_empty() { &self.tool_name } else { &self.native_tool }
    }

    /// The patch that an `apply_patch` call carries, for `patch::files`.
    #[must_use]
    pub fn patch(&self) -> Option<Cow<'a, str>> {
        if self.native_tool == "apply_patch" { self.input("command") } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_made_prompt_is_known_by_both_ends() {
        let prompt = |moment, text: &'static str| Event { moment, prompt: text.into(), ..Event::default() };
        let at = Moment::UserPromptSubmit;
        assert!(prompt(at, "<task-notification>\nx</task-notification>\n").machine_prompt());
        assert!(prompt(at, " ").machine_prompt());
        assert!(!prompt(at, "<task-notification>x</task-notification> what is this?").machine_prompt());
        assert!(!prompt(Moment::Stop, "").machine_prompt());
    }

    #[test]
    fn every_moment_is_named_back() {
        for moment in Moment::ALL {
            assert_eq!(Moment::named(moment.name()), moment);
        }
        assert_eq!(Moment::named("PreToolUsе"), Moment::Other, "a Cyrillic letter");
    }
}
