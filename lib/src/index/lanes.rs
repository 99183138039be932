//! Sums of fixed point, four side by side in one integer. A full one stays full and never spills.

/// How many lie side by side.
pub const LANES: usize = 4;

/// An impact of one, as a level.
const UNIT: f64 = 32.0;

/// One in fixed point: a level times a weight in tenths. A lane holds at most 102.4.
pub const ONE: u32 = 320;

/// The top bit of each lane, which is empty between additions.
pub const FULL: u64 = 0x8000_8000_8000_8000;

/// The level of an impact: at least 1, at most 255, which is 8.
#[must_use]
pub fn level(of: f64) -> u8 {
    // What is no number is the least.
    (of.max(0.0) * UNIT + 0.5).clamp(1.0, 255.0) as u8
}

/// What a word adds for each level: its weights in tenths, at most 127 each.
#[must_use]
pub fn pack(weights: &[u8; LANES]) -> u64 {
    weights.iter().rev().fold(0, |all, weight| all << 16 | u64::from((*weight).min(127)))
}

/// Adds lane by lane.
#[inline(always)]
#[must_use]
pub fn add(to: u64, more: u64) -> u64 {
    let sum = to + more;
    let full = sum & FULL;
    if full == 0 { sum } else { (sum | (full - (full >> 15))) & !FULL }
}

/// The greatest lane.
#[must_use]
pub fn score(sum: u64) -> u16 {
    (0..LANES).map(|lane| (sum >> (16 * lane)) as u16).max().unwrap_or(0)
}

/// What, added, makes the top bit of each lane appear that holds at least `bar`.
#[must_use]
pub fn bar_of(bar: u32) -> u64 {
    u64::from(0x8000 - bar.clamp(1, 0x7fff)) * 0x0001_0001_0001_0001
}

#[cfg(test)]
mod tests {
    use super::{FULL, add, bar_of, level, pack, score};

    #[test]
    fn lanes_fill_up_and_do_not_spill() {
        let one = 255 * pack(&[1, 0, 12, 127]);
        assert_eq!(one, 32385 << 48 | 3060 << 32 | 255);
        assert_eq!(score(add(one, one)), 32767);
        let full = (0..1000).fold(0, |sum, _| add(sum, one));
        assert_eq!(full, 32767 << 48 | 32767 << 32 | 32767);
        assert!((full + bar_of(32767)) & FULL == FULL & !0x8000_0000 && (one + bar_of(3061)) & FULL == 0x8000 << 48);
    }

    #[test]
    fn levels_are_linear() {
        assert_eq!([1.0, 0.5, 0.0, f64::NAN, 1e9, -1.0].map(level), [32, 16, 1, 1, 255, 1]);
    }
}
