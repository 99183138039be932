//! Long random-looking words, whatever they are called.

use super::{is_base64, run};
use std::ops::Range;

/// Shortest run of characters that is looked at.
const LEAST: usize = 32;

/// The random-looking part of the run of base64 characters that begins at `at`.
pub(super) fn find(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    // Within a run it was looked at where the run began; twice would not be linear.
    if at > 0 && is_base64(bytes[at - 1]) {
        return None;
    }
    let end = run(bytes, at, is_base64);
    if end - at < LEAST {
        return None;
    }
    let (mut strong, mut weak) = (0, 0);
    let mut span: Option<Range<usize>> = None;
    let mut from = at;
    while from < end {
        let to = run(bytes, from, |b| b.is_ascii_alphanumeric());
        let part = &bytes[from..to];
        match oddness(part) {
            Oddness::Plain if is_wordy(part) => {}
            odd => {
                match odd {
                    Oddness::Plain => {}
                    Oddness::Strong => strong += part.len(),
                    Oddness::Weak => weak += part.len(),
                }
                span = Some(span.map_or(from, |s| s.start)..to);
            }
        }
        from = to + 1;
    }
    let mut span = span.filter(|_| strong >= 20 || strong + weak >= 40)?;
    if span.end == end {
        span.end = run(bytes, end, |b| b == b'=');
    } else {
        // What follows the last odd part may be a short rest of the same secret.
        let rest = run(bytes, span.end + 1, |b| b.is_ascii_alphanumeric());
        if rest == end && rest - span.end <= 8 {
            span.end = run(bytes, rest, |b| b == b'=');
        }
    }
    Some(span)
}

/// Whether a part reads like a word, a number or a hexadecimal id, and so is no short piece of something random.
fn is_wordy(part: &[u8]) -> bool {
    let rest = part.get(1..).unwrap_or_default();
    part.iter().all(u8::is_ascii_digit)
        || part.iter().all(u8::is_ascii_uppercase)
        || rest.iter().all(u8::is_ascii_lowercase)
        || part.len() >= 7 && part.iter().all(u8::is_ascii_hexdigit)
}

#[derive(Clone, Copy, PartialEq)]
enum Oddness {
    Plain,
    /// One case and digits: a token, but also an id.
    Weak,
    /// Both cases, changing more often than in names of programs.
    Strong,
}

/// How random a run of letters and digits looks, by how often the kind of character changes. Of random base62
/// neighbours 62 % differ in kind, 45 % when a capital before a small letter does not count; in `camelCase` every
/// fifth differs, in words none.
fn oddness(part: &[u8]) -> Oddness {
    let part = part.strip_prefix(b"0x").unwrap_or(part);
    let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
    let upper = part.iter().any(u8::is_ascii_uppercase);
    let lower = part.iter().any(u8::is_ascii_lowercase);
    let hex = part.iter().all(u8::is_ascii_hexdigit) && !(upper && lower);
    if part.len() < 6 || hex {
        return Oddness::Plain;
    }
    let kind = |b: u8| (b.is_ascii_digit(), b.is_ascii_uppercase());
    let pairs = part.len() - 1;
    let all = part.windows(2).filter(|w| kind(w[0]) != kind(w[1])).count();
    let humps = part.windows(2).filter(|w| w[0].is_ascii_uppercase() && w[1].is_ascii_lowercase()).count();
    if upper && lower {
        let odd = (all - humps) * 100 >= 29 * pairs || all * 100 >= 40 * pairs && digits > 0;
        return if odd { Oddness::Strong } else { Oddness::Plain };
    }
    if digits > 1 && all * 100 >= 25 * pairs {
        return Oddness::Weak;
    }
    Oddness::Plain
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn random_words_go() {
        for secret in [
            "wX9kPq2LmZ7vRt4YbN8cHj3FdGs6AeUi",
            "q8Zr_5TnWx-K2vLp9YcHbJ4mGdF7sAe3Uo6RiXwQ1tN",
            "Zm9vYmFyQmF6UXV4/1x+Kq9PlWv73TjRnHyBcXo2mGs=",
            "k3j9x0q7w2m8z5v1b6n4c9l2h8g3f7d1s5a0p4o6",
        ] {
            assert_eq!(redact(secret), "[redacted]");
            assert_eq!(redact(&format!("see {secret}, then")), "see [redacted], then");
        }
    }

    #[test]
    fn ids_names_and_paths_stay() {
        for kept in [
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
            "0xda39a3ee5e6b4b0d3255bfef95601890afd80709",
            "123e4567-e89b-12d3-a456-426614174000",
            "toolu_01A09q90qw90lq917835lq9x",
            "/home/me/Projects/HttpServer2/src/RequestHandlerFactoryBuilder.java",
            "/nix/store/0c5b8xkzjqavhzd0lj5l8z3b5s7k1v2m-hello-2.12/bin",
            "com.example.AbstractSingletonProxyFactoryBeanImplementation",
            "x86_64-unknown-linux-gnu-with-a-long-tail-1234567890",
            "THE_QUICK_BROWN_FOX_JUMPS_OVER_1234_LAZY_DOGS",
            "feature/JIRA-1234-make-the-XMLHttpRequest-faster",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(redact(kept), kept);
        }
    }
}
