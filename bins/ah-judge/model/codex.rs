//! The Codex command line as a model: read-only, without the person's settings and hooks, nothing kept.

use super::call::{Call, Heard};
use super::child::{self, Private, Program};
use super::reason::{Code, Reason};
use crate::settings::{Judge, Tokens};
use ah::clock::Deadline;
use serde_json::Value;

/// Files in the private folder: the schema, and the last message.
const SCHEMA: &str = "schema.json";
const OUT: &str = "reply.json";
/// The longest reply, in bytes.
const MOST: u64 = 1 << 20;
/// Settings, each of which takes a way of acting from the model or keeps something of the person's out.
const SETTINGS: &[&str] = &[
    "features.hooks=false",
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.apps=false",
    "features.plugins=false",
    "features.multi_agent=false",
    "features.memories=false",
    "features.image_generation=false",
    "tools.view_image=false",
    "web_search=\"disabled\"",
    "project_doc_max_bytes=0",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "history.persistence=\"none\"",
];

/// Asks.
pub fn ask(call: &Call, model: &str, settings: &Judge, deadline: Deadline) -> Heard {
    let answer = || {
        let dir = Private::new()?;
        let cannot = |error: std::io::Error| Reason::new(Code::Program, format!("private folder: {error}"));
        std::fs::write(dir.path().join(SCHEMA), &call.schema).map_err(cannot)?;
        let ran = child::run(&program(call, model, settings), dir.path(), deadline)?;
        let last = ah::fs::read_there(&dir.path().join(OUT), MOST).map(|(bytes, _)| bytes).unwrap_or_default();
        let mut heard = read(&ran.out, String::from_utf8_lossy(&last).trim());
        if let Err(reason) = &heard.said
            && reason.text.is_empty()
        {
            let error = ran.error.lines().next().unwrap_or("it said nothing");
            heard.said = Err(Reason::new(Code::Program, format!("codex: {error}")));
        }
        Ok(heard)
    };
    answer().unwrap_or_else(Reason::into)
}

/// The command.
pub fn program(call: &Call, model: &str, settings: &Judge) -> Program {
    let mut args: Vec<String> = vec!["exec".to_owned()];
    let mut add = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
    if !model.is_empty() {
        add(&["-m", model]);
    }
    add(&["--ignore-user-config", "--ignore-rules", "--ephemeral", "--skip-git-repo-check", "-s", "read-only"]);
    SETTINGS.iter().for_each(|setting| add(&["-c", setting]));
    if let Some(effort) = settings.effort.as_deref().filter(|effort| !effort.is_empty()) {
        add(&["-c", &format!("model_reasoning_effort={}", Value::from(effort))]);
    }
    if let Some(base) = &settings.base_url {
        add(&["-c", &format!("openai_base_url={}", Value::from(base.as_str()))]);
    }
    add(&["--json", "--output-schema", SCHEMA, "-o", OUT, "-"]);
    // It has no place for a rubric of ours but its input.
    let input = format!("{}\n{}", call.system, call.prompt);
    let name = settings.command.first().map_or("codex", String::as_str).into();
    Program { args: args.into_iter().map(Into::into).collect(), env: Vec::new(), input, name }
}

/// What its events say; `last` is the file with its last message.
fn read(out: &[u8], last: &str) -> Heard {
    let text = String::from_utf8_lossy(out);
    let (mut said, mut wrong, mut tokens) = (last.to_owned(), None, None);
    for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["type"].as_str().unwrap_or_default() {
            "item.completed" if event["item"]["type"] == "agent_message" && last.is_empty() => {
                event["item"]["text"].as_str().unwrap_or_default().clone_into(&mut said);
            }
            "turn.completed" => {
                let count = |name: &str| event["usage"][name].as_u64().unwrap_or_default();
                let cached = count("cached_input_tokens").min(count("input_tokens"));
                let input = count("input_tokens") - cached;
                tokens = Some(Tokens { cache_read: cached, cache_write: 0, input, output: count("output_tokens") });
            }
            "turn.failed" => wrong = event["error"]["message"].as_str().map(str::to_owned),
            "error" if wrong.is_none() => wrong = event["message"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    let said = match wrong {
        Some(wrong) if said.is_empty() => Err(Reason::new(kind(&wrong), format!("codex: {wrong}"))),
        None if said.is_empty() => Err(Reason::new(Code::Program, String::new())),
        _ => Ok(said),
    };
    Heard { money: None, said, tokens }
}

fn kind(wrong: &str) -> Code {
    let wrong = wrong.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| wrong.contains(word));
    match () {
        () if has(&["401", "403", "unauthorized", "log in", "login"]) => Code::Auth,
        () if has(&["usage limit", "quota", "billing"]) => Code::Quota,
        () if has(&["429", "rate limit"]) => Code::Rate,
        () if has(&["404", "model_not_found", "does not exist"]) => Code::NoModel,
        () if has(&["500", "502", "503", "529", "overloaded"]) => Code::Server,
        () => Code::Program,
    }
}
