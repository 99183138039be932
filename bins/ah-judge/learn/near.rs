//! The lessons that are near an episode: BM25 of its words against each lesson's question and situations.

use super::draft::Near;
use crate::episode::Episode;
use ah::lesson::{Lesson, Reach};
use std::collections::{BTreeMap, BTreeSet};

/// Most lessons that the model is told of.
const MOST: usize = 6;
/// BM25's usual parameters, which the reference system has too.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Shortest word that counts, in characters; shorter ones join sentences.
const WORD: usize = 3;

/// The lessons of the store that are nearest to what was said, best first.
pub fn near(episode: &Episode, lessons: &[Lesson]) -> Vec<Near> {
    let tool = episode.rejected_tool.as_deref().unwrap_or_default();
    let query: BTreeSet<String> = [&episode.correction, &episode.task, tool].into_iter().flat_map(words).collect();
    let alive: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.reach != Reach::Personal).collect();
    let texts: Vec<Vec<String>> = alive.iter().map(|lesson| text(lesson)).collect();
    let mut df: BTreeMap<&str, f64> = BTreeMap::new();
    for text in &texts {
        for word in text.iter().map(String::as_str).collect::<BTreeSet<_>>() {
            *df.entry(word).or_default() += 1.0;
        }
    }
    let n = texts.len() as f64;
    let average = texts.iter().map(Vec::len).sum::<usize>() as f64 / n.max(1.0);
    let score = |text: &Vec<String>| -> f64 {
        let norm = K1 * (1.0 - B + B * text.len() as f64 / average.max(1.0));
        let one = |word: &String| {
            let tf = text.iter().filter(|other| *other == word).count() as f64;
            let df = df.get(word.as_str()).copied().unwrap_or_default();
            (1.0 + (n - df + 0.5) / (df + 0.5)).ln() * tf * (K1 + 1.0) / (tf + norm)
        };
        query.iter().map(one).sum()
    };
    let mut ranked: Vec<(f64, &Lesson)> = texts.iter().map(score).zip(alive).filter(|(score, _)| *score > 0.0).collect();
    ranked.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.id.cmp(&y.id)));
    let near = |(_, lesson): (f64, &Lesson)| Near {
        consequence: lesson.consequence.clone(),
        id: lesson.id.clone(),
        question: lesson.question.clone(),
    };
    ranked.into_iter().take(MOST).map(near).collect()
}

fn text(lesson: &Lesson) -> Vec<String> {
    std::iter::once(&lesson.question).chain(&lesson.situations).flat_map(|text| words(text)).collect()
}

/// Words in small letters, without the plural's and the verb's endings.
fn words(text: &str) -> Vec<String> {
    let fold = |word: &str| {
        let word = word.to_lowercase();
        let stem =
            ["ing", "ies", "ed", "es", "s"].iter().find_map(|end| word.strip_suffix(end).filter(|s| s.chars().count() > WORD));
        stem.unwrap_or(&word).to_owned()
    };
    let long = |word: &&str| word.chars().count() >= WORD || !word.is_ascii() && !word.is_empty();
    text.split(|c: char| !c.is_alphanumeric()).filter(long).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_others_not_at_all() {
        let lesson = |id: &str, question: &str, situation: &str| Lesson {
            id: id.into(),
            question: question.into(),
            situations: vec![situation.into()],
            ..Lesson::default()
        };
        let mut all = vec![
            lesson("clock", "Are timestamps kept in UTC?", "store a time in a column"),
            lesson("retry", "Is each retry bounded, with a delay?", "retry a remote call on failure"),
            lesson("pool", "Is the pool used?", "open a connection per request"),
        ];
        let episode = Episode {
            correction: "no, don't retry without delays".into(),
            task: "write the uploader".into(),
            ..Episode::default()
        };
        let ids = |all: &[Lesson]| near(&episode, all).into_iter().map(|near| near.id).collect::<Vec<_>>();
        assert_eq!(ids(&all), ["retry", "pool"]);
        all[1].reach = Reach::Personal;
        assert_eq!(ids(&all), ["pool"]);
        assert!(ids(&[]).is_empty());
        all.extend((0..20).map(|n| lesson(&format!("l{n:02}"), "Is the retry safe?", "retry")));
        assert_eq!(near(&episode, &all).len(), MOST);
    }
}
