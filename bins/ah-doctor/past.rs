//! The tool calls of past sessions, as the agents' own records have them.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The longest line of a record that is looked at, in bytes; longer ones hold what was read, not what was done.
const MOST_LINE: usize = 1 << 20;
/// The deepest folder in which records lie.
const DEEPEST: usize = 6;

/// One tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Where it ran.
    pub cwd: String,
    /// The tool, by its canonical name.
    pub tool: &'static str,
    /// Its input, as JSON.
    pub input: String,
    /// What a person knows it by: the command line, or the file.
    pub shown: String,
}

/// The records below the agents' folders that are there, newest first.
#[must_use]
pub fn records(claude: Option<PathBuf>, codex: Option<PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for folder in [claude.map(|home| home.join("projects")), codex.map(|home| home.join("sessions"))].into_iter().flatten() {
        walk(&folder, DEEPEST, &mut found);
    }
    found.sort_by(|one, other| other.cmp(one));
    found.into_iter().map(|(_, path)| path).collect()
}

fn walk(folder: &Path, deepest: usize, found: &mut Vec<(SystemTime, PathBuf)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && deepest > 0 => walk(&path, deepest - 1, found),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|ending| ending == "jsonl") => {
                let changed = entry.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
                found.push((changed, path));
            }
            _ => {}
        }
    }
}

/// The calls of one record, in order. What cannot be read in it is left out.
#[must_use]
pub fn calls(record: &Path) -> Vec<Call> {
    let Ok(file) = File::open(record) else { return Vec::new() };
    let mut cwd = String::new();
    let mut all = Vec::new();
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok).filter(|line| line.len() <= MOST_LINE) {
        let Ok(line) = serde_json::from_slice::<Line>(&line) else { continue };
        let payload = line.payload.as_ref();
        if let Some(here) = line.cwd.as_ref().or(payload.and_then(|payload| payload.cwd.as_ref())) {
            cwd.clone_from(here);
        }
        for content in line
            .message
            .iter()
            .filter_map(|message| serde_json::from_str::<Vec<&RawValue>>(message.content?.get()).ok())
            .flatten()
        {
            if let Ok(Content { kind: "tool_use", name, input: Some(input) }) = serde_json::from_str(content.get()) {
                all.extend(call(&cwd, name, input.get().to_owned()));
            }
        }
        if let Some(Payload { name: Some(name), arguments, input, .. }) = payload {
            all.extend(codex(&cwd, name, arguments.as_deref(), input.as_deref()));
        }
    }
    all
}

fn call(cwd: &str, name: &str, input: String) -> Option<Call> {
    let tool = ["Bash", "Edit", "MultiEdit", "NotebookEdit", "PowerShell", "Write"].into_iter().find(|tool| *tool == name)?;
    let known: Known = serde_json::from_str(&input).ok()?;
    let shown = known.command.or(known.file_path).or(known.notebook_path)?;
    Some(Call { cwd: cwd.to_owned(), tool, input, shown })
}

/// A call of Codex: a shell by one of its names, with a line or with words, or a patch.
fn codex(cwd: &str, name: &str, arguments: Option<&str>, input: Option<&str>) -> Option<Call> {
    let shell = |line: String, cwd: String| {
        let input = serde_json::json!({"command": line}).to_string();
        Call { cwd, tool: "Bash", input, shown: line }
    };
    match name {
        "apply_patch" => {
            let patch = input?;
            let shown = patch
                .lines()
                .find_map(|line| line.strip_prefix("*** ")?.split_once(" File: "))
                .map_or("a patch", |(_, file)| file);
            Some(Call {
                cwd: cwd.to_owned(),
                tool: "Edit",
                input: serde_json::json!({"command": patch}).to_string(),
                shown: shown.to_owned(),
            })
        }
        "exec_command" | "local_shell" | "shell" | "shell_command" => {
            let told: Told = serde_json::from_str(arguments?).ok()?;
            let line = match told.cmd.or(told.command)? {
                Words::Line(line) => line,
                // `bash -lc LINE`, or a program with its arguments.
                Words::Words(words) => match &words[..] {
                    [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') => line.clone(),
                    _ => words.iter().map(ah::quote::path).collect::<Vec<_>>().join(" "),
                },
            };
            let cwd = told.workdir.map_or_else(|| cwd.to_owned(), |dir| Path::new(cwd).join(dir).to_string_lossy().into_owned());
            Some(shell(line, cwd))
        }
        _ => None,
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    cwd: Option<String>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    payload: Option<Payload>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    name: &'a str,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Payload {
    arguments: Option<String>,
    cwd: Option<String>,
    input: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Known {
    command: Option<String>,
    file_path: Option<String>,
    notebook_path: Option<String>,
}

#[derive(Deserialize)]
struct Told {
    cmd: Option<Words>,
    command: Option<Words>,
    workdir: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Line(String),
    Words(Vec<String>),
}
