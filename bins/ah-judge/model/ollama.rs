//! Ollama's own interface: the only one of its two that takes the length of the context.

use super::call::{Call, Heard, least_tokens, tokens};
use super::chat::{Message, headers};
use super::http::{self, Post};
use super::key::Key;
use super::reason::{Code, Reason};
use super::schema::bounded;
use super::server::Api;
use super::shape::{Rung, Shape};
use crate::settings::{Judge, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The shortest context that is asked for, in tokens; a change of it makes the server load the model anew.
const LEAST: u64 = 8_192;
/// Contexts are asked for in multiples of this.
const STEP: u64 = 4_096;

/// A call by this interface.
pub struct Ollama<'a> {
    /// What is sent.
    pub call: &'a Call,
    /// The key, for a server behind a gateway.
    pub key: &'a Key,
    /// The model's name.
    pub model: &'a str,
    /// The settings.
    pub settings: &'a Judge,
}

/// Whether a base address is an Ollama server's.
pub fn is_at(base: &str) -> bool {
    let bare = base.trim_end_matches('/');
    let place = bare.split_once("://").map_or(bare, |(_, rest)| rest).split('/').next().unwrap_or_default();
    place.ends_with(":11434") || bare.ends_with("/api") || bare.ends_with("/api/chat") || http::host(base).1 == "ollama.com"
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    think: Option<bool>,
    keep_alive: &'static str,
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
    options: Options,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Format<'a> {
    Schema(&'a RawValue),
    Word(&'static str),
}

#[derive(Serialize)]
struct Options {
    temperature: u8,
    num_ctx: u64,
    num_predict: u64,
}

impl Ollama<'_> {
    /// Enough for what is sent and what is answered.
    fn context(&self) -> u64 {
        let call = self.call;
        let needed = tokens(&call.system) + tokens(&call.prompt) + tokens(&call.schema) + call.max_tokens;
        needed.max(LEAST).div_ceil(STEP) * STEP
    }
}

impl Api for Ollama<'_> {
    fn optional(&self) -> &'static [&'static str] {
        &["think"]
    }

    fn post(&self, shape: &Shape) -> Post {
        let base = self.settings.base_url.as_deref().unwrap_or_default().trim_end_matches('/');
        let root = base.trim_end_matches("/chat").trim_end_matches("/api").trim_end_matches("/v1");
        let with_schema = self.call.with_schema();
        let prompt = if shape.rung == Rung::Schema { &self.call.prompt } else { &with_schema };
        let schema = bounded(&self.call.schema);
        let schema: Option<&RawValue> = serde_json::from_str(&schema).ok();
        let body = Body {
            model: self.model,
            stream: false,
            think: (!shape.without.contains("think")).then_some(false),
            keep_alive: "10m",
            messages: [Message { role: "system", content: &self.call.system }, Message { role: "user", content: prompt }],
            format: match shape.rung {
                Rung::Schema => schema.map(Format::Schema),
                Rung::Json => Some(Format::Word("json")),
                Rung::Plain => None,
            },
            options: Options { temperature: 0, num_ctx: self.context(), num_predict: self.call.max_tokens },
        };
        let body = serde_json::to_string(&body).unwrap_or_default();
        Post { body, headers: headers(self.settings, self.key), url: format!("{root}/api/chat") }
    }

    fn read(&self, body: &[u8]) -> Heard {
        #[derive(Deserialize)]
        struct Said {
            #[serde(default)]
            content: String,
        }
        #[derive(Deserialize)]
        struct Reply {
            message: Said,
            #[serde(default)]
            done_reason: Option<String>,
            #[serde(default)]
            eval_count: Option<u64>,
            #[serde(default)]
            prompt_eval_count: Option<u64>,
        }
        let Ok(reply) = serde_json::from_slice::<Reply>(body) else {
            return Reason::new(Code::NoJson, "the server's answer is not what this interface answers".to_owned()).into();
        };
        let tokens = reply.prompt_eval_count.map(|input| Tokens {
            input,
            output: reply.eval_count.unwrap_or_default(),
            ..Tokens::default()
        });
        let sent = least_tokens(&self.call.system) + least_tokens(&self.call.prompt);
        let said = match (reply.done_reason.as_deref(), reply.prompt_eval_count) {
            (Some("length"), _) => Err(Reason::new(Code::Cut, "the reply was longer than judge.max_tokens allows".to_owned())),
            // It cuts a long prompt at the front and says so nowhere else.
            (_, Some(read)) if read > 0 && read < sent => {
                let text = format!("the server read {read} tokens of at least {sent}: its context is too short");
                Err(Reason::new(Code::Context, text))
            }
            _ => Ok(reply.message.content),
        };
        Heard { money: None, said, tokens }
    }
}

#[cfg(test)]
mod tests {
    use super::is_at;

    #[test]
    fn its_servers_are_known_by_their_address() {
        for base in ["http://127.0.0.1:11434/v1", "http://gpu:11434", "https://gw.example/ollama/api", "https://ollama.com/v1"] {
            assert!(is_at(base), "{base}");
        }
        for base in ["http://127.0.0.1:8080/v1", "https://api.openai.com/v1", "http://h/11434", ""] {
            assert!(!is_at(base), "{base}");
        }
    }
}
