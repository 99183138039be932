//! What the lessons of a window have of each piece of a turn: sums side by side, a row for each piece.
//!
//! Here and in `postings` a Stop spends its time, and release builds are made small: plain loops and indices, which are
//! as quick then.

use super::postings::Take;

/// Sums that are held at a time, of all pieces: what touching more memory costs is more than going through a store in
/// smaller steps.
const ROOM: usize = 24 << 10;

/// A store is gone through in so many windows at least, and a window has so many lessons, where there are so many.
const PARTS: usize = 8;
const LEAST: usize = 256;

/// The sums of a window.
#[derive(Debug)]
pub struct Sums {
    /// What a sum must be for its lesson to be looked at.
    least: u16,
    /// How many lessons the window has.
    many: usize,
    /// How many it may have.
    most: usize,
    pieces: usize,
    /// Lessons that have it of some piece, by their places in the window.
    reached: Vec<usize>,
    rows: Vec<u16>,
    start: u32,
}

/// A row, to which postings are added.
#[derive(Debug)]
pub struct Row<'s> {
    least: u16,
    reached: &'s mut Vec<usize>,
    start: u32,
    sums: &'s mut [u16],
    weight: u16,
}

impl Take for Row<'_> {
    /// Adds a level of a lesson; one that is not in the window is refused. A full sum stays full.
    #[inline(always)]
    fn take(&mut self, doc: u32, level: u8) -> bool {
        let at = doc.wrapping_sub(self.start) as usize;
        if at >= self.sums.len() {
            return false;
        }
        let before = self.sums[at];
        let sum = before.saturating_add(level as u16 * self.weight);
        self.sums[at] = sum;
        if sum >= self.least && before < self.least {
            self.reached.push(at);
        }
        true
    }
}

impl Sums {
    /// Those of windows over so many lessons.
    pub fn new(pieces: usize, docs: usize) -> Self {
        let pieces = pieces.max(1);
        let most = (ROOM / pieces).min(docs / PARTS).max(LEAST).min(docs);
        Self { least: 0, many: 0, most, pieces, reached: Vec::new(), rows: vec![0; most * pieces], start: 0 }
    }

    /// Begins another window, from a lesson on, of at most so many; `least` is what some sum must be for a lesson to be
    /// looked at. The result is how many it has.
    pub fn begin(&mut self, start: u32, many: usize, least: u32) -> usize {
        self.many = many.min(self.most);
        // What no sum can be is not missed: a full one counts as if it were.
        self.least = least.clamp(1, u16::MAX.into()) as u16;
        self.start = start;
        self.reached.clear();
        self.rows[..self.many * self.pieces].fill(0);
        self.many
    }

    /// How many lessons a window may have.
    pub fn room(&self) -> usize {
        self.most
    }

    /// The lesson behind the window's last one.
    pub fn end(&self) -> u32 {
        self.start + self.many as u32
    }

    /// The row of a piece, in which a word's levels count so much.
    pub fn row(&mut self, piece: u16, weight: u8) -> Row<'_> {
        let piece = usize::from(piece).min(self.pieces - 1);
        let sums = &mut self.rows[piece * self.many..(piece + 1) * self.many];
        Row { least: self.least, reached: &mut self.reached, start: self.start, sums, weight: weight.min(127).into() }
    }

    /// The lessons of the window that are to be looked at, each with the greatest of its sums, in order.
    pub fn reached(&mut self) -> impl Iterator<Item = (u32, u32)> {
        self.reached.sort_unstable();
        self.reached.dedup();
        let Self { many, pieces, ref reached, ref rows, start, .. } = *self;
        reached.iter().map(move |at| {
            let most = (0..pieces).map(|piece| rows[piece * many + at]).max().unwrap_or(0);
            (start + *at as u32, u32::from(most))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fill_up_and_do_not_spill() {
        let mut sums = Sums::new(3, 100);
        let reached = |sums: &mut Sums| sums.reached().collect::<Vec<_>>();
        assert_eq!((sums.begin(1000, 700, 31), sums.end()), (100, 1100));
        assert!((0..4).all(|_| sums.row(1, 127).take(1099, 255)) && sums.row(2, 10).take(1098, 3));
        assert!(!sums.row(0, 10).take(999, 3) && !sums.row(0, 10).take(1100, 3));
        assert_eq!(reached(&mut sums), [(1099, 65_535)]);
        sums.row(2, 1).take(1098, 1);
        sums.row(0, 31).take(1098, 1);
        sums.row(0, 1).take(1000, 30);
        assert_eq!(reached(&mut sums), [(1098, 31), (1099, 65_535)]);
        assert_eq!((sums.begin(1100, 9, 1_000_000), reached(&mut sums)), (9, vec![]));
        assert!((0..3).all(|_| sums.row(1, 127).take(1108, 255)));
        assert_eq!(reached(&mut sums), [(1108, 65_535)]);
    }
}
