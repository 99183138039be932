//! What the recorder writes of each event, of whom, and of whom not.

use crate::ground::mode;
use crate::guard_run::feed;
use crate::prefilter_run::{
    bash, event, failed, failures, fold, lines, log_file, of_kind, places, prefilter, prompt, ran, silent, stop,
};
use crate::support::TestRepo;
use serde_json::{Value, json};

fn kinds(t: &TestRepo) -> Vec<String> {
    lines(t).iter().map(|line| line["k"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_turn_is_recorded_and_closed() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "make it faster"));
    silent(&t, &bash(&t, "t1", "cat a.txt"));
    silent(&t, &ran(&t, "t2", "Edit", json!({"file_path": t.work().join("a.txt"), "old_string": "x", "new_string": "a\n  b"})));
    silent(&t, &bash(&t, "t3", "cargo test --all"));
    silent(&t, &failed(&t, "t4", "Bash", json!({"command": "cargo test x"}), "Exit code 101\nassertion failed"));
    silent(&t, &stop(&t, "It is faster."));
    assert_eq!(
        kinds(&t),
        ["prompt", "touch", "change", "edit", "touch", "change", "test", "touch", "change", "test", "touch", "final", "skip"]
    );
    let edit = &of_kind(&t, "edit")[0];
    assert_eq!((&edit["paths"], &edit["text"]), (&json!(["a.txt"]), &json!("a b")));
    let changes: Vec<Value> = of_kind(&t, "change").into_iter().map(|line| line["reason"].clone()).collect();
    assert_eq!(changes, ["writes a.txt", "runs cargo test", "runs cargo test"]);
    let tests: Vec<Value> = of_kind(&t, "test").into_iter().map(|line| line["pass"].clone()).collect();
    assert_eq!(tests, [true, false]);
    let touches: Vec<Value> = of_kind(&t, "touch").into_iter().map(|line| line["text"].clone()).collect();
    let error = "cargo test x failed: Exit code 101 assertion failed";
    assert_eq!(touches, ["cat a.txt", "", "cargo test --all", error]);
    assert_eq!(of_kind(&t, "final")[0]["text"], "It is faster.");
    assert_eq!((&of_kind(&t, "skip")[0]["key"], mode(&log_file(&t))), (&json!("stop:1"), 0o600));
    let done = fold(&t);
    assert_eq!((done.state.closed(), done.turn.records, done.state.prompt.as_str()), (1, 0, "make it faster"));
    assert_eq!(failures(&t), "");
}

#[test]
fn recording_again_changes_nothing() {
    let t = TestRepo::new();
    let edit = json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"});
    // A harness that names no calls: what they say tells them apart.
    let nameless =
        |n: u32| event(&t, "PostToolUse", json!({"tool_name": "Bash", "tool_input": {"command": format!("echo {n}")}}));
    let prompt = |text: &str| event(&t, "UserPromptSubmit", json!({"prompt": text}));
    let turn = [prompt("one"), prompt("one"), ran(&t, "t1", "Edit", edit.clone()), ran(&t, "t1", "Edit", edit)];
    turn.iter().chain([&nameless(1), &nameless(1), &nameless(2)]).for_each(|event| silent(&t, event));
    let now = fold(&t).turn;
    assert_eq!((now.prompts.len(), now.edits.len(), now.changes.len(), now.touches.len()), (1, 1, 1, 3));
    (0..3).for_each(|_| silent(&t, &stop(&t, "done")));
    assert_eq!((of_kind(&t, "skip").len(), of_kind(&t, "final").len()), (1, 1));
    // The same words later are another turn.
    silent(&t, &prompt("one"));
    silent(&t, &nameless(1));
    let next = fold(&t).turn;
    assert_eq!((next.prompts.as_slice(), next.touches.len()), (&["one".to_owned()][..], 1));
    silent(&t, &stop(&t, "done"));
    assert_eq!(fold(&t).state.closed(), 2);
}

#[test]
fn sub_agents_never_close_and_machines_start_no_turn() {
    let t = TestRepo::new();
    let inner = |mut event: Value| {
        event["agent_id"] = json!("a1");
        event
    };
    silent(&t, &prompt(&t, "go"));
    silent(&t, &inner(prompt(&t, "SUBTASK")));
    silent(&t, &inner(bash(&t, "t1", "cargo build")));
    silent(&t, &inner(stop(&t, "sub done")));
    silent(&t, &inner(event(&t, "SubagentStop", json!({"last_assistant_message": "x"}))));
    let now = fold(&t);
    assert_eq!((now.state.closed(), now.turn.prompts, now.turn.touches[0].sub), (0, vec!["go".to_owned()], true));
    silent(&t, &stop(&t, "done"));
    silent(&t, &prompt(&t, "<task-notification>\n<task-id>1</task-id></task-notification>"));
    silent(&t, &prompt(&t, "  "));
    let after = fold(&t);
    assert!(after.turn.prompts.is_empty() && after.state.prompt == "go");
    assert_eq!(of_kind(&t, "prompt").iter().filter(|line| line["machine"] == true).count(), 2);
    // Its stop still has its one line.
    silent(&t, &stop(&t, "done"));
    assert_eq!(fold(&t).state.closed(), 2);
}

#[test]
fn a_refusal_is_no_failure() {
    let t = TestRepo::new();
    let no = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    silent(&t, &failed(&t, "t1", "Bash", json!({"command": "rm -rf build"}), no));
    let words = format!("{no}. To tell you how to proceed, the user said:\nkeep the build");
    silent(&t, &failed(&t, "t2", "Edit", json!({"file_path": "a.txt", "old_string": "a", "new_string": "b"}), &words));
    // What a command prints refuses nothing.
    silent(&t, &failed(&t, "t3", "Bash", json!({"command": "./x"}), &format!("Exit code 1\n{words}")));
    let denied = of_kind(&t, "denied");
    let told: Vec<_> = denied.iter().map(|line| (line["text"].as_str().unwrap(), line["words"].as_str().unwrap())).collect();
    assert_eq!(told, [("rm -rf build build", ""), ("a.txt", "keep the build")]);
    assert_eq!((of_kind(&t, "change").len(), of_kind(&t, "edit").len()), (1, 0));
}

#[test]
fn what_is_off_leaves_no_trace() {
    for config in [
        r#"{"off": ["WORK"]}"#,
        r#"{"default": "off"}"#,
        r#"{"collectives": [{"name": "other", "paths": ["/nonexistent"]}]}"#,
        r#"{"collectives": 5}"#,
        "{ broken",
    ] {
        let t = TestRepo::new();
        let file = t.root().join("ah/config/config.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, config.replace("WORK", t.work().to_str().unwrap())).unwrap();
        for event in [prompt(&t, "x"), bash(&t, "t1", "touch b"), stop(&t, "y")] {
            silent(&t, &event);
        }
        assert!(!t.root().join("ah/state").exists(), "{config}");
    }
    let t = TestRepo::new();
    t.write(".ah/config.json", "{\"off\": true}");
    silent(&t, &prompt(&t, "x"));
    let no_id = |mut event: Value| {
        event["session_id"] = json!("");
        event
    };
    let t2 = TestRepo::new();
    silent(&t2, &no_id(prompt(&t2, "x")));
    let nowhere = TestRepo::nothing();
    silent(&nowhere, &prompt(&nowhere, "x"));
    let off = TestRepo::new();
    let run = feed(prefilter(&off).env("AH_OFF", "1"), prompt(&off, "x").to_string().as_bytes());
    let judged = feed(prefilter(&off).env("AH_JUDGE", "1"), prompt(&off, "x").to_string().as_bytes());
    assert!(run.stdout.is_empty() && judged.stdout.is_empty());
    let probed = feed(prefilter(&off).arg("--jsonl"), format!("{}\n", prompt(&off, "x")).as_bytes());
    assert_eq!(probed.stdout, "{}\n");
    for t in [t, t2, nowhere, off] {
        assert!(!t.root().join("ah/state").exists());
    }
}

#[test]
fn touches_go_where_their_target_belongs() {
    let t = TestRepo::new();
    let other = t.root().join("other");
    t.git_in(&t.root(), ["init", "-q", "other"]);
    let file = |path: &str| json!({"file_path": path, "old_string": "a", "new_string": "secret plan"});
    let there = other.join("notes.txt").display().to_string();
    silent(&t, &ran(&t, "t1", "Edit", file(&there)));
    silent(&t, &ran(&t, "t2", "Read", json!({"file_path": there})));
    silent(&t, &ran(&t, "t3", "Write", json!({"file_path": "/nonexistent/x", "content": "secret plan"})));
    silent(&t, &bash(&t, "t4", &format!("cat {there} | tee -a a.txt")));
    let link = t.work().join("link");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    silent(&t, &ran(&t, "t5", "Edit", file("link/notes.txt")));
    silent(&t, &ran(&t, "t8", "Grep", json!({"pattern": "secret plan", "path": other})));
    silent(&t, &ran(&t, "t9", "mcp__files__search", json!({"query": "secret plan", "path": there})));
    silent(&t, &failed(&t, "t10", "Edit", file(&there), "User rejected: the user said: secret plan"));
    let text = std::fs::read_to_string(log_file(&t)).unwrap();
    assert!(!text.contains("notes.txt") && !text.contains("secret plan"), "{text}");
    assert_eq!(fold(&t).turn.touches.iter().map(|touch| touch.paths.join(" ")).collect::<Vec<_>>(), ["a.txt"]);
    // A folder that is off, and one of a submodule's kind, inside.
    t.git_in(&t.work(), ["init", "-q", "inner"]);
    silent(&t, &ran(&t, "t6", "Edit", file("inner/x.txt")));
    silent(&t, &ran(&t, "t7", "Edit", file("new/dir/x.txt")));
    assert_eq!(of_kind(&t, "edit").len(), 1);
    assert!(places(&t).sessions().exists());
}

#[test]
fn a_session_that_moves_to_another_repository_is_not_mixed_with_it() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "here"));
    t.git_in(&t.root(), ["init", "-q", "other"]);
    let mut there = prompt(&t, "there");
    there["cwd"] = json!(t.root().join("other"));
    silent(&t, &there);
    assert_eq!(fold(&t).turn.prompts, ["here"]);
}

#[test]
fn long_texts_are_cut_and_many_paths_too() {
    let t = TestRepo::new();
    let long = "word ".repeat(2 << 20);
    silent(&t, &prompt(&t, &format!("{long} the end")));
    silent(&t, &bash(&t, "t1", &format!("echo {long}")));
    silent(&t, &ran(&t, "t2", "Write", json!({"file_path": "a.txt", "content": long})));
    let many: String = (0..5_000).map(|n| format!("*** Add File: f{n}\n+{n}\n")).collect();
    let patch = json!({"command": format!("*** Begin Patch\n{many}*** End Patch\n")});
    let mut codex = event(&t, "PostToolUse", json!({"tool_name": "apply_patch", "tool_input": patch, "tool_use_id": "c1"}));
    codex["turn_id"] = json!("turn1");
    codex["tool_response"] = json!("Exit code: 0\n");
    silent(&t, &codex);
    silent(&t, &stop(&t, &long));
    let size = log_file(&t).metadata().unwrap().len();
    assert!(size < 64 << 10, "{size}");
    let prompt = of_kind(&t, "prompt")[0]["text"].as_str().unwrap().to_owned();
    assert!(prompt.ends_with(" the end") && prompt.len() < 17 << 10);
    assert_eq!(of_kind(&t, "edit")[1]["paths"].as_array().unwrap().len(), 50);
    assert_eq!(of_kind(&t, "edit")[1]["text"].as_str().unwrap()[..7], *"0 1 2 3");
}

#[test]
fn other_tools_say_what_they_were_asked() {
    let t = TestRepo::new();
    for (n, (tool, input)) in [
        ("Grep", json!({"pattern": "fn main", "path": "src"})),
        ("Glob", json!({"pattern": "**/*.rs"})),
        ("WebSearch", json!({"query": "how to"})),
        ("Task", json!({"description": "look around", "prompt": "look"})),
        ("mcp__github__create_issue", json!({"title": "x"})),
        ("TodoWrite", json!({"todos": []})),
    ]
    .into_iter()
    .enumerate()
    {
        silent(&t, &ran(&t, &format!("t{n}"), tool, input));
    }
    let told: Vec<String> = of_kind(&t, "touch").iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, ["fn main", "**/*.rs", "how to", "look around look", "github create_issue"]);
}
