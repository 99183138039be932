//! A commit that takes along what another session works on is told of, and nothing else is.

use crate::support::TestRepo;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// A repository in which sessions edit and commit.
struct Shared(TestRepo);

impl Shared {
    fn new() -> Self {
        let repo = TestRepo::new();
        for file in ["a.rs", "b.rs", "dir/c.rs"] {
            repo.write(file, "old\n");
        }
        repo.git(["add", "-A"]);
        repo.git(["commit", "-qm", "second"]);
        Self(repo)
    }

    fn hook(&self, program: &str, session: &str, event: &str, tool: &str, input: &Value) -> Value {
        let sent = json!({"hook_event_name": event, "session_id": session, "cwd": self.0.work(), "tool_name": tool,
            "tool_input": input, "tool_use_id": "t", "prompt": "go on"});
        let mut child = Command::new(program)
            .args(["--harness", "claude"])
            .env_clear()
            .envs(self.0.vars().iter().map(|(name, value)| (name.to_owned(), value.to_owned())))
            .env("AH_HOME", self.0.root().join("ah"))
            .current_dir(self.0.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(sent.to_string().as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success());
        serde_json::from_slice::<Value>(&done.stdout).unwrap_or_default()["hookSpecificOutput"].clone()
    }

    /// A session edits a file.
    fn edit(&self, session: &str, file: &str) {
        let mesh = env!("CARGO_BIN_EXE_ah-mesh");
        self.hook(mesh, session, "UserPromptSubmit", "", &json!({}));
        let input = json!({"file_path": self.0.work().join(file), "old_string": "old", "new_string": session});
        self.hook(mesh, session, "PreToolUse", "Edit", &input);
        fs::write(self.0.work().join(file), format!("{session}\n")).unwrap();
        self.hook(mesh, session, "PostToolUse", "Edit", &input);
    }

    /// What the guard says to an agent that is about to run a line.
    fn guard(&self, session: &str, line: &str) -> String {
        let answer = self.hook(env!("CARGO_BIN_EXE_ah-git-guard"), session, "PreToolUse", "Bash", &json!({"command": line}));
        assert!(answer.get("permissionDecision").is_none(), "{line}: {answer}");
        answer["additionalContext"].as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn k8_a_commit_that_sweeps_in_anothers_file_is_told_of() {
    let shared = Shared::new();
    shared.edit("s-one", "a.rs");
    shared.edit("s-one", "dir/c.rs");
    shared.edit("s-two", "b.rs");
    for line in [
        "git commit -am mine",
        "git add -A && git commit -m mine",
        "git add . && git commit -qm mine",
        "git commit -m mine a.rs b.rs",
    ] {
        let told = shared.guard("s-two", line);
        assert!(told.contains("- a.rs: ") && told.contains("ah-mesh tell ") && !told.contains("b.rs"), "{line}: {told}");
    }
    assert!(shared.guard("s-two", "git add dir && git commit -m mine").contains("- dir/c.rs: "));
    // By path, or with what is staged and nobody's: nothing to tell.
    for line in
        ["git add b.rs && git commit -m mine", "git commit -m mine b.rs", "git add -A", "git commit -m mine", "git status"]
    {
        assert_eq!(shared.guard("s-two", line), "", "{line}");
    }
    // What is staged already is taken by any commit.
    shared.0.git(["add", "a.rs"]);
    assert!(shared.guard("s-two", "git commit -m mine").contains("- a.rs: "));
    assert_eq!(shared.guard("s-one", "git commit -m mine"), "", "its own");
}

#[test]
fn k3_what_a_session_commits_is_free_again() {
    let shared = Shared::new();
    shared.edit("s-one", "a.rs");
    shared.edit("s-one", "b.rs");
    let claims = || {
        let stores = fs::read_dir(shared.0.root().join("ah/data/collectives")).unwrap();
        fs::read_dir(stores.flatten().next().unwrap().path().join("mesh/claims")).unwrap().count()
    };
    assert_eq!(claims(), 2);
    shared.guard("s-one", "git commit -m mine a.rs");
    assert_eq!(claims(), 1, "b.rs is still being worked on");
}

#[test]
fn k8_the_ended_the_elsewhere_and_the_clean_are_not_told_of() {
    let shared = Shared::new();
    shared.edit("s-one", "a.rs");
    shared.0.git(["worktree", "add", "-q", "../w2"]);
    let other = shared.0.root().join("w2");
    fs::write(other.join("a.rs"), "elsewhere\n").unwrap();
    assert_eq!(shared.guard("s-two", "cd ../w2 && git commit -am mine"), "", "another work tree");
    shared.hook(env!("CARGO_BIN_EXE_ah-mesh"), "s-one", "SessionEnd", "", &json!({}));
    assert_eq!(shared.guard("s-two", "git commit -am mine"), "", "its session has ended");
    // No mesh, no folder of one.
    let alone = Shared::new();
    fs::write(alone.0.work().join("a.rs"), "x\n").unwrap();
    assert_eq!(alone.guard("s-two", "git commit -am mine"), "");
    assert!(!alone.0.root().join("ah/data/collectives").exists());
}
