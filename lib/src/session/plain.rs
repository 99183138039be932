//! The recorder's lines, read in one go: nearly every line of a log is one of them.

use super::entry::Entry;
use super::line::Prompt;
use serde::Deserialize;
use std::borrow::Cow;

/// Every field that the recorder's lines have.
#[derive(Deserialize)]
pub(super) struct Plain<'a> {
    #[serde(borrow)]
    k: &'a str,
    #[serde(borrow, default)]
    pub(super) key: Cow<'a, str>,
    #[serde(default)]
    machine: bool,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    reason: String,
    #[serde(default)]
    sub: bool,
    pub(super) t: u64,
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool: String,
}

impl Plain<'_> {
    /// `None` for another kind.
    pub(super) fn entry(self) -> Option<Entry> {
        let Self { k, machine, paths, reason, sub, text, tool, .. } = self;
        Some(match k {
            "change" => Entry::Change { reason, sub, tool },
            "edit" => Entry::Edit { paths, sub, text },
            "final" => Entry::Final { text },
            "prompt" => Entry::Prompt(Prompt { machine, sub, text }),
            "touch" => Entry::Touch { paths, sub, text, tool },
            _ => return None,
        })
    }
}
