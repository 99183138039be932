//! The Claude-shaped wire format: what most harnesses send, read without copying what need not be copied.

use crate::event::{Event, Moment, field, text};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The deepest nesting of an event; deeper ones are refused, so that nothing behind can run out of stack.
pub const MAX_DEPTH: usize = 128;

/// An event as sent, and the fields that only tell dialects apart or that a dialect uses in its own way.
#[derive(Clone, Debug, Default)]
pub struct Wire<'a> {
    /// Everything in its canonical place.
    pub event: Event<'a>,
    /// Codex's id of the turn.
    pub turn_id: Cow<'a, str>,
}

/// Why an input is no event. Says where and not what, because it is logged and the input may hold secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Nested deeper than [`MAX_DEPTH`].
    Deep,
    /// JSON, but no object.
    NotAnObject,
    /// Not JSON from this place on.
    NotJson {
        /// 1-based line.
        line: usize,
        /// 1-based column, in bytes.
        column: usize,
    },
    /// Not UTF-8 after so many bytes.
    NotUtf8(usize),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deep => write!(f, "nested deeper than {MAX_DEPTH}"),
            Self::NotAnObject => f.write_str("not a JSON object"),
            Self::NotJson { line, column } => write!(f, "not JSON: line {line}, column {column}"),
            Self::NotUtf8(valid) => write!(f, "not UTF-8 after {valid} bytes"),
        }
    }
}

/// Reads one event. A field of a wrong type counts as absent, the last of several equal keys wins, and unknown keys
/// are skipped: one odd field never costs the event.
///
/// # Errors
/// The input is no JSON object, or too deep.
pub fn read(bytes: &[u8]) -> Result<Wire<'_>, Unread> {
    let text = std::str::from_utf8(bytes).map_err(|error| Unread::NotUtf8(error.valid_up_to()))?;
    if too_deep(bytes) {
        return Err(Unread::Deep);
    }
    serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => Unread::NotAnObject,
        _ => Unread::NotJson { line: error.line(), column: error.column() },
    })
}

/// Whether brackets outside strings nest too deep. Nearly every event has too few brackets for that: then counting
/// them, which is quick, settles it.
fn too_deep(bytes: &[u8]) -> bool {
    if bytes.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() <= MAX_DEPTH {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// The keys that are read.
#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    AgentId,
    AgentTranscriptPath,
    AgentType,
    Ah,
    Cwd,
    DurationMs,
    Error,
    HookEventName,
    IsInterrupt,
    LastAssistantMessage,
    Model,
    PermissionMode,
    Prompt,
    PromptId,
    Reason,
    SessionId,
    Source,
    StopHookActive,
    ToolInput,
    ToolName,
    ToolResponse,
    ToolUseId,
    TranscriptPath,
    TurnId,
    #[serde(other)]
    Unknown,
}

impl<'de> Deserialize<'de> for Wire<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

/// Values are taken raw: what is no string where one should be is then simply no string, and strings with half a
/// surrogate pair or numbers beyond any range do no harm where nobody reads them.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Wire<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Wire<'de>, A::Error> {
        let mut wire = Wire::default();
        let event = &mut wire.event;
        while let Some(key) = entries.next_key::<Key>()? {
            if matches!(key, Key::Unknown) {
                entries.next_value::<IgnoredAny>()?;
                continue;
            }
            let raw: &'de RawValue = entries.next_value()?;
            let slot = match key {
                Key::AgentId => &mut event.agent_id,
                Key::AgentTranscriptPath => &mut event.agent_transcript_path,
                Key::AgentType => &mut event.agent_type,
                Key::Cwd => &mut event.cwd,
                Key::Error => &mut event.error,
                Key::HookEventName => &mut event.event_name,
                Key::LastAssistantMessage => &mut event.last_assistant_message,
                Key::Model => &mut event.model,
                Key::PermissionMode => &mut event.permission_mode,
                Key::Prompt => &mut event.prompt,
                Key::PromptId => &mut event.prompt_id,
                Key::Reason => &mut event.reason,
                Key::SessionId => &mut event.session_id,
                Key::Source => &mut event.source,
                Key::ToolName => &mut event.tool_name,
                Key::ToolUseId => &mut event.tool_use_id,
                Key::TranscriptPath => &mut event.transcript_path,
                Key::TurnId => &mut wire.turn_id,
                Key::Ah => {
                    event.ah = Some(raw);
                    event.probe = field(raw, "probe").is_some_and(is_true);
                    continue;
                }
                Key::DurationMs => {
                    event.duration_ms = raw.get().parse().ok();
                    continue;
                }
                Key::IsInterrupt => {
                    event.is_interrupt = is_true(raw);
                    continue;
                }
                Key::StopHookActive => {
                    event.stop_hook_active = is_true(raw);
                    continue;
                }
                Key::ToolInput => {
                    event.tool_input = present(raw);
                    continue;
                }
                Key::ToolResponse => {
                    event.tool_response = present(raw);
                    continue;
                }
                Key::Unknown => continue,
            };
            *slot = text(raw).unwrap_or_default();
        }
        event.moment = Moment::named(&event.event_name);
        event.native_tool = event.tool_name.clone();
        Ok(wire)
    }
}

fn is_true(raw: &RawValue) -> bool {
    raw.get() == "true"
}

fn present(raw: &RawValue) -> Option<&RawValue> {
    (raw.get() != "null").then_some(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        let nested = |n: usize| format!("{{\"x\":{}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(read(nested(MAX_DEPTH - 1).as_bytes()).is_ok());
        assert_eq!(read(nested(MAX_DEPTH).as_bytes()).map(|_| ()), Err(Unread::Deep));
        let text = format!("{{\"cwd\":\"\\\"{}\\\\\"}}", "[".repeat(500));
        assert!(read(text.as_bytes()).is_ok());
        let wide = format!("{{\"x\":[{}[]]}}", "[],".repeat(500));
        assert!(read(wide.as_bytes()).is_ok());
    }

    #[test]
    fn a_probe_is_asked_for_by_our_own_key_only() {
        let probe = |text: &str| read(text.as_bytes()).expect("an event").event.probe;
        assert!(probe(r#"{"ah":{"probe":true}}"#));
        for text in
            [r#"{"ah":true}"#, r#"{"ah":{"probe":"true"}}"#, r#"{"probe":true}"#, r#"{"tool_input":{"ah":{"probe":true}}}"#]
        {
            assert!(!probe(text), "{text}");
        }
    }
}
