//! The languages that lessons name, as bits, and what they make of a score.

/// Languages whose names are words of their own. `c`, `go` and the like mean other things too often.
const LANGUAGES: &[&str] = &[
    "cpp", "csharp", "css", "elixir", "golang", "haskell", "html", "java", "javascript", "kotlin", "perl", "php", "python",
    "ruby", "rust", "scala", "sql", "swift", "typescript",
];

/// How often a lesson counts that names a language of the turn; one that names others only counts half. Neither makes a
/// score less when a turn touches more.
pub const SAME_TIMES: u32 = 3;

/// The bit of a language by its name; 0 for what is none.
#[must_use]
pub fn language_bit(name: &str) -> u32 {
    LANGUAGES.iter().position(|known| *known == name).map_or(0, |at| 1 << at)
}

/// The languages that a text names.
#[must_use]
pub fn languages(text: &str) -> u32 {
    let mut bits = 0;
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        bits |= language_bit(&word.to_ascii_lowercase());
    }
    bits
}

/// A sum with regard to the languages that a lesson names and those that the turn is about.
pub fn times(named: u32, about: u32, sum: u32) -> u32 {
    match (named, named & about) {
        (0, _) => sum,
        (_, 0) => sum / 2,
        _ => sum * SAME_TIMES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_few_and_sorted() {
        assert!(LANGUAGES.is_sorted() && LANGUAGES.len() <= 32);
        assert_eq!(languages("Does what you wrote in Rust have this?"), language_bit("rust"));
        assert_eq!(languages("rusty"), 0);
    }

    #[test]
    fn a_lesson_of_the_turns_language_counts_thrice() {
        assert_eq!([(0, 6), (1, 6), (2, 6), (5, 6)].map(|(named, about)| times(named, about, 9)), [9, 4, 27, 27]);
    }
}
