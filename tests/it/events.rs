//! Captured events of real clients: whose they are is found out, and every field arrives.

use ah::event::{Event, Moment, field, text};
use ah::harness::{self, Harness};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// Every captured event of one harness: file name, text.
pub fn captured(harness: &str) -> Vec<(String, String)> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/events").join(harness);
    let mut files: Vec<(String, String)> = std::fs::read_dir(&dir)
        .expect("the folder of captured events")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("UTF-8"))
        })
        .collect();
    files.sort();
    assert!(files.len() > 30, "{harness} has {} events", files.len());
    files
}

pub fn no_env(_: &str) -> Option<OsString> {
    None
}

fn in_claude(name: &str) -> Option<OsString> {
    (name == "CLAUDECODE").then(|| "1".into())
}

fn read(text: &str) -> (&'static Harness, Event<'_>) {
    harness::read(text.as_bytes(), None, None, no_env).expect("an event")
}

type Text = fn(&Event) -> String;

/// The text fields that both clients send under the same name and meaning.
const TEXTS: &[(&str, Text)] = &[
    ("agent_id", |event| event.agent_id.to_string()),
    ("agent_transcript_path", |event| event.agent_transcript_path.to_string()),
    ("agent_type", |event| event.agent_type.to_string()),
    ("cwd", |event| event.cwd.to_string()),
    ("error", |event| event.error.to_string()),
    ("hook_event_name", |event| event.event_name.to_string()),
    ("last_assistant_message", |event| event.last_assistant_message.to_string()),
    ("model", |event| event.model.to_string()),
    ("permission_mode", |event| event.permission_mode.to_string()),
    ("prompt", |event| event.prompt.to_string()),
    ("reason", |event| event.reason.to_string()),
    ("session_id", |event| event.session_id.to_string()),
    ("source", |event| event.source.to_string()),
    ("tool_name", |event| event.native_tool.to_string()),
    ("tool_use_id", |event| event.tool_use_id.to_string()),
    ("transcript_path", |event| event.transcript_path.to_string()),
];

/// Keys of captured events that no program reads. A key that is neither here nor read is news.
const UNREAD: &[&str] = &[
    "attempt_number",
    "background_tasks",
    "command_args",
    "command_name",
    "command_source",
    "compact_summary",
    "context_tokens",
    "custom_instructions",
    "delta",
    "duration_ms",
    "estimated_cache_write_usd",
    "expansion_type",
    "file_path",
    "final",
    "index",
    "kind",
    "load_reason",
    "mcp_server",
    "memory_type",
    "message_id",
    "new_cwd",
    "old_cwd",
    "permission_suggestions",
    "prompt_cache_likely_expired",
    "request_id",
    "response_id",
    "seconds_since_last_response",
    "session_crons",
    "status",
    "task_description",
    "task_id",
    "task_subject",
    "thread_id",
    "token_usage",
    "tool_calls",
    "trigger",
];

/// Compares an event with its text, key by key; gives the keys met.
fn compare(name: &str, event: &Event, sent: &Value) -> BTreeSet<String> {
    let sent = sent.as_object().expect("an object");
    for (key, get) in TEXTS {
        let expected = sent.get(*key).and_then(Value::as_str).unwrap_or_default();
        assert_eq!(get(event), expected, "{name}: {key}");
    }
    let flag = |key: &str| sent.get(key).and_then(Value::as_bool).unwrap_or(false);
    assert_eq!(event.stop_hook_active, flag("stop_hook_active"), "{name}");
    assert_eq!(event.is_interrupt, flag("is_interrupt"), "{name}");
    for (key, raw) in [("tool_input", event.tool_input), ("tool_response", event.tool_response)] {
        let raw: Option<Value> = raw.map(|raw| serde_json::from_str(raw.get()).expect("JSON"));
        assert_eq!(raw.as_ref(), sent.get(key), "{name}: {key}");
    }
    if let (Some(Value::Object(fields)), Some(input)) = (sent.get("tool_input"), event.tool_input) {
        for (key, value) in fields {
            let raw = field(input, key).unwrap_or_else(|| panic!("{name}: no {key}"));
            assert_eq!(text(raw).as_deref(), value.as_str(), "{name}: {key}");
            assert_eq!(event.input(key).as_deref(), value.as_str(), "{name}: {key}");
        }
    }
    sent.keys().cloned().collect()
}

#[test]
fn every_field_of_every_captured_event_arrives() {
    let mut met = BTreeSet::new();
    for dir in ["claude-code", "codex"] {
        for (name, pretty) in captured(dir) {
            let sent: Value = serde_json::from_str(&pretty).expect("JSON");
            for form in [pretty.clone(), sent.to_string(), format!("\n {sent}\r\n")] {
                let (harness, event) = read(&form);
                assert_eq!(harness.name, if dir == "codex" { "codex" } else { "claude" }, "{dir}/{name}");
                met.extend(compare(&name, &event, &sent));
                let id = if dir == "codex" { "turn_id" } else { "prompt_id" };
                assert_eq!(Some(&*event.prompt_id).filter(|id| !id.is_empty()), sent[id].as_str(), "{name}: {id}");
                let expected = name.split(['-', '.']).next().expect("a first part");
                assert_eq!(&*event.event_name, expected);
                let acted_on = Moment::ALL.iter().any(|moment| moment.name() == expected);
                assert_eq!(event.moment.name(), if acted_on { expected } else { "" }, "{name}");
                assert_eq!(event.in_subagent(), sent.get("agent_id").is_some(), "{name}");
                assert!(!event.probe);
            }
        }
    }
    let read = TEXTS
        .iter()
        .map(|(key, _)| *key)
        .chain(UNREAD.iter().copied())
        .chain(["is_interrupt", "prompt_id", "stop_hook_active", "tool_input", "tool_response", "turn_id"]);
    assert_eq!(met, read.map(str::to_owned).collect());
}

#[test]
fn what_a_payload_proves_goes_before_the_environment_and_a_flag_before_both() {
    for (name, text) in captured("codex") {
        let (harness, _) = harness::read(text.as_bytes(), None, None, in_claude).expect("an event");
        assert_eq!(harness.name, "codex", "{name}: started from a Claude session");
    }
    let (_, stop) = captured("codex").into_iter().find(|(name, _)| name == "Stop.json").expect("Stop");
    let named = harness::read(stop.as_bytes(), Harness::named("claude"), None, no_env).expect("an event");
    assert_eq!(named.0.name, "claude");
    assert_eq!(harness::read(b"{}", None, None, no_env).expect("an event").0.name, "claude", "the default");
    assert!(Harness::named("Claude").is_none() && Harness::named("").is_none());
    let project_dir_only = |name: &str| (name == "CLAUDE_PROJECT_DIR").then(OsString::new);
    assert_eq!(Harness::around(project_dir_only).name, "claude", "by default, not by proof");
}

#[test]
fn codex_tools_have_claude_names_and_keep_their_own() {
    let tool = |file: &str| {
        let (_, text) = captured("codex").into_iter().find(|(name, _)| name == file).expect("captured");
        let (_, event) = read(&text);
        (event.tool_name.to_string(), event.native_tool.to_string(), event.patch().map(|patch| patch.to_string()))
    };
    let (name, native, patch) = tool("PreToolUse-apply_patch.json");
    assert_eq!((&*name, &*native), ("Edit", "apply_patch"));
    let files: Vec<String> = ah::patch::files(&patch.expect("a patch")).into_iter().map(|file| file.path).collect();
    assert_eq!(files, ["README.md", "notes.txt"]);
    assert_eq!(tool("PreToolUse-spawn_agent.json"), ("Agent".into(), "spawn_agent".into(), None));
    assert_eq!(tool("PreToolUse-Bash-apply_patch_heredoc.json"), ("Bash".into(), "Bash".into(), None));
}

#[test]
fn machine_made_prompts_are_told_from_a_persons() {
    for (name, text) in captured("claude-code") {
        if name.starts_with("UserPromptSubmit") {
            assert_eq!(read(&text).1.machine_prompt(), name.contains("task_notification"), "{name}");
        }
    }
}

#[test]
fn the_command_line_names_an_event_that_has_no_name() {
    let named = |text: &'static str, name| harness::read(text.as_bytes(), None, name, no_env).expect("an event").1.moment;
    assert_eq!(named("{}", Some("PreToolUse")), Moment::PreToolUse);
    assert_eq!(named("{}", None), Moment::Other);
    assert_eq!(named("{\"hook_event_name\":\"Stop\"}", Some("PreToolUse")), Moment::Stop);
}

#[test]
fn nobody_is_asked_where_nobody_looks() {
    let claude = Harness::named("claude").expect("claude");
    let event = |mode: &'static str| Event { permission_mode: mode.into(), ..Event::default() };
    let unattended = |name: &str| (name == "CLAUDE_CODE_SESSION_ATTENDED").then(|| "0".into());
    for mode in ["", "default", "acceptEdits", "plan", "auto"] {
        assert!(claude.can_ask(&event(mode), no_env), "{mode}");
        assert!(!claude.can_ask(&event(mode), unattended), "{mode}");
        assert!(!Harness::named("codex").expect("codex").can_ask(&event(mode), no_env), "{mode}");
    }
    for mode in ["bypassPermissions", "dontAsk"] {
        assert!(!claude.can_ask(&event(mode), no_env), "{mode}");
    }
}
