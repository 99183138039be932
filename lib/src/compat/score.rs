//! The reference's gate: the best lesson's BM25 over the idf of a word that only one lesson has.

use super::bm25::Bm25;
use super::context::{turn, work_text};
use super::trust::{NEUTRAL, hidden, trust};
use crate::lesson::Lesson;
use crate::math;
use crate::outcome::{Beliefs, Outcome};
use crate::tokens::tokens;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Below it a stop asks no model: about eight rare words of one question.
pub const THRESHOLD: f64 = 8.0;

/// So many lessons are listed.
const LISTED: usize = 20;

/// What the reference computes of a context.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scored {
    /// How many lessons there are.
    pub n: usize,
    /// Different words of the turn.
    pub qtokens: usize,
    /// The best relevance over [`idf_max`].
    pub score: f64,
    /// The best lessons for the whole context.
    pub shortlist: Vec<String>,
    /// The length of the turn's work text, in bytes.
    pub turn_chars: usize,
    /// The best lessons for the turn.
    pub turn_ids: Vec<String>,
    /// Their relevance.
    pub turn_scores: Vec<f64>,
}

/// The idf of a word that is in exactly one of `n` lessons; 0 where there are none.
#[must_use]
pub fn idf_max(n: usize) -> f64 {
    if n == 0 { 0.0 } else { math::ln(1.0 + (n as f64 - 0.5) / 1.5) }
}

/// Scores a context against lessons, with what is known of their use.
#[must_use]
pub fn score(lessons: &[Lesson], outcomes: &[Outcome], context: &str) -> Scored {
    Index::new(lessons, outcomes, trust(lessons, outcomes)).score(context)
}

struct Index<'l> {
    beliefs: Beliefs,
    bm25: Bm25,
    lessons: &'l [Lesson],
    outcomes: bool,
    trust: Vec<f64>,
}

impl<'l> Index<'l> {
    fn new(lessons: &'l [Lesson], outcomes: &[Outcome], trust: Vec<f64>) -> Self {
        let documents = |lesson: &Lesson| {
            let facets = lesson.facets.iter().filter(|facet| !facet.trim().is_empty());
            [&lesson.question].into_iter().chain(facets).map(|text| tokens(text)).collect()
        };
        let groups: Vec<Vec<Vec<String>>> = lessons.iter().map(documents).collect();
        Self { beliefs: Beliefs::of(outcomes), bm25: Bm25::new(&groups), lessons, outcomes: !outcomes.is_empty(), trust }
    }

    fn score(&self, context: &str) -> Scored {
        let now = work_text(turn(context));
        let ranked = self.rank(&now);
        let whole = self.rank(&work_text(context));
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let max = idf_max(self.lessons.len());
        let ids = |ranked: &[(usize, f64)]| ranked.iter().take(LISTED).map(|(at, _)| self.lessons[*at].id.clone()).collect();
        Scored {
            n: self.lessons.len(),
            qtokens: tokens(&now).into_iter().collect::<BTreeSet<_>>().len(),
            score: if max > 0.0 { best / max } else { 0.0 },
            shortlist: ids(&whole),
            turn_chars: now.len(),
            turn_ids: ids(&ranked),
            turn_scores: ranked.iter().take(LISTED).map(|(_, score)| *score).collect(),
        }
    }

    /// The lessons that match, the best first.
    fn rank(&self, text: &str) -> Vec<(usize, f64)> {
        let mut raw = self.bm25.scores(&tokens(text));
        let belief = |at: usize| self.beliefs.get(&self.lessons[at].id, self.lessons[at].origin_ms);
        let best = raw.iter().copied().fold(0.0, f64::max);
        for (at, lesson) in self.lessons.iter().enumerate() {
            let asleep = self.outcomes && belief(at).dormant() && raw[at] < 0.8 * best;
            if asleep || !lesson.in_scope(text) {
                raw[at] = 0.0;
            }
        }
        let hidden = hidden(self.lessons, &self.trust);
        let own = raw.clone();
        for (under, over) in &hidden {
            raw[*over] = raw[*over].max(own[*under]);
        }
        let weight = |at: usize| if self.outcomes { belief(at).weight() } else { 1.0 };
        let all = (0..raw.len()).filter(|at| !hidden.contains_key(at));
        let mut ranked: Vec<(usize, f64)> = all.map(|at| (at, raw[at] * weight(at) * self.trust[at] / NEUTRAL)).collect();
        ranked.retain(|(_, score)| *score > 0.0);
        let newer = |a: usize, b: usize| self.lessons[b].origin_ms.cmp(&self.lessons[a].origin_ms);
        ranked.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then_with(|| newer(a.0, b.0)));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn lessons(text: &str) -> Vec<Lesson> {
        text.lines().filter_map(|line| Lesson::read(line.as_bytes()).ok()).collect()
    }

    fn close(a: f64, b: &Value) -> bool {
        b.as_f64().is_some_and(|b| (a - b).abs() < 1e-9)
    }

    fn check(golden: &str, lessons: &[Lesson], outcomes: &[Outcome]) {
        let golden: Value = serde_json::from_str(golden).unwrap();
        assert!(close(idf_max(lessons.len()), &golden["idf_max"]));
        let cases = golden["cases"].as_array().unwrap();
        assert!(cases.len() > 60);
        for case in cases {
            let context = case["context"].as_str().unwrap();
            assert_eq!(turn(context), case["turn"].as_str().unwrap());
            let scored = score(lessons, outcomes, context);
            let want = &case["features"];
            assert!(close(scored.score, &case["score"]), "{}: {} is not {}", case["name"], scored.score, case["score"]);
            assert_eq!(serde_json::json!(scored.turn_ids), want["turn_ids"], "{}", case["name"]);
            assert_eq!(serde_json::json!(scored.shortlist), want["shortlist"], "{}", case["name"]);
            assert_eq!(
                (scored.qtokens as u64, scored.turn_chars as u64, scored.n as u64),
                (want["qtokens"].as_u64().unwrap(), want["turn_chars"].as_u64().unwrap(), want["n"].as_u64().unwrap()),
                "{}",
                case["name"]
            );
            let scores = want["turn_scores"].as_array().unwrap();
            assert!(
                scored.turn_scores.len() == scores.len() && scored.turn_scores.iter().zip(scores).all(|(a, b)| close(*a, b)),
                "{}",
                case["name"]
            );
            let skips = scored.score < THRESHOLD;
            assert_eq!(skips, !case["skip"].is_null(), "{}", case["name"]);
        }
    }

    const SIXTY: &str = include_str!("../../../tests/data/golden/inputs/lessons60.jsonl");

    #[test]
    fn golden_scores() {
        check(
            include_str!("../../../tests/data/golden/score_lessons12.json"),
            &lessons(include_str!("../../../tests/data/golden/inputs/lessons12.jsonl")),
            &[],
        );
        check(include_str!("../../../tests/data/golden/score_lessons60.json"), &lessons(SIXTY), &[]);
    }

    #[test]
    fn golden_scores_with_outcomes() {
        let outcomes: Vec<Outcome> = include_str!("../../../tests/data/golden/inputs/weighted/outcomes.jsonl")
            .lines()
            .filter_map(|line| Outcome::read(line.as_bytes()))
            .collect();
        check(
            include_str!("../../../tests/data/golden/score_weighted.json"),
            &lessons(include_str!("../../../tests/data/golden/inputs/weighted/lessons.jsonl")),
            &outcomes,
        );
    }

    #[test]
    fn golden_prefixes() {
        let golden: Value = serde_json::from_str(include_str!("../../../tests/data/golden/score_prefixes.json")).unwrap();
        let contexts: Vec<Value> = include_str!("../../../tests/data/golden/inputs/contexts.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let all = lessons(SIXTY);
        let wanted = |n: usize, name: &Value| {
            let cases = golden["cases"].as_array().unwrap();
            cases.iter().find(|case| case["n"] == n && case["name"] == *name).map_or(0.0, |case| case["score"].as_f64().unwrap())
        };
        for n in [0, 1, 2, 3, 5, 30] {
            for context in &contexts {
                // The reference had judged its engineers by the whole store.
                let trust = trust(&all, &[])[..n].to_vec();
                let scored = Index::new(&all[..n], &[], trust).score(context["context"].as_str().unwrap());
                assert!((scored.score - wanted(n, &context["name"])).abs() < 1e-9, "{n} {}", context["name"]);
            }
        }
    }

    #[test]
    fn more_words_never_score_less() {
        let all = lessons(SIXTY);
        let golden: Vec<Value> = include_str!("../../../tests/data/golden/inputs/contexts.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        // Scope names that come into the text add lessons, and nothing takes any away.
        for pair in golden.windows(2) {
            let (a, b) = (work_text(pair[0]["context"].as_str().unwrap()), work_text(pair[1]["context"].as_str().unwrap()));
            let one = score(&all, &[], &a).score;
            assert!(score(&all, &[], &format!("{a}\n{b}")).score >= one - 1e-9);
        }
    }
}
