//! Deliveries that wait for a verdict: which, and the work around them in true order.

mod evidence;
mod groups;
mod steps;

pub use groups::Pending;
pub use steps::{of as steps_of, steps};

use std::collections::{BTreeMap, BTreeSet};

/// Most lessons that one call judges.
const MOST: usize = 10;

/// How often a lesson is judged that stays unclear.
const TRIES: usize = 2;

/// How lessons reached the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Handed over because their scope was named.
    Early,
    /// Asked while the agent worked.
    Live,
    /// Handed over.
    Queued,
    /// Asked at a stop.
    Stop,
}

impl Channel {
    /// As records have it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Early => "early",
            Self::Live => "live",
            Self::Queued => "queued",
            Self::Stop => "stop",
        }
    }

    /// Whether they were asked, and not handed over.
    pub fn asks(self) -> bool {
        matches!(self, Self::Live | Self::Stop)
    }
}

/// What happened in a session, in true order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// What the agent said at a stop.
    Said(String),
    /// Lessons reached the agent, each with the check that chose it.
    Delivered {
        /// The lessons.
        ids: Vec<(String, String)>,
        /// How.
        channel: Channel,
    },
    /// A verdict.
    Judged {
        /// On which lesson.
        id: String,
        /// It stands; else it was unclear.
        settled: bool,
    },
    /// The agent did something.
    Work(String),
}

/// A delivery that is not judged yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// How it reached the agent.
    pub channel: Channel,
    /// The check that chose it.
    pub check: String,
    /// The lesson.
    pub id: String,
    /// At which step it was delivered.
    step: usize,
}

/// What became of each delivery of a session, the last of each lesson: for the session's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The delivery.
    pub due: Due,
    /// `judged`, `tries`, or `no_call`.
    pub why: &'static str,
}

/// The last delivery of each lesson, in the order of delivery, and what came of it.
pub fn fates(steps: &[Step]) -> Vec<Fate> {
    let mut last: BTreeMap<&str, (Due, usize, bool)> = BTreeMap::new();
    for (step, what) in steps.iter().enumerate() {
        match what {
            Step::Delivered { ids, channel } => {
                for (id, check) in ids {
                    let due = Due { channel: *channel, check: check.clone(), id: id.clone(), step };
                    last.insert(id, (due, 0, false));
                }
            }
            Step::Judged { id, settled } => {
                if let Some((_, tries, done)) = last.get_mut(id.as_str()) {
                    *tries += 1;
                    *done |= settled;
                }
            }
            Step::Said(_) | Step::Work(_) => {}
        }
    }
    let mut all: Vec<Fate> = last
        .into_values()
        .map(|(due, tries, done)| {
            let why = if done {
                "judged"
            } else if tries >= TRIES {
                "tries"
            } else {
                "no_call"
            };
            Fate { due, why }
        })
        .collect();
    all.sort_by(|a, b| (a.due.step, &a.due.id).cmp(&(b.due.step, &b.due.id)));
    all
}

/// What waits for a verdict and has something to judge it by: the newest questions first, then what was handed over,
/// ten at most. `known` are the lessons of the store. In the background (`live`) a question waits until it is answered.
pub fn due(steps: &[Step], known: &BTreeSet<&str>, live: bool) -> Vec<Due> {
    let since = |due: &Due| &steps[due.step + 1..];
    let said = |due: &Due| since(due).iter().any(|step| matches!(step, Step::Said(_)));
    let moved = |due: &Due| since(due).iter().any(|step| matches!(step, Step::Said(_) | Step::Work(_)));
    let mut all: Vec<Due> = fates(steps)
        .into_iter()
        .filter(|fate| fate.why == "no_call")
        .map(|fate| fate.due)
        .filter(|due| known.contains(due.id.as_str()) && moved(due))
        .filter(|due| !live || !due.channel.asks() || said(due))
        .collect();
    all.sort_by_key(|due| (!due.channel.asks(), std::cmp::Reverse(due.step)));
    all.truncate(MOST);
    all.sort_by(|a, b| (a.step, &a.id).cmp(&(b.step, &b.id)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn shown(ids: &[&str], question: bool) -> Step {
        Step::Delivered {
            ids: ids.iter().map(|id| ((*id).to_owned(), format!("c-{id}"))).collect(),
            channel: if question { Channel::Stop } else { Channel::Queued },
        }
    }

    pub(super) fn work(text: &str) -> Step {
        Step::Work(text.to_owned())
    }

    fn judged(id: &str, settled: bool) -> Step {
        Step::Judged { id: id.to_owned(), settled }
    }

    fn ids(steps: &[Step], live: bool) -> Vec<String> {
        due(steps, &BTreeSet::from(["a", "b", "c"]), live).into_iter().map(|due| due.id).collect()
    }

    #[test]
    fn a_verdict_is_due_once_something_happened() {
        let mut steps = vec![work("x"), shown(&["a"], true)];
        assert!(ids(&steps, false).is_empty());
        steps.push(work("y"));
        assert_eq!((ids(&steps, false), ids(&steps, true)), (vec!["a".to_owned()], vec![]));
        steps.push(Step::Said("a: applies".into()));
        assert_eq!(ids(&steps, true), ["a"]);
        steps.push(shown(&["gone"], true));
        steps.push(work("z"));
        assert_eq!(ids(&steps, false), ["a"]);
    }

    #[test]
    fn two_tries_then_it_is_left() {
        let mut steps = vec![shown(&["a", "b"], true), work("y"), judged("a", false), judged("b", true)];
        assert_eq!(ids(&steps, false), ["a"]);
        steps.push(judged("a", false));
        assert!(ids(&steps, false).is_empty());
        let why: Vec<(String, &str)> = fates(&steps).into_iter().map(|fate| (fate.due.id, fate.why)).collect();
        assert_eq!(why, [("a".to_owned(), "tries"), ("b".to_owned(), "judged")]);
        // Delivered once more, it is judged once more, by what came after that.
        steps.extend([shown(&["a"], false), work("z")]);
        assert_eq!(ids(&steps, false), ["a"]);
    }

    #[test]
    fn ten_at_most_and_questions_first() {
        let names: Vec<String> = (0..30).map(|n| format!("l{n:02}")).collect();
        let mut steps: Vec<Step> = names.iter().map(|id| shown(&[id.as_str()], id.as_str() < "l12")).collect();
        steps.push(work("y"));
        let known: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let due = due(&steps, &known, false);
        assert_eq!((due.len(), due[0].id.as_str(), due[9].id.as_str()), (10, "l02", "l11"));
    }
}
