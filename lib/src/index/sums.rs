//! What the lessons of a window have of each piece of a turn: sums side by side, a row for each piece.

use std::ops::Range;

/// Sums that are held at a time, of all pieces: what touching more memory costs is more than going through a store in
/// smaller steps.
const ROOM: usize = 24 << 10;

/// Lessons that are looked at together.
const STEP: usize = 32;

/// What a sum holds at most.
pub const FULL: u32 = u16::MAX as u32;

/// The sums of a window.
#[derive(Debug)]
pub struct Sums {
    pieces: usize,
    rows: Vec<u16>,
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
    /// Adds a level of a lesson. A damaged file may name any.
    #[inline(always)]
    pub fn add(&mut self, doc: u32, level: u8) {
        if let Some(sum) = self.sums.get_mut(doc.wrapping_sub(self.start) as usize) {
            *sum = sum.saturating_add(u16::from(level) * self.weight);
        }
    }
}

impl Sums {
    /// Those of windows over so many lessons.
    pub fn new(pieces: usize, docs: usize) -> Self {
        let pieces = pieces.max(1);
        let width = (ROOM / pieces).max(256).min(docs).next_multiple_of(STEP);
        Self { pieces, rows: vec![0; width * pieces], width }
    }

    /// How many lessons a window holds.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Begins another window.
    pub fn clear(&mut self) {
        self.rows.fill(0);
    }

    /// The row of a piece, in which a word's levels count so much; the window begins at `start`.
    pub fn row(&mut self, piece: u16, weight: u8, start: u32) -> Row<'_> {
        let from = usize::from(piece) * self.width;
        let sums = self.rows.get_mut(from..from + self.width).unwrap_or_default();
        Row { start, sums, weight: weight.min(127).into() }
    }

    /// Gives each lesson of a part that has at least `least` of some piece.
    pub fn reached(&self, part: Range<usize>, least: impl Fn(usize) -> u32, mut give: impl FnMut(usize)) {
        for from in part.clone().step_by(STEP) {
            let most = |piece: usize| self.rows[piece * self.width + from..][..STEP].iter().fold(0, |most, sum| *sum.max(&most));
            if (0..self.pieces).any(|piece| u32::from(most(piece)) >= least(piece)) {
                let reaches = |at: &usize| (0..self.pieces).any(|piece| u32::from(self.rows[piece * self.width + at]) >= least(piece));
                (from..part.end.min(from + STEP)).filter(reaches).for_each(&mut give);
            }
        }
    }

    /// The greatest of a lesson's sums, each with what may come to it.
    pub fn most(&self, at: usize, more: &[u32]) -> u32 {
        let sums = more.iter().enumerate().map(|(piece, more)| u32::from(self.rows[piece * self.width + at]) + more);
        sums.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fill_up_and_do_not_spill() {
        let mut sums = Sums::new(3, 100);
        (0..4).for_each(|_| sums.row(1, 127, 1000).add(1099, 255));
        sums.row(2, 10, 1000).add(1099, 3);
        sums.row(0, 10, 1000).add(999, 3);
        sums.row(9, 10, 1000).add(1000, 3);
        let reached = |least: &[u32]| {
            let mut all = Vec::new();
            sums.reached(0..100, |piece| least[piece], |at| all.push(at));
            all
        };
        assert_eq!((reached(&[1, 65_535, 31]), reached(&[1, 65_536, 30]), reached(&[1, 65_536, 31])), (vec![99], vec![99], vec![]));
        assert_eq!((sums.most(99, &[7, 0, 0]), sums.most(98, &[7, 0, 0])), (65_535, 7));
        sums.clear();
        assert_eq!(sums.most(99, &[0, 0, 0]), 0);
    }
}
