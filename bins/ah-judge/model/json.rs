//! The one JSON value that is meant, in text that may have fences, prose, an echo of the question and half lines.

use serde_json::Value;
use std::borrow::Cow;

/// How often a value is looked for: a reply has one, an echo a few; what has more is no reply.
const TRIES: usize = 300;

/// A text without half characters: a `\ud83d` whose other half is missing, as a cut makes them, becomes the replacement
/// character. Serde refuses the whole text for one.
pub fn mended(text: &str) -> Cow<'_, str> {
    let half = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
    };
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(next) = text[at..].find('\\') {
        at += next;
        match half(at) {
            Some(0xd800..0xdc00) if matches!(half(at + 6), Some(0xdc00..)) => at += 12,
            Some(_) => {
                out.push_str(&text[done..at]);
                out.push_str("\\ufffd");
                at += 6;
                done = at;
            }
            // Whatever is escaped is one character, or the `u` of four digits.
            None => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The value in `text` that `fits`.
///
/// A text that is JSON as a whole is taken as it is. Else the last object or list that fits counts, since models that
/// think aloud end with their answer; what stands in the `prompt` as well is an echo and never counts. A list is taken
/// for the entries of `applies`, and an object that wraps another for what it wraps.
pub fn find(text: &str, prompt: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let text = mended(text.trim_start_matches('\u{feff}').trim());
    let text = &*text;
    let echo = Echo { bare: bare(prompt), values: values(prompt).into_iter().map(|(value, _)| value).collect() };
    if let Ok(value) = serde_json::from_str::<Value>(text)
        && (value.is_object() || value.is_array())
    {
        // That nothing applies is said in the same words by everyone.
        let empty = |value: &Value| value.get("applies").and_then(Value::as_array).is_some_and(Vec::is_empty);
        return Some(value).filter(|value| empty(value) || !echo.has(value, text)).and_then(|value| meant(value, &fits));
    }
    let found = values(text).into_iter().rev().filter(|(value, raw)| !echo.has(value, raw));
    found.filter_map(|(value, _)| meant(value, &fits)).next()
}

/// What the question itself contains.
struct Echo {
    bare: String,
    values: Vec<Value>,
}

impl Echo {
    fn has(&self, value: &Value, raw: &str) -> bool {
        self.values.contains(value) || self.bare.contains(&bare(raw))
    }
}

/// A text without white space and the marks of fenced lines.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '|').collect()
}

/// `value` in the form that is asked for, if it can be.
fn meant(value: Value, fits: &impl Fn(&Value) -> bool) -> Option<Value> {
    if fits(&value) {
        return Some(value);
    }
    match value {
        Value::Array(list) if list.iter().all(|entry| entry.get("id").is_some()) => {
            Some(serde_json::json!({ "applies": list })).filter(fits)
        }
        Value::Object(fields) => fields.into_iter().map(|(_, inner)| inner).find(|inner| inner.is_object() && fits(inner)),
        _ => None,
    }
}

/// The outermost objects and lists of a text, in order, each with its text; what is cut off is left out.
fn values(text: &str) -> Vec<(Value, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    for _ in 0..TRIES {
        let Some(start) = rest.find(['{', '[']) else { break };
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            let (raw, after) = rest.split_at(stream.byte_offset());
            found.push((value, raw));
            rest = after;
        } else {
            // Brackets of prose, or half an object; what is in it may still be whole.
            rest = rest.trim_start_matches(['{', '[']);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_mended() {
        for (text, want) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\ude00\ud83d\ude00\ud83d""#, r#""\ufffd\ud83d\ude00\ufffd""#),
            (r#""\\ud83d \n \u00e9""#, r#""\\ud83d \n \u00e9""#),
            (r#""\ud83d\u0041""#, r#""\ufffd\u0041""#),
            (r"\ud8", r"\ud8"),
            ("\\", "\\"),
            ("\\é", "\\é"),
        ] {
            assert_eq!(mended(text), want);
        }
        let value = find(r#"{"applies":[{"id":"L1","why":"\ud83d"}]}"#, "", Value::is_object).unwrap();
        assert_eq!(value["applies"][0]["why"], "\u{fffd}");
    }
}
