//! The gate on turns that somebody wrote down: what it would score and rank, for whoever measures it.

use super::measure::measure;
use super::query::{Query, Work};
use crate::index::Index;
use serde::{Deserialize, Deserializer, Serialize};
use std::io;

/// A turn as a line of a file of labelled turns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Turn {
    /// Its name.
    pub id: String,
    /// What a person asked for.
    pub prompt: String,
    /// The files touched.
    pub touches: Vec<String>,
    /// The new text of its edits.
    pub edits: String,
    /// What the agent said last.
    #[serde(rename = "final")]
    pub final_message: String,
    /// Whether it runs into a lesson, for who knows: a list that is not empty, or `true`.
    #[serde(deserialize_with = "label", skip_serializing_if = "Option::is_none")]
    pub relevant: Option<bool>,
    /// What some gate measured, where it was measured before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// What the gate makes of a turn.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluated {
    /// The turn's name.
    pub id: String,
    /// The best lessons, best first.
    pub ranked: Vec<String>,
    /// The measure.
    pub score: f64,
    /// Each lesson's own, in their order.
    #[serde(skip)]
    pub scores: Vec<f64>,
    /// How many different words were looked up.
    #[serde(skip)]
    pub words: usize,
}

impl Turn {
    /// A turn of which there is one text only: its words that end as files do are what it touched.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let named = text.split_whitespace().filter(|word| !crate::tokens::language(word).is_empty());
        Self { touches: named.map(str::to_owned).collect(), final_message: text.to_owned(), ..Self::default() }
    }

    /// Its words in one text.
    #[must_use]
    pub fn text(&self) -> String {
        let parts = [self.prompt.clone(), self.touches.join("\n"), self.edits.clone(), self.final_message.clone()];
        parts.into_iter().filter(|part| !part.is_empty()).map(|part| part + "\n").collect()
    }
}

fn label<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Label {
        Is(bool),
        Lessons(Vec<String>),
    }
    let label = Option::<Label>::deserialize(from)?;
    Ok(label.map(|label| match label {
        Label::Is(is) => is,
        Label::Lessons(lessons) => !lessons.is_empty(),
    }))
}

/// Measures one turn.
///
/// # Errors
/// The system's.
pub fn evaluate(index: &Index, turn: &Turn) -> io::Result<Evaluated> {
    let edits = [turn.edits.clone()];
    let work = Work {
        prompt: &turn.prompt,
        touches: &turn.touches,
        edits: &edits,
        final_message: &turn.final_message,
        ..Work::default()
    };
    let query = Query::of(&work);
    let mut measured = measure(index, &query, &work)?;
    let (ranked, scores) = measured.scored()?.into_iter().unzip();
    Ok(Evaluated { id: turn.id.clone(), ranked, score: measured.score, scores, words: query.words() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_lists_or_words() {
        let label = |text: &str| serde_json::from_str::<Turn>(text).map(|turn| turn.relevant);
        assert_eq!(label(r#"{"relevant":["a"]}"#).unwrap(), Some(true));
        assert_eq!(label(r#"{"relevant":[]}"#).unwrap(), Some(false));
        assert_eq!(label(r#"{"relevant":true,"kind":"x"}"#).unwrap(), Some(true));
        assert_eq!(label(r#"{"relevant":null}"#).unwrap(), None);
        assert_eq!(label("{}").unwrap(), None);
        assert!(label(r#"{"relevant":3}"#).is_err());
    }

    #[test]
    fn a_text_touches_the_files_that_it_names() {
        let turn = Turn::of_text("fix src/a.rs and Makefile\nrun: x.py");
        assert_eq!(turn.touches, ["src/a.rs", "x.py"]);
    }
}
