//! One tool call as a person is asked about it: what it would run, where, and the hash that tells a byte-identical retry.

use ah::event::Event;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A tool call.
pub struct Attempt {
    /// What it would run or write, for people; may hold secrets.
    pub command: String,
    /// The session's directory, links resolved.
    pub cwd: PathBuf,
    /// Tells this call, in this directory, from every other; says nothing about it.
    pub hash: String,
    /// Who runs the agent; empty for a call by hand.
    pub harness: &'static str,
    /// The harness's id of the session.
    pub session: String,
    /// The tool's name as sent.
    pub tool: String,
}

impl Attempt {
    /// The call of an event.
    pub fn of(event: &Event, harness: &'static str, cwd: &Path) -> Self {
        let tool = if event.native_tool.is_empty() { &event.tool_name } else { &event.native_tool };
        let input = event.tool_input.map_or("", |raw| raw.get());
        let shell = matches!(&*event.tool_name, "Bash" | "PowerShell");
        let (command, exact) = match event.input("command") {
            Some(text) if shell => (text.to_string(), text.into_owned()),
            // What would be written is not kept: where it would go says enough.
            _ => (format!("{tool} {}", target(event).unwrap_or_default()), format!("{tool} {input}")),
        };
        let hash = hash(cwd, &exact);
        Self { command, cwd: cwd.to_owned(), hash, harness, session: event.session_id.to_string(), tool: tool.to_string() }
    }

    /// A shell command that a person typed.
    pub fn typed(command: String, cwd: &Path) -> Self {
        let hash = hash(cwd, &command);
        Self { command, cwd: cwd.to_owned(), hash, harness: "", session: String::new(), tool: "Bash".into() }
    }
}

/// The files a file tool names; for any other tool its whole input.
fn target(event: &Event) -> Option<String> {
    if let Some(patch) = event.patch() {
        return Some(ah::patch::files(&patch).iter().map(|f| f.path.clone()).collect::<Vec<_>>().join(" "));
    }
    let path = event.input("file_path").or_else(|| event.input("notebook_path"));
    path.map(|p| p.into_owned()).or_else(|| event.tool_input.map(|raw| raw.get().to_owned()))
}

fn hash(cwd: &Path, exact: &str) -> String {
    let bytes = [cwd.as_os_str().as_bytes(), exact.as_bytes()].join(&0);
    blake3::hash(&bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_of_the_directory_and_every_byte() {
        let of = |command: &str, cwd: &str| Attempt::typed(command.into(), Path::new(cwd)).hash;
        assert_eq!(of("git reset --hard", "/w"), of("git reset --hard", "/w"));
        assert_ne!(of("git reset --hard", "/w"), of("git reset --hard ", "/w"));
        assert_ne!(of("git reset --hard", "/w"), of("git reset --hard", "/v"));
    }
}
