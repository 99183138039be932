//! Events of real clients through the built guard: what is stopped, asked about, noted, and in which words.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::answers::{objections, schema};
use crate::events::captured;
use crate::guard_run::{Run, bash, claude, codex, dirty, feed, guard, hook};
use crate::support::TestRepo;
use ah::event::Moment;

/// A captured event in the work tree of `t`, with other values for some keys.
fn fixture(t: &TestRepo, harness: &str, file: &str, changed: Value) -> Value {
    let (_, text) = captured(harness).into_iter().find(|(name, _)| name == file).expect("captured");
    let mut event: Value = serde_json::from_str(&text).expect("JSON");
    event["cwd"] = json!(t.work());
    for (key, value) in changed.as_object().expect("an object") {
        event[key] = value.clone();
    }
    event
}

#[track_caller]
fn assert_codex_schema(run: &Run) {
    let answer: Value = serde_json::from_str(&run.stdout).expect("an answer");
    let schema = schema(Moment::PreToolUse).expect("shipped");
    assert_eq!(objections(&schema, &schema, &answer, "answer"), [""; 0], "{answer}");
}

#[test]
fn a_reset_is_stopped_in_a_dirty_tree_and_silent_in_a_clean_one() {
    let input = json!({"tool_input": {"command": "git reset --hard", "description": "Start over"}});
    for (harness, files) in [
        ("claude-code", ["PreToolUse-Bash.json", "PreToolUse-Bash-in_subagent.json"]),
        ("codex", ["PreToolUse-Bash-codemode.json", "PreToolUse-Bash-in_subagent.json"]),
    ] {
        for file in files {
            let (t, clean) = (dirty(), TestRepo::new());
            let run = hook(&t, &fixture(&t, harness, file, input.clone()));
            let (verdict, text) = run.answer();
            assert_eq!(verdict, "deny", "{harness}/{file}");
            for part in ["git reset --hard", "a.txt", "+2 -1", "git stash", "tree.discard"] {
                assert!(text.contains(part), "{part} in: {text}");
            }
            if harness == "codex" {
                assert_codex_schema(&run);
            }
            let run = hook(&clean, &fixture(&clean, harness, file, input.clone()));
            assert_eq!(run.answer(), ("allow".into(), String::new()), "{harness}/{file}");
        }
    }
}

#[test]
fn a_message_names_five_of_many_and_stays_short() {
    let t = TestRepo::new();
    for n in 0..60 {
        t.write(format!("{}-{n:02}.txt", "long\u{1b}[31m\u{202e}name\n".repeat(9)), "x\n");
    }
    let (verdict, text) = hook(&t, &bash(&t, "git clean -fd")).answer();
    assert_eq!(verdict, "deny");
    assert!(text.contains("60 files") && text.contains("git stash push -u"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

#[test]
fn events_that_are_no_call_of_a_judged_tool_are_silent() {
    let t = dirty();
    for harness in ["claude-code", "codex"] {
        for (file, _) in captured(harness) {
            let changed =
                if file.starts_with("PreToolUse") { json!({}) } else { json!({"tool_input": {"command": "git reset --hard"}}) };
            let run = hook(&t, &fixture(&t, harness, &file, changed));
            assert_eq!(run.verdict(), "allow", "{harness}/{file}");
        }
    }
}

/// A repository with an unpushed commit that `git reset --hard HEAD~1` leaves to the reflog: asked about.
fn unpushed() -> TestRepo {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "hub"]);
    t.git(["remote", "add", "origin", "../hub"]);
    t.git(["fetch", "-q"]);
    t.git(["branch", "-q", "-u", "origin/main"]);
    t.commit("b.txt", "one\n");
    t
}

#[test]
fn a_question_is_a_denial_where_nobody_can_be_asked() {
    let t = unpushed();
    let event = bash(&t, "git reset --hard HEAD~1");
    let (verdict, text) = hook(&t, &event).answer();
    assert_eq!(verdict, "ask", "{text}");
    assert!(text.contains("change b.txt") && text.contains("git branch keep"), "{text}");
    for mode in ["bypassPermissions", "dontAsk"] {
        let mut event = event.clone();
        event["permission_mode"] = json!(mode);
        let (verdict, text) = hook(&t, &event).answer();
        assert_eq!(verdict, "deny", "{mode}");
        assert!(text.contains("nobody can be asked") && text.contains("change b.txt"), "{text}");
    }
    let run = feed(guard(&t).env("CLAUDE_CODE_SESSION_ATTENDED", "0"), event.to_string().as_bytes());
    assert_eq!(run.verdict(), "deny", "unattended");
    let run = feed(guard(&t).args(["--harness", "codex"]), event.to_string().as_bytes());
    assert_eq!(run.verdict(), "deny", "--harness codex");
    let run = hook(&t, &codex(&t.work(), "Bash", "git reset --hard HEAD~1"));
    assert_eq!(run.verdict(), "deny", "codex");
    assert_codex_schema(&run);
}

#[test]
fn a_note_lets_the_call_through_with_one_line() {
    let t = unpushed();
    for event in [bash(&t, "git commit --amend -m again"), codex(&t.work(), "Bash", "git commit --amend -m again")] {
        let run = hook(&t, &event);
        let (verdict, text) = run.answer();
        assert_eq!((verdict.as_str(), text.lines().count()), ("note", 1), "{text}");
        assert!(text.contains("git commit --amend"), "{text}");
        assert_codex_schema(&run);
    }
}

#[test]
fn a_patch_may_edit_but_not_delete_what_only_the_file_holds() {
    let t = dirty();
    let patch = |body: &str| format!("*** Begin Patch\n{body}\n*** End Patch");
    let update = patch("*** Update File: a.txt\n@@\n-edited\n+changed");
    let delete = patch("*** Delete File: a.txt");
    let add = patch("*** Add File: b.txt\n+x");
    let several = patch("*** Update File: a.txt\n@@\n-edited\n+changed\n*** Delete File: a.txt");
    for (text, expected) in [(&update, "allow"), (&delete, "deny"), (&add, "allow"), (&several, "deny")] {
        let run = hook(&t, &codex(&t.work(), "apply_patch", text));
        assert_eq!(run.verdict(), expected, "{text}");
        let heredoc = format!("apply_patch <<'EOF'\n{text}\nEOF");
        assert_eq!(hook(&t, &codex(&t.work(), "Bash", &heredoc)).verdict(), expected, "{heredoc}");
        if expected == "deny" {
            assert!(run.answer().1.contains("a.txt"), "{run:?}");
            assert_codex_schema(&run);
        }
    }
    t.git(["checkout", "-q", "a.txt"]);
    assert_eq!(hook(&t, &codex(&t.work(), "apply_patch", &delete)).verdict(), "allow", "a clean file");
}

#[test]
fn writing_over_goes_on_only_after_a_snapshot_and_editing_always() {
    let t = dirty();
    t.write("notes.txt", "mine\n");
    let file = |name: &str| t.work().join(name);
    let write = |name: &str| claude(&t.work(), "Write", json!({"file_path": file(name), "content": "x\n"}));
    assert_eq!(hook(&t, &write("notes.txt")).verdict(), "allow");
    let unwritable = feed(guard(&t).env("AH_STATE_HOME", "/proc/none"), write("notes.txt").to_string().as_bytes());
    let (verdict, text) = unwritable.answer();
    assert_eq!(verdict, "ask", "{text}");
    assert!(text.contains("notes.txt") && text.contains("untracked"), "{text}");
    assert_eq!(hook(&t, &write("new.txt")).verdict(), "allow");
    t.commit("b.txt", "kept\n");
    assert_eq!(hook(&t, &write("b.txt")).verdict(), "allow", "git holds it");
    for name in ["a.txt", "notes.txt", "b.txt"] {
        let edit = claude(&t.work(), "Edit", json!({"file_path": file(name), "old_string": "m", "new_string": "y"}));
        assert_eq!(hook(&t, &edit).verdict(), "allow", "{name}");
        let edit = bash(&t, &format!("sed -i s/m/y/ {name} && echo x >> {name}"));
        assert_eq!(hook(&t, &edit).verdict(), "allow", "{name}");
    }
    let notebook = claude(&t.work(), "NotebookEdit", json!({"notebook_path": file("notes.txt"), "new_source": "y"}));
    assert_eq!(hook(&t, &notebook).verdict(), "allow");
}

#[test]
fn git_tools_of_mcp_servers_are_judged_like_the_command() {
    let t = dirty();
    t.write("new.txt", "mine\n");
    t.git(["stash", "push", "-q", "--", "a.txt"]);
    t.write("a.txt", "edited\n");
    t.git(["branch", "wip"]);
    t.git(["checkout", "-q", "wip"]);
    t.commit("c.txt", "only here\n");
    t.git(["checkout", "-q", "main"]);
    let repo = t.work();
    for (tool, input, expected) in [
        ("mcp__git__git_reset", json!({"repo_path": repo, "mode": "hard"}), "deny"),
        ("mcp__git__git_reset", json!({"repo_path": repo}), "allow"),
        ("mcp__git__git_checkout", json!({"repo_path": repo, "branch_name": "wip"}), "allow"),
        ("mcp__git__git_checkout", json!({"repo_path": repo, "branch": "wip", "force": true}), "deny"),
        ("mcp__git__git_restore", json!({"repo_path": repo, "path": "a.txt"}), "deny"),
        ("mcp__git-server__clean", json!({"path": repo}), "deny"),
        ("mcp__git__git_stash_drop", json!({"repo_path": repo}), "deny"),
        ("mcp__git__git_branch_delete", json!({"repo_path": repo, "branch": "wip"}), "ask"),
        ("mcp__git__git_status", json!({"repo_path": repo}), "allow"),
        ("mcp__git__git_commit", json!({"repo_path": repo, "message": "git reset --hard"}), "allow"),
        ("mcp__notes__reset", json!({"path": repo, "mode": "hard"}), "allow"),
    ] {
        // The session stands elsewhere: the tool says where it works.
        let run = hook(&t, &claude(&t.root(), tool, input.clone()));
        assert_eq!(run.verdict(), expected, "{tool} {input}: {}", run.stdout);
    }
}

#[test]
fn powershell_is_read_for_git_and_removal() {
    let t = dirty();
    t.write("notes.txt", "mine\n");
    for (command, expected) in [
        ("git reset --hard", "deny"),
        ("git status; Write-Output 'git reset --hard'", "allow"),
        ("Set-Location -Path .; & git checkout -- a.txt", "deny"),
        ("Remove-Item -Force notes.txt", "deny"),
        ("Get-Content notes.txt", "allow"),
        ("# git reset --hard", "allow"),
    ] {
        let run = hook(&t, &claude(&t.work(), "PowerShell", json!({"command": command})));
        assert_eq!(run.verdict(), expected, "{command}: {}", run.stdout);
    }
}

/// Codex's record of a session, in which the call of `command` has a `workdir`.
fn rollout(t: &TestRepo, command: &str, workdir: &Path) -> std::path::PathBuf {
    let file = t.root().join("rollout-2026-01-01T00-00-00-1.jsonl");
    let call = |cmd: &str, dir: Option<&Path>| {
        let mut arguments = json!({"cmd": cmd});
        if let Some(dir) = dir {
            arguments["workdir"] = json!(dir);
        }
        let payload =
            json!({"type": "function_call", "name": "exec_command", "arguments": arguments.to_string(), "call_id": "c"});
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}).to_string()
    };
    let padding = format!("{{\"type\":\"event_msg\",\"payload\":\"{}\"}}", "x".repeat(100_000));
    let lines = [call("ls", Some(workdir)), padding, "cut off {".into(), call(command, Some(workdir)), call("ls", None)];
    fs::write(&file, lines.join("\n")).expect("written");
    file
}

#[test]
fn codex_commands_are_judged_where_its_record_says_they_run() {
    let (t, clean) = (dirty(), TestRepo::new());
    let event = |command: &str, record: &Path| {
        let mut event = codex(&clean.work(), "Bash", command);
        event["transcript_path"] = json!(record);
        hook(&clean, &event).answer()
    };
    let record = rollout(&t, "git reset --hard", &t.work());
    let (verdict, text) = event("git reset --hard", &record);
    assert_eq!(verdict, "deny");
    assert!(text.contains("a.txt"), "{text}");
    assert_eq!(event("git checkout .", &record).0, "allow", "the record tells of another command");
    assert_eq!(event("git reset --hard", &t.root().join("rollout-none.jsonl")).0, "allow");
    let record = rollout(&t, "git reset --hard", &t.root().join("gone"));
    assert_eq!(event("git reset --hard", &record).0, "allow");
}
