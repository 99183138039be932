//! The lessons that are near an episode: BM25 of its words against each lesson's question and situations.

use super::draft::Near;
use crate::episode::Episode;
use ah::compat::Bm25;
use ah::lesson::{Lesson, Reach};
use ah::tokens;

/// Most lessons that the model is told of.
const MOST: usize = 6;

/// Words that say nothing of what a lesson is about.
const COMMON: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "be", "before", "by", "did", "do", "does", "don", "each", "every", "for", "from",
    "has", "have", "i", "in", "instead", "is", "it", "its", "no", "not", "of", "on", "one", "or", "so", "that", "the", "there",
    "this", "to", "was", "were", "when", "which", "with", "without", "you",
];

/// The lessons of the store that are nearest to what was said, best first.
pub fn near(episode: &Episode, lessons: &[Lesson]) -> Vec<Near> {
    let tool = episode.rejected_tool.as_deref().unwrap_or_default();
    let query: Vec<String> = [&episode.correction, &episode.task, tool].into_iter().flat_map(words).collect();
    let alive: Vec<&Lesson> = lessons.iter().filter(|lesson| lesson.reach != Reach::Personal).collect();
    let text =
        |lesson: &&Lesson| vec![std::iter::once(&lesson.question).chain(&lesson.situations).flat_map(|t| words(t)).collect()];
    let scores = Bm25::new(&alive.iter().map(text).collect::<Vec<_>>()).scores(&query);
    let mut ranked: Vec<(f64, &Lesson)> = scores.into_iter().zip(alive).filter(|(score, _)| *score > 0.0).collect();
    ranked.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.id.cmp(&y.id)));
    let near = |(_, lesson): (f64, &Lesson)| Near {
        consequence: lesson.consequence.clone(),
        id: lesson.id.clone(),
        question: lesson.question.clone(),
    };
    ranked.into_iter().take(MOST).map(near).collect()
}

/// The words of a text that say what it is about.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    tokens::words(text, |word| {
        if !COMMON.contains(&word) {
            words.push(word.to_owned());
        }
    });
    words
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
        assert_eq!(ids(&all), ["retry"]);
        all[1].reach = Reach::Personal;
        assert!(ids(&all).is_empty() && ids(&[]).is_empty());
        all.extend((0..20).map(|n| lesson(&format!("l{n:02}"), "Is the retry safe?", "retry")));
        assert_eq!(near(&episode, &all).len(), MOST);
    }
}
