//! Takes secrets out of text before it is kept or sent.
//!
//! One pass over the bytes, linear and without patterns: what a secret looks like is read by hand, since compiling a
//! dozen regular expressions would cost more than a whole hook. Hexadecimal ids, UUIDs, git object names and paths
//! are kept: nobody could work with a log without them. A secret that looks like one of these is found only by its
//! name (`token = ...`).

mod pair;
mod random;
mod shape;

use std::borrow::Cow;
use std::ops::Range;

/// What stands for a secret.
pub const MARK: &str = "[redacted]";

/// `text` with each secret replaced by [`MARK`]; borrowed when there is none.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for span in spans(text.as_bytes()) {
        out.push_str(&text[done..span.start]);
        out.push_str(MARK);
        done = span.end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Where the secrets are: in order, apart, never empty, and cut where characters begin.
fn spans(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            let span = match bytes[at] {
                b':' if bytes[at..].starts_with(b"://") => shape::url_password(bytes, at + 3),
                // A path, or base64 that begins so.
                b'/' | b'+' => random::find(bytes, at),
                _ => None,
            };
            at += 1;
            if let Some(span) = span {
                at = span.end;
                found.push(span);
            }
            continue;
        }
        let end = run(bytes, at, is_word);
        let span = shape::find(bytes, at..end).or_else(|| pair::find(bytes, at..end)).or_else(|| random::find(bytes, at));
        at = end;
        if let Some(span) = span {
            at = at.max(span.end);
            found.push(span);
        }
    }
    found
}

/// A byte of a word: names, flags and most tokens are one word.
fn is_word(b: u8) -> bool {
    KIND[usize::from(b)] & WORD != 0
}

/// A byte of base64, of either alphabet.
fn is_base64(b: u8) -> bool {
    KIND[usize::from(b)] != 0
}

const WORD: u8 = 1;
const BASE64: u8 = 2;

/// What each byte is: every byte of a text is asked more than once.
const KIND: [u8; 256] = {
    let mut kind = [0; 256];
    let mut b = 0u8;
    while b < 128 {
        kind[b as usize] = match b {
            b'_' | b'-' => WORD,
            b'+' | b'/' => BASE64,
            _ if b.is_ascii_alphanumeric() => WORD,
            _ => 0,
        };
        b += 1;
    }
    kind
};

/// The end of the run of bytes from `at` that are `of` a kind.
fn run(bytes: &[u8], at: usize, of: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|b| !of(*b)).map_or(bytes.len(), |n| at + n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_found_is_borrowed() {
        for text in ["", "a plain sentence", "é\0\u{1f600}", "http://h/p?q=1#f"] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn redacting_twice_changes_nothing() {
        let once = redact("password=hunter2 https://u:p@h/ Authorization: Bearer abcdef0123456789").into_owned();
        assert_eq!(once, "password=[redacted] https://u:[redacted]@h/ Authorization: Bearer [redacted]");
        assert_eq!(redact(&once), once);
    }
}
