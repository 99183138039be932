//! OpenAI's Chat Completions, which nearly every server speaks.

use super::call::{Call, Heard, least_tokens};
use super::http::{self, Post};
use super::key::Key;
use super::reason::{Code, Reason};
use super::schema::bounded;
use super::server::Api;
use super::shape::{Rung, Shape};
use crate::settings::{Judge, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The usual place.
pub const BASE: &str = "https://api.openai.com/v1";

/// A call by this interface.
pub struct Chat<'a> {
    /// What is sent.
    pub call: &'a Call,
    /// The key.
    pub key: &'a Key,
    /// The model's name.
    pub model: &'a str,
    /// The settings.
    pub settings: &'a Judge,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    messages: [Message<'a>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format<'a>>,
}

#[derive(Serialize)]
pub(super) struct Message<'a> {
    pub role: &'static str,
    pub content: &'a str,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<Named<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a RawValue,
}

/// The headers of a request with a bearer key.
pub(super) fn headers(settings: &Judge, key: &Key) -> Vec<(String, String)> {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    if !key.secret().is_empty() {
        headers.push(("authorization".to_owned(), format!("Bearer {}", key.secret())));
    }
    let named = settings.headers.iter();
    headers.retain(|(name, _)| named.clone().all(|(other, _)| other != name));
    headers.extend(named.cloned());
    headers
}

impl Api for Chat<'_> {
    fn optional(&self) -> &'static [&'static str] {
        &["temperature", "reasoning_effort", "max_tokens", "maxitems"]
    }

    fn post(&self, shape: &Shape) -> Post {
        let base = self.settings.base_url.as_deref().unwrap_or(BASE).trim_end_matches('/');
        let url = if base.ends_with("/chat/completions") { base.to_owned() } else { format!("{base}/chat/completions") };
        Post { body: self.body(shape), headers: headers(self.settings, self.key), url }
    }

    fn read(&self, body: &[u8]) -> Heard {
        let mut heard = read(body);
        // Who counted far fewer tokens than were sent has cut them off, and says nothing about it.
        let sent = least_tokens(&self.call.system) + least_tokens(&self.call.prompt);
        if let Some(tokens) = heard.tokens
            && heard.said.is_ok()
            && (1..sent).contains(&(tokens.input + tokens.cache_read))
        {
            let text = format!(
                "the server read {} tokens of at least {sent}: its context is too short",
                tokens.input + tokens.cache_read
            );
            heard.said = Err(Reason::new(Code::Context, text));
        }
        heard
    }
}

impl Chat<'_> {
    fn body(&self, shape: &Shape) -> String {
        let Self { call, model, settings, .. } = self;
        let has = |field: &str| !shape.without.contains(field);
        let with_schema = call.with_schema();
        let prompt = if shape.rung == Rung::Schema { &call.prompt } else { &with_schema };
        let schema = if has("maxitems") { bounded(&call.schema) } else { call.schema.clone() };
        let schema: Option<&RawValue> = serde_json::from_str(&schema).ok();
        // OpenAI's own models know only the newer name, most other servers only the older one.
        let openai = http::host(settings.base_url.as_deref().unwrap_or(BASE)) == http::host(BASE);
        let older = has("max_tokens") && !openai;
        let body = Body {
            model,
            stream: false,
            temperature: has("temperature").then_some(0),
            max_tokens: older.then_some(call.max_tokens),
            max_completion_tokens: (!older).then_some(call.max_tokens),
            reasoning_effort: settings.effort.as_deref().filter(|effort| !effort.is_empty() && has("reasoning_effort")),
            messages: [Message { role: "system", content: &call.system }, Message { role: "user", content: prompt }],
            response_format: match shape.rung {
                Rung::Schema => schema.map(|schema| Format {
                    r#type: "json_schema",
                    json_schema: Some(Named { name: "verdicts", strict: true, schema }),
                }),
                Rung::Json => Some(Format { r#type: "json_object", json_schema: None }),
                Rung::Plain => None,
            },
        };
        serde_json::to_string(&body).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<String>,
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Parts(Vec<Part>),
    Text(String),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    completion_tokens: Option<u64>,
    prompt_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: Option<u64>,
}

fn read(body: &[u8]) -> Heard {
    let not = || Reason::new(Code::NoJson, "the server's answer is not what this interface answers".to_owned());
    let Ok(reply) = serde_json::from_slice::<Reply>(body) else { return not().into() };
    let tokens = reply.usage.and_then(|usage| {
        let all = usage.prompt_tokens?;
        // Those of the cache are among them.
        let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default().min(all);
        Some(Tokens {
            cache_read: cached,
            cache_write: 0,
            input: all - cached,
            output: usage.completion_tokens.unwrap_or_default(),
        })
    });
    let said = match reply.choices.into_iter().next() {
        None => Err(not()),
        Some(Choice { finish_reason, message }) => match (finish_reason.as_deref(), message.refusal) {
            (Some("length"), _) => Err(Reason::new(Code::Cut, "the reply was longer than judge.max_tokens allows".to_owned())),
            (Some("content_filter"), _) => Err(Reason::new(Code::Refusal, "the server's filter declined".to_owned())),
            (_, Some(refusal)) if !refusal.is_empty() => Err(Reason::new(Code::Refusal, "the model declined".to_owned())),
            _ => Ok(match message.content {
                Some(Content::Text(text)) => text,
                Some(Content::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
                None => String::new(),
            }),
        },
    };
    Heard { money: None, said, tokens }
}
