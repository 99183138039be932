//! Whether a name is in a text: the parts of the name, in order and side by side, whatever separates them.

/// Whether the parts of `name` occur in `text`, adjacent and in order; a name without parts never does.
#[must_use]
pub fn present(name: &str, text: &str) -> bool {
    let name = segments(name);
    !name.is_empty() && segments(text).windows(name.len()).any(|window| window == name)
}

/// The words of a text: split where neither letter nor digit stands, and at the humps of `camelCase` and `HTTPClient`.
fn segments(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for piece in text.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()) {
        let chars: Vec<char> = piece.chars().collect();
        let mut part = String::new();
        for (at, c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| chars[at]);
            let after = chars.get(at + 1);
            let hump = c.is_uppercase()
                && before.is_some_and(|b| {
                    b.is_lowercase() || b.is_numeric() || b.is_uppercase() && after.is_some_and(|a| a.is_lowercase())
                });
            if hump && !part.is_empty() {
                all.push(std::mem::take(&mut part));
            }
            part.extend(c.to_lowercase());
        }
        all.push(part);
    }
    all
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
