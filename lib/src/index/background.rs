//! How common a word is in text about programs, from the table in `defaults/common-words.txt`.

use super::impact::hash;
use std::collections::HashMap;
use std::sync::OnceLock;

const TABLE: &str = include_str!("../../../defaults/common-words.txt");

/// The share of pieces of text that have a word which is not in the table: below the rarest class.
const RARE: f64 = 0.0002;

/// The share of 40-word pieces of text that have the word of this hash.
pub fn share(word: u32) -> f64 {
    static SHARES: OnceLock<HashMap<u32, f64>> = OnceLock::new();
    let shares = SHARES.get_or_init(|| {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        let class = |line: &'static str| {
            let (class, words) = line.split_once(' ').unwrap_or_default();
            let class: u32 = class.parse().unwrap_or_default();
            let half = if class % 2 == 1 { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
            let share = half / f64::from(1 << (class / 2).min(30));
            words.split(' ').map(move |word| (hash(word), share))
        };
        lines.flat_map(class).collect()
    });
    shares.get(&word).copied().unwrap_or(RARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::stem;

    #[test]
    fn the_table_holds_stems() {
        let words: Vec<&str> =
            TABLE.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' ').skip(1)).collect();
        assert!(words.len() > 3000);
        let odd = words.iter().filter(|word| stem(word).len() + 2 < word.len()).count();
        assert!(odd * 50 < words.len(), "{odd} of {} are no stems", words.len());
        let of = |word| share(hash(word));
        assert!(of("the") > of("mutex") && of("zzzz") == RARE && of("mutex") > RARE);
    }
}
