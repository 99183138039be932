//! What the judge writes down of its asks and verdicts, beside the lessons: `outcomes.jsonl`.

use crate::model::{Reason, Usage};
use ah::outcome::{self, Kind, Outcome};
use std::io;
use std::path::PathBuf;

/// Where it is written, and what every line says.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// `outcomes.jsonl` of the store.
    pub log: PathBuf,
    /// The repository's name.
    pub repo: String,
    /// The session's id.
    pub session: String,
}

/// A lesson with its grade and its place in the model's order, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graded {
    /// 1 to 3; 0 where no model graded it.
    pub grade: u8,
    /// The lesson.
    pub id: String,
    /// Its place.
    pub rank: u64,
}

impl Ledger {
    /// Appends outcomes in one write.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, outcomes: &[Outcome]) -> io::Result<()> {
        if let Some(dir) = self.log.parent().filter(|_| !outcomes.is_empty()) {
            ah::fs::ensure_dir(dir)?;
        }
        if outcomes.is_empty() { Ok(()) } else { outcome::append(&self.log, outcomes) }
    }

    /// A line of one kind.
    pub fn line(&self, kind: Kind, ms: u64, lessons: Vec<String>) -> Outcome {
        Outcome::new(kind, &self.session, &self.repo, ms, lessons)
    }

    /// A model call that was answered or failed; written before anything that follows from it.
    pub fn graded(
        &self,
        ms: u64,
        channel: &str,
        check: &str,
        applied: &[Graded],
        usage: &Usage,
        failed: Option<&Reason>,
    ) -> Outcome {
        let mut line = self.shown(Kind::Graded, ms, channel, check, applied, applied.len() as u64);
        line.more.insert("dur_ms".into(), usage.ms.into());
        line.more.insert("model".into(), usage.model.as_str().into());
        if !usage.units.is_empty() {
            line.more.insert("usage".into(), serde_json::json!(usage.units));
        }
        if let Some(reason) = failed {
            line.more.insert("failed".into(), true.into());
            line.reason = reason.code.text().to_owned();
        }
        line
    }

    /// A delivery that the agent sees, through `channel`: `stop`, `live`, `queued`, `early`. `applied` is how many
    /// lessons applied in that check.
    pub fn asked(&self, ms: u64, channel: &str, check: &str, lessons: &[Graded], applied: u64) -> Outcome {
        self.shown(Kind::Asked, ms, channel, check, lessons, applied)
    }

    /// What waits at a session's end.
    pub fn never_delivered(&self, ms: u64, check: &str, lessons: Vec<String>) -> Outcome {
        Outcome { check: check.to_owned(), route: "never_delivered".into(), ..self.line(Kind::Delivery, ms, lessons) }
    }

    fn shown(&self, kind: Kind, ms: u64, channel: &str, check: &str, lessons: &[Graded], applied: u64) -> Outcome {
        Outcome {
            channel: channel.to_owned(),
            check: check.to_owned(),
            grades: lessons.iter().map(|lesson| lesson.grade).collect(),
            ranks: lessons.iter().map(|lesson| lesson.rank).collect(),
            applied,
            ..self.line(kind, ms, lessons.iter().map(|lesson| lesson.id.clone()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Code;

    #[test]
    fn lines_are_the_references() {
        let ledger = Ledger { log: PathBuf::new(), repo: "w".into(), session: "s".into() };
        let one = Graded { grade: 3, id: "L-a".into(), rank: 0 };
        let asked = serde_json::to_string(&ledger.asked(7, "stop", "c", std::slice::from_ref(&one), 2)).unwrap();
        let want = r#"{"kind":"asked","session":"s","lessons":["L-a"],"ms":7,"repo":"w","channel":"stop","check":"c","grades":[3],"ranks":[0],"applied":2}"#;
        assert_eq!(asked, want);
        let reason = Reason::new(Code::Timeout, "late".into());
        let failed = ledger.graded(7, "live", "c", &[], &Usage { model: "chat:x".into(), ..Usage::default() }, Some(&reason));
        assert_eq!(
            (failed.reason.as_str(), &failed.more["failed"], &failed.more["model"]),
            ("timeout", &true.into(), &"chat:x".into())
        );
    }

    #[test]
    fn the_folder_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger { log: dir.path().join("a/b/outcomes.jsonl"), repo: "w".into(), session: "s".into() };
        ledger.write(&[]).unwrap();
        assert!(!dir.path().join("a").exists());
        ledger.write(&[ledger.never_delivered(1, "c", vec!["L-a".into()])]).unwrap();
        assert_eq!(outcome::read(&ledger.log).unwrap()[0].route, "never_delivered");
    }
}
