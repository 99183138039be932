//! What is known of one variable.

use super::command::HOLE;

/// A variable's value; texts may have [`HOLE`]s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Unset,
    Text(String),
    /// One of the names that match this pattern, as in a [`Word::Glob`](super::command::Word::Glob).
    Glob(String),
    /// Subscript and element, in the order in which `"${a[@]}"` gives them.
    Array(Vec<(String, String)>),
}

/// Elements that an array may have before its contents are given up.
const ELEMENTS: usize = 256;

impl Value {
    /// A value of which nothing is known.
    pub fn unknown() -> Self {
        Self::Text(HOLE.to_string())
    }

    pub fn indexed(elements: Vec<String>) -> Self {
        if elements.len() > ELEMENTS {
            return Self::unknown();
        }
        Self::Array(elements.into_iter().enumerate().map(|(index, element)| (index.to_string(), element)).collect())
    }

    /// How much copying it costs, in entries.
    pub fn weight(&self) -> usize {
        match self {
            Self::Unset => 1,
            Self::Text(text) | Self::Glob(text) => 1 + text.len() / super::world::ENTRY,
            Self::Array(elements) => 1 + 2 * elements.len(),
        }
    }

    /// The value as a list: what `"${x[@]}"` gives.
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::Unset => Vec::new(),
            Self::Text(text) => vec![text.clone()],
            Self::Glob(_) => vec![HOLE.to_string()],
            Self::Array(elements) => elements.iter().map(|(_, element)| element.clone()).collect(),
        }
    }

    /// The element with this subscript; `None` if it is unset.
    pub fn element(&self, key: &str) -> Option<&str> {
        match self {
            Self::Unset => None,
            Self::Text(text) => (key == "0" || text.contains(HOLE)).then_some(text),
            Self::Glob(_) => Some("\0"),
            Self::Array(elements) => elements.iter().find(|(index, _)| index == key).map(|(_, element)| element.as_str()),
        }
    }

    /// Sets one element.
    pub fn set(&mut self, key: &str, element: String) {
        if matches!(self, Self::Glob(_)) {
            *self = Self::unknown();
        }
        let elements = match self {
            Self::Array(elements) => elements,
            // Nothing is known, and one element does not change that.
            Self::Text(text) if text == "\0" => return,
            Self::Glob(_) => return,
            Self::Text(text) => {
                let first = std::mem::take(text);
                *self = Self::Array(vec![("0".to_owned(), first)]);
                return self.set(key, element);
            }
            Self::Unset => {
                *self = Self::Array(Vec::new());
                return self.set(key, element);
            }
        };
        if key.contains(HOLE) || elements.len() >= ELEMENTS {
            // Some element, which one is not known: all of them may be it.
            *self = Self::unknown();
            return;
        }
        let number = key.parse::<u64>().ok();
        // Mostly it comes behind the last.
        if let (Some(number), Some((last, _))) = (number, elements.last())
            && last.parse::<u64>().is_ok_and(|last| last < number)
        {
            elements.push((key.to_owned(), element));
            return;
        }
        if let Some((_, old)) = elements.iter_mut().find(|(index, _)| index == key) {
            *old = element;
            return;
        }
        let at = number
            .and_then(|number| elements.iter().position(|(index, _)| index.parse::<u64>().is_ok_and(|other| other > number)));
        elements.insert(at.unwrap_or(elements.len()), (key.to_owned(), element));
    }

    /// Adds to the end: text to a text, elements to an array.
    pub fn append(&mut self, more: Self) {
        if matches!(self, Self::Glob(_)) {
            *self = Self::unknown();
        }
        match (&mut *self, more) {
            (Self::Text(text), Self::Text(more)) => text.push_str(&more),
            (Self::Array(elements), Self::Text(more)) => {
                if let Some((_, first)) = elements.first_mut() {
                    first.push_str(&more);
                } else {
                    elements.push(("0".to_owned(), more));
                }
            }
            (Self::Text(text), Self::Array(_)) if text == "\0" => {}
            (_, Self::Array(more)) => {
                let mut next = match self {
                    Self::Array(elements) => {
                        elements.last().and_then(|(index, _)| index.parse::<u64>().ok()).map_or(0, |last| last.saturating_add(1))
                    }
                    Self::Text(_) | Self::Glob(_) => 1,
                    Self::Unset => 0,
                };
                for (_, element) in more {
                    self.set(&next.to_string(), element);
                    next = next.saturating_add(1);
                }
            }
            (Self::Unset, more) => *self = more,
            (Self::Glob(_), _) | (_, Self::Unset | Self::Glob(_)) => {}
        }
    }
}
