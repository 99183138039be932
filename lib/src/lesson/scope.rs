//! Whether a name is in a text: the parts of the name, in order and side by side, whatever separates them.

use crate::tokens::segments;

/// Whether the parts of `name` occur in `text`, adjacent and in order; a name without parts never does.
#[must_use]
pub fn present(name: &str, text: &str) -> bool {
    let name = segments(name);
    !name.is_empty() && segments(text).windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(include_str!("../../../tests/data/golden/names.json")).unwrap();
        assert!(rows.len() > 5);
        for row in rows {
            let (name, text) = (row["name"].as_str().unwrap(), row["text"].as_str().unwrap());
            assert_eq!(present(name, text), row["contains"].as_bool().unwrap(), "{name} in {text}");
        }
    }
}
