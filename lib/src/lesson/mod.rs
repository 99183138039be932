//! A lesson: one question that earlier work taught, as a line of a store.

mod scope;

pub use scope::present;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;

/// Longest line, in bytes.
pub const MAX_LINE: usize = 256 << 10;

/// What lessons are about; anything else is `other`.
const AREAS: &[&str] = &[
    "architecture-boundary", "concurrency", "data-source", "dependency-version", "minimality", "other", "protocol-correctness",
    "reuse-existing", "scope", "security", "spec-conformance", "verification",
];

/// Where a lesson holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Nowhere any more: what is left of a lesson that was taken back.
    Personal,
    /// In its repository only.
    Repo,
    /// Everywhere.
    #[default]
    Team,
}

/// One lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lesson {
    /// Its key.
    pub id: String,
    /// When it was learned, in milliseconds since the Unix epoch.
    pub origin_ms: u64,
    /// What it asks; the only part that is put to the agent as a question.
    pub question: String,
    /// When it applies, one to three lines worded for matching.
    #[serde(deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub situations: Vec<String>,
    /// What follows where it is not heeded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub consequence: String,
    /// Of two lines of one id the greater one counts.
    pub version: u64,
    /// How many episodes it rests on.
    #[serde(skip_serializing_if = "is_zero")]
    pub support: u64,
    /// The lessons whose place it takes.
    #[serde(deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Where it came from: `import`, `queen`, `constraint`, or nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Names of systems without which it never applies.
    #[serde(deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// An outside rule that it replaces.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub overrides: String,
    /// Other wordings, for matching only.
    #[serde(deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<String>,
    /// Where it was learned, by the repository's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repo: String,
    /// Where it holds.
    #[serde(deserialize_with = "reach", skip_serializing_if = "is_team")]
    pub reach: Reach,
    /// What it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub area: String,
    /// Who taught it, in small letters.
    #[serde(deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub engineers: Vec<String>,
    /// What else its line says; kept when it is written again.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Why a line is no lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why(String);

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a line must have; the rest may be missing.
#[derive(Deserialize)]
struct Needed {
    id: String,
    #[serde(rename = "origin_ms")]
    _origin_ms: i64,
    #[serde(rename = "question")]
    _question: String,
}

impl Lesson {
    /// Reads a line.
    ///
    /// # Errors
    /// It is no object with `id` and `question` (texts) and `origin_ms` (a whole number), or a field has a wrong type.
    pub fn read(line: &[u8]) -> Result<Self, Why> {
        if line.len() > MAX_LINE {
            return Err(Why("longer than 256 KiB".to_owned()));
        }
        let needed: Needed = serde_json::from_slice(line).map_err(|error| Why(error.to_string()))?;
        if needed.id.is_empty() {
            return Err(Why("its id is empty".to_owned()));
        }
        let mut value: Value = serde_json::from_slice(line).map_err(|error| Why(error.to_string()))?;
        // A time before 1970 is one that nobody knows.
        if value["origin_ms"].as_i64().is_some_and(|ms| ms < 0) {
            value["origin_ms"] = 0.into();
        }
        let mut lesson: Self = serde_json::from_value(value).map_err(|error| Why(error.to_string()))?;
        lesson.area = area(&lesson.area);
        let mut seen = BTreeSet::new();
        lesson.engineers = lesson
            .engineers
            .iter()
            .map(|e| e.trim().to_lowercase())
            .filter(|e| !e.is_empty() && seen.insert(e.clone()))
            .collect();
        Ok(lesson)
    }

    /// Its line, without a newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        // Texts and numbers always can be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether it may be shown in the repository of this name.
    #[must_use]
    pub fn deliverable(&self, repo: &str) -> bool {
        match self.reach {
            Reach::Personal => false,
            Reach::Repo => self.repo.to_lowercase() == repo.to_lowercase(),
            Reach::Team => true,
        }
    }

    /// Whether any of its scope names is in the text, or it has none.
    #[must_use]
    pub fn in_scope(&self, text: &str) -> bool {
        self.scope.is_empty() || self.scope.iter().any(|name| present(name, text))
    }
}

impl Serialize for Reach {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            Self::Personal => "personal",
            Self::Repo => "repo",
            Self::Team => "",
        })
    }
}

fn reach<'de, D: Deserializer<'de>>(from: D) -> Result<Reach, D::Error> {
    let text = Option::<String>::deserialize(from)?.unwrap_or_default();
    Ok(match text.as_str() {
        "personal" => Reach::Personal,
        "repo" => Reach::Repo,
        _ => Reach::Team,
    })
}

/// A list of texts; one by itself is as good.
fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Texts {
        Many(Vec<String>),
        One(String),
    }
    Ok(match Option::<Texts>::deserialize(from)? {
        None => Vec::new(),
        Some(Texts::Many(all)) => all,
        Some(Texts::One(text)) => vec![text],
    })
}

fn area(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let name = text.trim().to_lowercase().replace(['_', ' '], "-");
    if AREAS.contains(&name.as_str()) { name } else { "other".to_owned() }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_team(reach: &Reach) -> bool {
    *reach == Reach::Team
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_with_what_is_not_known() {
        let line = r#"{"id":"L-1","origin_ms":5,"question":"Is it?","version":2,"reach":"repo","area":"Data Source","engineers":[" A@x","a@x"],"episodes":["e"],"joined":{"a":1}}"#;
        let lesson = Lesson::read(line.as_bytes()).unwrap();
        assert_eq!(
            (lesson.area.as_str(), lesson.engineers.as_slice(), lesson.reach),
            ("data-source", ["a@x".to_owned()].as_slice(), Reach::Repo)
        );
        assert_eq!(lesson.extra["joined"]["a"], 1);
        assert_eq!(Lesson::read(lesson.to_line().as_bytes()).unwrap(), lesson);
    }

    #[test]
    fn what_is_no_lesson_says_why() {
        for bad in [
            "",
            "x",
            "[]",
            "{\"id\":\"\",\"origin_ms\":1,\"question\":\"\"}",
            "{\"id\":\"a\",\"question\":\"q\"}",
            "{\"id\":\"a\",\"origin_ms\":1.5,\"question\":\"q\"}",
        ] {
            assert!(!Lesson::read(bad.as_bytes()).unwrap_err().to_string().is_empty(), "{bad}");
        }
        assert!(Lesson::read(&vec![b' '; MAX_LINE + 1]).is_err());
        assert!(Lesson::read(b"{\"id\":\"a\",\"origin_ms\":-1,\"question\":\"\"}").is_ok_and(|l| l.origin_ms == 0));
    }

    #[test]
    fn golden_reach() {
        #[derive(Deserialize)]
        struct Case {
            reach: String,
            lesson_repo: String,
            session_repos: Vec<String>,
            deliverable: bool,
        }
        let cases: Vec<Case> = serde_json::from_str(include_str!("../../../tests/data/golden/reach.json")).unwrap();
        for case in cases {
            let line =
                format!(r#"{{"id":"a","origin_ms":1,"question":"q","repo":"{}","reach":"{}"}}"#, case.lesson_repo, case.reach);
            let lesson = Lesson::read(line.as_bytes()).unwrap();
            assert_eq!(lesson.deliverable(&case.session_repos[0]), case.deliverable, "{line}");
        }
    }
}
