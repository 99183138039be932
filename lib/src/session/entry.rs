//! The records of the recorder and of the judge, as the lines of a session log have them.
//!
//! They are read apart from the guard's own, so that the guard need not know them and they need not read what it noted.

use super::judging::{Asked, Check, Judged, Mark, Queue, Shown};
use super::line::Prompt;
use super::plain::Plain;
use super::state::State;
use crate::redact::redact;
use serde::{Deserialize, Serialize};

/// What happened. Each kind has one writer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "k", rename_all = "lowercase")]
pub enum Entry {
    /// The judge: what the agent said at the first stop after a question.
    Answer {
        /// The lessons that had been asked.
        #[serde(default)]
        ids: Vec<String>,
        /// What it said.
        #[serde(default)]
        text: String,
    },
    /// The judge: questions reached the agent.
    Asked(Asked),
    /// The recorder: a call that changes something.
    Change {
        /// In what way, in a word.
        #[serde(default)]
        reason: String,
        /// A sub-agent's.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sub: bool,
        /// The tool.
        #[serde(default)]
        tool: String,
    },
    /// The judge: a model call, answered or not.
    Check(Check),
    /// The recorder: a call that a person refused.
    Denied {
        /// Its input, in short.
        #[serde(default)]
        text: String,
        /// The tool.
        #[serde(default)]
        tool: String,
        /// What the person said with it; may be empty.
        #[serde(default)]
        words: String,
    },
    /// The judge: lessons were handed over because these names came up.
    Early {
        /// The names.
        #[serde(default)]
        topics: Vec<String>,
    },
    /// The recorder: an edit.
    Edit {
        /// The files.
        #[serde(default)]
        paths: Vec<String>,
        /// A sub-agent's.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sub: bool,
        /// The beginning of the new text, at most 600 characters.
        #[serde(default)]
        text: String,
    },
    /// The judge: a session's end was settled.
    Ended {
        /// Why it ended, as the harness says.
        #[serde(default)]
        reason: String,
    },
    /// The judge: a person corrected the agent.
    Episode {
        /// Its id in `episodes.jsonl`.
        #[serde(default)]
        id: String,
        /// What the person said.
        #[serde(default)]
        text: String,
    },
    /// The recorder: what the agent said at a stop.
    Final {
        /// What it said.
        #[serde(default)]
        text: String,
    },
    /// The judge: a verdict on a lesson that was shown.
    Judged(Judged),
    /// The judge: a background check called no model.
    Live {
        /// Why.
        #[serde(default)]
        skip: String,
    },
    /// The judge: which changes the last background check had seen.
    Mark(Mark),
    /// The recorder: the turn is over, and worth a model.
    Open {
        /// The gate's score.
        #[serde(default)]
        score: f64,
        /// The best lessons, best first.
        #[serde(default)]
        shortlist: Vec<String>,
        /// What it was compared with.
        #[serde(default)]
        threshold: f64,
        /// Why: `score`, `waiting`, `edits`, `off`.
        #[serde(default)]
        why: String,
    },
    /// The recorder: a prompt was sent.
    Prompt(Prompt),
    /// The judge: a lesson waits to be shown.
    Queue(Queue),
    /// The judge: entries of the queue were shown.
    Shown(Shown),
    /// The recorder: the turn is over, and not worth a model.
    Skip {
        /// The gate's score.
        #[serde(default)]
        score: f64,
        /// What it was compared with.
        #[serde(default)]
        threshold: f64,
        /// Why: `below`, `noedit`, `empty`, `live_covered`.
        #[serde(default)]
        why: String,
    },
    /// The recorder: what the log added up to, so that it need not be read from its beginning.
    State(Box<State>),
    /// The judge: entries of the queue are about to be shown.
    Take {
        /// The entries.
        #[serde(default)]
        entries: Vec<String>,
    },
    /// The recorder: tests ran.
    Test {
        /// They passed.
        #[serde(default)]
        pass: bool,
    },
    /// The recorder: a tool call.
    Touch {
        /// The paths it touches.
        #[serde(default)]
        paths: Vec<String>,
        /// A sub-agent's.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sub: bool,
        /// What the gate reads of it.
        #[serde(default)]
        text: String,
        /// The tool.
        #[serde(default)]
        tool: String,
    },
}

/// An entry with its time and key.
#[derive(Clone, Debug, PartialEq)]
pub struct Logged {
    /// Its secrets are gone already.
    clean: bool,
    /// What happened.
    pub entry: Entry,
    /// What makes it one; see [`super::Line::key`].
    pub key: String,
    /// Milliseconds since the Unix epoch.
    pub t: u64,
}

/// The kind that a line says near its beginning, where every writer has it.
pub(super) fn kind_of(bytes: &[u8]) -> Option<&[u8]> {
    const KEY: &[u8] = b"\"k\":\"";
    let start = &bytes[..bytes.len().min(60)];
    let at = start.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    start[at..].split(|byte| *byte == b'"').next()
}

/// What every line has.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    k: &'a str,
    #[serde(default)]
    key: std::borrow::Cow<'a, str>,
    t: u64,
}

impl Entry {
    /// The word for the kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::Asked(_) => "asked",
            Self::Change { .. } => "change",
            Self::Check(_) => "check",
            Self::Denied { .. } => "denied",
            Self::Early { .. } => "early",
            Self::Edit { .. } => "edit",
            Self::Ended { .. } => "ended",
            Self::Episode { .. } => "episode",
            Self::Final { .. } => "final",
            Self::Judged(_) => "judged",
            Self::Live { .. } => "live",
            Self::Mark(_) => "mark",
            Self::Open { .. } => "open",
            Self::Prompt(_) => "prompt",
            Self::Queue(_) => "queue",
            Self::Shown(_) => "shown",
            Self::Skip { .. } => "skip",
            Self::State(_) => "state",
            Self::Take { .. } => "take",
            Self::Test { .. } => "test",
            Self::Touch { .. } => "touch",
        }
    }

    /// Whether it ends a turn.
    #[must_use]
    pub fn closes(&self) -> bool {
        matches!(self, Self::Open { .. } | Self::Skip { .. })
    }

    /// The same without secrets.
    #[must_use]
    fn safe(mut self) -> Self {
        let clean = |text: &mut String| *text = redact(text).into_owned();
        match &mut self {
            Self::Answer { text, .. } | Self::Edit { text, .. } | Self::Episode { text, .. } | Self::Final { text } => {
                clean(text)
            }
            Self::Asked(Asked { text, .. }) | Self::Prompt(Prompt { text, .. }) | Self::Touch { text, .. } => clean(text),
            Self::Check(check) => clean(&mut check.reason),
            Self::Denied { text, words, .. } => {
                clean(text);
                clean(words);
            }
            _ => {}
        }
        self
    }
}

impl Logged {
    /// An entry of now.
    #[must_use]
    pub fn new(t: u64, key: &str, entry: Entry) -> Self {
        Self { clean: false, entry, key: key.to_owned(), t }
    }

    /// The same of the recorder, which takes secrets out before it cuts texts.
    pub(super) fn clean(t: u64, key: &str, entry: Entry) -> Self {
        Self { clean: true, ..Self::new(t, key, entry) }
    }

    /// Reads a line; `None` for one of the guard, of a newer program, torn, or no record.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        // The guard's notes may be long, and are not read here.
        if bytes[..bytes.len().min(60)].windows(9).any(|window| window == b"\"k\":\"own\"") {
            return None;
        }
        // Nearly every line is one of these, and is read in one go.
        if let Ok(plain) = serde_json::from_slice::<Plain<'_>>(bytes) {
            let (t, key) = (plain.t, plain.key.clone().into_owned());
            if let Some(entry) = plain.entry() {
                return Some(Self { clean: true, entry, key, t });
            }
        }
        let head: Head<'_> = serde_json::from_slice(bytes).ok()?;
        let entry: Entry = serde_json::from_slice(bytes).ok()?;
        debug_assert_eq!(head.k, entry.kind());
        Some(Self { clean: true, entry, key: head.key.into_owned(), t: head.t })
    }

    /// The line with its newline, without secrets.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        let kind = self.entry.kind();
        // Texts and numbers always can be written.
        let entry = if self.clean { self.entry } else { self.entry.safe() };
        let body = serde_json::to_string(&entry).unwrap_or_default();
        let key = serde_json::to_string(&self.key).unwrap_or_default();
        let begin = format!("{{\"k\":\"{kind}\"");
        let rest = body.strip_prefix(&begin).unwrap_or("}");
        out.extend_from_slice(format!("{{\"t\":{},\"k\":\"{kind}\",\"key\":{key}{rest}\n", self.t).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::judging::Applied;
    use super::*;

    fn text(entry: Entry) -> String {
        let mut out = Vec::new();
        Logged::new(7, "k\n1", entry).write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_kind_comes_back() {
        let (s, v) = (|| "a\n\"b\"\0é".to_owned(), || vec!["x".to_owned(), "y\u{2028}".to_owned()]);
        let all = [
            Entry::Answer { ids: v(), text: s() },
            Entry::Asked(Asked { channel: "stop".into(), check: s(), ids: v(), text: s() }),
            Entry::Change { reason: s(), sub: true, tool: s() },
            Entry::Check(Check {
                applied: vec![Applied { grade: 3, id: s(), rank: 1 }],
                usage: [("tokens_in".into(), 1.5)].into(),
                ..Check::default()
            }),
            Entry::Denied { text: s(), tool: s(), words: s() },
            Entry::Early { topics: v() },
            Entry::Edit { paths: v(), sub: false, text: s() },
            Entry::Ended { reason: s() },
            Entry::Episode { id: s(), text: s() },
            Entry::Final { text: s() },
            Entry::Judged(Judged { avoids: true, verdict: "changed".into(), ..Judged::default() }),
            Entry::Live { skip: s() },
            Entry::Mark(Mark { checks: 2, covered: 3, failed: 1, started: 9, turn: s() }),
            Entry::Open { score: 0.5, shortlist: v(), threshold: 0.25, why: s() },
            Entry::Prompt(Prompt { machine: true, sub: true, text: s() }),
            Entry::Queue(Queue { grade: 2, kind: "live-next".into(), ..Queue::default() }),
            Entry::Shown(Shown { repeat: true, entries: v(), ..Shown::default() }),
            Entry::Skip { score: 0.0, threshold: 8.0, why: s() },
            Entry::State(Box::default()),
            Entry::Take { entries: v() },
            Entry::Test { pass: true },
            Entry::Touch { paths: v(), sub: true, text: s(), tool: s() },
        ];
        for entry in all {
            let line = text(entry.clone());
            assert!(line.starts_with(&format!("{{\"t\":7,\"k\":\"{}\",\"key\":\"k\\n1\"", entry.kind())), "{line}");
            assert_eq!(line.matches('\n').count(), 1);
            let read = Logged::read(line.trim_end().as_bytes()).unwrap();
            assert_eq!((&read.entry, read.key.as_str(), read.t), (&entry, "k\n1", 7));
            let other = super::super::Line::read(line.trim_end().as_bytes()).unwrap();
            assert_eq!((other.record.kind(), other.record.closes()), (entry.kind(), entry.closes()));
        }
    }

    #[test]
    fn secrets_are_not_written_and_other_lines_not_read() {
        assert!(
            !text(Entry::Denied { text: "x".into(), tool: "Bash".into(), words: "password=hunter2".into() }).contains("hunter2")
        );
        for bad in [
            "",
            "{",
            "{\"t\":1,\"k\":\"own\",\"key\":\"\",\"is\":\"start\"}",
            "{\"t\":1,\"k\":\"later\"}",
            "{\"k\":\"test\"}",
            "[]",
        ] {
            assert_eq!(Logged::read(bad.as_bytes()), None, "{bad}");
        }
        assert!(Logged::read(b"{\"t\":1,\"k\":\"mark\",\"new\":[]}").is_some_and(|l| l.entry == Entry::Mark(Mark::default())));
    }
}
