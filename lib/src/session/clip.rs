//! Texts as long as they are kept: secrets go first, so that none is cut in two and missed.

use crate::redact::redact;
use std::borrow::Cow;

/// So much behind a cut is looked at, in bytes: a secret is known by its beginning.
const BEHIND: usize = 256;

/// So much before the end that is kept is looked at, in bytes: a secret may have begun there.
const BEFORE: usize = 4 << 10;

/// The beginning of `text`, at most `max` bytes.
pub(super) fn head(text: &str, max: usize) -> &str {
    &text[..boundary(text, max)]
}

/// The nearest place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The beginning of `text` without secrets, at most `max` bytes.
pub(super) fn safe_head(text: &str, max: usize) -> Cow<'_, str> {
    match redact(head(text, max + BEHIND)) {
        Cow::Borrowed(text) => head(text, max).into(),
        Cow::Owned(mut text) => {
            text.truncate(boundary(&text, max));
            text.into()
        }
    }
}

/// `text` without secrets; of a longer one than `max` bytes the first three quarters and the end.
pub(super) fn safe_ends(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return redact(text);
    }
    let end = redact(&text[boundary(text, text.len().saturating_sub(max / 4 + BEFORE))..]).into_owned();
    let end = &end[boundary(&end, end.len().saturating_sub(max / 4))..];
    format!("{} […] {end}", safe_head(text, max / 4 * 3)).into()
}

/// The beginning of `text` on one line, its runs of white space one blank each, without secrets.
pub(super) fn safe_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    for word in safe_head(text, max * 2).split_whitespace() {
        if line.len() + word.len() + 1 > max {
            line.push_str(head(word, max.saturating_sub(line.len())));
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_at_a_cut_is_none() {
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        for before in [80, 95, 99, 100] {
            let text = format!("{} {token} {}", "x".repeat(before), "y ".repeat(9_000));
            for clipped in [safe_head(&text, 110).into_owned(), safe_ends(&text, 140).into_owned(), safe_line(&text, 110)] {
                assert!(!clipped.contains("ghp_0") && clipped.len() < 160, "{clipped}");
            }
        }
        let text = format!("{}{token}", "y ".repeat(9_000));
        assert!(safe_ends(&text, 100).ends_with("[redacted]"));
    }

    #[test]
    fn ends_of_characters_are_kept() {
        let text = "é".repeat(5_000);
        for max in [0, 1, 2, 3, 7, 9_000, 9_999, 10_001] {
            let _ = (head(&text, max), safe_head(&text, max), safe_ends(&text, max), safe_line(&text, max));
        }
        assert_eq!(safe_line(" a \n\t b ", 99), "a b");
        assert_eq!(safe_ends("short", 99), "short");
    }
}
