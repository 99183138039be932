//! The face in a process of its own: what reaches standard output, and the code, whatever goes wrong.

use crate::events::no_env;
use crate::sample::CLI;
use ah::answer::Answer;
use ah::cli::Options;
use ah::exit;
use ah::hook::{self, Edges, Program};
use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Set in a child: this test binary, started again to be the program under test.
const CHILD: &str = "AH_TEST_FACE";

const PROGRAM: Program = Program {
    answer: |event, _| match &*event.prompt {
        "panic" => panic!("with a secret"),
        "note" => Answer::Note("noted".into()),
        _ => Answer::Deny("denied".into()),
    },
    cli: &CLI,
    edges: Edges { env: no_env, failure: |program, what| eprintln!("logged {program}: {what}"), off: |_| false },
    heeds_judge: false,
    panicked: |text| {
        if text.contains("reset --hard") { Answer::Deny("to be safe".into()) } else { Answer::Silence }
    },
    unreadable: |_| Answer::Silence,
};

/// Not a test of its own: the child's `main`.
#[test]
fn child() {
    let Ok(flags) = std::env::var(CHILD) else {
        return;
    };
    if flags == "print" {
        // More than a pipe holds.
        exit::print("ah-sample", &"line\n".repeat(100_000));
        let _ = exit::fail("ah-sample", exit::BUG, "came through");
        std::process::exit(i32::from(exit::BUG));
    }
    let has = |flag: &str| flags.split(' ').any(|given| given == flag);
    let options = Options { jsonl: has("jsonl"), fail: has("fail"), explain: has("explain"), ..Options::default() };
    static LASTING: Program = PROGRAM;
    let code = hook::run(&LASTING, &options);
    // An exit code can only be returned by `main`, and told apart here by its printed form.
    std::process::exit(i32::from(format!("{code:?}") != format!("{:?}", std::process::ExitCode::SUCCESS)));
}

struct Ran {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

fn start(flags: &str) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "face::child", "--nocapture", "--test-threads=1", "-q"])
        .env(CHILD, flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child")
}

/// What the test harness itself prints first.
const PREAMBLE: &str = "\nrunning 1 test\n";

fn run(flags: &str, input: &[u8]) -> Ran {
    let mut child = start(flags);
    // It may end before it has read all; that is its right.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let out = child.wait_with_output().expect("an end");
    let stdout = String::from_utf8(out.stdout).expect("UTF-8");
    let stdout = stdout.strip_prefix(PREAMBLE).expect("the preamble").to_owned();
    Ran { status: out.status, stdout, stderr: String::from_utf8(out.stderr).expect("UTF-8") }
}

const DENIED: &str = "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\
    \"permissionDecisionReason\":\"denied\"}}\n";

#[test]
fn one_object_on_standard_output_nothing_on_standard_error_and_zero() {
    let ran = run("", b"{\"hook_event_name\":\"PreToolUse\"}");
    assert_eq!((ran.status.code(), &*ran.stdout, &*ran.stderr), (Some(0), DENIED, ""));
    let ran = run("", b"");
    assert_eq!((ran.status.code(), &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
    let ran = run("", b"what?");
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), ""));
    assert_eq!(ran.stderr, "logged ah-sample: event not read: not JSON: line 1 column 1\n".replace(" column", ", column"));
}

#[test]
fn a_bug_is_logged_without_its_message_and_answered_in_the_dialect() {
    let ran = run("", b"{\"hook_event_name\":\"PreToolUse\",\"prompt\":\"panic\",\"x\":\"git reset --hard\"}");
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), &*DENIED.replace("denied", "to be safe")));
    assert!(ran.stderr.starts_with("logged ah-sample: bug at tests/it/face.rs:"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(!ran.stderr.contains("secret"));
    let ran = run("", b"{\"hook_event_name\":\"PreToolUse\",\"prompt\":\"panic\"}");
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), ""));
    let ran = run("jsonl", b"{\"prompt\":\"panic\"}\n{}\n");
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(70), ""), "an audit must not pass for done");
}

#[test]
fn nowhere_to_print_is_still_zero() {
    for (flags, lines) in [("", 1), ("jsonl", 2)] {
        let mut child = start(flags);
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0; PREAMBLE.len()]).expect("the preamble");
        drop(stdout);
        let events = "{\"hook_event_name\":\"PreToolUse\"}\n".repeat(lines);
        child.stdin.take().expect("a pipe").write_all(events.as_bytes()).expect("it reads");
        let out = child.wait_with_output().expect("an end");
        assert_eq!((out.status.code(), &*String::from_utf8_lossy(&out.stderr)), (Some(0), ""), "{flags}");
    }
}

#[test]
fn a_filter_fails_only_when_asked_to() {
    let events = b"{\"hook_event_name\":\"PreToolUse\"}\n{\"hook_event_name\":\"SessionStart\",\"prompt\":\"note\"}\n";
    let ran = run("jsonl", events);
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), &*format!("{DENIED}{{\"systemMessage\":\"noted\"}}\n")));
    assert_eq!(run("jsonl fail", events).status.code(), Some(1));
    assert_eq!(run("jsonl fail", b"{\"prompt\":\"note\"}\n").status.code(), Some(0));
}

#[test]
fn an_explanation_goes_to_standard_error_and_changes_nothing_else() {
    let ran = run("explain", b"{\"hook_event_name\":\"PreToolUse\"}");
    assert_eq!((ran.status.code(), &*ran.stdout), (Some(0), DENIED));
    assert!(
        ran.stderr.contains("PreToolUse event from Claude Code") && ran.stderr.contains("permissionDecision"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_command_whose_reader_went_away_ends_quietly() {
    let mut child = start("print");
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut [0; PREAMBLE.len() + 10]).expect("the first lines");
    drop(stdout);
    let out = child.wait_with_output().expect("an end");
    assert_eq!((out.status.code(), &*String::from_utf8_lossy(&out.stderr)), (Some(0), ""));
    let ran = run("print", b"");
    assert_eq!((ran.status.code(), ran.stdout.lines().count()), (Some(70), 100_000));
    assert_eq!(ran.stderr, "ah-sample: came through\n");
}
