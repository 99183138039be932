//! Broken input through the built guard: exit 0 and at most one answer, whatever comes in and wherever it goes out.

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::guard_run::{GUARD, bash, dirty, feed, guard, hook};
use crate::support::TestRepo;

const RESET: &str = "git reset --hard";

fn losing(t: &TestRepo) -> String {
    bash(t, RESET).to_string()
}

#[test]
fn what_is_no_event_is_silent() {
    let t = dirty();
    let event = losing(&t);
    let whole: Value = serde_json::from_str(&event).expect("JSON");
    let with = |key: &str, value: Value| {
        let mut event = whole.clone();
        event[key] = value;
        event.to_string().into_bytes()
    };
    let without = |key: &str| {
        let mut event = whole.clone();
        event.as_object_mut().expect("an object").remove(key);
        event.to_string().into_bytes()
    };
    let mut long = event.clone().into_bytes();
    long.resize((16 << 20) + 1, b' ');
    let mut invalid = event.clone().into_bytes();
    let at = event.find("alpha").or_else(|| event.find("toolu")).expect("there");
    invalid[at] = 0xff;
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b" \r\n\t".to_vec()),
        ("text", b"git reset --hard".to_vec()),
        ("array", format!("[{event}]").into_bytes()),
        ("number", b"7".to_vec()),
        ("two objects", format!("{event}{event}").into_bytes()),
        ("cut off", event.as_bytes()[..event.len() - 2].to_vec()),
        ("a NUL", event.replace("toolu", "\0").into_bytes()),
        ("not UTF-8", invalid),
        ("too long", long),
        ("too deep", "[".repeat(100_000).into_bytes()),
        ("too deep inside", event.replacen('{', &format!("{{\"x\":{},", "{\"y\":".repeat(100_000)), 1).into_bytes()),
        ("no event name", without("hook_event_name")),
        ("no tool", without("tool_name")),
        ("no input", without("tool_input")),
        ("another event", with("hook_event_name", json!("PreToolUsed"))),
        ("tool is a number", with("tool_name", json!(5))),
        ("input is a text", with("tool_input", json!("git reset --hard"))),
        ("input is a list", with("tool_input", json!(["git reset --hard"]))),
        ("command is a number", with("tool_input", json!({"command": 5}))),
        ("command is a list", with("tool_input", json!({"command": ["git", "reset", "--hard"]}))),
        ("no command", with("tool_input", json!({"cmd": RESET}))),
        ("empty command", with("tool_input", json!({"command": ""}))),
        ("cwd is a number", with("cwd", json!(5))),
        ("no cwd", without("cwd")),
        ("cwd is empty", with("cwd", json!(""))),
        ("cwd is gone", with("cwd", json!(t.root().join("gone")))),
        ("cwd is a file", with("cwd", json!(t.work().join("a.txt")))),
        ("cwd has a NUL", with("cwd", json!(format!("{}\0", t.work().display())))),
        ("cwd is huge", with("cwd", json!("/x".repeat(200_000)))),
    ];
    for (name, bytes) in cases {
        let run = feed(&mut guard(&t), &bytes);
        assert_eq!(run.verdict(), "allow", "{name}");
    }
    // The event itself is not: each of the above is silent for its own reason.
    assert_eq!(feed(&mut guard(&t), event.as_bytes()).verdict(), "deny");
}

#[test]
fn odd_fields_and_escapes_do_not_hide_a_loss() {
    let t = dirty();
    let event = losing(&t);
    for (name, text) in [
        ("escapes", event.replace("git reset", "g\\u0069t\\u0020reset")),
        ("escaped key", event.replace("\"command\"", "\"c\\u006fmmand\"")),
        ("half a surrogate", event.replace(RESET, "git reset --hard # \\ud800")),
        ("keys given twice", event.replacen('{', "{\"tool_name\":\"Read\",\"tool_input\":7,\"cwd\":\"/\",", 1)),
        ("white space", format!("\n\t {event}\r\n ")),
        (
            "odd neighbours",
            event.replacen('{', "{\"session_id\":[],\"transcript_path\":{\"a\":null},\"permission_mode\":8,\"x\":1e999,", 1),
        ),
        ("a NUL in the command", event.replace(RESET, "git re\\u0000set --hard")),
    ] {
        assert_eq!(feed(&mut guard(&t), text.as_bytes()).verdict(), "deny", "{name}: {text}");
    }
}

#[test]
fn a_line_that_cannot_be_read_is_not_let_through_where_something_could_be_lost() {
    let t = dirty();
    let deep = |n: usize| "$(".repeat(n);
    for (name, line) in [
        ("after", format!("{}{RESET}", deep(50_000))),
        ("before", format!("{RESET}; {}", deep(50_000))),
        ("closed", format!("{}{RESET}{}", deep(200), ")".repeat(200))),
        ("parentheses", format!("{}{RESET}", "(".repeat(100_000))),
        ("braces", format!("{}{RESET};{}", "{ ".repeat(5_000), "}".repeat(5_000))),
        ("quote", format!("{RESET} '{}", "x".repeat(100_000))),
        ("long", format!("echo {}; {RESET}", "x ".repeat(1 << 20))),
        ("many", format!("{}{RESET}", "true;".repeat(30_000))),
        ("here-documents", format!("{}{RESET}", "cat <<A\nA\n".repeat(10_000))),
        ("loops", format!("{}:; {}{RESET}", "for x in 1 2; do ".repeat(40), "done; ".repeat(40))),
        ("empty loops", format!("{}{RESET}", "for x in a b {\n".repeat(40))),
        ("no git in it", format!("{}rm a.txt", "true;".repeat(30_000))),
        ("expansions", format!("{}{RESET}", "{a,b}".repeat(40))),
    ] {
        let (verdict, text) = hook(&t, &bash(&t, &line)).answer();
        assert_ne!(verdict, "allow", "{name}");
        assert!(!text.is_empty());
    }
    let clean = TestRepo::new();
    for line in ["$(".repeat(50_000), "(".repeat(100_000), "'".into(), "\u{1f600}".repeat(30_000), "<<".repeat(20_000)] {
        hook(&clean, &bash(&clean, &line)).answer();
    }
}

#[test]
fn standard_streams_may_be_anything() {
    let t = dirty();
    let event = losing(&t);
    let full = |command: &mut Command| {
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), event.as_bytes()).expect("written");
        let out = child.wait_with_output().expect("it ends");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let device = File::options().write(true).open("/dev/full").expect("a full device");
    assert_eq!(full(guard(&t).stdout(device)), (Some(0), String::new()));
    let shell = |line: &str| {
        let mut sh = Command::new("sh");
        sh.args(["-c", line]).env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah")).env("GUARD", GUARD);
        sh.current_dir(t.work());
        sh
    };
    for line in ["exec \"$GUARD\" >&-", "exec \"$GUARD\" >/dev/full 2>&-", "\"$GUARD\" | true"] {
        assert_eq!(full(&mut shell(line)), (Some(0), String::new()), "{line}");
    }
    for line in ["exec \"$GUARD\" <&-", "exec \"$GUARD\" <.", "exec \"$GUARD\" </dev/null"] {
        let run = feed(&mut shell(line), b"");
        assert_eq!(run.verdict(), "allow", "{line}");
    }
}
