//! One structured call, whoever is called: what goes in, what comes back, and how long a text is in tokens.

use super::ask::Ask;
use super::reason::Reason;
use crate::settings::{Judge, Tokens};

/// What is sent.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Most tokens of the reply.
    pub max_tokens: u64,
    /// What changes from call to call, after what does not.
    pub prompt: String,
    /// The form of the reply: a JSON schema.
    pub schema: String,
    /// The session's id.
    pub session: String,
    /// How many bytes of the prompt are the same at each call.
    pub stable: usize,
    /// What the model is told to do.
    pub system: String,
    /// What tells the turns of the session apart.
    pub turn: String,
}

impl Call {
    /// The call that asks `ask`.
    pub fn of(settings: &Judge, ask: &Ask) -> Self {
        // A lesson that applies takes about 80 tokens where a grammar spreads the JSON over lines; few of those shown do.
        let needed = 600 + 80 * ask.ids.len().min(20) + 40 * ask.pending.len();
        Self {
            max_tokens: settings.max_tokens.unwrap_or(needed as u64),
            prompt: ask.prompt.clone(),
            schema: ask.schema.clone(),
            session: ask.session.clone(),
            stable: ask.stable,
            system: ask.system.clone(),
            turn: ask.turn.clone(),
        }
    }

    /// The part that is the same at each call, and the rest.
    pub fn parts(&self) -> (&str, &str) {
        self.prompt.split_at_checked(self.stable).unwrap_or(("", &self.prompt))
    }

    /// The prompt with the schema after it, for a model that is not held to one.
    pub fn with_schema(&self) -> String {
        format!("{}\n{}", self.prompt, self.form())
    }

    /// The schema as a sentence.
    pub fn form(&self) -> String {
        format!("Answer with one JSON object that fits this JSON schema, and nothing else:\n{}\n", self.schema)
    }

    /// About as many tokens as it has; rather too many.
    pub fn tokens(&self) -> u64 {
        [&self.system, &self.prompt, &self.schema].map(|text| tokens(text)).iter().sum()
    }
}

/// What came back.
#[derive(Debug)]
pub struct Heard {
    /// Money that the model's own program counted, with its currency.
    pub money: Option<(String, f64)>,
    /// What it said, or why that is nothing.
    pub said: Result<String, Reason>,
    /// What it used, if it says so.
    pub tokens: Option<Tokens>,
}

impl From<Reason> for Heard {
    fn from(reason: Reason) -> Self {
        Self { money: None, said: Err(reason), tokens: None }
    }
}

/// About as many tokens as a text has; rather too many. Three bytes of ASCII are one, and each other character one and a
/// half: more than any common tokenizer makes of prose, code, Chinese or emoji.
pub fn tokens(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
    ascii.div_ceil(3) + (others * 3).div_ceil(2)
}

/// Fewer tokens than any tokenizer makes of a text: who counted fewer has not read all of it.
pub fn least_tokens(text: &str) -> u64 {
    text.chars().count() as u64 / 8
}
