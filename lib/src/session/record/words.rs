//! The words of a tool call: what it was asked, and what it wrote.

use crate::effect::Effect;
use crate::event::{Event, field, fields, text_head};
use crate::patch;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Keys under which tools are told what to look for, run or do, beside paths.
const ASKED: [&str; 7] = ["pattern", "query", "url", "description", "prompt", "skill", "subject"];

/// Keys under which tools are told the new text.
const WRITTEN: [&str; 9] =
    ["new_string", "content", "new_source", "new_str", "file_text", "insert_text", "newText", "new_text", "text"];

/// So much of a text is read, in bytes: more than is kept of it, since white space goes.
const READ: usize = 2 << 10;

/// Whether the tool runs a command line.
pub(super) fn is_shell(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell")
}

/// What the call was asked, but for its paths.
pub(super) fn of<'e>(event: &'e Event) -> Cow<'e, str> {
    let Some(input) = event.tool_input.filter(|_| event.patch().is_none()) else { return "".into() };
    if is_shell(&event.tool_name) {
        return field(input, "command").and_then(|raw| text_head(raw, READ)).unwrap_or_default();
    }
    if edits(&event.tool_name) {
        return "".into();
    }
    let mut words: Vec<Cow<str>> = fields(input, &ASKED).into_iter().flatten().filter_map(|raw| text_head(raw, READ)).collect();
    if let Some(name) = event.tool_name.strip_prefix("mcp__") {
        words.insert(0, name.replace("__", " ").into());
    }
    words.join(" ").into()
}

/// The paths that a call names: those it reads and writes, and where it searches.
pub(super) fn named(event: &Event, effect: &Effect) -> Vec<String> {
    let mut all: Vec<String> = effect.reads.iter().chain(&effect.writes).cloned().collect();
    if let Some(input) = event.tool_input.filter(|_| all.is_empty() && !is_shell(&event.tool_name)) {
        let paths = fields(input, &["path", "file_path", "notebook_path"]).into_iter().flatten();
        all.extend(paths.filter_map(|raw| text_head(raw, READ)).filter(|path| !path.is_empty()).map(Cow::into_owned));
    }
    all
}

/// What an edit wrote; `None` for another tool.
pub(super) fn edited<'e>(event: &'e Event) -> Option<Cow<'e, str>> {
    if let Some(patch) = event.patch() {
        return Some(patch::added(&patch).into());
    }
    let input = event.tool_input.filter(|_| edits(&event.tool_name))?;
    if event.tool_name != "MultiEdit" {
        return written(input);
    }
    let all: Vec<&RawValue> = serde_json::from_str(field(input, "edits")?.get()).ok()?;
    Some(all.into_iter().filter_map(written).collect::<Vec<_>>().join("\n").into())
}

fn edits(tool: &str) -> bool {
    matches!(tool, "Edit" | "MultiEdit" | "NotebookEdit" | "Write")
}

fn written(input: &RawValue) -> Option<Cow<'_, str>> {
    fields(input, &WRITTEN).into_iter().flatten().find_map(|raw| text_head(raw, READ))
}
