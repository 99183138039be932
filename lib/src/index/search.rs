//! The best lessons for the weighted words of a turn: each posting is looked at once, in order of lessons.
//!
//! A turn has pieces (sentences, the edited text); a lesson's sum is that of its best piece. The sums of four pieces lie
//! side by side in one integer, so that a posting costs one addition, and only a window of lessons is held at a time, so
//! that memory does not grow with the store.

use super::lanes::{FULL, LANES, add, bar_of, pack, score};
use super::postings::Postings;
use super::segment::{Segment, Word};
use super::state::{Found, State};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Sums that are held at a time, of all pieces: 128 KiB.
const ROOM: usize = 16 << 10;

/// The least lessons of a window, and how many are looked through before the bar is raised.
const STEP: usize = 256;

/// A word of a turn that some lesson has.
#[derive(Clone, Debug)]
pub struct Term {
    pub(super) found: Found,
    /// The pieces that have it, in order, and what it is worth there, in tenths, at most 127.
    pub places: Vec<(u16, u8)>,
}

/// A turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Languages that it is not about: a lesson that has one of these and none of `same` counts half.
    pub other: Vec<Term>,
    /// How many pieces there are.
    pub pieces: usize,
    /// Languages that it is about: a lesson that has one counts thrice.
    pub same: Vec<Term>,
    /// Its words.
    pub terms: Vec<Term>,
}

/// A lesson that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its score, in units of 1/[`super::ONE`].
    pub score: u32,
    /// Its number.
    pub doc: u32,
}

/// A word's postings on their way through a segment.
struct Cursor {
    ended: bool,
    pending: Option<(u32, u8)>,
    postings: Postings,
}

impl Cursor {
    fn new(segment: &Segment, word: &Word) -> Self {
        Self { ended: false, pending: None, postings: segment.postings(word) }
    }

    fn take(&mut self, segment: &Segment, limit: u32, give: impl FnMut(u32, u8)) -> io::Result<()> {
        if !self.ended {
            self.pending = self.postings.take(segment, self.pending, limit, give)?;
            self.ended = self.pending.is_none();
        }
        Ok(())
    }
}

/// What a cursor adds by its level: to each group of pieces.
type Groups = Vec<(usize, u64)>;

/// A segment on its way.
struct Walk<'s> {
    groups: usize,
    languages: Vec<(Cursor, u8)>,
    segment: &'s Segment,
    words: Vec<(Cursor, Groups)>,
}

/// How often a lesson counts that names a language of the turn; one that names others only counts half. Neither makes a
/// score less when a turn touches more.
pub const SAME_TIMES: u32 = 3;

const SAME: u8 = 1;
const OTHER: u8 = 2;

/// The best `keep` lessons of at least `least`, the best first, of equal ones the later first.
///
/// # Errors
/// The system's; `InvalidData` if the index is damaged.
pub fn search(state: &State, turn: &Turn, keep: usize, least: u32) -> io::Result<Vec<Hit>> {
    let mut best: BinaryHeap<Reverse<Hit>> = BinaryHeap::new();
    let least = least.max(1);
    let mut bar = least;
    for (at, segment) in state.segments.iter().enumerate() {
        let here = |term: &Term| term.found.iter().find(|(there, _)| *there == at).map(|(_, word)| *word);
        let mut walk = Walk { groups: turn.pieces.div_ceil(LANES).max(1), languages: Vec::new(), segment, words: Vec::new() };
        for term in &turn.terms {
            if let Some(word) = here(term) {
                walk.words.push((Cursor::new(segment, &word), groups(&term.places)));
            }
        }
        for (terms, mark) in [(&turn.same, SAME), (&turn.other, OTHER)] {
            walk.languages.extend(terms.iter().filter_map(here).map(|word| (Cursor::new(segment, &word), mark)));
        }
        let dead = state.dead_in(at)?;
        walk.run(bar, &mut |hit| {
            if hit.score >= bar && dead.binary_search(&hit.doc).is_err() {
                best.push(Reverse(hit));
                if best.len() > keep {
                    best.pop();
                }
                let last = best.peek().filter(|_| best.len() >= keep).map_or(least, |last| last.0.score);
                bar = bar.max(last);
            }
            bar
        })?;
    }
    let mut all: Vec<Hit> = best.into_iter().map(|hit| hit.0).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    Ok(all)
}

/// The weights for each group of four pieces that the word is in.
fn groups(places: &[(u16, u8)]) -> Groups {
    let group = |(piece, _): &(u16, u8)| usize::from(*piece) / LANES;
    let each = |places: &[(u16, u8)]| {
        let mut weights = [0; LANES];
        places.iter().for_each(|(piece, weight)| weights[usize::from(*piece) % LANES] = *weight);
        (group(&places[0]), pack(&weights))
    };
    places.chunk_by(|a, b| group(a) == group(b)).map(each).collect()
}

impl Walk<'_> {
    /// Gives each lesson that may score at least the bar, which `give` answers with.
    fn run(&mut self, mut bar: u32, give: &mut impl FnMut(Hit) -> u32) -> io::Result<()> {
        let (first, end) = (self.segment.head.first, self.segment.head.first + self.segment.head.docs);
        let width = (ROOM / self.groups / STEP * STEP).max(STEP).min(self.segment.head.docs as usize);
        let mut sums = vec![0u64; width * self.groups];
        let mut marks = vec![0u8; if self.languages.is_empty() { 0 } else { width }];
        let mut start = first;
        while start < end {
            let limit = start.saturating_add(width as u32).min(end);
            sums.fill(0);
            marks.fill(0);
            for (cursor, groups) in &mut self.words {
                let add_to = |doc: u32, level: u8| {
                    let at = doc.wrapping_sub(start) as usize;
                    for (group, weights) in &*groups {
                        // A damaged file may say anything.
                        if let Some(sum) = sums.get_mut(group * width + at) {
                            *sum = add(*sum, u64::from(level) * weights);
                        }
                    }
                };
                cursor.take(self.segment, limit, add_to)?;
            }
            for (cursor, mark) in &mut self.languages {
                let set =
                    |doc: u32, _| marks.get_mut(doc.wrapping_sub(start) as usize).into_iter().for_each(|mine| *mine |= *mark);
                cursor.take(self.segment, limit, set)?;
            }
            for from in (0..(limit - start) as usize).step_by(STEP) {
                let to = (from + STEP).min((limit - start) as usize);
                let low = bar_of(if marks.is_empty() { bar } else { bar.div_ceil(SAME_TIMES) });
                let mut one = |at: usize| {
                    let sum = (0..self.groups).map(|group| score(sums[group * width + at])).max().unwrap_or(0);
                    let score = match marks.get(at) {
                        Some(&OTHER) => u32::from(sum) / 2,
                        Some(0) | None => u32::from(sum),
                        Some(_) => u32::from(sum) * SAME_TIMES,
                    };
                    bar = give(Hit { score, doc: start + at as u32 });
                };
                if self.groups == 1 {
                    (from..to).filter(|at| (sums[*at] + low) & FULL != 0).for_each(&mut one);
                } else {
                    let any = |at: &usize| (0..self.groups).any(|group| (sums[group * width + at] + low) & FULL != 0);
                    (from..to).filter(any).for_each(&mut one);
                }
            }
            start = limit;
        }
        Ok(())
    }
}
