//! How well a turn matches each lesson, and the best of them.

use super::query::{self, Query, SAID, Work};
use crate::index::{Index, LOCAL, ONE, Place, SCOPED, Turn};
use crate::lesson::Lesson;
use std::collections::BTreeMap;
use std::io;

/// What an edit adds: a turn that edits nothing runs into less.
const EDITED: f64 = 1.0;
/// So many lessons are listed.
const LISTED: usize = 30;
/// So many of the best are looked for at first, since some may not be shown here, and so many times more the next time.
const KEPT: usize = 4;
const MORE: usize = 16;

/// What was measured.
#[derive(Debug)]
pub struct Measured<'i> {
    index: &'i Index,
    /// How many of the best were looked for.
    kept: usize,
    /// The best, best first, each in fixed point with its number; hidden ones under their successors.
    ranked: Vec<(u32, u32)>,
    repo: String,
    /// The best lesson's measure, and what an edit adds; 0 where nothing matches.
    pub score: f64,
    text: String,
    turn: Turn,
    /// Whether no other lesson matches.
    whole: bool,
}

/// Measures a turn against the lessons of an index.
///
/// More words never make it less: each adds to the sum of its piece, and the best piece speaks for a lesson.
///
/// # Errors
/// The system's, and `InvalidData` for an index that is damaged.
pub fn measure<'i>(index: &'i Index, query: &Query, work: &Work) -> io::Result<Measured<'i>> {
    let mut text = String::new();
    let parts = [work.place, work.prompt, work.final_message].into_iter().chain(work.touches.iter().map(String::as_str));
    parts.for_each(|part| {
        text.push_str(part);
        text.push('\n');
    });
    let (repo, turn) = (work.repo.to_owned(), turn(index, query)?);
    let mut measured = Measured { index, kept: KEPT, ranked: Vec::new(), repo, score: 0.0, text, turn, whole: false };
    measured.search()?;
    if let Some(best) = measured.first()? {
        measured.score = value(best) + if query.edited { EDITED } else { 0.0 };
    }
    Ok(measured)
}

/// A score as a number.
fn value(fixed: u32) -> f64 {
    f64::from(fixed) / f64::from(ONE)
}

/// The words, with what each is worth in each piece.
fn turn(index: &Index, query: &Query) -> io::Result<Turn> {
    let place = |place: &query::Place| {
        let factor = query.pieces.get(usize::from(place.piece())).map_or(0, |piece| piece.factor);
        // In tenths, rounded.
        let weight = ((factor * place.worth() + SAID / 2) / SAID).min(127) as u8;
        Place { word: place.word(), piece: place.piece(), weight }
    };
    index.turn(query.places.iter().map(place).collect(), query.pieces.len(), query.languages)
}

impl Measured<'_> {
    /// Finds the best, each hidden one under its successor.
    fn search(&mut self) -> io::Result<()> {
        let mut best: BTreeMap<u32, u32> = BTreeMap::new();
        let hits = self.index.search(&self.turn, self.kept, 1)?;
        self.whole = hits.len() < self.kept;
        for hit in hits {
            let shown = self.index.successor(hit.doc)?.unwrap_or(hit.doc);
            let score = best.entry(shown).or_default();
            *score = hit.score.max(*score);
        }
        self.ranked = best.into_iter().map(|(doc, score)| (score, doc)).collect();
        // Of two alike the newer comes first.
        self.ranked.sort_unstable_by(|a, b| b.cmp(a));
        Ok(())
    }

    /// The best score of a lesson that may be shown here.
    fn first(&mut self) -> io::Result<Option<u32>> {
        self.each(|ranked, found| {
            found.push(ranked.0);
            Ok(false)
        })
        .map(|found| found.first().copied())
    }

    /// Goes through the lessons that may be shown here, best first, while `give` wants more.
    fn each<T>(&mut self, mut give: impl FnMut((u32, u32), &mut Vec<T>) -> io::Result<bool>) -> io::Result<Vec<T>> {
        loop {
            let (mut all, mut more) = (Vec::new(), true);
            for (score, doc) in &self.ranked {
                more = !self.here(*doc)? || give((*score, *doc), &mut all)?;
                if !more {
                    break;
                }
            }
            if !more || self.whole {
                return Ok(all);
            }
            self.kept = self.kept.saturating_mul(MORE);
            self.search()?;
        }
    }

    /// The ids of the best lessons that may be shown here, best first.
    ///
    /// # Errors
    /// The system's.
    pub fn shortlist(&mut self) -> io::Result<Vec<String>> {
        Ok(self.scored()?.into_iter().map(|(id, _)| id).collect())
    }

    /// The same with each one's measure.
    ///
    /// # Errors
    /// The system's.
    pub fn scored(&mut self) -> io::Result<Vec<(String, f64)>> {
        let index = self.index;
        self.each(|(score, doc), all| {
            all.extend(index.id(doc)?.map(|id| (id, value(score))));
            Ok(all.len() < LISTED)
        })
    }

    /// Whether a lesson may be shown here. Most can be told by their flags.
    fn here(&self, doc: u32) -> io::Result<bool> {
        let may = |lesson: &Lesson| lesson.deliverable(&self.repo) && lesson.in_scope(&self.text);
        Ok(match self.index.flags(doc)? {
            None => false,
            Some(flags) if flags & (LOCAL | SCOPED) == 0 => true,
            Some(_) => self.index.lesson(doc)?.as_ref().is_some_and(may),
        })
    }
}
