//! What a server takes of a request: how the form of the reply is asked for, and which fields it does not know.

use std::collections::BTreeSet;

/// How the form of the reply is asked for, from the surest down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// The server holds the model to the schema.
    #[default]
    Schema,
    /// The server sees to it that it is JSON, or calls a tool; the schema is in the prompt where it must be.
    Json,
    /// The prompt asks for it.
    Plain,
}

/// What is known of a server and model by trying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// How the form is asked for.
    pub rung: Rung,
    /// Fields that it refused.
    pub without: BTreeSet<String>,
}

/// Words by which a server says that it cannot hold a model to a form.
const FORM: &[&str] = &[
    "grammar", "guided", "input_schema", "json_object", "json_schema", "output_config", "output_format", "response_format",
    "schema", "structured output", "text.format", "tool",
];

impl Shape {
    /// As it was remembered; nothing known where that cannot be read.
    pub fn read(text: &str) -> Self {
        let mut words = text.split_whitespace();
        let rung = match words.next() {
            Some("json") => Rung::Json,
            Some("plain") => Rung::Plain,
            _ => Rung::Schema,
        };
        Self { rung, without: words.map(str::to_owned).collect() }
    }

    /// To be remembered.
    pub fn text(&self) -> String {
        let rung = match self.rung {
            Rung::Schema => "schema",
            Rung::Json => "json",
            Rung::Plain => "plain",
        };
        self.without.iter().fold(rung.to_owned(), |text, field| text + " " + field)
    }

    /// Does without what a server's message names: first one of these fields, else one rung further down. Whether there
    /// was anything left to do without.
    pub fn lower(&mut self, message: &str, fields: &[&str]) -> bool {
        let message = message.to_lowercase();
        if let Some(field) = fields.iter().find(|field| message.contains(**field) && !self.without.contains(**field)) {
            return self.without.insert((*field).to_owned());
        }
        let next = match self.rung {
            Rung::Schema => Rung::Json,
            Rung::Json => Rung::Plain,
            Rung::Plain => return false,
        };
        let told = FORM.iter().any(|word| message.contains(word));
        if told {
            self.rung = next;
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_remembered_as_text() {
        let mut shape = Shape::default();
        assert!(!shape.lower("model is overloaded", &["temperature"]));
        assert!(shape.lower("Unsupported value: 'temperature'", &["temperature"]));
        assert!(shape.lower("'response_format' of type 'json_schema' is not supported", &["temperature"]));
        assert_eq!((shape.text().as_str(), Shape::read(&shape.text())), ("json temperature", shape.clone()));
        assert!(shape.lower("response_format.type must be text; temperature", &["temperature"]) && shape.rung == Rung::Plain);
        assert!(!shape.lower("response_format", &["temperature"]));
        assert_eq!(Shape::read(""), Shape::default());
        assert_eq!(Shape::read("\u{0} ???").rung, Rung::Schema);
    }
}
