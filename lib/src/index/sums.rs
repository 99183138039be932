//! What the lessons of a window have of each piece of a turn: sums side by side, a row for each piece.

use std::ops::Range;

/// Sums that are held at a time, of all pieces: what touching more memory costs is more than going through a store in
/// smaller steps.
const ROOM: usize = 24 << 10;

/// Lessons that are looked at together.
const STEP: usize = 32;

/// The sums of a window.
#[derive(Debug)]
pub struct Sums {
    /// How many lessons the window has.
    many: usize,
    pieces: usize,
    rows: Vec<u16>,
    start: u32,
    width: usize,
}

/// A row, to which postings are added.
#[derive(Debug)]
pub struct Row<'s> {
    start: u32,
    sums: &'s mut [u16],
    weight: u16,
}

impl Row<'_> {
    /// Adds a level of a lesson; one that is not in the window is refused.
    #[inline(always)]
    pub fn add(&mut self, doc: u32, level: u8) -> bool {
        let sum = self.sums.get_mut(doc.wrapping_sub(self.start) as usize);
        sum.is_some_and(|sum| {
            *sum = sum.saturating_add(u16::from(level) * self.weight);
            true
        })
    }
}

impl Sums {
    /// Those of windows over so many lessons.
    pub fn new(pieces: usize, docs: usize) -> Self {
        let pieces = pieces.max(1);
        let width = (ROOM / pieces).max(256).min(docs).next_multiple_of(STEP);
        Self { many: 0, pieces, rows: vec![0; width * pieces], start: 0, width }
    }

    /// How many lessons a window holds at most.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Begins another window.
    pub fn begin(&mut self, start: u32, many: usize) {
        (self.start, self.many) = (start, many.min(self.width));
        self.rows.fill(0);
    }

    /// The lesson behind the window's last one.
    pub fn end(&self) -> u32 {
        self.start + self.many as u32
    }

    /// The row of a piece, in which a word's levels count so much.
    #[inline]
    pub fn row(&mut self, piece: u16, weight: u8) -> Row<'_> {
        let from = usize::from(piece) * self.width;
        let sums = self.rows.get_mut(from..from + self.many).unwrap_or_default();
        Row { start: self.start, sums, weight: weight.min(127).into() }
    }

    /// Gives each lesson of a part that has at least `least` of some piece.
    pub fn reached(&self, part: Range<usize>, least: u32, mut give: impl FnMut(usize)) {
        for from in part.clone().step_by(STEP) {
            let most = |piece: usize| self.rows[piece * self.width + from..][..STEP].iter().fold(0, |most, sum| *sum.max(&most));
            if (0..self.pieces).any(|piece| u32::from(most(piece)) >= least) {
                (from..part.end.min(from + STEP)).filter(|at| self.most(*at) >= least).for_each(&mut give);
            }
        }
    }

    /// The greatest of a lesson's sums.
    pub fn most(&self, at: usize) -> u32 {
        (0..self.pieces).map(|piece| self.rows[piece * self.width + at]).max().unwrap_or(0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u32 = u16::MAX as u32;

    #[test]
    fn sums_fill_up_and_do_not_spill() {
        let mut sums = Sums::new(3, 100);
        sums.begin(1000, 100);
        assert!((0..4).all(|_| sums.row(1, 127).add(1099, 255)) && sums.row(2, 10).add(1099, 3));
        assert!(!sums.row(0, 10).add(999, 3) && !sums.row(0, 10).add(1100, 3) && !sums.row(9, 10).add(1000, 3));
        let reached = |least: u32| {
            let mut all = Vec::new();
            sums.reached(0..100, least, |at| all.push(at));
            all
        };
        assert_eq!((reached(FULL), reached(FULL + 1), reached(1)), (vec![99], vec![], vec![99]));
        assert_eq!((sums.most(99), sums.most(98)), (FULL, 0));
        sums.begin(1100, 100);
        assert_eq!(sums.most(99), 0);
    }
}
