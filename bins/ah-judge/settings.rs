//! The `judge` section of the settings: which model, how it is reached, and what it may cost.

use ah::config::Config;
use ah::meter::{Caps, Spend};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What a model call may take at most, where the harness's budget does not say less.
const TIMEOUT: Duration = Duration::from_secs(45);

/// Who grades.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Anthropic's Messages interface, and what imitates it.
    Anthropic(String),
    /// Any server with OpenAI's Chat Completions, and Ollama's own interface.
    Chat(String),
    /// The Claude Code command line; empty for its default model.
    Claude(String),
    /// The Codex command line; empty for its default model.
    Codex(String),
    /// A program of the person's: one JSON object in, the reply out.
    Command,
    /// Nobody.
    Off,
    /// The word matching of the gate: no network, no cost.
    #[default]
    Words,
}

impl Model {
    /// The model a setting names; `None` for none.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let text = text.trim();
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        let name = name.trim().to_owned();
        Some(match (kind, name.is_empty()) {
            ("anthropic", false) => Self::Anthropic(name),
            ("chat", false) => Self::Chat(name),
            ("claude", _) => Self::Claude(name),
            ("codex", _) => Self::Codex(name),
            ("command", true) => Self::Command,
            ("off", true) => Self::Off,
            ("words", true) => Self::Words,
            _ => return None,
        })
    }

    /// As a setting names it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Anthropic(name) => format!("anthropic:{name}"),
            Self::Chat(name) => format!("chat:{name}"),
            Self::Claude(name) => format!("claude:{name}"),
            Self::Codex(name) => format!("codex:{name}"),
            Self::Command => "command".to_owned(),
            Self::Off => "off".to_owned(),
            Self::Words => "words".to_owned(),
        }
    }
}

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
                    self.prices.insert(name.clone(), price(value)?);
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
        let price = self.prices.get(model)?;
        let part = |count: u64, price: f64| count as f64 * price / 1e6;
        Some(
            part(tokens.input, price.input)
                + part(tokens.output, price.output)
                + part(tokens.cache_read, price.cache_read)
                + part(tokens.cache_write, price.cache_write),
        )
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

fn price(value: &Value) -> Option<Price> {
    let mut price = Price::default();
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
    // What is not said of a cache costs what reading anew does.
    if !fields.contains_key("cache_read") {
        price.cache_read = price.input;
    }
    if !fields.contains_key("cache_write") {
        price.cache_write = price.input;
    }
    Some(price)
}

fn amount(value: &Value) -> Option<f64> {
    value.as_f64().filter(|n| n.is_finite() && *n >= 0.0)
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
