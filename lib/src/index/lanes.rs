//! Sums of fixed point, four side by side in one integer. A full one stays full and never spills.

/// How many lie side by side.
pub const LANES: usize = 4;

/// How many levels of impact there are.
pub const LEVELS: usize = 64;

/// One in fixed point. A lane holds at most 127.99.
pub const ONE: f32 = 256.0;

/// The top bit of each lane, which is empty between additions.
pub const FULL: u64 = 0x8000_8000_8000_8000;

/// The level of an impact of one.
const UNIT: u8 = 40;

/// Eighths of an octave.
const STEPS: [f32; 8] =
    [1.0, 1.090_507_7, 1.189_207_1, 1.296_839_6, std::f32::consts::SQRT_2, 1.542_210_8, 1.681_792_9, 1.834_008_1];

/// What a level stands for: an eighth of an octave each, from 1/32 to 7.3.
#[must_use]
pub fn worth(level: u8) -> f32 {
    STEPS[usize::from(level % 8)] * f32::from(1u16 << (level / 8).min(15)) / f32::from(1u16 << (UNIT / 8))
}

/// The level nearest to a number.
#[must_use]
pub fn level(of: f32) -> u8 {
    /// From half a step below it on a level is the nearest.
    const HALF: f32 = 0.957_603_3;
    // What is no number is the least.
    (1..LEVELS as u8).take_while(|level| of >= worth(*level) * HALF).count() as u8
}

/// What one word adds to the lanes at each level up to `top`.
#[must_use]
pub fn table(weights: &[f32; LANES], top: u8, worths: &[f32; LEVELS]) -> [u64; LEVELS] {
    let mut all = [0; LEVELS];
    for (add, worth) in all.iter_mut().zip(worths).take(usize::from(top) + 1) {
        for weight in weights.iter().rev() {
            *add = *add << 16 | (weight * worth * ONE).round().clamp(0.0, 32767.0) as u64;
        }
    }
    all
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
    use super::{FULL, add, bar_of, level, score, table, worth};

    #[test]
    fn lanes_fill_up_and_do_not_spill() {
        let worths: [f32; 64] = std::array::from_fn(|level| worth(level as u8));
        let one = table(&[1.0, 0.0, 0.5, 100.0], 63, &worths)[40];
        assert_eq!(one, 25600 << 48 | 128 << 32 | 256);
        assert_eq!(score(add(one, one)), 32767);
        let full = (0..1000).fold(0, |sum, _| add(sum, one));
        assert_eq!(full, 32767 << 48 | 32767 << 32 | 32767);
        assert!((full + bar_of(32767)) & FULL == FULL & !0x8000_0000 && (one + bar_of(257)) & FULL == 0x8000 << 48);
    }

    #[test]
    fn levels_are_an_eighth_of_an_octave() {
        for n in 0..64 {
            assert_eq!(level(worth(n)), n);
        }
        assert_eq!((level(0.0), level(f32::NAN), level(1e9), level(-1.0), level(1.0)), (0, 0, 63, 0, 40));
        assert!((worth(63) - 7.336).abs() < 0.001);
    }
}
