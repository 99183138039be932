//! Codex runs a hook only once the person has trusted its very line, which its settings keep as a digest.

use super::Found;
use crate::jsonc::{self, Error};
use crate::receipt::sha256;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::Path;
use toml_edit::Document;

/// Whether Codex's `config.toml`, with this text, says that it trusts a hook that stands in the file at `path`.
#[must_use]
pub fn is_trusted(config: &str, path: &Path, one: &Found) -> bool {
    let Ok(document) = Document::parse(config) else { return false };
    // It knows the file by its own name, and by where that leads.
    let real = std::fs::canonicalize(path).unwrap_or_default();
    let state = || document.get("hooks")?.get("state");
    let Some(state) = state().and_then(|state| [path, &real].into_iter().find_map(|path| state.get(key(path, one)))) else {
        return false;
    };
    let enabled = state.get("enabled").and_then(toml_edit::Item::as_bool).unwrap_or(true);
    enabled && state.get("trusted_hash").and_then(toml_edit::Item::as_str) == Some(&digest(one))
}

/// What to put at the end of `config.toml`, so that it trusts these hooks of the file at `path`.
///
/// # Errors
/// The text is not TOML, or says something of one of them already.
pub fn trusting(config: &str, path: &Path, hooks: &[&Found]) -> Result<String, Error> {
    let newline = if config.contains("\r\n") { "\r\n" } else { "\n" };
    let mut added = String::new();
    for one in hooks {
        let key = serde_json::to_string(&key(path, one)).unwrap_or_default();
        let _ = write!(added, "\n[hooks.state.{key}]\ntrusted_hash = \"{}\"\n", digest(one));
    }
    if config.is_empty() {
        added.remove(0);
    } else if !config.ends_with('\n') {
        added.insert(0, '\n');
    }
    let added = added.replace('\n', newline);
    let whole = format!("{config}{added}");
    let place = |error: &toml_edit::TomlError| error.span().map_or(0, |span| span.start);
    match Document::parse(&*whole) {
        Ok(_) => Ok(added),
        Err(error) if place(&error) < config.len() => Err(jsonc::wrong(config, place(&error), error.message())),
        Err(_) => Err(jsonc::wrong(config, config.find("hooks").unwrap_or(0), "it says something of one of these hooks already")),
    }
}

/// How Codex calls a hook: file, event, group and number.
fn key(path: &Path, one: &Found) -> String {
    format!("{}:{}:{}:{}", path.to_string_lossy(), event(one), one.place.0, one.place.1)
}

/// The event as Codex's own records spell it.
fn event(one: &Found) -> String {
    let mut name = String::new();
    for c in one.event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// What Codex compares: the sha256 of the hook as compact JSON with its keys in order (as of 0.171.0).
fn digest(one: &Found) -> String {
    // Whole seconds, at least one; 600 where nothing is said.
    let said = one.timeout.map_or(600, |seconds| seconds.max(1.0) as u64);
    // At an end it waits no longer than three, and compares what it waits.
    let timeout = if matches!(one.event.as_str(), "Interrupt" | "SessionEnd") { said.min(3) } else { said };
    let mut all = Map::new();
    all.insert("event_name".into(), event(one).into());
    all.insert("hooks".into(), json!([{"async": false, "command": one.command, "timeout": timeout, "type": one.kind}]));
    if let Some(matcher) = &one.matcher {
        all.insert("matcher".into(), matcher.clone().into());
    }
    format!("sha256:{}", sha256(Value::Object(all).to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_compared_by_what_codex_waits() {
        // As its own `hooks/list` gave them (0.171.0).
        for (event, hash) in [
            ("Interrupt", "35533898d971f6c2d670d9f54cab6971791f293a5a1c9c1612ff99a81be14543"),
            ("SessionEnd", "0c992659d2ea3d7460e34080946ee430337f19694b26c7667027f6ec4042dae5"),
        ] {
            let hook = Found {
                command: "/bin/true --harness codex".into(),
                event: event.into(),
                kind: "command".into(),
                timeout: Some(10.0),
                ..Found::default()
            };
            assert_eq!(digest(&hook), format!("sha256:{hash}"));
        }
    }
}
