//! Two work trees, a home, and sessions in them that a mesh serves.

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A home with one repository `w` and its linked work tree `w2`.
pub struct Desk {
    top: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self { top: TempDir::new().expect("a folder") };
        for dir in ["home", "w/.git/worktrees/w2", "w2", "w/src", "w2/src"] {
            fs::create_dir_all(desk.path(dir)).expect("a folder");
        }
        fs::write(desk.path("w/.git/HEAD"), "ref: refs/heads/main\n").expect("a head");
        fs::write(desk.path("w/.git/config"), "[remote \"origin\"]\n\turl = git@h.example:o/r.git\n").expect("settings");
        fs::write(desk.path("w2/.git"), format!("gitdir: {}\n", desk.path("w/.git/worktrees/w2").display())).expect("a link");
        fs::write(desk.path("w/.git/worktrees/w2/commondir"), "../..\n").expect("a link");
        fs::write(desk.path("w/.git/worktrees/w2/HEAD"), "ref: refs/heads/other\n").expect("a head");
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.top.path().canonicalize().expect("a path").join(name)
    }

    /// The settings of the mesh.
    pub fn settings(&self, mesh: &Value) {
        fs::create_dir_all(self.path("ah/config")).expect("a folder");
        fs::write(self.path("ah/config/config.json"), json!({"mesh": mesh}).to_string()).expect("settings");
    }

    pub fn command(&self, tree: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ah-mesh"));
        command.env_clear().env("HOME", self.path("home")).env("AH_HOME", self.path("ah"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).current_dir(self.path(tree));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn event(&self, tree: &str, session: &str, name: &str, fields: &Value) -> String {
        let mut event = json!({"hook_event_name": name, "session_id": session, "cwd": self.path(tree)});
        for (key, value) in fields.as_object().expect("fields") {
            event[key] = value.clone();
        }
        event.to_string()
    }

    pub fn start(&self, tree: &str, session: &str, name: &str, fields: &Value) -> Child {
        let mut child = self.command(tree).args(["--harness", "claude"]).spawn().expect("it runs");
        let _ = child.stdin.take().expect("a pipe").write_all(self.event(tree, session, name, fields).as_bytes());
        child
    }

    /// A hook, which must be quiet: its answer's own part, null for silence.
    pub fn hook(&self, tree: &str, session: &str, name: &str, fields: &Value) -> Value {
        answer(&self.start(tree, session, name, fields).wait_with_output().expect("it ends"))
    }

    pub fn prompt(&self, tree: &str, session: &str) -> String {
        let answer = self.hook(tree, session, "UserPromptSubmit", &json!({"prompt": "go on"}));
        answer["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// An edit that is about to run, or has.
    pub fn edit(&self, tree: &str, session: &str, name: &str, file: &str) -> Value {
        let input = json!({"file_path": self.path(tree).join(file), "old_string": "a", "new_string": "b"});
        self.hook(tree, session, name, &json!({"tool_name": "Edit", "tool_input": input, "tool_use_id": "t"}))
    }

    /// A command that a session runs in its shell: code and what it printed.
    pub fn run(&self, tree: &str, session: &str, words: &[&str]) -> (i32, String) {
        let mut command = self.command(tree);
        if !session.is_empty() {
            command.env("CLAUDE_CODE_SESSION_ID", session);
        }
        let done = command.args(words).stdin(Stdio::null()).output().expect("it runs");
        let text = [done.stdout, done.stderr].concat();
        (done.status.code().expect("a code"), String::from_utf8(text).expect("text"))
    }

    /// The name of a session.
    pub fn name(&self, session: &str) -> String {
        let text = self.run("w", "", &["top", "--json"]).1;
        let all: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
        let one = all.as_array().expect("a list").iter().find(|one| one["session"] == session);
        one.unwrap_or_else(|| panic!("{text}"))["name"].as_str().expect("a name").to_owned()
    }

    /// The mesh's folder; there is one.
    pub fn mesh(&self) -> PathBuf {
        let stores = fs::read_dir(self.path("ah/data/collectives")).expect("collectives");
        stores.flatten().next().expect("one").path().join("mesh")
    }

    pub fn failures(&self) -> String {
        fs::read_to_string(self.path("ah/state/log.jsonl")).unwrap_or_default()
    }
}

/// What a hook printed.
pub fn answer(done: &Output) -> Value {
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    if done.stdout.is_empty() {
        return Value::Null;
    }
    let whole: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    whole["hookSpecificOutput"].clone()
}
