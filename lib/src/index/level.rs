//! Levels: what a word adds to a lesson's sum, in fixed point and one byte.

/// An impact of one, as a level.
const UNIT: f64 = 32.0;

/// One in fixed point: a level times a weight in tenths. A sum holds at most 65,535 of them, which is 204.8.
pub const ONE: u32 = 320;

/// The level of an impact: at least 1, at most 255, which is 8.
#[must_use]
pub fn level(of: f64) -> u8 {
    // What is no number is the least.
    (of.max(0.0) * UNIT + 0.5).clamp(1.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn levels_are_linear() {
        assert_eq!([1.0, 0.5, 0.0, f64::NAN, 1e9, -1.0].map(level), [32, 16, 1, 1, 255, 1]);
    }
}
