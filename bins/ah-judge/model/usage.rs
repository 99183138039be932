//! What a call used: numbers, each with its unit.

use crate::settings::{Judge, Tokens};
use std::collections::BTreeMap;

/// What a call used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Who was asked, as the setting names it.
    pub model: String,
    /// Amounts by unit: `tokens_in`, `tokens_out`, `tokens_cache_read`, `tokens_cache_write`, a currency. A unit of
    /// which nothing is known is not there.
    pub units: BTreeMap<String, f64>,
}

impl Usage {
    /// Nothing used yet.
    #[must_use]
    pub fn of(settings: &Judge) -> Self {
        Self { model: settings.model.text(), ..Self::default() }
    }

    /// Adds what a model said that it used; money that it did not count is what its tokens `cost` by the settings.
    pub fn add(
        &mut self,
        settings: &Judge,
        tokens: Option<Tokens>,
        money: Option<&(String, f64)>,
        cost: fn(&Judge, Tokens) -> Option<f64>,
    ) {
        let mut add = |unit: &str, amount: f64| *self.units.entry(unit.to_owned()).or_default() += amount;
        if let Some(tokens) = tokens {
            add("tokens_in", tokens.input as f64);
            add("tokens_out", tokens.output as f64);
            for (unit, count) in [("tokens_cache_read", tokens.cache_read), ("tokens_cache_write", tokens.cache_write)] {
                if count > 0 {
                    add(unit, count as f64);
                }
            }
        }
        match (money, tokens.and_then(|tokens| cost(settings, tokens))) {
            (Some((currency, amount)), _) => add(currency, *amount),
            (None, Some(amount)) => add(&settings.currency, amount),
            (None, None) => {}
        }
    }
}
