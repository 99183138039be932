//! Single values out of raw JSON, without reading the rest of it.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The value of `name` in the object `raw`; the last one, where it is given twice; `None` where `raw` is no object.
#[must_use]
pub fn field<'a>(raw: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    serde_json::Deserializer::from_str(raw.get()).deserialize_map(Pick(name)).ok().flatten()
}

/// The values of several fields of the object `raw`, read in one pass: as [`field`] gives them.
#[must_use]
pub fn fields<'a, const N: usize>(raw: &'a RawValue, names: &[&str; N]) -> [Option<&'a RawValue>; N] {
    let picked = serde_json::Deserializer::from_str(raw.get()).deserialize_map(PickAll(names));
    picked.unwrap_or([None; N])
}

/// The beginning of the text of a JSON string, at least `max` bytes of it if it is that long; else as [`text`]. The rest
/// is not decoded.
#[must_use]
pub fn text_head(raw: &RawValue, max: usize) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    // A byte of text takes at most six of JSON.
    if inner.len() <= max.saturating_mul(6) {
        return text(raw);
    }
    let mut at = 0;
    while at < max * 6 {
        at += match &inner.as_bytes()[at..] {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => 1,
        };
    }
    while !inner.is_char_boundary(at) {
        at += 1;
    }
    let cut = RawValue::from_string(format!("\"{}\"", &inner[..at])).ok()?;
    text(&cut).map(|text| Cow::Owned(text.into_owned()))
}

/// The text of a JSON string, `None` for any other value. Half a surrogate pair, which is JSON that some clients
/// write and no Rust text can hold, becomes U+FFFD.
#[must_use]
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if !inner.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::Deserializer::from_str(raw.get()).deserialize_bytes(Lossy).ok().map(Cow::Owned)
}

/// Picks one field out of an object and decodes nothing else.
struct Pick<'n>(&'n str);

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(wanted) = entries.next_key_seed(Is(self.0))? {
            if wanted {
                found = Some(entries.next_value()?);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Picks several fields.
struct PickAll<'n, const N: usize>(&'n [&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for PickAll<'_, N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(at) = entries.next_key_seed(Which(self.0))? {
            match at {
                Some(at) => found[at] = Some(entries.next_value()?),
                None => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

/// Which of these a key is.
struct Which<'n>(&'n [&'n str]);

impl<'de> DeserializeSeed<'de> for Which<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Which<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == key))
    }
}

/// Whether a key is this one. Read as bytes, so that half a surrogate pair in another key does no harm.
struct Is<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<bool, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<bool, E> {
        Ok(key == self.0.as_bytes())
    }
}

/// A string as bytes, made text.
struct Lossy;

impl Visitor<'_> for Lossy {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
        // Nearly every text is whole, and seeing that is much quicker than mending it.
        Ok(match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> &RawValue {
        serde_json::from_str(json).expect("JSON")
    }

    #[test]
    fn a_field_is_found_among_odd_neighbours() {
        let input = raw(r#"{"a":[{"command":"no"}],"\ud800":1e999999,"command":"x","command" : "git\u0020status" }"#);
        assert_eq!(field(input, "command").and_then(text).as_deref(), Some("git status"));
        assert!(field(input, "cmd").is_none());
        for other in ["null", "[]", "7", r#""command""#] {
            assert!(field(raw(other), "command").is_none(), "{other}");
        }
    }

    #[test]
    fn several_fields_are_found_as_each_alone() {
        let input = raw(r#"{"b":1,"\ud800":{},"a":"x","c":[1,{"a":2}],"b":2}"#);
        let found = fields(input, &["a", "b", "z"]);
        assert_eq!(found.map(|raw| raw.map(RawValue::get)), [Some("\"x\""), Some("2"), None]);
        assert!(fields(raw("[1]"), &["a"])[0].is_none());
    }

    #[test]
    fn a_head_ends_at_a_character() {
        for unit in ["x", "é", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", "\\\""] {
            let long = format!("\"{}\"", unit.repeat(200));
            let whole = text(raw(&long)).unwrap().into_owned();
            for max in 0..20 {
                let json = raw(&long);
                let head = text_head(json, max).unwrap().into_owned();
                let head = head.trim_end_matches('\u{fffd}');
                assert!(whole.starts_with(head) && head.len() + 3 >= max, "{unit} {max} {head}");
            }
        }
        assert_eq!(text_head(raw("\"ab\""), 1).as_deref(), Some("ab"));
        assert_eq!(text_head(raw("5"), 1), None);
    }

    #[test]
    fn text_is_borrowed_where_it_can_be_and_never_fails_on_a_string() {
        assert!(matches!(text(raw(r#""plain é""#)), Some(Cow::Borrowed("plain é"))));
        assert_eq!(text(raw(r#""\ud83d\ude00\n\u0000""#)).as_deref(), Some("😀\n\0"));
        let half = text(raw(r#""a\ud800b""#)).expect("a string");
        assert!(half.starts_with('a') && half.ends_with('b') && half.contains('\u{fffd}'), "{half}");
        assert_eq!(text(raw("5")), None);
    }
}
