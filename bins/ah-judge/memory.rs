//! What the judge knows of a session from its log: what waits, what was asked and had, and what the turn was.

use ah::session::{Check, Entry, Logged, Queue, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

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

/// What is known of a session.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Lessons that were asked: they are never asked again.
    pub asked: BTreeSet<String>,
    /// The checks that chose what waits, by id.
    pub checks: BTreeMap<String, Check>,
    /// How often lessons were handed over because their names came up.
    pub early: usize,
    /// Lessons that the agent saw in any way.
    pub had: BTreeSet<String>,
    /// The key of the last question at a stop.
    pub last_ask: Option<String>,
    /// Whether a question stopped the session since a person spoke.
    pub quiet: bool,
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
    /// What the log adds up to, without the turn: what it costs does not grow with the session.
    ///
    /// # Errors
    /// The system's.
    pub fn of(session: &Session) -> io::Result<Self> {
        let state = session.state()?;
        let again = |takes: u32| takes > 0;
        let waiting: Vec<Waiting> =
            state.waiting().map(|one| Waiting { queue: one.queue.clone(), again: again(one.takes) }).collect();
        let mut memory = Self {
            asked: state.asked.keys().cloned().collect(),
            early: state.early as usize,
            quiet: state.asks > 0,
            waiting,
            had: state.had,
            topics: state.topics,
            unanswered: state.unanswered,
            ..Self::default()
        };
        memory.chosen(session)?;
        if !memory.asked.is_empty() {
            session.entries_of(&["asked"], |logged| {
                let stopped = matches!(&logged.entry, Entry::Asked(asked) if asked.channel == "stop");
                if stopped {
                    memory.last_ask = Some(logged.key);
                }
                !stopped
            })?;
        }
        Ok(memory)
    }

    /// The same with a turn: the one that ended with the closing line of key `closed`, else the one that goes on.
    ///
    /// # Errors
    /// The system's.
    pub fn with_turn(session: &Session, closed: Option<&str>) -> io::Result<Self> {
        let mut lines: Vec<Logged> = Vec::new();
        let mut inside = closed.is_none();
        session.entries_back(|logged| {
            let closes = logged.entry.closes();
            match (inside, closes) {
                // What is recorded twice may close twice.
                (true, true) if closed != Some(&*logged.key) => return false,
                (true, false) => lines.push(logged),
                (false, true) => inside = closed == Some(&*logged.key),
                _ => {}
            }
            true
        })?;
        lines.reverse();
        let mut seen = BTreeSet::new();
        lines.retain(|logged| logged.key.is_empty() || seen.insert((logged.entry.kind(), logged.key.clone())));
        let turn = lines.into_iter().map(|logged| logged.entry).collect();
        Ok(Self { turn, ..Self::of(session)? })
    }

    /// Finds the checks that chose what waits.
    fn chosen(&mut self, session: &Session) -> io::Result<()> {
        let mut wanted: BTreeSet<String> =
            self.waiting.iter().filter(|one| one.queue.kind != "early").map(|one| one.queue.check.clone()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        session.entries_of(&["check"], |logged| {
            if let Entry::Check(check) = logged.entry
                && check.outcome == "answered"
                && wanted.remove(&check.check)
            {
                self.checks.insert(check.check.clone(), check);
            }
            !wanted.is_empty()
        })?;
        Ok(())
    }

    /// What is not handed over again: what the session had, and what waits for it.
    pub fn had_or_waiting(&self) -> BTreeSet<String> {
        let waiting = self.waiting.iter().map(|waiting| waiting.queue.lesson.clone());
        self.had.iter().cloned().chain(waiting).collect()
    }

    /// Whether this turn was stopped by a question already. `prompt` is the harness's id of the turn's prompt, where it
    /// has one; else whether a person spoke since tells.
    pub fn stopped(&self, prompt: &str) -> bool {
        if prompt.is_empty() { self.quiet } else { self.last_ask.as_ref() == Some(&ask_key(prompt)) }
    }
}

/// The key of the question that stops the turn of a prompt.
pub fn ask_key(prompt: &str) -> String {
    format!("ask:{prompt}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::paths::Paths;
    use ah::session::{Asked, Prompt, Shown};

    fn queue(entry: &str, lesson: &str, kind: &str) -> Entry {
        Entry::Queue(Queue { entry: entry.into(), lesson: lesson.into(), kind: kind.into(), grade: 2, check: "c".into() })
    }

    /// A session with these records.
    fn session(dir: &std::path::Path, entries: Vec<(&str, Entry)>) -> Session {
        let home = dir.to_path_buf();
        let paths = Paths::new(&|name| (name == "HOME" || name == "AH_HOME").then(|| home.clone().into())).unwrap();
        let session = Session::open(&paths, "s", "scope").unwrap();
        let lines = entries.into_iter().enumerate().map(|(n, (key, entry))| Logged::new(n as u64, key, entry));
        session.log(lines.collect(), None).unwrap();
        session
    }

    fn memory(entries: Vec<(&str, Entry)>) -> Memory {
        let dir = tempfile::tempdir().unwrap();
        Memory::of(&session(dir.path(), entries)).unwrap()
    }

    fn prompt() -> Entry {
        Entry::Prompt(Prompt { text: "go".into(), ..Prompt::default() })
    }

    #[test]
    fn what_waits_is_what_was_not_shown() {
        let take = |entry: &str| Entry::Take { entries: vec![entry.into()] };
        let shown = Shown { entries: vec!["e1".into()], ids: vec!["a".into()], ..Shown::default() };
        let memory = memory(vec![
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
        ]);
        let waiting: Vec<_> = memory.waiting.iter().map(|w| (w.queue.entry.as_str(), w.again, w.asks())).collect();
        assert_eq!(waiting, [("e2", false, true), ("e3", true, false)]);
        assert_eq!(memory.had, BTreeSet::from(["a".to_owned()]));
        assert_eq!(memory.had_or_waiting().len(), 3);
    }

    #[test]
    fn the_turn_is_what_the_stop_closed() {
        let open = || Entry::Open { score: 1.0, shortlist: vec![], threshold: 0.5, why: "score".into() };
        let test = |pass| Entry::Test { pass };
        let dir = tempfile::tempdir().unwrap();
        let session = session(
            dir.path(),
            vec![
                ("p", test(false)),
                ("stop:1", open()),
                ("q", test(true)),
                ("q", test(false)),
                ("stop:2", open()),
                ("stop:2", open()),
                ("r", test(false)),
            ],
        );
        assert_eq!(Memory::with_turn(&session, Some("stop:2")).unwrap().turn, [test(true)]);
        assert_eq!(Memory::with_turn(&session, None).unwrap().turn, [test(false)]);
        assert!(Memory::with_turn(&session, Some("stop:9")).unwrap().turn.is_empty());
    }

    #[test]
    fn a_turn_is_stopped_once() {
        let asked = |key| (key, Entry::Asked(Asked { channel: "stop".into(), ids: vec!["a".into()], ..Asked::default() }));
        let one = memory(vec![("x", prompt()), asked("ask:p1")]);
        assert!(one.stopped("p1") && one.stopped("") && !one.stopped("p2"));
        assert_eq!(one.unanswered, ["a"]);
        let other = memory(vec![asked("ask:p1"), ("x", prompt())]);
        assert!(other.stopped("p1") && !other.stopped(""));
    }
}
