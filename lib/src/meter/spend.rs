//! Amounts, what they may reach, and whether there is room for one more.

use super::Taken;
use super::state::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What calls cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spend {
    /// Calls.
    pub asks: u64,
    /// Money, by currency: amounts of two currencies are never added.
    pub money: BTreeMap<String, f64>,
    /// Tokens, in and out.
    pub tokens: u64,
}

impl Spend {
    pub(super) fn add(&mut self, other: &Self) {
        self.asks = self.asks.saturating_add(other.asks);
        self.tokens = self.tokens.saturating_add(other.tokens);
        for (currency, amount) in other.money.iter().filter(|(_, amount)| amount.is_finite()) {
            *self.money.entry(currency.clone()).or_default() += amount;
        }
    }

    pub(super) fn remove(&mut self, other: &Self) {
        self.asks = self.asks.saturating_sub(other.asks);
        self.tokens = self.tokens.saturating_sub(other.tokens);
        for (currency, amount) in &other.money {
            if let Some(all) = self.money.get_mut(currency) {
                *all = (*all - amount).max(0.0);
            }
        }
    }
}

/// What may be spent; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caps {
    /// Calls.
    pub asks: Option<u64>,
    /// Money, in the currency of [`Limits`].
    pub money: Option<f64>,
    /// Tokens.
    pub tokens: Option<u64>,
}

/// The caps of each span.
#[derive(Clone, Debug)]
pub struct Limits {
    /// What money is counted in.
    pub currency: String,
    /// Of a day, in UTC.
    pub day: Caps,
    /// Of a session.
    pub session: Caps,
    /// Of a turn.
    pub turn: Caps,
}

/// For whom a call is made.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    /// The session's id.
    pub session: &'a str,
    /// What tells its turns apart.
    pub turn: &'a str,
}

/// What a cap is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// A day, in UTC.
    Day,
    /// A session.
    Session,
    /// A turn.
    Turn,
}

/// A cap that a call would go over.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    /// The cap.
    pub most: f64,
    /// Of what.
    pub of: Span,
    /// What was spent before.
    pub spent: f64,
    /// `asks`, `tokens` or a currency.
    pub unit: String,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (of, key) = match self.of {
            Span::Day => ("day", "per_day"),
            Span::Session => ("session", "per_session"),
            Span::Turn => ("turn", "per_turn"),
        };
        let (unit, most) = (&self.unit, self.most);
        write!(f, "the {of}'s cap judge.{key} is {most} {unit}, of which {} are spent; this call may need more", self.spent)
    }
}

/// Whether there is room for what would be taken, everywhere.
pub(super) fn room(state: &State, taken: &Taken, limits: &Limits) -> Result<(), Over> {
    let none = Spend::default();
    let session = state.sessions.get(&taken.session);
    let turn = session.filter(|used| used.turn == taken.turn).map_or(&none, |used| &used.now);
    let day = state.days.get(&taken.day).unwrap_or(&none);
    let spans = [
        (Span::Turn, turn, &limits.turn),
        (Span::Session, session.map_or(&none, |used| &used.all), &limits.session),
        (Span::Day, day, &limits.day),
    ];
    for (of, spent, caps) in spans {
        let money = |spend: &Spend| spend.money.get(&limits.currency).copied().unwrap_or_default();
        let rows = [
            ("asks", spent.asks as f64, taken.spend.asks as f64, caps.asks.map(|n| n as f64)),
            ("tokens", spent.tokens as f64, taken.spend.tokens as f64, caps.tokens.map(|n| n as f64)),
            (limits.currency.as_str(), money(spent), money(&taken.spend), caps.money),
        ];
        for (unit, spent, more, most) in rows {
            // An amount that is exactly the cap is allowed; sums of money are not exact.
            if let Some(most) = most.filter(|most| spent + more > *most + 1e-9) {
                return Err(Over { most, of, spent, unit: unit.to_owned() });
            }
        }
    }
    Ok(())
}
