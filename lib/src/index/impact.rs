//! What a word of a turn would add to a lesson's score: the formula's part that can be computed beforehand.
//!
//! Measured on `gate/turns.jsonl` against BM25, coverage and learned mixtures; CHANGELOG.md has the figures. A lesson's sum
//! is divided by the deviation that it would have over ordinary text, so that long and common-worded lessons score no
//! higher than short and rare-worded ones.

use super::background::share;
use super::language::languages;
use super::sample::{Form, Sample};
use crate::lesson::Lesson;
use crate::math::ln;
use crate::tokens::words;
use std::collections::BTreeMap;

/// A word of the situations or the consequence, beside one of the question.
const ASIDE: f64 = 0.6;
/// So many lessons' worth of ordinary text is mixed into a store's own counts.
const PRIOR: f64 = 100.0;
/// What a word must be rarer than, in nats, to count at all: those that more than one in seven lessons or ordinary texts
/// have. Their lists are the longest, and without them the gate is a little better (AUC .843 instead of .837).
const LEAST: f64 = 2.0;
/// What is taken off a word's rarity.
const FLOOR: f64 = 0.5;
/// A piece of a turn has each word so much more often than a piece of ordinary text.
const DENSITY: f64 = 3.0;
/// Added to the deviation, so that one rare word is not everything.
const STEADY: f64 = 0.5;

/// The hash by which words are known (FNV-1a, 64 bits folded to 32). Two of 50,000 words share one by a chance of a
/// quarter, and then count as one word with and without an index.
#[must_use]
pub fn hash(word: &str) -> u32 {
    let hash =
        word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash ^ (hash >> 32)) as u32
}

/// How this module makes words of lessons, for an index.
pub static FORM: Form = Form { impacts, languages: named, version: 5, worths };

/// The words of a lesson with what each is worth by where it stands, each once.
fn worths(lesson: &Lesson) -> BTreeMap<u32, f64> {
    let mut all: BTreeMap<u32, f64> = BTreeMap::new();
    let aside = lesson.situations.iter().chain([&lesson.consequence]);
    // A key is a name that somebody chose, in most stores.
    let whole = [&lesson.id, &lesson.question].into_iter().chain(lesson.facets.iter());
    for (texts, worth) in [(aside.collect::<Vec<_>>(), ASIDE), (whole.collect(), 1.0)] {
        for text in texts {
            words(text, |word| {
                let known = all.entry(hash(word)).or_insert(worth);
                *known = worth.max(*known);
            });
        }
    }
    all
}

/// The languages that a lesson names.
fn named(lesson: &Lesson) -> u32 {
    lesson.situations.iter().fold(languages(&lesson.question), |bits, text| bits | languages(text))
}

/// The impact of each word of a lesson; words that say nothing are left out.
fn impacts(worths: &BTreeMap<u32, f64>, sample: &Sample) -> Vec<(u32, f64)> {
    let mut values: Vec<(u32, f64)> =
        worths.iter().map(|(word, worth)| (*word, worth * weight(share(*word), sample.df(*word), sample.n))).collect();
    values.retain(|(_, value)| *value > 0.0);
    let spread = |(word, value): &(u32, f64)| {
        let often = (DENSITY * share(*word)).min(0.5);
        value * value * often * (1.0 - often)
    };
    let norm = values.iter().map(spread).sum::<f64>().sqrt() + STEADY;
    values.iter_mut().for_each(|(_, value)| *value /= norm);
    values
}

/// How much a word says that is in this share of ordinary text and in `df` of `n` lessons.
fn weight(ordinary: f64, df: u32, n: u32) -> f64 {
    let rarity = (f64::from(n) + PRIOR) / (f64::from(df) + PRIOR * ordinary + 0.5);
    let rarity = ln(rarity);
    if rarity < LEAST { 0.0 } else { rarity - FLOOR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_the_commonest_nothing() {
        let weigh = |word: &str, df| weight(share(hash(word)), df, 100);
        assert!(weigh("mutex", 1) > weigh("mutex", 20) && weigh("mutex", 1) > weigh("fil", 1));
        assert!(weigh("the", 90) == 0.0);
    }
}
