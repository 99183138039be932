//! MCP servers whose tools run commands or change repositories, and which no matcher of the guard covers.

use super::Settings;
use crate::finding::Finding;
use crate::ground::Ground;
use ah::fs;
use ah::harness::wiring::Wiring;
use ah::quote;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest file that names servers, in bytes.
const MOST: u64 = 64 << 20;
/// What is in the name of a server that runs commands.
const SHELLS: &[&str] = &["bash", "command", "desktop-commander", "exec", "process", "shell", "ssh", "terminal"];

#[derive(Deserialize)]
struct Servers {
    #[serde(default, rename = "mcpServers")]
    servers: BTreeMap<String, IgnoredAny>,
}

/// Each such server.
pub fn look(ground: &Ground, wiring: &'static Wiring, home: &Path, all: &[Settings]) -> Vec<Finding> {
    let guard = all.iter().flat_map(Settings::ours).filter(|entry| entry.runs("ah-git-guard") && entry.event == "PreToolUse");
    let all_tools = guard.into_iter().any(|entry| matches!(entry.matcher.as_deref(), None | Some("" | "*" | ".*")));
    if all_tools {
        return Vec::new();
    }
    let names = match wiring.harness {
        "codex" => codex(&home.join("config.toml")),
        _ => json(&[
            // Claude Code keeps its servers beside its folder, or in it where that was moved.
            home.join(".claude.json"),
            home.with_file_name(".claude.json"),
            ground.root.clone().unwrap_or_default().join(".mcp.json"),
        ]),
    };
    let shells = names.into_iter().filter(|name| {
        let lower = name.to_lowercase();
        SHELLS.iter().any(|word| lower.contains(word)) && !lower.contains("git")
    });
    shells
        .map(|name| {
            let what =
                format!("the MCP server {} looks as if it ran commands, and nothing guards its tools", quote::line(&name, 60));
            Finding::warn("agents.unguarded", wiring.harness, what)
        })
        .collect()
}

fn json(files: &[PathBuf]) -> Vec<String> {
    let read = |file: &PathBuf| serde_json::from_slice::<Servers>(&fs::read(file, MOST).ok()?).ok();
    let mut names: Vec<String> = files.iter().filter_map(read).flat_map(|file| file.servers.into_keys()).collect();
    names.sort();
    names.dedup();
    names
}

fn codex(file: &Path) -> Vec<String> {
    let text = fs::read(file, MOST).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let document = toml_edit::Document::parse(text).ok();
    let servers = document.as_ref().and_then(|document| document.get("mcp_servers")?.as_table_like());
    servers.map(|servers| servers.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
}
