//! A turn: what was said and done between two closing lines.

use super::entry::{Entry, Logged};
use serde::{Deserialize, Serialize};

/// How the keys of closing lines begin; a number follows.
pub const STOP: &str = "stop:";

/// The line that closed a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Closer {
    /// Its key.
    pub key: String,
    /// Which turn it closed, from 1.
    pub number: u64,
    /// The turn was worth a model.
    pub open: bool,
    /// The gate's score.
    pub score: f64,
    /// The best lessons, best first.
    pub shortlist: Vec<String>,
    /// When, in milliseconds since the Unix epoch.
    pub t: u64,
    /// What the score was compared with.
    pub threshold: f64,
    /// Why, in a word.
    pub why: String,
}

/// A tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// The paths that it touched.
    pub paths: Vec<String>,
    /// A sub-agent's.
    pub sub: bool,
    /// What else the gate reads of it.
    pub text: String,
    /// The tool.
    pub tool: String,
}

/// An edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// The files.
    pub paths: Vec<String>,
    /// A sub-agent's.
    pub sub: bool,
    /// The beginning of the new text.
    pub text: String,
}

/// What was said and done since the last closing line, each kind and key once, in the log's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Calls that changed something: tool and reason.
    pub changes: Vec<(String, String)>,
    /// The beginning of the turn was out of reach.
    pub cut: bool,
    /// The edits.
    pub edits: Vec<Edit>,
    /// What a person wrote.
    pub prompts: Vec<String>,
    /// Records, of the recorder, of whatever kind.
    pub records: usize,
    /// Whether tests passed.
    pub tests: Vec<bool>,
    /// The tool calls.
    pub touches: Vec<Touch>,
}

impl Closer {
    /// `None` for a line that closes nothing.
    pub(super) fn of(logged: &Logged) -> Option<Self> {
        let number = logged.key.strip_prefix(STOP)?.parse().ok()?;
        let (open, score, shortlist, threshold, why) = match &logged.entry {
            Entry::Open { score, shortlist, threshold, why } => (true, *score, shortlist.clone(), *threshold, why.clone()),
            Entry::Skip { score, threshold, why } => (false, *score, Vec::new(), *threshold, why.clone()),
            _ => return None,
        };
        Some(Self { key: logged.key.clone(), number, open, score, shortlist, t: logged.t, threshold, why })
    }
}

impl Turn {
    /// Adds a record.
    pub(super) fn add(&mut self, logged: Logged) {
        self.records += 1;
        match logged.entry {
            Entry::Change { reason, tool, .. } => self.changes.push((tool, reason)),
            Entry::Denied { .. } => {}
            Entry::Edit { paths, sub, text } => self.edits.push(Edit { paths, sub, text }),
            Entry::Prompt(prompt) if !prompt.machine && !prompt.sub => self.prompts.push(prompt.text),
            Entry::Prompt(_) => {}
            Entry::Test { pass } => self.tests.push(pass),
            Entry::Touch { paths, sub, text, tool } => self.touches.push(Touch { paths, sub, text, tool }),
            _ => self.records -= 1,
        }
    }
}
