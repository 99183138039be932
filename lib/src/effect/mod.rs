//! What a tool call does: the paths it reads and writes, and whether it changes anything at all.

mod git;
mod options;
mod programs;
mod shell;
mod tools;

use serde_json::value::RawValue;

/// What one tool call does, as far as its input says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// What changes something, or may: programs, with their verb where they have verbs, or the tool.
    pub by: Vec<String>,
    /// Paths that it reads for certain, as written or, where the directory is known, absolute.
    pub reads: Vec<String>,
    /// Paths that it writes, removes or moves for certain.
    pub writes: Vec<String>,
    /// It changes something: a file, a repository, a process, another machine.
    pub changes: bool,
    /// It runs something whose doings cannot be seen, so that there may be more than is listed.
    pub opaque: bool,
}

impl Effect {
    /// Whether anything may be different afterwards.
    #[must_use]
    pub fn may_change(&self) -> bool {
        self.changes || self.opaque
    }

    /// Why something may be different afterwards, or that it reads: `reads`, `writes a.rs, b.rs`, `runs make`.
    #[must_use]
    pub fn reason(&self) -> String {
        let list = |all: &[String]| match all {
            [] => String::new(),
            [one] => format!(" {one}"),
            [one, two] => format!(" {one}, {two}"),
            [one, two, rest @ ..] => format!(" {one}, {two} and {} more", rest.len()),
        };
        match (self.may_change(), self.writes.is_empty()) {
            (false, _) => "reads".to_owned(),
            (true, false) => format!("writes{}", list(&self.writes)),
            (true, true) => format!("runs{}", list(&self.by)),
        }
    }

    fn done_by(&mut self, name: String) {
        if !self.by.contains(&name) {
            self.by.push(name);
        }
    }

    fn read(&mut self, path: &str) {
        if !path.is_empty() && !self.reads.iter().any(|known| known == path) {
            self.reads.push(path.to_owned());
        }
    }

    fn write(&mut self, path: &str) {
        self.changes = true;
        if !path.is_empty() && !self.writes.iter().any(|known| known == path) {
            self.writes.push(path.to_owned());
        }
    }
}

/// What a call of `tool_name` with this input does; relative paths stay as they are written.
#[must_use]
pub fn effect(tool_name: &str, input: &RawValue) -> Effect {
    effect_in(tool_name, input, None)
}

/// As [`effect`], with the directory in which the call runs: absolute.
#[must_use]
pub fn effect_in(tool_name: &str, input: &RawValue, cwd: Option<&str>) -> Effect {
    tools::effect(tool_name, input, cwd)
}
