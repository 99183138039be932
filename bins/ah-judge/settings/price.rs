//! What tokens cost.

use serde_json::Value;

/// Prices per million tokens, in the currency of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Tokens read from a cache.
    pub cache_read: f64,
    /// Tokens written to a cache.
    pub cache_write: f64,
    /// Tokens in.
    pub input: f64,
    /// Tokens out.
    pub output: f64,
}

/// Tokens of a call; those from and to a cache are not among those in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
    /// In.
    pub input: u64,
    /// Out.
    pub output: u64,
}

impl Price {
    /// What tokens cost.
    #[must_use]
    pub fn of(&self, tokens: Tokens) -> f64 {
        let part = |count: u64, price: f64| count as f64 * price / 1e6;
        part(tokens.input, self.input)
            + part(tokens.output, self.output)
            + part(tokens.cache_read, self.cache_read)
            + part(tokens.cache_write, self.cache_write)
    }

    /// As a setting gives it: an object of numbers. What is not said of a cache costs what reading anew does.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let mut price = Self::default();
        let fields = value.as_object()?;
        for (key, value) in fields {
            let value = amount(value)?;
            match key.as_str() {
                "cache_read" => price.cache_read = value,
                "cache_write" => price.cache_write = value,
                "in" => price.input = value,
                "out" => price.output = value,
                _ => return None,
            }
        }
        if !fields.contains_key("cache_read") {
            price.cache_read = price.input;
        }
        if !fields.contains_key("cache_write") {
            price.cache_write = price.input;
        }
        Some(price)
    }
}

/// An amount of money or the like: a number that is not negative.
pub(super) fn amount(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.is_finite() && *n >= 0.0)
}
