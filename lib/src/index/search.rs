//! The best lessons for the words of a turn: each posting is looked at once, in order of lessons.
//!
//! A turn has pieces (sentences, the edited text); a lesson's sum is that of its best piece. Only a window of lessons is
//! held at a time, so that memory does not grow with the store.

use super::head::{Head, Section};
use super::language::{SAME_TIMES, times};
use super::postings::{Held, Postings, Take};
use super::segment::{LANGUAGES, Segment, damaged, number};
use super::state::State;
use super::sums::Sums;
use super::turn::{Term, Turn};
use super::window::Window;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

/// Lessons of the first window. Each has twice as many as the last, up to its room.
const BEGIN: usize = 64;

/// Lists that lie so many bytes from each other, in the mean, are read several at once.
const NEAR: usize = 2 << 10;

/// Bytes that are read at once where neighbours will be asked for, too.
const AHEAD: usize = 8 << 10;

/// A lesson that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// Its score, in units of 1/[`super::ONE`].
    pub score: u32,
    /// Its number.
    pub doc: u32,
}

/// The best so far.
struct Best {
    /// What a lesson must score to be among them.
    bar: u32,
    hits: BinaryHeap<Reverse<Hit>>,
    keep: usize,
}

impl Best {
    fn push(&mut self, hit: Hit) {
        if hit.score < self.bar {
            return;
        }
        self.hits.push(Reverse(hit));
        if self.hits.len() > self.keep {
            self.hits.pop();
        }
        if let Some(last) = self.hits.peek().filter(|_| self.hits.len() >= self.keep) {
            self.bar = self.bar.max(last.0.score);
        }
    }
}

/// The best `keep` lessons of at least `least`, the best first, of equal ones the later first.
///
/// # Errors
/// The system's; `InvalidData` if the index is damaged.
pub fn search(state: &State, turn: &Turn, keep: usize, least: u32) -> io::Result<Vec<Hit>> {
    let mut best = Best { bar: least.max(1), hits: BinaryHeap::new(), keep };
    for (at, segment) in state.segments.iter().enumerate() {
        Walk::new(segment, turn, at, state.dead_in(at)?)?.run(&mut best)?;
    }
    let mut all: Vec<Hit> = best.hits.into_iter().map(|hit| hit.0).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    Ok(all)
}

/// A segment on its way.
struct Walk<'t> {
    /// Lessons that a later line replaced, in order.
    dead: Vec<u32>,
    /// Postings of a word that several pieces have.
    held: Vec<(u32, u8)>,
    /// The languages of lessons.
    languages: Window,
    /// The words' lists.
    lists: Vec<(&'t Term, Postings)>,
    segment: &'t Segment,
    turn: &'t Turn,
}

impl<'t> Walk<'t> {
    fn new(segment: &'t Segment, turn: &'t Turn, at: usize, dead: Vec<u32>) -> io::Result<Self> {
        let terms = turn.segments.get(at).map(Vec::as_slice).unwrap_or_default();
        let near = segment.head.at[0].abs_diff(segment.head.at[1]) < (terms.len() * NEAR) as u64;
        let (mut lists, mut window) = (Vec::with_capacity(terms.len()), Window::default());
        for term in terms {
            let list = if near {
                Postings::near(segment, term.word.postings, &mut window, AHEAD)?
            } else {
                Postings::new(term.word.postings)
            };
            lists.push((term, list));
        }
        Ok(Self { dead, held: Vec::new(), languages: window, lists, segment, turn })
    }

    /// Goes through all lessons. The first windows are small, since they set the bar.
    fn run(mut self, best: &mut Best) -> io::Result<()> {
        let (first, end) = (self.segment.head.first, self.segment.head.first + self.segment.head.docs);
        let mut sums = Sums::new(self.turn.pieces, self.segment.head.docs as usize);
        let (mut start, mut many) = (first, BEGIN);
        while start < end {
            let least = match self.segment.head.languages & self.turn.languages {
                0 => best.bar,
                _ => best.bar.div_ceil(SAME_TIMES),
            };
            sums.begin(start, many.min((end - start) as usize), least);
            self.add(&mut sums)?;
            self.rank(&mut sums, best)?;
            start = sums.end();
            many = (2 * many).min(sums.room());
        }
        if self.lists.iter().all(|(_, postings)| postings.ended()) { Ok(()) } else { Err(damaged()) }
    }

    /// Adds up what the lists say of a window.
    fn add(&mut self, sums: &mut Sums) -> io::Result<()> {
        for (term, postings) in &mut self.lists {
            let places = self.turn.places(term);
            if let [place] = places {
                postings.take(self.segment, sums.row(place.piece, place.weight))?;
                continue;
            }
            self.held.clear();
            postings.take(self.segment, Held { end: sums.end(), to: &mut self.held })?;
            for place in places {
                let mut row = sums.row(place.piece, place.weight);
                for (doc, level) in &self.held {
                    row.take(*doc, *level);
                }
            }
        }
        Ok(())
    }

    /// Takes the lessons of a window that are among the best.
    fn rank(&mut self, sums: &mut Sums, best: &mut Best) -> io::Result<()> {
        let Head { first, languages, .. } = self.segment.head;
        for (doc, sum) in sums.reached() {
            let named = match languages {
                0 => 0,
                _ => {
                    let at = self.segment.head.section(Section::Languages).0 + u64::from(doc - first) * LANGUAGES as u64;
                    number(self.languages.read(self.segment, at, LANGUAGES, AHEAD)?) as u32
                }
            };
            let score = times(named, self.turn.languages, sum);
            if score >= best.bar && self.dead.binary_search(&doc).is_err() {
                best.push(Hit { score, doc });
            }
        }
        Ok(())
    }
}
