//! What is wrong in a config, said so that it can be mended.

use std::fmt;
use std::path::{Path, PathBuf};

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The part in which it is was not used.
    Error,
    /// Only the value itself was not used.
    Warning,
}

/// One mistake: where it is, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted in characters from 1; 0 when it is about the whole file.
    pub column: usize,
    /// The file, or `environment`.
    pub file: PathBuf,
    /// The key with the keys around it, as `git_guard.rules[0].run`; a variable's name; may be empty.
    pub key: String,
    /// Counted from 1; 0 when it is about the whole file.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What was expected and what is there.
    pub what: String,
}

impl Problem {
    /// A mistake about a whole file.
    pub(super) fn whole(file: &Path, what: impl Into<String>) -> Self {
        Self { column: 0, file: file.to_path_buf(), key: String::new(), line: 0, severity: Severity::Error, what: what.into() }
    }

    /// A mistake at byte `at` of `text`.
    pub(super) fn at(file: &Path, text: &str, at: usize, key: &str, what: impl Into<String>) -> Self {
        let (line, column) = position(text, at);
        Self { column, file: file.to_path_buf(), key: key.to_owned(), line, severity: Severity::Error, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.what)
    }
}

/// Line and column of byte `at`, both from 1.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

/// The known word that `word` was probably meant to be: at most two letters away, and most of it right.
pub(super) fn meant<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    if word.len() > 40 {
        return None;
    }
    known.iter().map(|k| (distance(word, k), *k)).filter(|(d, k)| *d <= 2 && d * 2 < k.len()).min().map(|(_, k)| k)
}

/// Letters to add, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (n, c) in a.chars().enumerate() {
        let mut corner = n;
        row[0] = n + 1;
        for (m, d) in b.iter().enumerate() {
            let here = (corner + usize::from(c != *d)).min(row[m] + 1).min(row[m + 1] + 1);
            corner = row[m + 1];
            row[m + 1] = here;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        assert_eq!(position("é\nab", 0), (1, 1));
        assert_eq!(position("é\nab", 4), (2, 2));
        assert_eq!(position("é", 1), (1, 1));
        assert_eq!(position("", 9), (1, 1));
    }

    #[test]
    fn near_words_are_meant() {
        let known = ["off", "on_loss", "protected"];
        assert_eq!(meant("onloss", &known), Some("on_loss"));
        assert_eq!(meant("protectd", &known), Some("protected"));
        assert_eq!(meant("xx", &known), None);
        assert_eq!(meant(&"o".repeat(1 << 20), &known), None);
    }
}
