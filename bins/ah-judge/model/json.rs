//! The one JSON value that is meant, in text that may have fences, prose, an echo of the question and half lines.

use serde_json::Value;

/// How often a value is looked for: a reply has one, an echo a few; what has more is no reply.
const TRIES: usize = 300;

/// The value in `text` that `fits`.
///
/// A text that is JSON as a whole is taken as it is. Else the last object or list that fits counts, since models that
/// think aloud end with their answer; what stands in the `prompt` as well is an echo and never counts. A list is taken
/// for the entries of `applies`, and an object that wraps another for what it wraps.
pub fn find(text: &str, prompt: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
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
