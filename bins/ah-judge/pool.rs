//! What the model sees of the store: one line a lesson, as many as the budget takes, in an order that stays.

use crate::model::{Shown, line};
use std::collections::BTreeSet;

/// The tokens that the lines may cost together, four characters each.
pub const BUDGET: usize = 12_000;

/// A lesson's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The lesson.
    pub id: String,
    /// `[id] question -> consequence`.
    pub line: String,
}

impl Item {
    /// The line of a lesson.
    pub fn new(lesson: &Shown) -> Self {
        Self { id: lesson.id.to_owned(), line: line(lesson) }
    }

    /// What the line and its end cost, in tokens of four characters.
    pub fn tokens(&self) -> usize {
        (self.line.chars().count() + 1).div_ceil(4)
    }
}

/// What of `items`, which are in the store's order, is shown for `budget` tokens, in the store's order: all, if they
/// fit; else those of `ranked` first (ids, best first), then the newest, each that still fits.
pub fn fill(items: Vec<Item>, ranked: &[String], newest: &[String], budget: usize) -> Vec<Item> {
    if items.iter().map(Item::tokens).sum::<usize>() <= budget {
        return items;
    }
    let mut left = budget;
    let mut shown = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for id in ranked.iter().chain(newest) {
        let Some(item) = items.iter().find(|item| item.id == *id).filter(|item| tried.insert(&item.id)) else { continue };
        if let Some(rest) = left.checked_sub(item.tokens()) {
            left = rest;
            shown.insert(item.id.clone());
        }
    }
    items.into_iter().filter(|item| shown.contains(&item.id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Golden {
        lines: Vec<Line>,
        ranked_for_locks_and_queues: Vec<(String, f64)>,
        fills: Vec<Fill>,
    }

    #[derive(Deserialize)]
    struct Line {
        id: String,
        question: String,
        consequence: String,
        line: String,
        cost_tokens: usize,
    }

    impl Line {
        fn item(&self) -> Item {
            Item::new(&Shown { consequence: &self.consequence, id: &self.id, question: &self.question })
        }
    }

    #[derive(Deserialize)]
    struct Fill {
        budget: usize,
        shown: Vec<String>,
    }

    #[test]
    fn golden() {
        let golden: Golden = serde_json::from_str(include_str!("../../tests/data/golden/pool.json")).unwrap();
        let items: Vec<Item> = golden.lines.iter().map(Line::item).collect();
        for (line, item) in golden.lines.iter().zip(&items) {
            assert_eq!((&item.line, item.tokens()), (&line.line, line.cost_tokens));
        }
        let ranked: Vec<String> = golden.ranked_for_locks_and_queues.into_iter().map(|(id, _)| id).collect();
        let newest: Vec<String> = golden.lines.iter().rev().map(|l| l.id.clone()).collect();
        assert!(golden.fills.len() >= 6);
        for fill in golden.fills {
            let shown: Vec<String> =
                super::fill(items.clone(), &ranked, &newest, fill.budget).into_iter().map(|item| item.id).collect();
            assert_eq!(shown, fill.shown, "budget {}", fill.budget);
        }
    }
}
