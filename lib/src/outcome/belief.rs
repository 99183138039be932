//! What the outcomes of a lesson say of its use: a Beta belief, and how long ago it was of use.

use super::{Kind, Outcome};
use crate::math;
use std::collections::{BTreeMap, BTreeSet};

/// Ignored in so many sessions and never of use: the lesson is muted.
const MUTED: u64 = 5;

/// What is known of one lesson's use. All counts are of sessions: in one session the worst word on a lesson counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Belief {
    /// How often the agent saw it.
    pub asked: u64,
    /// It changed the work, which then no longer led to the consequence.
    pub changed: u64,
    /// The same thing was corrected by a person afterwards.
    pub corrected: u64,
    /// The work stayed as it was.
    pub ignored: u64,
    /// The sum of what it is to blame for.
    pub regretted: f64,
    /// A test showed that it was right.
    pub tested: u64,
    /// How often a verdict was none.
    pub unclear: u64,
    /// A person did not want it.
    pub vetoed: u64,
    /// ln of the sum over its uses of (sessions since)^-d; the use that every lesson has is its making.
    pub activation: f64,
    /// Of use in at least three sessions of at least two repositories: it fades more slowly (d is 0.3, else 0.5).
    pub consolidated: bool,
    /// It is left out until a person unmutes it.
    pub muted: bool,
}

impl Belief {
    /// The first parameter of Beta(alpha, beta): 1, and what speaks for it.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        1.0 + self.changed as f64 + 0.5 * self.tested as f64
    }

    /// The second one: 1, and what speaks against it. A correction counts 2 and a veto 3.
    #[must_use]
    pub fn beta(&self) -> f64 {
        1.0 + self.ignored as f64 + 2.0 * self.corrected as f64 + 3.0 * self.vetoed as f64 + self.regretted
    }

    /// How likely it is to be of use, 0 to 1; half for one of which nothing is known.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.alpha() / (self.alpha() + self.beta())
    }

    /// How many sessions have said something of its use.
    #[must_use]
    pub fn results(&self) -> u64 {
        self.changed + self.ignored + self.corrected + self.vetoed
    }

    /// The activation between 0 and 2; 1 for a new lesson.
    #[must_use]
    pub fn squash(&self) -> f64 {
        2.0 / (1.0 + math::exp(-self.activation / 2.0))
    }

    /// Not consolidated, and not of use for some 55 sessions.
    #[must_use]
    pub fn dormant(&self) -> bool {
        !self.consolidated && self.activation < -2.0
    }

    /// By what the reference system multiplies a lesson's relevance.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.squash() * (0.5 + self.mean())
    }

    /// By what a lesson's relevance is multiplied to order lessons, 0.5 to 1.5: 1 until three sessions have said
    /// something, and never less because time went by.
    #[must_use]
    pub fn order(&self) -> f64 {
        if self.results() < 3 { 1.0 } else { 0.5 + self.mean() }
    }
}

/// What a log says of all lessons.
#[derive(Clone, Debug, Default)]
pub struct Beliefs {
    /// When each session began, in order.
    sessions: Vec<u64>,
    lessons: BTreeMap<String, Notes>,
}

/// What the log says of one lesson.
#[derive(Clone, Debug, Default)]
struct Notes {
    counts: Belief,
    /// The repositories in which it was of use.
    repos: BTreeSet<String>,
    /// The sessions in which it was of use, by their place in the order, from 1.
    uses: BTreeSet<u64>,
}

impl Beliefs {
    /// The beliefs after `outcomes`, in whatever order they are.
    #[must_use]
    pub fn of(outcomes: &[Outcome]) -> Self {
        // A placebo was never shown: it says nothing.
        let seen = || outcomes.iter().filter(|o| o.channel != "placebo");
        let mut begun: BTreeMap<&str, u64> = BTreeMap::new();
        for outcome in seen().filter(|o| ticks(o.kind)) {
            let at = begun.entry(&outcome.session).or_insert(outcome.ms);
            *at = (*at).min(outcome.ms);
        }
        let mut order: Vec<(u64, &str)> = begun.iter().map(|(session, ms)| (*ms, *session)).collect();
        order.sort_unstable();
        let tick: BTreeMap<&str, u64> = order.iter().zip(1..).map(|((_, session), n)| (*session, n)).collect();
        let mut beliefs = Self { sessions: order.iter().map(|(ms, _)| *ms).collect(), lessons: BTreeMap::new() };
        let mut results: BTreeMap<(&str, &str), (u8, u64)> = BTreeMap::new();
        let mut tested = BTreeSet::new();
        let mut unmuted: BTreeMap<&str, u64> = BTreeMap::new();
        for outcome in seen() {
            for lesson in &outcome.lessons {
                let notes = beliefs.lessons.entry(lesson.clone()).or_default();
                match outcome.kind {
                    Kind::Asked => notes.counts.asked += 1,
                    Kind::AskedUnclear => notes.counts.unclear += 1,
                    Kind::Regretted => notes.counts.regretted += outcome.credit.clamp(0.0, 1.0),
                    Kind::Unmuted => {
                        let at = unmuted.entry(lesson).or_default();
                        *at = (*at).max(outcome.ms);
                    }
                    Kind::Tested if tested.insert((&outcome.session, lesson)) => notes.counts.tested += 1,
                    Kind::AskedThenChanged => {
                        notes.uses.extend(tick.get(outcome.session.as_str()));
                        notes.repos.insert(outcome.repo.clone());
                    }
                    _ => {}
                }
                if let Some(word) = word(outcome.kind) {
                    let result = results.entry((&outcome.session, lesson)).or_default();
                    *result = (*result).max((word, outcome.ms));
                }
            }
        }
        for ((_, lesson), (word, ms)) in results {
            let Some(notes) = beliefs.lessons.get_mut(lesson) else { continue };
            let counts = &mut notes.counts;
            match word {
                1 if unmuted.get(lesson).is_some_and(|at| *at >= ms) => {}
                1 => counts.ignored += 1,
                2 => counts.changed += 1,
                3 => counts.corrected += 1,
                _ => counts.vetoed += 1,
            }
        }
        for notes in beliefs.lessons.values_mut() {
            let counts = &mut notes.counts;
            counts.consolidated = notes.uses.len() >= 3 && notes.repos.len() >= 2;
            counts.muted = counts.changed == 0 && counts.tested == 0 && counts.ignored >= MUTED;
        }
        beliefs
    }

    /// What is believed of a lesson that was made at `origin_ms`.
    #[must_use]
    pub fn get(&self, lesson: &str, origin_ms: u64) -> Belief {
        let notes = self.lessons.get(lesson).cloned().unwrap_or_default();
        let now = self.sessions.len() as u64 + 1;
        let made = self.sessions.iter().filter(|ms| **ms < origin_ms).count() as u64 + 1;
        let fading = if notes.counts.consolidated { -0.3 } else { -0.5 };
        let uses = std::iter::once(made).chain(notes.uses);
        let sum: f64 = uses.map(|tick| math::pow((now - tick.min(now) + 1) as f64, fading)).sum();
        Belief { activation: math::ln(sum), ..notes.counts }
    }
}

/// Whether it moves the clock of sessions on.
fn ticks(kind: Kind) -> bool {
    word(kind).is_some() || matches!(kind, Kind::AppliedThenCorrected | Kind::Asked | Kind::AskedNotCorrected | Kind::Regretted)
}

/// The words on a lesson in a session, the worst last.
fn word(kind: Kind) -> Option<u8> {
    match kind {
        Kind::AskedIgnored => Some(1),
        Kind::AskedThenChanged => Some(2),
        Kind::AskedThenCorrected => Some(3),
        Kind::Vetoed => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn near(a: f64, b: &Value) -> bool {
        (a - b.as_f64().unwrap()).abs() < 1e-9
    }

    #[test]
    fn golden() {
        let lines = include_str!("../../../tests/data/golden/inputs/weighted/outcomes.jsonl").lines();
        let outcomes: Vec<Outcome> = lines.map(|line| Outcome::read(line.as_bytes()).unwrap()).collect();
        let lessons: BTreeMap<String, u64> = include_str!("../../../tests/data/golden/inputs/weighted/lessons.jsonl")
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|lesson| (lesson["id"].as_str().unwrap().to_owned(), lesson["origin_ms"].as_u64().unwrap()))
            .collect();
        let beliefs = Beliefs::of(&outcomes);
        let rows: Vec<Value> = serde_json::from_str(include_str!("../../../tests/data/golden/memory_weighted.json")).unwrap();
        assert_eq!(rows.len(), 12);
        for row in rows {
            let id = row["id"].as_str().unwrap();
            let belief = beliefs.get(id, lessons[id]);
            let counts = [belief.changed, belief.ignored, belief.corrected, belief.vetoed, belief.tested];
            let want = ["changed", "ignored", "corrected", "vetoed", "tested"].map(|name| row[name].as_u64().unwrap());
            // The reference counts each veto and correction; where both a change and a veto came, the veto stands.
            assert_eq!(counts, want, "{id}");
            assert!(near(belief.regretted, &row["regretted"]) && near(belief.mean(), &row["mean"]), "{id}");
            assert!(near(belief.alpha(), &row["alpha"]) && near(belief.beta(), &row["beta"]), "{id}");
            assert!(near(belief.activation, &row["activation"]) && near(belief.squash(), &row["squash"]), "{id}");
            assert!(near(belief.weight(), &row["weight"]), "{id}");
            assert_eq!((belief.consolidated, belief.dormant()), (row["consolidated"] == true, row["dormant"] == true), "{id}");
        }
    }

    fn said(kind: Kind, session: u64, ms: u64) -> Outcome {
        Outcome::new(kind, &format!("s{session}"), "w", ms, vec!["L-a".into()])
    }

    #[test]
    fn one_that_never_changes_anything_is_muted_until_a_person_says_otherwise() {
        let mut outcomes: Vec<Outcome> = (0..4).map(|n| said(Kind::AskedIgnored, n, n)).collect();
        // A second time in one session counts once.
        outcomes.push(said(Kind::AskedIgnored, 3, 4));
        assert!(!Beliefs::of(&outcomes).get("L-a", 0).muted);
        outcomes.push(said(Kind::AskedIgnored, 4, 5));
        assert!(Beliefs::of(&outcomes).get("L-a", 0).muted);
        let again = [outcomes.clone(), vec![said(Kind::Unmuted, 9, 6)]].concat();
        assert!(!Beliefs::of(&again).get("L-a", 0).muted);
        outcomes.push(said(Kind::AskedThenChanged, 5, 7));
        assert!(!Beliefs::of(&outcomes).get("L-a", 0).muted);
    }

    #[test]
    fn order_waits_for_three_results_and_does_not_fade() {
        assert!((Beliefs::default().get("L-a", 0).order() - 1.0).abs() < 1e-12);
        let mut outcomes: Vec<Outcome> = (0..3).map(|n| said(Kind::AskedThenChanged, n, n)).collect();
        let order = Beliefs::of(&outcomes).get("L-a", 0).order();
        assert!((order - 1.3).abs() < 1e-9, "{order}");
        outcomes.extend((10..500).map(|n| Outcome { lessons: vec!["L-b".into()], ..said(Kind::Asked, n, n) }));
        assert!((Beliefs::of(&outcomes).get("L-a", 0).order() - order).abs() < 1e-12);
        assert!(Beliefs::of(&outcomes).get("L-b", 0).dormant());
    }
}
