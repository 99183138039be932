//! What is printed: the canonical answer as the JSON object that Claude Code and its followers read.

use super::Capabilities;
use crate::answer::Answer;
use crate::event::{Event, Moment};
use crate::quote::cut;
use serde::Serialize;
use serde_json::value::RawValue;

/// One answer, rendered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What goes to standard output: nothing, or one JSON object without a line end.
    pub stdout: String,
    /// There was something to say, and this harness cannot take it at this moment. The text is still the caller's,
    /// to keep for an event that can.
    pub undelivered: bool,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

/// Renders an answer for a harness that reads Claude's object, within what it `can` do. The table is in `harness`.
#[must_use]
pub fn claude_shaped(answer: &Answer, event: &Event, can: &Capabilities) -> Reply {
    let moment = event.moment;
    let (text, default) = match answer {
        Answer::Silence => return Reply::default(),
        // An empty reason would void the answer, and the tool would run.
        Answer::Deny(text) => (text, "Denied by a hook."),
        Answer::Ask(text) => (text, "A hook wants a person to decide."),
        Answer::Block(text) => (text, "A hook asks not to stop yet."),
        // Nothing to say is silence.
        Answer::Context(text) | Answer::Note(text) if text.trim().is_empty() => {
            return Reply::default();
        }
        Answer::Context(text) | Answer::Note(text) | Answer::Rewrite(text) => (text, ""),
    };
    let text = if text.trim().is_empty() { default } else { text };
    let text = &*cut(text, can.text_units);
    let specific = Specific { hook_event_name: moment.name(), ..Specific::default() };
    let output = match answer {
        Answer::Deny(_) if moment == Moment::PreToolUse => decided(specific, "deny", text),
        Answer::Ask(_) if moment == Moment::PreToolUse => decided(specific, if can.ask { "ask" } else { "deny" }, text),
        Answer::Block(_) if can.block.contains(&moment) => {
            Output { decision: Some("block"), reason: Some(text), ..Output::default() }
        }
        Answer::Context(_) if can.context.contains(&moment) => {
            in_specific(Specific { additional_context: Some(text), ..specific })
        }
        Answer::Note(_) if can.note.contains(&moment) => Output { system_message: Some(text), ..Output::default() },
        Answer::Rewrite(input) if can.rewrite && moment == Moment::PreToolUse => {
            match serde_json::from_str::<&RawValue>(input) {
                Ok(input) if input.get().starts_with('{') => {
                    let updated_input = Some(input);
                    return print(&in_specific(Specific { permission_decision: Some("allow"), updated_input, ..specific }));
                }
                // What is no tool input would void the answer.
                _ => return lost(),
            }
        }
        _ => return lost(),
    };
    print(&output)
}

fn decided<'a>(specific: Specific<'a>, decision: &'static str, reason: &'a str) -> Output<'a> {
    in_specific(Specific { permission_decision: Some(decision), permission_decision_reason: Some(reason), ..specific })
}

fn in_specific(specific: Specific) -> Output {
    Output { hook_specific_output: Some(specific), ..Output::default() }
}

fn lost() -> Reply {
    Reply { stdout: String::new(), undelivered: true }
}

fn print(output: &Output) -> Reply {
    match serde_json::to_string(output) {
        Ok(stdout) => Reply { stdout, undelivered: false },
        // Strings and checked JSON always print; if not, it is as if nobody could take it.
        Err(_) => lost(),
    }
}
