//! The recorder: what an event says, written to the session's log.
//!
//! A hook looks at nothing but its own event, so it matters not in which order parallel ones write. Recording the same
//! event again changes nothing, because what it says has the event's own key.

mod call;
mod refusal;
mod runner;
mod words;

use super::clip::{safe_ends, safe_head};
use super::entry::{Entry, Logged};
use super::home::Home;
use super::line::Prompt;
use super::{Fold, fold};
use crate::clock::now_ms;
use crate::event::{Event, Moment};
use serde_json::value::RawValue;
use std::io;

/// Longest prompt or message that is kept, in bytes.
pub(super) const LONG: usize = 16 << 10;

/// How the keys begin of what a harness gives no name: what is the same in one turn counts once.
pub(super) const NAMELESS: char = '~';

/// Longest prompt of a machine that is kept, in bytes.
const MACHINE: usize = 600;

/// Records what an event says; what a Stop says is [`super::close`]'s. Other moments, and calls that say nothing, leave
/// no trace.
///
/// # Errors
/// As [`super::Session::append`].
pub fn record(home: &Home, event: &Event) -> io::Result<()> {
    let entries = match event.moment {
        Moment::UserPromptSubmit => vec![prompt(event)],
        Moment::PostToolUse => call::entries(home, event, None),
        Moment::PostToolUseFailure => match refusal::of(event) {
            Some(refused) => call::denied(home, event, refused),
            None => call::entries(home, event, Some(&event.error)),
        },
        _ => Vec::new(),
    };
    if entries.is_empty() {
        return Ok(());
    }
    let key = key(event);
    let t = now_ms();
    let entries = entries.into_iter().map(|entry| Logged::clean(t, &key, entry)).collect();
    let session = &home.session;
    let (size, added) = session.log_sized(entries, None)?;
    if fold::steps(size, added)
        && let Ok(fold) = session.fold()
    {
        session.log(fold.summary(t).into_iter().collect(), None)?;
    }
    Ok(())
}

/// What makes the event one: the harness's id of the call or the prompt, else what it says.
fn key(event: &Event) -> String {
    let raw = |raw: Option<&RawValue>| fingerprint(raw.map_or("", RawValue::get));
    match event.moment {
        Moment::UserPromptSubmit if event.prompt_id.is_empty() => format!("{NAMELESS}{:016x}", fingerprint(&event.prompt)),
        // A note that a task ended may have the id of the prompt before it.
        Moment::UserPromptSubmit => format!("{} {:016x}", event.prompt_id, fingerprint(&event.prompt)),
        _ if event.tool_use_id.is_empty() => {
            let (input, response) = (raw(event.tool_input), raw(event.tool_response));
            format!("{NAMELESS}{} {input:016x} {response:016x}", safe_head(&event.tool_name, 40))
        }
        _ => safe_head(&event.tool_use_id, 200).into_owned(),
    }
}

/// A 64-bit FNV-1a hash of a text: of its length, its first 4 KiB and its last. It tells events apart, nothing more.
pub(super) fn fingerprint(text: &str) -> u64 {
    const PART: usize = 4 << 10;
    let bytes = text.as_bytes();
    let (head, rest) = bytes.split_at(bytes.len().min(PART));
    let tail = &rest[rest.len().saturating_sub(PART)..];
    let all = bytes.len().to_le_bytes().into_iter().chain(head.iter().copied()).chain(tail.iter().copied());
    all.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn prompt(event: &Event) -> Entry {
    let machine = event.machine_prompt();
    let text = safe_ends(&event.prompt, if machine { MACHINE } else { LONG }).into_owned();
    Entry::Prompt(Prompt { machine, sub: event.in_subagent(), text })
}

/// What the words of the fold's turn are, for the gate.
impl Fold {
    /// The turn's tool calls, each as words.
    #[must_use]
    pub fn touches(&self) -> Vec<String> {
        let words = |text: &str, paths: &[String]| [&[text.to_owned()], paths].concat().join(" ").trim().to_owned();
        self.turn.touches.iter().map(|touch| words(&touch.text, &touch.paths)).collect()
    }

    /// The beginnings of the turn's edits.
    #[must_use]
    pub fn edits(&self) -> Vec<String> {
        self.turn.edits.iter().map(|edit| edit.text.clone()).collect()
    }
}
