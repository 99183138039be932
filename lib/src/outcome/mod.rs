//! What came of lessons: the log of asks and verdicts beside a lesson store (`outcomes.jsonl`).
//!
//! The form of the lines is the reference system's, so that its logs can be read and its numbers compared: `kind`,
//! `session`, `lessons`, `ms` and `repo` always, the other fields only where they say something.

mod belief;

pub use belief::{Belief, Beliefs};

use crate::fs;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io;
use std::path::Path;

/// How much of a log is read from its end at most, in bytes: some 200,000 lines.
const MAX_READ: u64 = 32 << 20;

/// Most bytes of one line.
const MAX_LINE: usize = 64 << 10;

/// What happened to lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person corrected the same thing although the answer had been that it applies.
    AppliedThenCorrected,
    /// The agent saw it: as a question, or handed over.
    Asked,
    /// The work stayed as it was.
    AskedIgnored,
    /// Settled at the session's end without a verdict that counts.
    AskedNotCorrected,
    /// The work changed, and no longer leads to the consequence.
    AskedThenChanged,
    /// A person corrected the same thing after it was asked.
    AskedThenCorrected,
    /// Nobody can tell, or the work changed and still leads to the consequence.
    AskedUnclear,
    /// How a lesson went on its way to the agent.
    Delivery,
    /// A session ended.
    Ended,
    /// A model call, failed ones too.
    Graded,
    /// A learning step found that it should have been asked.
    Regretted,
    /// A test showed that it was right.
    Tested,
    /// A person wants a muted lesson to be asked again.
    Unmuted,
    /// A person said that it is not wanted.
    Vetoed,
    /// A kind that this program does not know.
    #[default]
    #[serde(other)]
    Other,
}

/// A line of the log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What happened.
    pub kind: Kind,
    /// In which session.
    #[serde(default)]
    pub session: String,
    /// To which lessons.
    #[serde(default)]
    pub lessons: Vec<String>,
    /// When, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub ms: u64,
    /// In which repository, by its name.
    #[serde(default)]
    pub repo: String,
    /// How the agent saw it: `stop`, `live`, `queued`, `early`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub channel: String,
    /// The check that decided it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub check: String,
    /// A grade, 1 to 3, for each lesson.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grades: Vec<u8>,
    /// A place in the model's order, from 0, for each lesson.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<u64>,
    /// How many lessons applied in that check.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub applied: u64,
    /// Why, in a word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The way of a delivery: `asked`, `free`, `never_delivered`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub route: String,
    /// The version of the judge's text by which a verdict was given.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub judge: u64,
    /// What part of a missed lesson's fault it was, 0 to 1.
    #[serde(default, skip_serializing_if = "is_none")]
    pub credit: f64,
    /// The verdict was given without what the agent had declared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stripped: bool,
    /// What else a line says: `model`, `dur_ms`, `usage`, `failed`.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_none(credit: &f64) -> bool {
    *credit == 0.0
}

impl Outcome {
    /// An outcome of one kind for some lessons of a session.
    #[must_use]
    pub fn new(kind: Kind, session: &str, repo: &str, ms: u64, lessons: Vec<String>) -> Self {
        Self { kind, session: session.to_owned(), lessons, ms, repo: repo.to_owned(), ..Self::default() }
    }

    /// Reads a line; `None` for what is none.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// Appends outcomes in one write; the folder must exist. A line that would be longer than 64 KiB is left out.
///
/// # Errors
/// The system's.
pub fn append(log: &Path, outcomes: &[Outcome]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for outcome in outcomes {
        let line = serde_json::to_vec(outcome)?;
        if line.len() < MAX_LINE {
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
    }
    fs::append(log, &bytes)
}

/// All outcomes, oldest first: the last 32 MiB of the log. Lines that are none are left out; a log that does not exist
/// has none.
///
/// # Errors
/// The system's.
pub fn read(log: &Path) -> io::Result<Vec<Outcome>> {
    let mut all = Vec::new();
    let done = fs::lines_back(log, MAX_READ, |line| {
        all.extend(Outcome::read(line));
        true
    });
    match done {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => all.reverse(),
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_with_what_is_not_known() {
        let text = r#"{"kind":"graded","session":"s","lessons":["L-a"],"ms":1,"repo":"w","channel":"stop","check":"c","grades":[3],"ranks":[0],"applied":1,"usd":0.5}"#;
        let outcome = Outcome::read(text.as_bytes()).unwrap();
        assert_eq!((outcome.kind, outcome.grades.clone(), outcome.more["usd"].as_f64()), (Kind::Graded, vec![3], Some(0.5)));
        assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
        let new = Outcome::new(Kind::AskedIgnored, "s", "w", 2, vec!["L-a".into()]);
        let line = serde_json::to_string(&new).unwrap();
        assert_eq!(line, r#"{"kind":"asked_ignored","session":"s","lessons":["L-a"],"ms":2,"repo":"w"}"#);
    }

    #[test]
    fn a_log_is_read_without_what_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("outcomes.jsonl");
        assert_eq!(read(&log).unwrap(), []);
        std::fs::write(&log, "{\"kind\":\"later\",\"session\":\"s\"}\nno\n\n{\"kind\":\"ended\"}\n{\"kind\":").unwrap();
        append(&log, &[Outcome::new(Kind::Ended, "t", "", 3, Vec::new())]).unwrap();
        let kinds: Vec<Kind> = read(&log).unwrap().into_iter().map(|o| o.kind).collect();
        assert_eq!(kinds, [Kind::Other, Kind::Ended, Kind::Ended]);
        let long = Outcome::new(Kind::Asked, &"s".repeat(70_000), "", 3, Vec::new());
        append(&log, &[long]).unwrap();
        assert_eq!(read(&log).unwrap().len(), 3);
    }
}
