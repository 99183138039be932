//! What the judge's and the recorder's records of a session add up to, the words of its present turn left aside.

use super::entry::{Entry, Logged};
use super::judging::{Asked, Mark, Queue, Shown};
use super::turn::Closer;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How often a question is judged that stays unclear.
pub const TRIES: u32 = 2;

/// Longest last prompt that is kept, in bytes.
const PROMPT: usize = 4 << 10;

/// A queue's entry that was not shown yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// What waits.
    #[serde(flatten)]
    pub queue: Queue,
    /// How often it was taken to be shown; more than once is shown no more.
    #[serde(default)]
    pub takes: u32,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    /// A verdict stands.
    pub settled: bool,
    /// How often it was judged.
    pub tries: u32,
}

/// What a log adds up to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// Blocks since a person's last prompt.
    pub asks: u32,
    /// Questions that reached the agent.
    pub asked: BTreeMap<String, Question>,
    /// The line that closed the last turn.
    pub closer: Option<Closer>,
    /// How much of the log is in this, in bytes from its beginning.
    pub covers: u64,
    /// The beginning of the log was out of reach.
    pub cut: bool,
    /// How often lessons were handed over because a name came up.
    pub early: u32,
    /// Lessons that reached the agent in any way.
    pub had: BTreeSet<String>,
    /// The last background check's.
    pub mark: Option<Mark>,
    /// The last prompt of a person.
    pub prompt: String,
    /// What the agent said at the last stop, as a fingerprint.
    pub(super) said: Option<u64>,
    /// Names that lessons were handed over for.
    pub topics: BTreeSet<String>,
    /// Where the present turn begins, in bytes from the log's beginning.
    pub turn_from: u64,
    /// Questions that the agent has not answered yet.
    pub unanswered: Vec<String>,
    waiting: Vec<Waiting>,
}

impl State {
    /// What waits to be shown, oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter().filter(|waiting| waiting.takes < 2)
    }

    /// Whether a question of a background check waits.
    #[must_use]
    pub fn live_waits(&self) -> bool {
        self.waiting().any(|waiting| waiting.queue.kind == "live")
    }

    /// Questions that wait for a verdict.
    pub fn due(&self) -> impl Iterator<Item = &str> {
        let due = |question: &Question| !question.settled && question.tries < TRIES;
        self.asked.iter().filter(move |(_, question)| due(question)).map(|(id, _)| id.as_str())
    }

    /// The number of the last closed turn; 0 before the first.
    #[must_use]
    pub fn closed(&self) -> u64 {
        self.closer.as_ref().map_or(0, |closer| closer.number)
    }

    /// Adds a record that ends at `end`; each kind and key must be given once.
    pub(super) fn add(&mut self, end: u64, logged: &Logged) {
        match &logged.entry {
            Entry::Answer { ids, .. } => self.unanswered.retain(|id| !ids.contains(id)),
            Entry::Asked(Asked { channel, ids, .. }) => {
                self.asks += u32::from(channel == "stop");
                for id in ids {
                    self.had.insert(id.clone());
                    self.asked.insert(id.clone(), Question::default());
                    if !self.unanswered.contains(id) {
                        self.unanswered.push(id.clone());
                    }
                }
            }
            Entry::Early { topics } => {
                self.early += 1;
                self.topics.extend(topics.iter().cloned());
            }
            Entry::Final { text } => self.said = Some(super::record::fingerprint(text)),
            Entry::Judged(judged) => {
                if let Some(question) = self.asked.get_mut(&judged.id) {
                    question.tries += 1;
                    question.settled |= judged.verdict == "unchanged" || judged.verdict == "changed" && judged.avoids;
                }
            }
            Entry::Mark(mark) => self.mark = Some(mark.clone()),
            Entry::Open { .. } | Entry::Skip { .. } => {
                if let Some(closer) = Closer::of(logged).filter(|closer| closer.number > self.closed()) {
                    self.closer = Some(closer);
                    self.turn_from = end;
                }
            }
            Entry::Prompt(prompt) if !prompt.machine && !prompt.sub => {
                self.asks = 0;
                self.prompt = super::clip::head(&prompt.text, PROMPT).to_owned();
            }
            Entry::Queue(queue) if self.waiting.iter().all(|waiting| waiting.queue.entry != queue.entry) => {
                self.waiting.push(Waiting { queue: queue.clone(), takes: 0 });
            }
            Entry::Shown(Shown { entries, ids, .. }) => {
                self.waiting.retain(|waiting| !entries.contains(&waiting.queue.entry));
                self.had.extend(ids.iter().cloned());
            }
            Entry::Take { entries } => {
                for waiting in self.waiting.iter_mut().filter(|waiting| entries.contains(&waiting.queue.entry)) {
                    waiting.takes += 1;
                }
            }
            _ => {}
        }
    }
}
