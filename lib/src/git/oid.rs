//! The name of an object: 40 hexadecimal digits, or 64 in a SHA-256 repository.

use std::fmt;

/// An object name, full length, lower case.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Oid(Box<str>);

impl Oid {
    /// Reads a full object name; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| Self(text.to_ascii_lowercase().into_boxed_str()))
    }

    /// Reads a full object name from bytes.
    #[must_use]
    pub fn parse_bytes(bytes: &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes).ok()?)
    }

    /// All digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the name of nothing: all zeros.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.bytes().all(|b| b == b'0')
    }

    /// The first ten digits, for messages.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.0[..10]
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_full_names() {
        assert!(Oid::parse(&"aB".repeat(20)).is_some_and(|o| o.as_str().starts_with("abab")));
        assert!(Oid::parse(&"0".repeat(64)).is_some_and(|o| o.is_zero()));
        assert_eq!(Oid::parse("abc"), None);
        assert_eq!(Oid::parse(&"g".repeat(40)), None);
        assert_eq!(Oid::parse_bytes(&[0xff; 40]), None);
    }
}
