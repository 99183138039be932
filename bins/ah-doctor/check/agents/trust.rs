//! Whether Codex trusts our hooks: it passes over those it does not without a word.

use super::Settings;
use crate::finding::Finding;
use crate::ground::Ground;
use crate::run;
use ah::fs;
use ah::harness::wiring::{Wiring, is_trusted, programs};
use ah::quote;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The largest `config.toml` that is read, in bytes.
const MOST: u64 = 64 << 20;
/// How long Codex may take to list its hooks.
const WAIT: Duration = Duration::from_secs(10);
/// What only a person can do.
const TRUST: &str = "ah-bootstrap --trust codex";

/// A finding for what is not trusted; nothing for a harness that has no such step.
pub fn look(ground: &Ground, wiring: &'static Wiring, home: &Path, all: &[Settings]) -> Vec<Finding> {
    if wiring.harness != "codex" {
        return Vec::new();
    }
    if ground.deep {
        return match asked(ground) {
            Ok(untrusted) if untrusted.is_empty() => Vec::new(),
            Ok(untrusted) => vec![untrusted_finding(&untrusted)],
            Err(why) => vec![
                Finding::warn("agents.mute", "codex", format!("codex app-server did not list its hooks: {why}"))
                    .mend("codex --version"),
            ],
        };
    }
    let text = fs::read(&home.join("config.toml"), MOST).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let mut untrusted = Vec::new();
    for settings in all {
        untrusted
            .extend(settings.ours().filter(|entry| !is_trusted(&text, &settings.path, entry)).map(|entry| settings.at(entry)));
    }
    if untrusted.is_empty() { Vec::new() } else { vec![untrusted_finding(&untrusted)] }
}

fn untrusted_finding(untrusted: &[String]) -> Finding {
    let first = untrusted.first().map(String::as_str).unwrap_or_default();
    let what = format!("{} of our hooks not trusted, so Codex skips them without a word (the first: {first})", untrusted.len());
    Finding::fail("agents.untrusted", "codex", what, TRUST)
}

/// Our hooks that Codex itself says it does not trust.
fn asked(ground: &Ground) -> Result<Vec<String>, String> {
    let program = run::which("codex").ok_or("codex is not on PATH")?;
    let cwd = ground.root.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let client = json!({"clientInfo": {"name": "ah-doctor", "title": "ah-doctor", "version": env!("CARGO_PKG_VERSION")}});
    let calls = [
        json!({"id": 1, "method": "initialize", "params": client}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [cwd]}}),
    ];
    let text: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let mut command = Command::new(program);
    command.arg("app-server");
    let done = run::talk(&mut command, text.as_bytes(), b"\"id\":2", WAIT).map_err(|error| error.to_string())?;
    let answer = done
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .find(|line| line["id"] == 2)
        .ok_or_else(|| format!("no list: {}, {}", done.ending(), quote::bytes(&done.stderr, 100)))?;
    let hooks =
        answer["result"]["data"].as_array().into_iter().flatten().flat_map(|data| data["hooks"].as_array().into_iter().flatten());
    let ours = hooks.filter(|hook| hook["command"].as_str().is_some_and(|command| !programs(command, None).is_empty()));
    let skipped =
        ours.filter(|hook| !matches!(hook["trustStatus"].as_str(), Some("trusted" | "managed")) || hook["enabled"] == false);
    Ok(skipped.map(|hook| quote::line(hook["key"].as_str().unwrap_or_default(), 200)).collect())
}
