//! How well a turn matches each lesson, and the best of them.

use super::query::{Query, SAID, Work};
use crate::index::{Index, PER_ONE, Posting};
use crate::lesson::Lesson;
use std::io;

/// A lesson in a language that the turn's files have counts so many times.
const SAME_LANGUAGE: u32 = 2;
/// What an edit adds: a turn that edits nothing runs into less.
const EDITED: f64 = 1.0;
/// So many lessons are listed.
const LISTED: usize = 30;
/// So many of the best rows are kept, since some may not be shown here.
const KEPT: usize = 256;
/// A fixed-point unit: impacts, times the worth of a word in fifths, times the factor of a piece in tenths.
const UNIT: f64 = PER_ONE * SAID as f64 * 10.0;

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The best lesson's measure, and what an edit adds; 0 where nothing matches.
    pub score: f64,
    /// The best rows, best first, with their measure before what an edit adds.
    ranked: Vec<(u32, u32)>,
    /// How many of them are known to be shown here: `shown` holds their lessons.
    shown: Vec<(String, f64)>,
    looked: usize,
    repo: String,
    text: String,
}

/// Measures a turn against the lessons of an index.
///
/// More words never make it less: each adds to the sum of its piece, and the best piece speaks for a lesson.
///
/// # Errors
/// The system's, and `InvalidData` for an index that is damaged.
pub fn measure(index: &Index, query: &Query, work: &Work) -> io::Result<Measured> {
    let rows = index.rows();
    let mut lists: Vec<(&[(u16, u16)], Vec<Posting>)> = Vec::new();
    for (word, places) in &query.words {
        let mut list = Vec::new();
        index.postings(*word, |posting| list.push(posting))?;
        if !list.is_empty() {
            lists.push((places, list));
        }
    }
    let mut best: Vec<u32> = vec![0; rows];
    let mut sum: Vec<u16> = vec![0; rows];
    let mut met: Vec<u32> = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for (number, piece) in query.pieces.iter().enumerate() {
        for (places, list) in &lists {
            let Some((_, worth)) = places.iter().find(|(place, _)| usize::from(*place) == number) else { continue };
            for posting in list {
                let sum = &mut sum[posting.row as usize];
                if *sum == 0 {
                    met.push(posting.row);
                }
                *sum = sum.saturating_add(u16::from(posting.impact) * worth);
            }
        }
        for row in met.drain(..) {
            let whole = u32::from(std::mem::take(&mut sum[row as usize])) * u32::from(piece.factor);
            let best = &mut best[row as usize];
            if *best == 0 {
                seen.push(row);
            }
            *best = whole.max(*best);
        }
    }
    let languages = if seen.is_empty() { Vec::new() } else { index.languages()? };
    for row in &seen {
        let best = &mut best[*row as usize];
        *best = match languages[*row as usize] {
            None => 0,
            Some(0) => *best,
            Some(_) if query.languages == 0 => *best,
            Some(named) if named & query.languages == 0 => 0,
            Some(_) => *best * SAME_LANGUAGE,
        };
    }
    for (old, new) in index.hidden() {
        let (Some(under), Some(over)) = (best.get(*old as usize).copied(), best.get(*new as usize).copied()) else { continue };
        best[*old as usize] = 0;
        if under > over {
            best[*new as usize] = under;
            if over == 0 {
                seen.push(*new);
            }
        }
    }
    let mut ranked: Vec<(u32, u32)> = seen.iter().map(|row| (best[*row as usize], *row)).filter(|(best, _)| *best > 0).collect();
    // Of two alike the newer comes first.
    if ranked.len() > KEPT {
        ranked.select_nth_unstable_by(KEPT - 1, |a, b| b.cmp(a));
        ranked.truncate(KEPT);
    }
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    ranked.dedup();
    let mut text = String::new();
    let parts = [work.place, work.prompt, work.final_message].into_iter().chain(work.touches.iter().map(String::as_str));
    parts.for_each(|part| {
        text.push_str(part);
        text.push('\n');
    });
    let mut measured = Measured { ranked, repo: work.repo.to_owned(), text, ..Measured::default() };
    measured.look(index, 1)?;
    measured.score = measured.shown.first().map_or(0.0, |(_, best)| best + if query.edited { EDITED } else { 0.0 });
    Ok(measured)
}

impl Measured {
    /// The ids of the best lessons that may be shown here, best first.
    ///
    /// # Errors
    /// The system's.
    pub fn shortlist(&mut self, index: &Index) -> io::Result<Vec<String>> {
        self.look(index, LISTED)?;
        Ok(self.shown.iter().map(|(id, _)| id.clone()).collect())
    }

    /// The same with each one's measure.
    ///
    /// # Errors
    /// The system's.
    pub fn scored(&mut self, index: &Index) -> io::Result<Vec<(String, f64)>> {
        self.look(index, LISTED)?;
        Ok(self.shown.clone())
    }

    /// Reads lessons, best first, until so many may be shown here.
    fn look(&mut self, index: &Index, wanted: usize) -> io::Result<()> {
        while self.shown.len() < wanted && self.looked < self.ranked.len() {
            let (best, row) = self.ranked[self.looked];
            self.looked += 1;
            let lesson = match index.lesson(row) {
                Ok(lesson) => lesson,
                // A line that changed meanwhile is no lesson of this turn's.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => continue,
                Err(error) => return Err(error),
            };
            if self.here(&lesson) {
                self.shown.push((lesson.id, f64::from(best) / UNIT));
            }
        }
        Ok(())
    }

    fn here(&self, lesson: &Lesson) -> bool {
        lesson.deliverable(&self.repo) && lesson.in_scope(&self.text)
    }
}
