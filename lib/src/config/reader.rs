//! Reads typed values out of JSON with comments; every mistake becomes a [`Problem`] with its place.

use super::problem::{Problem, Severity, meant};
use crate::paths::Paths;
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most problems that are listed; finding the place of each reads the file.
const MOST: usize = 100;

/// Most elements of a list.
const LONGEST: usize = 1000;

/// One file being read.
pub(super) struct Reader<'a> {
    /// Mistakes so far, those that are no longer listed included.
    pub errors: usize,
    pub file: &'a Path,
    pub paths: &'a Paths,
    pub problems: &'a mut Vec<Problem>,
    pub text: &'a str,
}

/// A value and the keys that lead to it.
pub(super) struct Field<'v> {
    pub key: String,
    /// Where its key stands; a list's element: where it stands itself.
    at: usize,
    name: String,
    pub value: &'v Value<'v>,
}

impl Field<'_> {
    /// The last key; empty for elements of a list.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The value of a whole text.
pub(super) fn parse<'t>(file: &Path, text: &'t str) -> Result<Value<'t>, Problem> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &crate::jsonc::OPTIONS)
        .map_err(|e| Problem::at(file, text, e.range().start, "", format!("not JSON with comments: {}", e.kind())))?;
    parsed.value.ok_or_else(|| Problem::at(file, text, 0, "", "expected an object; found nothing"))
}

impl<'a> Reader<'a> {
    /// The whole text as a field without a name.
    pub fn root<'v>(&self, value: &'v Value<'v>) -> Field<'v> {
        Field { key: String::new(), at: value.range().start, name: String::new(), value }
    }

    /// Notes a mistake in a value.
    pub fn wrong(&mut self, field: &Field<'_>, expected: &str) {
        let found = kind(field.value);
        self.error(field, format!("expected {expected}; found {found}"));
    }

    /// Notes a mistake at a value in other words.
    pub fn error(&mut self, field: &Field<'_>, what: impl Into<String>) {
        self.errors += 1;
        if self.problems.len() < MOST {
            let at = field.value.range().start;
            let problem = Problem::at(self.file, self.text, at, &field.key, what);
            self.problems.push(problem);
        }
    }

    /// Notes something that is left out and spoils nothing else.
    pub fn warn(&mut self, field: &Field<'_>, what: impl Into<String>) {
        // Room is left for errors.
        if self.problems.len() < MOST / 2 {
            self.problems
                .push(Problem { severity: Severity::Warning, ..Problem::at(self.file, self.text, field.at, &field.key, what) });
        }
    }

    /// Warns of a key that nothing reads.
    pub fn unknown(&mut self, field: &Field<'_>, known: &[&str]) {
        let what = match meant(field.name(), known) {
            Some(near) => format!("unknown key; did you mean \"{near}\"?"),
            None => "unknown key".to_owned(),
        };
        self.warn(field, what);
    }

    /// The fields of an object.
    pub fn object<'v>(&mut self, field: &Field<'v>) -> Vec<Field<'v>> {
        let Value::Object(object) = field.value else {
            self.wrong(field, "an object");
            return Vec::new();
        };
        let mut fields: Vec<Field<'v>> = Vec::new();
        let mut seen = BTreeSet::new();
        for prop in &object.properties {
            let next = inner(field, prop);
            if !seen.insert(prop.name.as_str()) {
                self.error(&next, "this key is given twice");
                continue;
            }
            fields.push(next);
        }
        fields
    }

    /// The elements of a list.
    pub fn list<'v>(&mut self, field: &Field<'v>) -> Vec<Field<'v>> {
        let Value::Array(array) = field.value else {
            self.wrong(field, "a list");
            return Vec::new();
        };
        if array.elements.len() > LONGEST {
            self.error(field, format!("expected at most {LONGEST} elements"));
            return Vec::new();
        }
        let elements = array.elements.iter().enumerate();
        elements
            .map(|(n, value)| Field { key: format!("{}[{n}]", field.key), at: value.range().start, name: String::new(), value })
            .collect()
    }

    /// A text that is not empty and holds no NUL.
    pub fn text(&mut self, field: &Field<'_>, expected: &str) -> Option<String> {
        match field.value {
            Value::StringLit(lit) if !lit.value.is_empty() && !lit.value.contains('\0') => Some(lit.value.clone().into_owned()),
            _ => {
                self.wrong(field, expected);
                None
            }
        }
    }

    /// A list of texts.
    pub fn texts(&mut self, field: &Field<'_>, expected: &str) -> Vec<String> {
        let elements = self.list(field);
        elements.iter().filter_map(|e| self.text(e, expected)).collect()
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, field: &Field<'_>) -> Option<bool> {
        if let Value::BooleanLit(lit) = field.value {
            return Some(lit.value);
        }
        self.wrong(field, "true or false");
        None
    }

    /// A whole number in a range.
    pub fn number(&mut self, field: &Field<'_>, least: u64, most: u64) -> Option<u64> {
        if let Value::NumberLit(lit) = field.value
            && let Ok(n) = lit.value.parse::<u64>()
            && (least..=most).contains(&n)
        {
            return Some(n);
        }
        self.wrong(field, &format!("a whole number from {least} to {most}"));
        None
    }

    /// One of a few words.
    pub fn word<T: Copy>(&mut self, field: &Field<'_>, words: &[(&str, T)]) -> Option<T> {
        if let Value::StringLit(lit) = field.value
            && let Some((_, value)) = words.iter().find(|(word, _)| *word == lit.value)
        {
            return Some(*value);
        }
        self.wrong(field, &one_of(words));
        None
    }

    /// An absolute path or one under `~`.
    pub fn path(&mut self, field: &Field<'_>) -> Option<PathBuf> {
        let expected = "an absolute path, or one that begins with ~/";
        let text = self.text(field, expected)?;
        let path = self.paths.written(&text);
        if path.is_none() {
            self.wrong(field, expected);
        }
        path
    }

    /// The value as it is written, for the part that will read it.
    pub fn raw(&self, field: &Field<'_>) -> String {
        let range = field.value.range();
        self.text[range.start..range.end].to_owned()
    }
}

/// `one of "a", "b"`.
pub(super) fn one_of<T>(words: &[(&str, T)]) -> String {
    let quoted: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
    format!("one of {}", quoted.join(", "))
}

fn inner<'v>(outer: &Field<'v>, prop: &'v ObjectProp<'v>) -> Field<'v> {
    // A key may be long and hostile; it is shown, not used.
    let name: String = prop.name.as_str().chars().take(80).collect();
    let dot = if outer.key.is_empty() { "" } else { "." };
    Field { key: format!("{}{dot}{name}", outer.key), at: prop.range.start, name, value: &prop.value }
}

/// What a value is, in words; a short one is shown itself.
fn kind(value: &Value<'_>) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::BooleanLit(lit) => lit.value.to_string(),
        Value::NullKeyword(_) => "null".to_owned(),
        Value::NumberLit(lit) if lit.value.len() <= 20 => lit.value.to_owned(),
        Value::NumberLit(_) => "a number".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::StringLit(lit) if lit.value.len() <= 40 => format!("{:?}", lit.value),
        Value::StringLit(_) => "a text".to_owned(),
    }
}
