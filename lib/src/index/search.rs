//! The best lessons for the words of a turn, exactly, without reading most of what is said of common words.
//!
//! A turn has pieces (sentences, the edited text); a lesson's sum is that of its best piece. Lessons are gone through in
//! windows. As soon as some are known to be good, the longest lists, those of words that add little, are not read any more
//! (MaxScore: Turtle and Flood 1995): what they could add at most is, and a lesson that might then be among the best is
//! scored by its own words.

use super::forward::{SEVERAL, named, read};
use super::head::Section;
use super::postings::Postings;
use super::segment::Segment;
use super::state::State;
use super::sums::{FULL, Sums};
use super::turn::{Term, Turn};
use super::window::Window;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;

/// How often a lesson counts that names a language of the turn; one that names others only counts half. Neither makes a
/// score less when a turn touches more.
pub const SAME_TIMES: u32 = 3;

/// The part of the bar that words which are not read may add up to, in hundredths: with more of them more lessons must be
/// scored by themselves.
const UNREAD: u32 = 35;

/// Lists of fewer lessons are always read: that costs no more than a lesson that is scored by itself.
const LONG: u32 = 256;

/// Lessons that are looked through before the bar is raised.
const PART: usize = 128;

/// Bytes of languages that are read at once.
const AHEAD: usize = 2 << 10;

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
        Walk::new(segment, turn, at)?.run(&state.dead_in(at)?, &mut best)?;
    }
    let mut all: Vec<Hit> = best.hits.into_iter().map(|hit| hit.0).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    Ok(all)
}

/// A segment on its way.
struct Walk<'t> {
    /// The languages of lessons, one byte each.
    languages: Window,
    /// Words whose lists are read, the longest first.
    lists: Vec<(&'t Term, Postings)>,
    /// A lesson's own words.
    room: Vec<u8>,
    segment: &'t Segment,
    terms: &'t [Term],
    turn: &'t Turn,
    /// What words that are not read could add to each piece.
    unread: Vec<u32>,
}

impl<'t> Walk<'t> {
    fn new(segment: &'t Segment, turn: &'t Turn, at: usize) -> io::Result<Self> {
        let terms = turn.segments.get(at).map(Vec::as_slice).unwrap_or_default();
        let mut lists = Vec::with_capacity(terms.len());
        for term in terms {
            lists.push((term, Postings::new(segment, term.word.postings)?));
        }
        lists.sort_unstable_by_key(|(term, _)| Reverse((term.word.df, term.word.hash)));
        let unread = vec![0; turn.pieces.max(1)];
        Ok(Self { languages: Window::default(), lists, room: Vec::new(), segment, terms, turn, unread })
    }

    /// Goes through all lessons.
    fn run(&mut self, dead: &[u32], best: &mut Best) -> io::Result<()> {
        let (first, end) = (self.segment.head.first, self.segment.head.first + self.segment.head.docs);
        let mut sums = Sums::new(self.turn.pieces, self.segment.head.docs as usize);
        for start in (first..end).step_by(sums.width()) {
            let limit = end.min(start.saturating_add(sums.width() as u32));
            self.leave(best.bar);
            if start > first {
                sums.clear();
            }
            self.add(&mut sums, start, limit)?;
            for from in (0..(limit - start) as usize).step_by(PART) {
                let to = (limit - start).min((from + PART) as u32) as usize;
                self.rank(&sums, start, from..to, dead, best)?;
            }
        }
        Ok(())
    }

    /// What a lesson of any language must have of some piece.
    fn need(&self, bar: u32) -> u32 {
        if self.segment.head.languages & self.turn.languages == 0 { bar } else { bar.div_ceil(SAME_TIMES) }
    }

    /// Leaves off the longest lists as far as no lesson can do without the others.
    fn leave(&mut self, bar: u32) {
        let most = self.need(bar) / 100 * UNREAD;
        let (turn, unread) = (self.turn, &mut self.unread);
        self.lists.retain(|(term, _)| {
            let adds = || turn.places(term).iter().map(|place| (usize::from(place.piece), term.word.adds(place.weight)));
            let may = term.word.df >= LONG && adds().all(|(piece, adds)| unread[piece] + adds <= most);
            if may {
                adds().for_each(|(piece, adds)| unread[piece] += adds);
            }
            !may
        });
    }

    /// Adds up what the lists that are read say of a window.
    fn add(&mut self, sums: &mut Sums, start: u32, limit: u32) -> io::Result<()> {
        for (term, postings) in &mut self.lists {
            match self.turn.places(term) {
                [place] => {
                    let mut row = sums.row(place.piece, place.weight, start);
                    postings.take(self.segment, limit, |doc, level| row.add(doc, level))?;
                }
                places => postings.take(self.segment, limit, |doc, level| {
                    places.iter().for_each(|place| sums.row(place.piece, place.weight, start).add(doc, level));
                })?,
            }
        }
        Ok(())
    }

    /// Takes the lessons of a part of a window that may be among the best.
    fn rank(&mut self, sums: &Sums, start: u32, part: Range<usize>, dead: &[u32], best: &mut Best) -> io::Result<()> {
        let need = self.need(best.bar);
        let mut reached: Vec<(u32, usize)> = Vec::new();
        sums.reached(part.clone(), |piece| need - self.unread[piece], |at| reached.push((sums.most(at, &self.unread), at)));
        if reached.is_empty() {
            return Ok(());
        }
        let section = self.segment.head.section(Section::Languages).0;
        let codes = match self.segment.head.languages {
            0 => &[],
            _ => {
                let at = section + u64::from(start - self.segment.head.first) + part.start as u64;
                self.languages.read(self.segment, at, part.len(), AHEAD)?
            }
        };
        for (sum, at) in &mut reached {
            *sum = times(named(*codes.get(*at - part.start).unwrap_or(&0)), self.turn.languages, *sum);
        }
        let whole = self.unread.iter().all(|unread| *unread == 0);
        let several: Vec<bool> = codes.iter().map(|code| *code == SEVERAL).collect();
        reached.sort_unstable_by(|a, b| b.cmp(a));
        for (most, at) in reached {
            let doc = start + at as u32;
            if most < best.bar {
                break;
            }
            if dead.binary_search(&doc).is_ok() {
                continue;
            }
            let known = whole && !several.get(at - part.start).is_some_and(|several| *several);
            let score = if known { most } else { self.score(doc)? };
            best.push(Hit { score, doc });
        }
        Ok(())
    }

    /// What a lesson scores, by its own words.
    fn score(&mut self, doc: u32) -> io::Result<u32> {
        self.segment.forward(doc, &mut self.room)?;
        let (languages, words) = read(&self.room);
        let mut sums = vec![0u32; self.unread.len()];
        let mut terms = self.terms.iter().peekable();
        for (word, level) in words {
            while terms.next_if(|term| term.word.hash < word).is_some() {}
            let Some(term) = terms.next_if(|term| term.word.hash == word) else { continue };
            for place in self.turn.places(term) {
                sums[usize::from(place.piece)] += u32::from(place.weight) * u32::from(level);
            }
        }
        let sum = sums.into_iter().max().unwrap_or(0).min(FULL);
        Ok(times(languages, self.turn.languages, sum))
    }
}

/// A sum with regard to the languages that a lesson names and those that the turn is about.
fn times(named: u32, about: u32, sum: u32) -> u32 {
    match (named, named & about) {
        (0, _) => sum,
        (_, 0) => sum / 2,
        _ => sum * SAME_TIMES,
    }
}
