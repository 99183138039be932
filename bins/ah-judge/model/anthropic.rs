//! Anthropic's Messages interface, and servers that imitate it.

use super::call::{Call, Heard};
use super::http::Post;
use super::key::Key;
use super::reason::{Code, Reason};
use super::server::Api;
use super::shape::{Rung, Shape};
use crate::settings::{Judge, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The usual place.
pub const BASE: &str = "https://api.anthropic.com";
/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";
/// A shorter beginning is cached by no model; writing it to the cache would only cost more.
const CACHED: u64 = 2_048;
/// What the tool of the second form is called.
const TOOL: &str = "verdicts";

/// A call by this interface.
pub struct Messages<'a> {
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
    max_tokens: u64,
    system: Vec<Block<'a>>,
    messages: [Message<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Output<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
}

#[derive(Serialize)]
struct Block<'a> {
    r#type: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Cache>,
}

#[derive(Serialize)]
struct Cache {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format<'a>>,
}

#[derive(Serialize)]
struct Format<'a> {
    r#type: &'static str,
    schema: &'a RawValue,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
    input_schema: &'a RawValue,
}

#[derive(Serialize)]
struct Choice {
    r#type: &'static str,
    name: &'static str,
    disable_parallel_tool_use: bool,
}

impl Api for Messages<'_> {
    fn optional(&self) -> &'static [&'static str] {
        &["effort", "cache_control", "strict"]
    }

    fn post(&self, shape: &Shape) -> Post {
        let base = self.settings.base_url.as_deref().unwrap_or(BASE).trim_end_matches('/');
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        headers.push(("anthropic-version".to_owned(), VERSION.to_owned()));
        match self.key {
            Key::Bearer(token) => headers.push(("authorization".to_owned(), format!("Bearer {token}"))),
            Key::None => {}
            Key::Plain(key) => headers.push(("x-api-key".to_owned(), key.clone())),
        }
        let named = self.settings.headers.iter();
        headers.retain(|(name, _)| named.clone().all(|(other, _)| other != name));
        headers.extend(named.cloned());
        // Either is what people write.
        let path = if base.ends_with("/v1") { "/messages" } else { "/v1/messages" };
        Post { body: self.body(shape), headers, url: format!("{base}{path}") }
    }

    fn read(&self, body: &[u8]) -> Heard {
        read(body)
    }
}

impl Messages<'_> {
    fn body(&self, shape: &Shape) -> String {
        let Self { call, model, settings, .. } = self;
        let has = |field: &str| !shape.without.contains(field);
        let (stable, rest) = call.parts();
        let cached = super::call::tokens(&call.system) + super::call::tokens(stable) >= CACHED && has("cache_control");
        let form = call.form();
        let block = |text| Block { r#type: "text", text, cache_control: None };
        let mut content = Vec::new();
        if !stable.is_empty() {
            content.push(Block { cache_control: cached.then_some(Cache { r#type: "ephemeral" }), ..block(stable) });
        }
        content.push(block(rest));
        if shape.rung == Rung::Plain {
            content.push(block(&form));
        }
        let schema: Option<&RawValue> = serde_json::from_str(&call.schema).ok();
        let effort = settings.effort.as_deref().unwrap_or("low");
        let effort = Some(effort).filter(|effort| !effort.is_empty() && has("effort") && shape.rung == Rung::Schema);
        let format = schema.filter(|_| shape.rung == Rung::Schema).map(|schema| Format { r#type: "json_schema", schema });
        let tool = schema.filter(|_| shape.rung == Rung::Json);
        let body = Body {
            model,
            max_tokens: call.max_tokens,
            system: vec![block(&call.system)],
            messages: [Message { role: "user", content }],
            output_config: (effort.is_some() || format.is_some()).then_some(Output { effort, format }),
            tools: tool.map(|input_schema| {
                let strict = has("strict").then_some(true);
                [Tool { name: TOOL, description: "Record the answer", strict, input_schema }]
            }),
            tool_choice: tool.map(|_| Choice { r#type: "tool", name: TOOL, disable_parallel_tool_use: true }),
        };
        serde_json::to_string(&body).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default)]
    content: Vec<Part<'a>>,
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(default)]
    text: String,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Usage {
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

fn read(body: &[u8]) -> Heard {
    let Ok(reply) = serde_json::from_slice::<Reply>(body) else {
        return Reason::new(Code::NoJson, "the server's answer is not what this interface answers".to_owned()).into();
    };
    let usage = reply.usage;
    let tokens = usage.input_tokens.map(|input| Tokens {
        cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
        cache_write: usage.cache_creation_input_tokens.unwrap_or_default(),
        input,
        output: usage.output_tokens.unwrap_or_default(),
    });
    let said = match reply.stop_reason.as_deref() {
        Some("max_tokens") => Err(Reason::new(Code::Cut, "the reply was longer than judge.max_tokens allows".to_owned())),
        Some("refusal") => Err(Reason::new(Code::Refusal, "the model declined".to_owned())),
        Some("model_context_window_exceeded") => {
            Err(Reason::new(Code::Context, "the prompt is longer than the model reads".to_owned()))
        }
        // The tool's input is the answer, whatever was said beside it.
        _ => Ok(match reply.content.iter().find_map(|part| part.input) {
            Some(input) => input.get().to_owned(),
            None => reply.content.iter().map(|part| part.text.as_str()).collect(),
        }),
    };
    Heard { money: None, said, tokens }
}
