//! The Claude Code command line as a model: no tools, no settings of the person's or the project's, nothing kept.

use super::call::{Call, Heard};
use super::child::{self, Private, Program, Ran};
use super::reason::{Code, Reason};
use super::shape::{Rung, Shape};
use crate::settings::{Judge, Tokens};
use ah::clock::Deadline;
use serde_json::Value;

/// Flags that an older version may not know, and that can be left out.
const NEWER: &[&str] = &["--json-schema", "--max-budget-usd", "--system-prompt-file", "--disable-slash-commands"];

/// Variables that keep it from doing anything but answering, and the person's memories out of its answer.
const QUIET: &[(&str, &str)] = &[
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
];

/// Asks. `most` is what it may cost, in dollars.
pub fn ask(call: &Call, model: &str, settings: &Judge, most: Option<f64>, shape: &mut Shape, deadline: Deadline) -> Heard {
    let dir = match Private::new() {
        Ok(dir) => dir,
        Err(reason) => return reason.into(),
    };
    for _ in 0..=NEWER.len() {
        let program = program(call, model, settings, most, shape);
        if let Err(error) = std::fs::write(dir.path().join(SYSTEM), &call.system) {
            return Reason::new(Code::Program, format!("private folder: {error}")).into();
        }
        let ran = match child::run(&program, dir.path(), deadline) {
            Ok(ran) => ran,
            Err(reason) => return reason.into(),
        };
        if ran.out.is_empty() && ran.error.contains("unknown option") && shape.lower(&ran.error, NEWER) {
            continue;
        }
        return read(&ran);
    }
    Reason::new(Code::Program, "claude knows none of the flags that are needed".to_owned()).into()
}

/// The file with the rubric, in the private folder.
const SYSTEM: &str = "system.md";

/// The command.
pub fn program(call: &Call, model: &str, settings: &Judge, most: Option<f64>, shape: &Shape) -> Program {
    let has = |flag: &str| !shape.without.contains(flag);
    let mut args: Vec<String> = ["-p", "--output-format", "json"].map(str::to_owned).to_vec();
    let mut add = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
    if !model.is_empty() {
        add(&["--model", model]);
    }
    let mut input = call.prompt.clone();
    let held = has("--json-schema") && shape.rung == Rung::Schema;
    if held {
        add(&["--json-schema", &call.schema]);
    } else {
        input = call.with_schema();
    }
    if has("--system-prompt-file") {
        add(&["--system-prompt-file", SYSTEM]);
    } else {
        input = format!("{}\n{input}", call.system);
    }
    add(&["--tools", "", "--setting-sources", "project", "--strict-mcp-config", "--no-session-persistence"]);
    if has("--disable-slash-commands") {
        add(&["--disable-slash-commands"]);
    }
    if let Some(effort) = settings.effort.as_deref().filter(|effort| !effort.is_empty()) {
        add(&["--effort", effort]);
    }
    if let Some(most) = most.filter(|_| has("--max-budget-usd")) {
        add(&["--max-budget-usd", &format!("{most:.4}")]);
    }
    let mut env: Vec<_> = QUIET.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    env.extend(settings.base_url.iter().map(|base| ("ANTHROPIC_BASE_URL", base.clone())));
    if settings.effort.is_none() {
        // A grade needs no thirty thousand tokens of thought, which is what it takes if nobody says so.
        env.push(("MAX_THINKING_TOKENS", "0".to_owned()));
    }
    if settings.effort.is_none() || settings.max_tokens.is_some() {
        // Thoughts would count too.
        env.push(("CLAUDE_CODE_MAX_OUTPUT_TOKENS", call.max_tokens.to_string()));
    }
    let name = settings.command.first().map_or("claude", String::as_str).into();
    Program { args: args.into_iter().map(Into::into).collect(), env, input, name }
}

/// What it printed: the result, or a list of events with the result last.
fn read(ran: &Ran) -> Heard {
    let text = String::from_utf8_lossy(&ran.out);
    let result = |value: &Value| value.get("type").and_then(Value::as_str) == Some("result");
    let events: Vec<Value> = serde_json::Deserializer::from_str(&text).into_iter::<Value>().map_while(Result::ok).collect();
    let mut found = events.into_iter().flat_map(|value| match value {
        Value::Array(list) => list,
        one => vec![one],
    });
    let Some(found) = found.rfind(result) else {
        let error = ran.error.lines().next().unwrap_or("it printed no result");
        let code = ran.code.map_or_else(String::new, |code| format!(" (exit {code})"));
        return Reason::new(Code::Program, format!("claude{code}: {error}")).into();
    };
    let count = |name: &str| found["usage"][name].as_u64();
    let tokens = count("input_tokens").map(|input| Tokens {
        cache_read: count("cache_read_input_tokens").unwrap_or_default(),
        cache_write: count("cache_creation_input_tokens").unwrap_or_default(),
        input,
        output: count("output_tokens").unwrap_or_default(),
    });
    let money = found["total_cost_usd"].as_f64().map(|amount| ("usd".to_owned(), amount));
    let text = found["result"].as_str().unwrap_or_default();
    let said = match &found["structured_output"] {
        _ if found["is_error"].as_bool() == Some(true) => Err(failed(&found, text)),
        Value::Null if text.is_empty() => Err(failed(&found, "no text")),
        Value::Null => Ok(text.to_owned()),
        value => Ok(value.to_string()),
    };
    Heard { money, said, tokens }
}

fn failed(found: &Value, text: &str) -> Reason {
    let kind = found["subtype"].as_str().unwrap_or_default();
    let lower = text.to_lowercase();
    let code = match found["api_error_status"].as_u64() {
        Some(401 | 403) => Code::Auth,
        Some(404) => Code::NoModel,
        Some(402) => Code::Quota,
        Some(429) => Code::Rate,
        Some(500..) => Code::Server,
        _ if kind.contains("budget") => Code::Budget,
        _ if lower.contains("/login") || lower.contains("api key") => Code::Auth,
        _ if lower.contains("limit reached") || lower.contains("usage limit") => Code::Quota,
        _ if lower.contains("issue with the selected model") => Code::NoModel,
        _ => Code::Program,
    };
    Reason::new(code, format!("claude: {kind}: {text}"))
}
