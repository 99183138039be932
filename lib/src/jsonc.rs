//! JSON with comments and trailing commas, read into serde types; errors name the place and what was expected.

use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast, parse_to_serde_value};
use serde::Deserialize;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// The largest text that is read, in bytes; files of people are far smaller.
pub const MAX_BYTES: usize = 4 << 20;

/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 128;

/// Comments and a comma too many are fine; other liberties would be errors for other readers of the file.
pub(crate) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// What was found and what was expected. May quote the text: print it through `quote`.
    pub what: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for Error {}

/// Reads `bytes` as a `T`; a leading byte order mark is skipped.
///
/// # Errors
/// Not UTF-8, over [`MAX_BYTES`], deeper than [`MAX_DEPTH`], not JSON with comments, a key given twice in one object,
/// or not a `T`. An empty text is an error unless `T` can be made from `null`.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error { line: 1, column: 1, what: format!("longer than {MAX_BYTES} bytes") });
    }
    let (_, text) = text(bytes)?;
    // Twice: a typed reader drops the keys it does not know, so only a reader of everything sees a key given twice.
    parse_to_serde_value::<Checked>(text, &OPTIONS).map_err(|error| place(text, &error))?;
    parse_to_serde_value(text, &OPTIONS).map_err(|error| place(text, &error))
}

/// A text as a tree whose nodes know their place in it; `None` where it holds no value at all. For files of others,
/// which may be large; without `comments` it must be JSON as every reader of JSON takes it.
///
/// # Errors
/// Not JSON, or deeper than the reader goes (512).
pub fn tree(text: &str, comments: bool) -> Result<Option<ast::Value<'_>>, Error> {
    let options = ParseOptions { allow_comments: comments, allow_trailing_commas: comments, ..OPTIONS };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(place(text, &error)),
    }
}

/// What is wrong at a byte of a text.
#[must_use]
pub fn wrong(text: &str, byte: usize, what: impl Into<String>) -> Error {
    at(text, byte, what.into())
}

/// A text of a file, and how many bytes of a byte order mark stand before it.
///
/// # Errors
/// It is not UTF-8.
pub fn text(bytes: &[u8]) -> Result<(usize, &str), Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        at(&valid, valid.len(), "not UTF-8".to_owned())
    })?;
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok((text.len() - bare.len(), bare))
}

fn place(text: &str, error: &ParseError) -> Error {
    let what = error.kind().to_string();
    let mut start = error.range().start;
    // The reader places an unknown field at its object's brace; the field itself is more use.
    if let Some(name) = what.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
        start += text.get(start..).and_then(|rest| rest.find(&format!("\"{name}\""))).unwrap_or(0);
    }
    // ... and gives the end of the text no place.
    if what == "unexpected end of input" {
        start = text.len();
    }
    at(text, start, what)
}

fn at(text: &str, byte: usize, what: String) -> Error {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Error { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, what }
}

/// Any value in which no object has a key twice and nothing lies too deep.
struct Checked;

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Check { depth: 0, twice: None }.deserialize(deserializer)
    }
}

/// Checks one value. The complaint about a key is made by its value, because that is what the reader has a place for.
struct Check {
    depth: usize,
    twice: Option<String>,
}

impl Check {
    fn scalar<E: de::Error>(self) -> Result<Checked, E> {
        match self.twice {
            Some(key) => Err(E::custom(format_args!("key `{key}` is given twice"))),
            None => Ok(Checked),
        }
    }

    fn enter<E: de::Error>(self) -> Result<usize, E> {
        if self.depth == MAX_DEPTH {
            return Err(E::custom(format_args!("nested deeper than {MAX_DEPTH}")));
        }
        let depth = self.depth + 1;
        self.scalar().map(|_| depth)
    }
}

impl<'de> DeserializeSeed<'de> for Check {
    type Value = Checked;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Checked, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = Checked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_unit<E: de::Error>(self) -> Result<Checked, E> {
        self.scalar()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Checked, A::Error> {
        let depth = self.enter()?;
        while items.next_element_seed(Check { depth, twice: None })?.is_some() {}
        Ok(Checked)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Checked, A::Error> {
        let depth = self.enter()?;
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            let twice = seen.contains(&key).then(|| key.clone());
            seen.insert(key);
            entries.next_value_seed(Check { depth, twice })?;
        }
        Ok(Checked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    #[derive(Default)]
    struct Sample {
        count: u32,
        names: Vec<String>,
    }

    fn error(text: &str) -> (usize, usize, String) {
        let error = read::<Sample>(text.as_bytes()).expect_err(text);
        (error.line, error.column, error.what)
    }

    #[test]
    fn comments_trailing_commas_and_a_byte_order_mark() {
        let text = "\u{feff}// why\n{ \"count\": 3, /* so */ \"names\": [\"a\",], }\n";
        assert_eq!(read::<Sample>(text.as_bytes()), Ok(Sample { count: 3, names: vec!["a".into()] }));
        let escapes = read::<Value>(br#"{"a\"":"\u00e9\ud83d\ude00\n"}"#);
        assert_eq!(escapes, Ok(json!({"a\"": "é😀\n"})));
    }

    #[test]
    fn an_error_names_place_and_expectation() {
        let (line, column, what) = error("{\n  \"count\": \"x\"\n}");
        assert_eq!((line, column), (2, 12));
        assert!(what.contains("expected u32"), "{what}");
        let (line, column, what) = error("{\n  \"count\": 1,\n  \"cuont\": 2 }");
        assert_eq!((line, column), (3, 3));
        assert!(what.contains("cuont") && what.contains("`names`"), "{what}");
        assert_eq!(error("{ \"names\": [\"ä\", 5] }").1, 18);
    }

    #[test]
    fn a_key_given_twice_is_refused_at_any_depth() {
        assert_eq!(error("{\"count\":1,\n \"count\":2}"), (2, 10, "key `count` is given twice".into()));
        let deep = read::<Value>(br#"[{"a":{"b":1,"b":[]}}]"#).expect_err("twice");
        assert!(deep.what.contains("`b`"), "{deep}");
        assert!(read::<Value>(br#"[{"a":1},{"a":2}]"#).is_ok());
    }

    #[test]
    fn what_is_not_json_with_comments_is_refused() {
        for text in [
            "{count:1}",
            "{'count':1}",
            "{\"count\":1 \"names\":[]}",
            "{\"count\":0x1}",
            "{",
            "{}{}",
            "",
            "[",
            "/*",
            "{\"count\":",
        ] {
            assert!(read::<Sample>(text.as_bytes()).is_err(), "{text}");
        }
        assert_eq!(read::<Value>(b"{\"a\":1}\n\"\xff\"").map_err(|e| (e.line, e.column)), Err((2, 2)));
    }

    #[test]
    fn size_and_depth_are_bounded() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(read::<Value>(deep(MAX_DEPTH).as_bytes()).is_ok());
        assert!(read::<Value>(deep(MAX_DEPTH + 1).as_bytes()).is_err());
        assert!(read::<Value>("{\"a\":".repeat(50_000).as_bytes()).is_err());
        assert!(read::<Value>(&vec![b' '; MAX_BYTES + 1]).is_err());
    }
}
