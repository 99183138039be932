//! The reference system's words, to the last byte, and the parts of names.

/// The words of a text as the reference system splits them, duplicates kept: runs of letters, digits and `_` of at least
/// three bytes, in small letters; behind each its parts, of which every capital begins one, likewise of three bytes.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    /// In bytes, so that one letter of most scripts is a word.
    const LEAST: usize = 3;
    let mut all = Vec::new();
    let pieces = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|piece| piece.len() >= LEAST);
    for piece in pieces {
        all.push(piece.to_lowercase());
        let mut start = 0;
        let humps = piece.char_indices().filter(|(at, c)| *at > 0 && c.is_uppercase()).map(|(at, _)| at);
        for end in humps.chain([piece.len()]) {
            let part = &piece[start..end];
            if part.len() >= LEAST && part.len() < piece.len() {
                all.push(part.to_lowercase());
            }
            start = end;
        }
    }
    all
}

/// The parts of a text: split where neither letter nor digit stands, and at the humps of `camelCase` and `HTTPClient`.
#[must_use]
pub fn segments(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(humps).map(str::to_lowercase).collect()
}

/// The parts of one run of letters and digits.
pub(super) fn humps(piece: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = piece.char_indices().collect();
    let (mut parts, mut start) = (Vec::new(), 0);
    for (n, (at, c)) in chars.iter().enumerate().skip(1) {
        let (before, after) = (chars[n - 1].1, chars.get(n + 1).map(|(_, c)| *c));
        let ends = before.is_lowercase() || before.is_numeric();
        if c.is_uppercase() && (ends || before.is_uppercase() && after.is_some_and(char::is_lowercase)) {
            parts.push(&piece[start..*at]);
            start = *at;
        }
    }
    if start < piece.len() {
        parts.push(&piece[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(include_str!("../../../tests/data/golden/tokens.json")).unwrap();
        assert!(rows.len() > 50);
        for row in rows {
            let text = row["text"].as_str().unwrap();
            assert_eq!(serde_json::json!(tokens(text)), row["tokens"], "{text:?}");
            assert_eq!(serde_json::json!(segments(text)), row["segments"], "{text:?}");
        }
    }
}
