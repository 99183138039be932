//! What the judge's records say.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Questions reached the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// `stop` or `live`.
    pub channel: String,
    /// The check that chose them.
    pub check: String,
    /// The lessons.
    pub ids: Vec<String>,
    /// What was shown.
    pub text: String,
}

/// A lesson that applied.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Applied {
    /// 1 to 3.
    pub grade: u8,
    /// The lesson.
    pub id: String,
    /// Its place in the model's order, from 0.
    pub rank: u64,
}

/// A model call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// What applied, in the model's order.
    pub applied: Vec<Applied>,
    /// Its id.
    pub check: String,
    /// Who was asked.
    pub model: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The key of the turn's closing line, or `live:N`.
    pub of: String,
    /// `answered`, `failed` or `skipped`.
    pub outcome: String,
    /// Why it failed or was skipped.
    pub reason: String,
    /// What it used, by unit.
    pub usage: BTreeMap<String, f64>,
}

/// A verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    /// The work no longer leads to the consequence.
    pub avoids: bool,
    /// The check that had chosen the lesson.
    pub check: String,
    /// The lesson.
    pub id: String,
    /// It was given without what the agent had declared.
    pub stripped: bool,
    /// `changed`, `unchanged` or `unclear`.
    pub verdict: String,
}

/// Which changes a background check had seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// How many background checks the session had, this one among them.
    pub checks: u64,
    /// How many of the turn.
    pub covered: u64,
    /// Failures in a row, this check's among them.
    pub failed: u32,
    /// When the check began, in milliseconds since the Unix epoch.
    pub started: u64,
    /// Which turn: the key of the closing line before it.
    pub turn: String,
}

/// A lesson waits to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Queue {
    /// The check that chose it.
    pub check: String,
    /// The entry's own name.
    pub entry: String,
    /// 1 to 3.
    pub grade: u8,
    /// `free`, `live`, `live-next` or `early`.
    pub kind: String,
    /// The lesson.
    pub lesson: String,
}

/// Entries of the queue were shown, or are closed without that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shown {
    /// At which event.
    pub at: String,
    /// The entries.
    pub entries: Vec<String>,
    /// The lessons that the agent saw.
    pub ids: Vec<String>,
    /// `free`, `live`, `live-next`, `early`, or `gone`.
    pub kind: String,
    /// It may have been shown before.
    pub repeat: bool,
}
