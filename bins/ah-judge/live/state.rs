//! Where a session stands between two background checks, from the end of its log.

use super::decide::{self, Wait};
use super::mode::Live;
use ah::fs::Lock;
use ah::session::{Entry, Logged, Mark, Session};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

/// How many turns back the last mark is looked for: what is older debounces nothing.
const TURNS: usize = 4;

/// Where a session stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// How many calls of this turn changed something.
    pub count: u64,
    /// What the last check left.
    pub mark: Option<Mark>,
    /// The turn: the key of the closing line before it, empty for the first.
    pub turn: String,
}

impl State {
    /// By the log. `key` is the call that is just being handled, and whether it changes something: parallel hooks may
    /// have recorded it already or not yet. `closed` is the line that closed the turn in question, where it is over.
    ///
    /// # Errors
    /// The system's.
    pub fn of(session: &Session, key: Option<(&str, bool)>, closed: Option<&str>) -> io::Result<Self> {
        let mut state = Self::default();
        let mut turns = 0;
        let mut changed = BTreeSet::new();
        let mut nameless = 0;
        session.entries_back(|Logged { entry, key, t, .. }| {
            match entry {
                closing if closing.closes() && turns == 0 && closed == Some(&*key) => {}
                Entry::Change { .. } if turns == 0 && key.is_empty() => nameless += 1,
                Entry::Change { .. } if turns == 0 => {
                    changed.insert(key);
                }
                Entry::Mark(mark) if state.mark.is_none() => {
                    state.mark = Some(mark);
                    return turns == 0;
                }
                closing if closing.closes() => {
                    if turns == 0 {
                        state.turn = if key.is_empty() { t.to_string() } else { key };
                    }
                    turns += 1;
                }
                _ => {}
            }
            turns < TURNS && (turns == 0 || state.mark.is_none())
        })?;
        if let Some((key, true)) = key {
            changed.insert(key.to_owned());
        }
        state.count = changed.len() as u64 + nameless;
        Ok(state)
    }

    /// Whether a check begins at `now`; `held` says that one runs.
    pub fn decide(&self, live: &Live, held: bool, now: u64) -> Result<(), Wait> {
        let debounce = decide::debounce(live.debounce, self.mark.as_ref().map_or(0, |mark| mark.failed));
        decide::decide(live.on, held, self.count, self.last(), now, debounce)
    }

    /// Whether a check of this turn has seen every change.
    pub fn covered(&self) -> bool {
        decide::covered(self.count, self.last(), 1)
    }

    /// The mark in numbers: what an earlier turn covered is nothing of this one.
    fn last(&self) -> Option<decide::Mark> {
        let mark = self.mark.as_ref()?;
        let same = mark.turn == self.turn;
        let covered = if same { mark.covered } else { 0 };
        Some(decide::Mark { covered, started: mark.started, turn: u64::from(same) })
    }

    /// What this check leaves: it began at `started`, and has `seen` all that changed, or failed, or neither.
    pub fn mark(&self, started: u64, seen: bool, failed: bool) -> Mark {
        let before = self.mark.clone().unwrap_or_default();
        let covered = match seen {
            true => self.count,
            false => self.last().map_or(0, |mark| mark.covered),
        };
        Mark {
            checks: before.checks + u64::from(seen || failed),
            covered,
            failed: if failed { before.failed + 1 } else { 0 },
            started,
            turn: self.turn.clone(),
        }
    }
}

/// Takes the lock that a running check holds; the kernel gives it back however its holder ends.
///
/// # Errors
/// `WouldBlock` when a check ran all the time, else the system's.
pub fn lock(session: &Session, wait: Duration) -> io::Result<Lock> {
    let file = session.file();
    if let Some(dir) = file.parent() {
        ah::fs::ensure_dir(dir)?;
    }
    ah::fs::lock(&file.with_extension("check.lock"), wait)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::paths::Paths;

    const LIVE: Live = Live { bar: 0.6, checks: 20, debounce: 45_000, on: true };

    fn change(key: &str) -> Logged {
        Logged::new(1, key, Entry::Change { reason: String::new(), sub: false, tool: "Edit".into() })
    }

    fn open(key: &str) -> Logged {
        Logged::new(1, key, Entry::Skip { score: 0.0, threshold: 1.0, why: "below".into() })
    }

    #[test]
    fn changes_of_the_turn_are_counted_and_covered_ones_known() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::new(&|name| (name == "HOME").then(|| home.path().as_os_str().to_owned())).unwrap();
        let session = Session::open(&paths, "s", "x").unwrap();
        let state = |key| State::of(&session, key, None).unwrap();
        assert_eq!(state(None), State::default());
        assert_eq!(state(Some(("a", true))).decide(&LIVE, false, 5), Ok(()));
        session.log(vec![change("old"), open("stop:1"), change("a"), change("a"), change("b")], None).unwrap();
        assert_eq!((state(Some(("b", true))).count, state(Some(("c", true))).count, state(None).count), (2, 3, 2));
        let first = state(None);
        session.log(vec![Logged::new(9, "", Entry::Mark(first.mark(100_000, true, false)))], None).unwrap();
        let now = state(None);
        assert!(now.covered() && now.turn == "stop:1" && now.mark.as_ref().unwrap().checks == 1);
        assert_eq!(now.decide(&LIVE, false, 200_000), Err(Wait::Nothing));
        assert_eq!(state(Some(("c", true))).decide(&LIVE, false, 120_000), Err(Wait::Debounce));
        assert_eq!(state(Some(("c", true))).decide(&LIVE, true, 200_000), Err(Wait::Running));
        // The stop's own closing line is of the same turn; in the next one nothing is covered, but the time between holds.
        session.log(vec![open("stop:2")], None).unwrap();
        let closed = |key| State::of(&session, None, Some(key)).unwrap().covered();
        assert!(closed("stop:2") && !closed("stop:1"));
        session.log(vec![change("d")], None).unwrap();
        let next = state(None);
        assert!(!next.covered() && next.count == 1);
        assert_eq!((next.decide(&LIVE, false, 120_000), next.decide(&LIVE, false, 145_000)), (Err(Wait::Debounce), Ok(())));
        // A failure covers nothing and doubles the time.
        session.log(vec![Logged::new(9, "", Entry::Mark(next.mark(145_000, false, true)))], None).unwrap();
        let failed = state(None);
        assert_eq!((failed.decide(&LIVE, false, 200_000), failed.decide(&LIVE, false, 235_000)), (Err(Wait::Debounce), Ok(())));
        assert_eq!(
            (failed.mark(1, false, true).failed, failed.mark(1, true, false).failed, failed.mark(1, true, false).checks),
            (2, 0, 3)
        );
    }
}
