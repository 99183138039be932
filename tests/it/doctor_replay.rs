//! Past sessions are judged from the agents' own records: nothing is run, nothing written.

use crate::support::TestRepo;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// The records of one session of each agent in this folder.
fn records(repo: &TestRepo, cwd: &str) {
    let home = repo.root().join("home");
    let tool = |name: &str, input: Value| json!({"type": "assistant", "cwd": cwd, "sessionId": "s", "message": {"role": "assistant", "content": [{"type": "text", "text": "Well."}, {"type": "tool_use", "id": "t", "name": name, "input": input}]}});
    let claude = [
        json!({"type": "user", "cwd": cwd, "message": {"role": "user", "content": "Go on."}}),
        tool("Bash", json!({"command": "git status"})),
        tool("Bash", json!({"command": "git reset --hard\n"})),
        tool("Read", json!({"file_path": "a.txt"})),
        tool("Write", json!({"file_path": format!("{cwd}/new.txt"), "content": "x"})),
    ];
    let codex = [
        json!({"type": "session_meta", "payload": {"cwd": cwd}}),
        json!({"type": "response_item", "payload": {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\": \"git checkout -f .\"}", "call_id": "c"}}),
        json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{\"command\": [\"bash\", \"-lc\", \"ls\"], \"workdir\": \".\"}"}}),
        json!({"type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Add File: n.txt\n+x\n*** End Patch"}}),
    ];
    for (name, lines) in [(".claude/projects/x/s.jsonl", &claude[..]), (".codex/sessions/2026/12/01/rollout-x.jsonl", &codex[..])]
    {
        let file = home.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        text.push_str("{\"cut\": \n\u{0}not json\n[[[[\n");
        fs::write(file, text).unwrap();
    }
}

fn replay(repo: &TestRepo, args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ah-doctor"));
    command.arg("replay").args(args).env_clear().envs(repo.vars().iter()).current_dir(repo.root());
    let done = command.output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn what_would_have_been_stopped_is_counted_and_shown() {
    let repo = TestRepo::new();
    records(&repo, repo.work().to_str().unwrap());
    let all: Value = serde_json::from_str(&replay(&repo, &["--json"])).unwrap();
    assert_eq!(
        (&all["sessions"], &all["calls"], &all["stops"], &all["silent"]),
        (&json!(2), &json!(6), &json!(0), &json!(6)),
        "{all}"
    );
    repo.write("a.txt", "unsaved\n");
    let text = replay(&repo, &[]);
    assert!(text.starts_with("2 past sessions, 6 calls: 4 silent, 0 with a note, 0 would be asked about, 2 stopped\n"), "{text}");
    assert!(text.contains("  git reset --hard") && text.contains("  git checkout -f ."), "{text}");
    assert_eq!(fs::read_to_string(repo.work().join("a.txt")).unwrap(), "unsaved\n");
    let home: Vec<_> = fs::read_dir(repo.root().join("home")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(home.len(), 3, "something was written: {home:?}");
}

#[test]
fn folders_that_are_no_more_are_left_out() {
    let repo = TestRepo::new();
    assert!(replay(&repo, &[]).starts_with("0 past sessions, 0 calls"));
    records(&repo, "/no/such/folder");
    let text = replay(&repo, &[]);
    assert!(text.contains("2 past sessions, 0 calls") && text.contains("6 calls ran in folders that are no more"), "{text}");
}
