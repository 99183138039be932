//! What a call used: numbers, each with its unit.

use std::collections::BTreeMap;

/// What a call used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Who was asked, as the setting names it.
    pub model: String,
    /// Amounts by unit: `asks`, `tokens_in`, `tokens_out`, `tokens_cache_read`, `tokens_cache_write`, a currency. A unit
    /// that is not known is not there.
    pub units: BTreeMap<String, f64>,
}

impl Usage {
    /// Nothing used yet.
    #[must_use]
    pub fn of(model: &str) -> Self {
        Self { model: model.to_owned(), ..Self::default() }
    }
}
