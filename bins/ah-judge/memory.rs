//! What the judge knows of a session from its log: what waits, what was asked and had, and what the turn was.

use ah::session::{Check, Entry, Logged, Queue, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// How often an entry is taken at most: once, and once more where it is not known whether it was seen.
const TAKES: usize = 2;

/// A lesson that waits to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its entry of the queue.
    pub queue: Queue,
    /// It may have been shown already.
    pub again: bool,
}

impl Waiting {
    /// Whether it is a question, and not handed over.
    pub fn asks(&self) -> bool {
        self.queue.kind.starts_with("live")
    }
}

/// What is known, as far back as the log is read.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Lessons that were asked: they are never asked again.
    pub asked: BTreeSet<String>,
    /// The model calls, by id, with what applied.
    pub checks: BTreeMap<String, Check>,
    /// How often lessons were handed over because their names came up.
    pub early: usize,
    /// Lessons that the agent saw in any way.
    pub had: BTreeSet<String>,
    /// The key of the last question at a stop, and whether a person has said something since.
    pub last_ask: Option<(String, bool)>,
    /// Names for which lessons were handed over.
    pub topics: BTreeSet<String>,
    /// The records of the turn that the last closing line ended, that line not among them; while it goes on, of the turn
    /// so far.
    pub turn: Vec<Entry>,
    /// Questions that the agent has not said anything to.
    pub unanswered: Vec<String>,
    /// What waits, oldest first.
    pub waiting: Vec<Waiting>,
}

impl Memory {
    /// Reads it. `closed` is the key of the closing line that this stop has written; without one the turn goes on.
    ///
    /// # Errors
    /// The system's.
    pub fn of(session: &Session, closed: Option<&str>) -> io::Result<Self> {
        let mut lines = Vec::new();
        session.entries_back(|logged| {
            lines.push(logged);
            true
        })?;
        lines.reverse();
        Ok(Self::fold(lines, closed))
    }

    fn fold(lines: Vec<Logged>, closed: Option<&str>) -> Self {
        let mut memory = Self::default();
        let mut seen = BTreeSet::new();
        let mut takes: BTreeMap<String, usize> = BTreeMap::new();
        let mut over = false;
        for Logged { entry, key, .. } in lines {
            // What was recorded twice happened once.
            if !key.is_empty() && !seen.insert((entry.kind(), key.clone())) {
                continue;
            }
            match &entry {
                Entry::Answer { .. } => memory.unanswered.clear(),
                Entry::Asked(asked) => {
                    memory.asked.extend(asked.ids.iter().cloned());
                    memory.had.extend(asked.ids.iter().cloned());
                    memory.unanswered.clone_from(&asked.ids);
                    if asked.channel == "stop" {
                        memory.last_ask = Some((key.clone(), false));
                    }
                }
                Entry::Check(check) => {
                    memory.checks.insert(check.check.clone(), check.clone());
                }
                Entry::Early { topics } => {
                    memory.early += 1;
                    memory.topics.extend(topics.iter().cloned());
                }
                Entry::Prompt(prompt) if !prompt.machine && !prompt.sub => {
                    if let Some((_, said)) = &mut memory.last_ask {
                        *said = true;
                    }
                }
                Entry::Queue(queue) => memory.waiting.push(Waiting { queue: queue.clone(), again: false }),
                Entry::Shown(shown) => {
                    memory.had.extend(shown.ids.iter().cloned());
                    memory.waiting.retain(|waiting| !shown.entries.contains(&waiting.queue.entry));
                }
                Entry::Take { entries } => entries.iter().for_each(|entry| *takes.entry(entry.clone()).or_default() += 1),
                _ => {}
            }
            // The line that this stop wrote ends the turn that is looked at, and others of this stop follow it.
            if over {
                continue;
            }
            if !entry.closes() {
                memory.turn.push(entry);
            } else if closed == Some(&*key) {
                over = true;
            } else {
                memory.turn.clear();
            }
        }
        for waiting in &mut memory.waiting {
            waiting.again = takes.contains_key(&waiting.queue.entry);
        }
        memory.waiting.retain(|waiting| takes.get(&waiting.queue.entry).is_none_or(|takes| *takes < TAKES));
        memory
    }

    /// What is not handed over again: what the session had, and what waits for it.
    pub fn had_or_waiting(&self) -> BTreeSet<String> {
        let waiting = self.waiting.iter().map(|waiting| waiting.queue.lesson.clone());
        self.had.iter().cloned().chain(waiting).collect()
    }

    /// Whether this turn was stopped by a question already. `prompt` is the harness's id of the turn's prompt, where it
    /// has one; else whether a person spoke since tells.
    pub fn stopped(&self, prompt: &str) -> bool {
        self.last_ask.as_ref().is_some_and(|(key, said)| if prompt.is_empty() { !said } else { *key == ask_key(prompt) })
    }
}

/// The key of the question that stops the turn of a prompt.
pub fn ask_key(prompt: &str) -> String {
    format!("ask:{prompt}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::session::{Asked, Prompt, Shown};

    fn queue(entry: &str, lesson: &str, kind: &str) -> Entry {
        Entry::Queue(Queue { entry: entry.into(), lesson: lesson.into(), kind: kind.into(), grade: 2, check: "c".into() })
    }

    fn fold(entries: Vec<(&str, Entry)>, closed: Option<&str>) -> Memory {
        let lines = entries.into_iter().enumerate().map(|(n, (key, entry))| Logged::new(n as u64, key, entry));
        Memory::fold(lines.collect(), closed)
    }

    fn prompt() -> Entry {
        Entry::Prompt(Prompt { text: "go".into(), ..Prompt::default() })
    }

    #[test]
    fn what_waits_is_what_was_not_shown() {
        let take = |entry: &str| Entry::Take { entries: vec![entry.into()] };
        let shown = Shown { entries: vec!["e1".into()], ids: vec!["a".into()], ..Shown::default() };
        let memory = fold(
            vec![
                ("e1", queue("e1", "a", "free")),
                ("e2", queue("e2", "b", "live")),
                ("e2", queue("e2", "b", "live")),
                ("e3", queue("e3", "c", "free")),
                ("e4", queue("e4", "d", "free")),
                ("", take("e1")),
                ("", Entry::Shown(shown)),
                ("", take("e3")),
                ("", take("e4")),
                ("", take("e4")),
            ],
            None,
        );
        let waiting: Vec<_> = memory.waiting.iter().map(|w| (w.queue.entry.as_str(), w.again, w.asks())).collect();
        assert_eq!(waiting, [("e2", false, true), ("e3", true, false)]);
        assert_eq!(memory.had, BTreeSet::from(["a".to_owned()]));
        assert_eq!(memory.had_or_waiting().len(), 3);
    }

    #[test]
    fn the_turn_is_what_the_stop_closed() {
        let open = || Entry::Open { score: 1.0, shortlist: vec![], threshold: 0.5, why: "score".into() };
        let test = |pass| Entry::Test { pass };
        let lines = || vec![("p", test(false)), ("stop:1", open()), ("q", test(true)), ("stop:2", open()), ("r", test(false))];
        assert_eq!(fold(lines(), Some("stop:2")).turn, [test(true)]);
        assert_eq!(fold(lines(), None).turn, [test(false)]);
    }

    #[test]
    fn a_turn_is_stopped_once() {
        let asked = |key| (key, Entry::Asked(Asked { channel: "stop".into(), ids: vec!["a".into()], ..Asked::default() }));
        let memory = fold(vec![("x", prompt()), asked("ask:p1")], None);
        assert!(memory.stopped("p1") && memory.stopped("") && !memory.stopped("p2"));
        assert_eq!(memory.unanswered, ["a"]);
        let memory = fold(vec![asked("ask:p1"), ("x", prompt())], None);
        assert!(memory.stopped("p1") && !memory.stopped(""));
    }
}
