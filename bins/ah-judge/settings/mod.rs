//! The `judge` section of the settings: which model, how it is reached, and what it may cost.

mod model;
mod price;

pub use model::Model;
pub use price::{Price, Tokens};

use ah::config::Config;
use ah::meter::{Caps, Spend};
use price::amount;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What a model call may take at most, where the harness's budget does not say less.
const TIMEOUT: Duration = Duration::from_secs(45);

/// The settings of the judge.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Where the interface is, without the path of a call; `None` for the usual place.
    pub base_url: Option<String>,
    /// Whether a run that nobody watches may be blocked.
    pub block_headless: bool,
    /// Certificates to trust instead of the built-in ones.
    pub ca_file: Option<PathBuf>,
    /// The program of `command`, with its arguments.
    pub command: Vec<String>,
    /// What money is counted in.
    pub currency: String,
    /// How hard the model should think, where the interface has a word for it; empty to send none.
    pub effort: Option<String>,
    /// Headers beside the usual ones.
    pub headers: Vec<(String, String)>,
    /// A file with the key, which only its owner may read.
    pub key_file: Option<PathBuf>,
    /// Most tokens of a reply; `None` for as many as the lessons shown may need.
    pub max_tokens: Option<u64>,
    /// Who grades.
    pub model: Model,
    /// Most of a day, in UTC.
    pub per_day: Caps,
    /// Most of a session.
    pub per_session: Caps,
    /// Most of a turn.
    pub per_turn: Caps,
    /// Prices by model name.
    pub prices: BTreeMap<String, Price>,
    /// What was wrong with the section; the model is then off.
    pub problems: Vec<String>,
    /// Most time of a call.
    pub timeout: Duration,
    /// Whether `words` may block.
    pub words_block: bool,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            base_url: None,
            block_headless: false,
            ca_file: None,
            command: Vec::new(),
            currency: "usd".to_owned(),
            effort: None,
            headers: Vec::new(),
            key_file: None,
            max_tokens: None,
            model: Model::Words,
            per_day: Caps { asks: Some(300), money: None, tokens: Some(3_000_000) },
            per_session: Caps { asks: Some(100), money: None, tokens: Some(1_000_000) },
            per_turn: Caps { asks: Some(4), money: None, tokens: Some(120_000) },
            prices: BTreeMap::new(),
            problems: Vec::new(),
            timeout: TIMEOUT,
            words_block: false,
        }
    }
}

impl Judge {
    /// The settings in force.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self::read(config.judge().as_ref())
    }

    /// The settings that a section means. What is wrong in it is in `problems`, and then no model is asked: a mistake
    /// in a cap or an address must not become a call.
    #[must_use]
    pub fn read(section: Option<&Value>) -> Self {
        let mut judge = Self::default();
        let empty = Map::new();
        let section = section.and_then(Value::as_object).unwrap_or(&empty);
        for (key, value) in section {
            if judge.set(key, value).is_none() {
                judge.problems.push(format!("judge.{key}: expected {}", expected(key)));
            }
        }
        if judge.model == Model::Command && judge.command.is_empty() && judge.problems.is_empty() {
            judge.problems.push("judge.command: expected a program and its arguments, since the model is \"command\"".to_owned());
        }
        if !judge.problems.is_empty() {
            judge.model = Model::Off;
        }
        judge
    }

    fn set(&mut self, key: &str, value: &Value) -> Option<()> {
        let text = || value.as_str().filter(|text| !text.contains(['\0', '\n', '\r'])).map(str::to_owned);
        match key {
            "base_url" => self.base_url = Some(text().filter(|t| t.starts_with("https://") || t.starts_with("http://"))?),
            "block_headless" => self.block_headless = value.as_bool()?,
            "ca_file" => self.ca_file = Some(path(value)?),
            "command" => self.command = words(value)?,
            "currency" => self.currency = text().filter(|t| !t.is_empty() && t.len() <= 16)?.to_lowercase(),
            "effort" => self.effort = Some(text()?),
            "headers" => {
                for (name, value) in value.as_object()? {
                    let plain = |t: &&str| t.bytes().all(|b| (b' '..=b'~').contains(&b));
                    self.headers.push((name.to_lowercase(), value.as_str().filter(plain)?.to_owned()));
                }
            }
            "key_file" => self.key_file = Some(path(value)?),
            "max_tokens" => self.max_tokens = Some(value.as_u64().filter(|n| (64..=1_000_000).contains(n))?),
            "model" => self.model = Model::named(value.as_str()?)?,
            "per_day" => caps(value, &mut self.per_day)?,
            "per_session" => caps(value, &mut self.per_session)?,
            "per_turn" => caps(value, &mut self.per_turn)?,
            "prices" => {
                for (name, value) in value.as_object()? {
                    self.prices.insert(name.clone(), Price::read(value)?);
                }
            }
            "timeout_s" => self.timeout = Duration::from_secs(value.as_u64().filter(|n| (1..=600).contains(n))?),
            "words" => {
                for (key, value) in value.as_object()? {
                    match key.as_str() {
                        "block" => self.words_block = value.as_bool()?,
                        _ => return None,
                    }
                }
            }
            // Another part's, or a newer version's: not the model's business.
            _ => {}
        }
        Some(())
    }

    /// What tokens cost by the settings; `None` where no price is known.
    #[must_use]
    pub fn cost(&self, model: &str, tokens: Tokens) -> Option<f64> {
        self.prices.get(model).map(|price| price.of(tokens))
    }

    /// Whether any cap is in money.
    #[must_use]
    pub fn caps_money(&self) -> bool {
        [&self.per_turn, &self.per_session, &self.per_day].iter().any(|caps| caps.money.is_some())
    }

    /// As an amount that caps are compared with.
    #[must_use]
    pub fn spend(&self, tokens: u64, money: Option<f64>) -> Spend {
        Spend { asks: 1, money: money.map(|m| (self.currency.clone(), m)).into_iter().collect(), tokens }
    }
}

fn path(value: &Value) -> Option<PathBuf> {
    let text = value.as_str()?;
    match ah::paths::Paths::from_env() {
        Some(paths) => paths.written(text),
        None => Some(PathBuf::from(text)).filter(|path| path.is_absolute() && !text.contains('\0')),
    }
}

fn words(value: &Value) -> Option<Vec<String>> {
    let words: Option<Vec<String>> =
        value.as_array()?.iter().map(|word| word.as_str().filter(|w| !w.contains('\0')).map(str::to_owned)).collect();
    words.filter(|words| words.first().is_some_and(|first| !first.is_empty()))
}

fn caps(value: &Value, caps: &mut Caps) -> Option<()> {
    for (key, value) in value.as_object()? {
        match key.as_str() {
            "asks" if value.is_null() => caps.asks = None,
            "asks" => caps.asks = Some(value.as_u64()?),
            "money" if value.is_null() => caps.money = None,
            "money" => caps.money = Some(amount(value)?),
            "tokens" if value.is_null() => caps.tokens = None,
            "tokens" => caps.tokens = Some(value.as_u64()?),
            _ => return None,
        }
    }
    Some(())
}

fn expected(key: &str) -> &'static str {
    match key {
        "base_url" => "an address that begins with https:// or http://",
        "block_headless" => "true or false",
        "ca_file" | "key_file" => "an absolute path or one under ~",
        "command" => "a list of words: a program and its arguments",
        "currency" | "effort" => "a word",
        "headers" => "an object of header names and texts in ASCII",
        "max_tokens" => "a number from 64 to 1000000",
        "model" => "\"words\", \"anthropic:NAME\", \"chat:NAME\", \"claude:NAME\", \"codex:NAME\", \"command\" or \"off\"",
        "per_day" | "per_session" | "per_turn" => "an object with the numbers \"asks\", \"money\" and \"tokens\"",
        "prices" => "an object of model names, each with the numbers \"in\", \"out\", \"cache_read\" and \"cache_write\"",
        "timeout_s" => "a number from 1 to 600",
        "words" => "{\"block\": true or false}",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn models_are_named() {
        for text in
            ["words", "off", "command", "anthropic:a", "chat:llama3:8b", "claude:", "claude:haiku", "codex:", "codex:gpt-5"]
        {
            assert_eq!(Model::named(text).unwrap().text(), text);
        }
        assert_eq!(Model::named(" claude : haiku "), None);
        assert_eq!(Model::named("chat: m "), Some(Model::Chat("m".into())));
        for text in ["", " ", "anthropic:", "anthropic", "chat", "words:x", "command:x", "gpt-5", "weird:x", "OFF"] {
            assert_eq!(Model::named(text), None, "{text}");
        }
    }

    /// The reference system picks among programs; where it is told which, and we have that one, ours is the same.
    #[test]
    fn golden() {
        let rows: Value = serde_json::from_str(include_str!("../../../tests/data/golden/runner_pick.json")).unwrap();
        let mut same = 0;
        for row in rows.as_array().unwrap() {
            let Some(model) = row["model"].as_str().and_then(Model::named) else { continue };
            let candidates = match &model {
                Model::Off => json!([]),
                Model::Claude(name) => json!([["claude", name]]),
                Model::Codex(name) => json!([["codex", Some(name).filter(|name| !name.is_empty())]]),
                _ => continue,
            };
            assert_eq!(candidates, row["candidates"], "{row}");
            same += 1;
        }
        assert_eq!(same, 4);
    }

    #[test]
    fn a_section_is_read_and_a_mistake_asks_nobody() {
        let judge = Judge::read(Some(&json!({
            "model": "chat:m", "base_url": "http://h/v1", "headers": {"X-A": "b"}, "per_turn": {"asks": 2, "money": 0.5},
            "per_day": {"tokens": null}, "prices": {"m": {"in": 1, "out": 2}}, "words": {"block": true}, "timeout_s": 9,
            "max_tokens": 900, "live": {"any": "thing"},
        })));
        assert!(judge.problems.is_empty(), "{:?}", judge.problems);
        assert_eq!((judge.per_turn.asks, judge.per_turn.money, judge.per_day.tokens), (Some(2), Some(0.5), None));
        assert_eq!(judge.per_turn.tokens, Judge::default().per_turn.tokens, "what is not said stays");
        assert_eq!(
            (judge.headers.as_slice(), judge.timeout),
            (&[("x-a".to_owned(), "b".to_owned())][..], Duration::from_secs(9))
        );
        let tokens = Tokens { cache_read: 1_000_000, cache_write: 0, input: 1_000_000, output: 500_000 };
        assert_eq!((judge.cost("m", tokens), judge.cost("n", tokens)), (Some(3.0), None));
        assert_eq!(Judge::read(None).model, Model::Words);
        for wrong in [
            json!({"model": "gpt"}),
            json!({"model": 3}),
            json!({"model": "command"}),
            json!({"base_url": "ftp://h"}),
            json!({"base_url": "http://h/\r\nx: y"}),
            json!({"headers": {"a": "b\nc"}}),
            json!({"per_day": {"calls": 1}}),
            json!({"per_day": {"money": -1}}),
            json!({"per_turn": 3}),
            json!({"prices": {"m": {"in": "1"}}}),
            json!({"timeout_s": 0}),
            json!({"command": []}),
            json!({"command": ["a\u{0}"]}),
            json!({"key_file": "key"}),
            json!({"words": true}),
        ] {
            let judge = Judge::read(Some(&wrong));
            assert_eq!((judge.problems.len(), &judge.model), (1, &Model::Off), "{wrong}");
        }
    }
}
