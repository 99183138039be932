//! What a call may cost, taken before it and put right after it.

use super::call::Call;
use super::reason::{Code, Reason};
use crate::settings::{Judge, Model, Tokens};
use ah::clock::now_ms;
use ah::meter::{Limits, Meter, Spend, Taken, Who};

/// What a call of a program that counts its own money may cost at most, in dollars, where caps say no less.
const MOST: f64 = 0.5;
/// The currency that such a program counts in.
const DOLLARS: &str = "usd";

/// What was taken for one call.
pub struct Budget<'a> {
    /// What the call may cost at most, in dollars, for a program that keeps to such a bound.
    pub most: Option<f64>,
    meter: &'a Meter,
    taken: Taken,
}

impl<'a> Budget<'a> {
    /// Takes it.
    ///
    /// # Errors
    /// A cap would be passed, or is in money and nobody knows what the model costs.
    pub fn take(settings: &Judge, call: &Call, meter: &'a Meter) -> Result<Self, Reason> {
        let tokens = Tokens { input: call.tokens(), output: call.max_tokens, ..Tokens::default() };
        let most = most(settings);
        let money = cost(settings, tokens).or(most.filter(|_| settings.currency == DOLLARS));
        if settings.caps_money() && money.is_none() {
            let text = format!(
                "there is a cap in money, and judge.prices has no price for {} in {}",
                settings.model.text(),
                settings.currency
            );
            return Err(Reason::new(Code::Budget, text));
        }
        let limits = Limits {
            currency: settings.currency.clone(),
            day: settings.per_day,
            session: settings.per_session,
            turn: settings.per_turn,
        };
        let who = Who { session: &call.session, turn: &call.turn };
        let spend = settings.spend(tokens.input + tokens.output, money);
        let taken = meter.take(now_ms(), &who, &spend, &limits);
        let taken = taken.map_err(|over| Reason::new(Code::Budget, over.to_string()))?;
        Ok(Self { most, meter, taken })
    }

    /// Why nothing was taken, if it could not be written down.
    pub fn trouble(&self) -> Option<String> {
        self.taken.unsaved.as_ref().map(|error| format!("meter: nothing counted: {error}"))
    }

    /// Puts right what was taken. What the model did not say stays as it was taken.
    pub fn settle(&self, settings: &Judge, tokens: Option<Tokens>, money: Option<&(String, f64)>, sent: bool) {
        let mut spend = self.taken.spend().clone();
        match tokens {
            _ if !sent => spend = Spend::default(),
            Some(tokens) => {
                let all = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;
                spend = settings.spend(all, cost(settings, tokens));
            }
            None => {}
        }
        if let Some((currency, amount)) = money {
            spend.money.insert(currency.clone(), *amount);
        }
        // It stays as it was taken, which is too much rather than too little.
        let _ = self.meter.settle(now_ms(), &self.taken, &spend);
    }
}

/// What tokens cost by the settings.
pub fn cost(settings: &Judge, tokens: Tokens) -> Option<f64> {
    let name = match &settings.model {
        Model::Anthropic(name) | Model::Chat(name) | Model::Claude(name) | Model::Codex(name) => name,
        Model::Command => "command",
        Model::Off | Model::Words => return None,
    };
    settings.cost(name, tokens)
}

/// What a program that counts its own money is told to keep to.
fn most(settings: &Judge) -> Option<f64> {
    if !matches!(settings.model, Model::Claude(_)) {
        return None;
    }
    let caps = [&settings.per_turn, &settings.per_session, &settings.per_day].into_iter().filter_map(|caps| caps.money);
    Some(if settings.currency == DOLLARS { caps.fold(MOST, f64::min) } else { MOST })
}
