//! Tools by name: those of Claude Code and Codex, those of other harnesses, and MCP tools by the verb in their name.

use super::{Effect, shell};
use crate::event::text;
use crate::patch;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Tools that look, or keep the harness's own books. Lower case, without `_` and `-`. Sorted.
const READERS: &[&str] = &[
    "askuserquestion", "bashoutput", "enterplanmode", "exitplanmode", "fetch", "filesearch", "glob", "googlewebsearch", "grep",
    "grepsearch", "listdir", "listdirectory", "listmcpresources", "ls", "lsp", "notebookread", "question", "read", "readfile",
    "readmanyfiles", "readmcpresource", "searchfilecontent", "skill", "taskoutput", "think", "todoread", "todowrite",
    "toolsearch", "updateplan", "view", "viewimage", "webfetch", "websearch",
];

/// Tools that write the file they name.
const WRITERS: &[&str] = &[
    "create",
    "createfile",
    "delete",
    "deletefile",
    "edit",
    "editfile",
    "editnotebook",
    "insert",
    "multiedit",
    "notebookedit",
    "replace",
    "searchreplace",
    "strreplacebasededittool",
    "strreplaceeditor",
    "write",
    "writefile",
];

/// Tools that run a command line.
const SHELLS: &[&str] = &[
    "bash", "execcommand", "executecommand", "localshell", "powershell", "runcommand", "runinterminal", "runshellcommand",
    "runterminalcmd", "runterminalcommand", "shell", "shellcommand", "terminal",
];

/// First words of the names of MCP tools that only look.
const LOOKING: &[&str] = &[
    "check", "count", "describe", "diff", "download", "explain", "fetch", "find", "get", "grep", "head", "help", "info",
    "inspect", "list", "log", "lookup", "ls", "navigate", "ping", "query", "read", "resolve", "retrieve", "search", "show",
    "snapshot", "stat", "status", "summarize", "take", "think", "validate", "verify", "view", "wait", "whoami",
];

/// Keys under which tools name the file they work on.
const PATHS: [&str; 10] =
    ["absolute_path", "file", "file_path", "filePath", "filename", "notebook_path", "path", "target_file", "targetFile", "uri"];

pub(super) fn effect(tool_name: &str, input: &RawValue, cwd: Option<&str>) -> Effect {
    let mut effect = Effect::default();
    // Only what is looked at is decoded: a new text may be long.
    let fields: BTreeMap<Cow<str>, &RawValue> = serde_json::from_str(input.get()).unwrap_or_default();
    let last = tool_name.rsplit("__").next().unwrap_or(tool_name);
    let name: String = last.chars().filter(|char| !matches!(char, '_' | '-')).collect::<String>().to_ascii_lowercase();
    let get = |key: &str| fields.get(key).copied();
    let paths = || PATHS.iter().filter_map(|key| text(get(key)?));
    if name.is_empty() {
        return effect;
    }
    if name == "applypatch" {
        effect.changes = true;
        let text = ["input", "patch", "command"].iter().filter_map(|key| get(key)).find_map(words);
        patched(&text.map(|words| words.join("\n")).unwrap_or_default(), &mut effect);
    } else if SHELLS.contains(&name.as_str()) {
        let command = get("command").or_else(|| get("cmd"));
        // A call may name its own directory.
        let own = ["workdir", "working_directory", "directory", "cwd"].iter().find_map(|key| text(get(key)?));
        let cwd = own.as_deref().filter(|own| own.starts_with('/')).or(cwd);
        match (command.and_then(words), command.and_then(text)) {
            (_, Some(line)) => shell::line(&line, name == "powershell", cwd, &mut effect),
            (Some(words), None) => shell::vector(&words, cwd, &mut effect),
            (None, None) => {}
        }
    } else if WRITERS.contains(&name.as_str()) {
        let looks = get("command").and_then(text).as_deref() == Some("view");
        if !looks {
            effect.changes = true;
        }
        for path in paths() {
            if looks { effect.read(&path) } else { effect.write(&path) }
        }
    } else if READERS.binary_search(&name.as_str()).is_ok() {
        if name.starts_with("read") || name.starts_with("view") || name == "notebookread" {
            for path in paths() {
                effect.read(&path);
            }
        }
    } else if tool_name.starts_with("mcp__") {
        mcp(last, &mut effect);
        for path in paths() {
            if effect.changes { effect.write(&path) } else { effect.read(&path) }
        }
    } else if name == "killshell" || name == "killbash" {
        effect.changes = true;
    } else {
        // A sub-agent, or a tool that nothing is known of.
        effect.opaque = true;
    }
    if effect.may_change() && effect.by.is_empty() {
        effect.done_by(tool_name.to_owned());
    }
    effect
}

/// A text, or an array of texts.
fn words(raw: &RawValue) -> Option<Vec<String>> {
    if let Some(text) = text(raw) {
        return Some(vec![text.into_owned()]);
    }
    match serde_json::from_str(raw.get()).ok()? {
        Value::Array(all) if !all.is_empty() => Some(all.iter().map(|word| word.as_str().unwrap_or("").to_owned()).collect()),
        _ => None,
    }
}

/// The files of a patch.
pub(super) fn patched(text: &str, effect: &mut Effect) {
    for file in patch::files(text) {
        effect.write(&file.path);
        if let patch::PatchKind::MoveTo(to) = &file.kind {
            effect.write(to);
        }
    }
}

/// By the words of its name: one that looks only, or one that does something.
fn mcp(name: &str, effect: &mut Effect) {
    let name = name.to_ascii_lowercase();
    let mut verbs = name.split(['_', '-', '.', '/']).filter(|word| !word.is_empty());
    // `git_status`, `browser_snapshot`: the verb may come second.
    let looks = verbs.clone().next().is_some_and(|word| LOOKING.binary_search(&word).is_ok())
        || verbs.nth(1).is_some_and(|word| LOOKING.binary_search(&word).is_ok() && word != "take");
    effect.changes = !looks;
    effect.opaque = !looks;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [READERS, WRITERS, SHELLS, LOOKING] {
            assert!(table.windows(2).all(|pair| pair[0] < pair[1]), "{table:?}");
        }
    }
}
