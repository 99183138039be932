//! Input that is no event, or a hostile one: never a panic, a hang or a lost answer, and one log line where due.

use crate::events::{captured, no_env};
use ah::answer::Answer;
use ah::cli::{Cli, Options};
use ah::event::{Event, Moment};
use ah::hook::{self, Context, Edges, Fate, MAX_BYTES, Program};
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};

pub const CLI: Cli = Cli {
    name: "ah-sample",
    about: "answers",
    usage: &["< EVENT"],
    commands: &[],
    flags: &[],
};

thread_local! {
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static FATES: RefCell<Vec<Fate>> = const { RefCell::new(Vec::new()) };
}

fn log(program: &str, what: &str) {
    LOG.with_borrow_mut(|log| log.push(format!("{program}: {what}")));
}

/// The failure log since last asked.
fn logged() -> Vec<String> {
    LOG.take()
}

/// Denies every shell command that holds `rm`, with all that it saw of the event; hands over text at other moments.
fn answer(event: &Event, context: &Context) -> Answer {
    context.after(|fate| FATES.with_borrow_mut(|fates| fates.push(fate)));
    match event.input("command") {
        Some(command) if event.moment == Moment::PreToolUse && command.contains("rm") => {
            let mut seen = format!("{command} in {} of {}", event.cwd, event.session_id);
            let _ = write!(
                seen,
                "{}{}",
                event.stop_hook_active,
                if context.probe { " probe" } else { "" }
            );
            Answer::Deny(seen)
        }
        _ if event.prompt == "context" => Answer::Context("handed over".into()),
        _ if event.prompt == "ask" => Answer::Context(format!("{}", context.can_ask)),
        _ => Answer::Silence,
    }
}

const PROGRAM: Program = Program {
    answer,
    cli: &CLI,
    edges: Edges {
        env: no_env,
        failure: log,
        off: |_| false,
    },
    heeds_judge: true,
    panicked: |_| Answer::Silence,
    unreadable: |bytes| {
        if bytes.starts_with(b"!") {
            Answer::Deny("unreadable".into())
        } else {
            Answer::Silence
        }
    },
};

fn run(bytes: &[u8]) -> String {
    String::from_utf8(hook::answer_bytes(&PROGRAM, bytes, &Options::default())).expect("UTF-8")
}

const EVENT: &str = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"Bash","tool_input":{"command":"rm x"}}"#;

#[test]
fn an_event_is_answered_and_its_fate_told() {
    assert_eq!(run(EVENT.as_bytes()).matches("rm x in /p of s").count(), 1);
    run(br#"{"hook_event_name":"Stop","prompt":"context"}"#);
    run(br#"{"hook_event_name":"Stop"}"#);
    assert_eq!(
        FATES.take(),
        [Fate::Printed, Fate::Undelivered, Fate::Printed]
    );
    assert_eq!(logged(), [""; 0]);
}

#[test]
fn what_is_no_event_is_silence_and_one_line_without_its_text() {
    let deep = "[".repeat(100_000);
    let deep_field = EVENT.replace("\"s\"", &format!("{}{}", "[".repeat(200), "]".repeat(200)));
    let long = vec![b' '; MAX_BYTES + 1];
    let mut long_event = vec![b' '; MAX_BYTES + 1 - EVENT.len()];
    long_event.extend_from_slice(EVENT.as_bytes());
    for (bytes, lines) in [
        (&b""[..], 0),
        (b" \r\n\t", 0),
        (&long, 0),
        (&long_event, 1),
        (b"secret", 1),
        (b"\"secret\"", 1),
        (b"[\"secret\"]", 1),
        (b"5", 1),
        (b"null", 1),
        (b"\0", 1),
        (b"{\"cwd\":\"secret\xff\"}", 1),
        (b"{\"cwd\":\"secret\0\"}", 1),
        (b"\xef\xbb\xbf{}", 1),
        (b"{} {}", 1),
        (b"{\"secret\" 5}", 1),
        (b"{\"cwd\":\"\\usecr\"}", 1),
        (deep.as_bytes(), 1),
        (deep_field.as_bytes(), 1),
    ] {
        assert_eq!(
            run(bytes),
            "",
            "{:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(60)])
        );
        let log = logged();
        assert_eq!(log.len(), lines, "{log:?}");
        assert!(
            log.iter()
                .all(|line| line.starts_with("ah-sample: event not read: ")
                    && !line.contains("secr")),
            "{log:?}"
        );
    }
}

#[test]
fn one_odd_field_never_costs_the_event() {
    let odd = [
        "null",
        "true",
        "7",
        "-1e999999",
        "[1,[2]]",
        "{\"a\":{}}",
        "\"\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800x\"",
        "\"\\u0000\"",
    ];
    let keys = [
        "agent_id",
        "agent_type",
        "ah",
        "duration_ms",
        "error",
        "is_interrupt",
        "last_assistant_message",
        "model",
        "permission_mode",
        "prompt",
        "prompt_id",
        "reason",
        "source",
        "stop_hook_active",
        "tool_response",
        "tool_use_id",
        "transcript_path",
        "turn_id",
        "unknown",
        "k\u{e9}y",
        "",
    ];
    for key in keys {
        for value in odd {
            let event = EVENT.replacen('{', &format!("{{\"{key}\":{value},"), 1);
            assert!(run(event.as_bytes()).contains("rm x in /p of s"), "{event}");
        }
    }
    for key in ["session_id", "cwd", "tool_name"] {
        for value in odd {
            let whole: serde_json::Value = serde_json::from_str(EVENT).expect("JSON");
            let event = EVENT.replace(
                &format!("\"{key}\":{}", whole[key]),
                &format!("\"{key}\":{value}"),
            );
            assert!(
                event.contains(value) && run(event.as_bytes()).contains("rm x in"),
                "{event}"
            );
        }
    }
    for value in odd {
        for event in [
            EVENT.replace(r#"{"command":"rm x"}"#, value),
            EVENT.replace(r#""rm x""#, value),
            EVENT.replace(r#""PreToolUse""#, value),
        ] {
            assert_eq!(run(event.as_bytes()), "", "{event}");
        }
    }
    assert_eq!(logged(), [""; 0]);
}

#[test]
fn missing_fields_repeated_keys_and_escapes() {
    assert_eq!(run(b"{}"), "");
    let twice = EVENT.replace("\"cwd\":\"/p\"", "\"cwd\":\"/a\",\"cwd\":7,\"cwd\":\"/b\"");
    assert!(run(twice.as_bytes()).contains("in /b of"));
    let escaped = EVENT
        .replace("\"tool_input\"", "\"tool\\u005finput\"")
        .replace("rm x", "r\\u006d \\ud83d\\ude00 \\ud800!");
    let printed = run(escaped.as_bytes());
    assert!(printed.contains("rm \u{1f600} \u{fffd}"), "{printed}");
    let huge = EVENT.replace("rm x", &format!("rm {}", "x".repeat(1 << 20)));
    assert!(run(huge.as_bytes()).len() < 10_000);
    assert_eq!(logged(), [""; 0]);
}

#[test]
fn an_event_cut_off_anywhere_is_silence() {
    for dir in ["claude-code", "codex"] {
        for (name, text) in captured(dir)
            .into_iter()
            .filter(|(name, _)| name.starts_with("PreToolUse-Bash"))
        {
            let text = text.trim_end();
            for end in 1..text.len() {
                assert_eq!(run(&text.as_bytes()[..end]), "", "{name} cut at {end}");
                assert_eq!(logged().len(), 1, "{name} cut at {end}");
            }
            run(text.as_bytes());
            assert_eq!(logged(), [""; 0], "{name}");
        }
    }
}

const PATCHES: &str = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** End Patch\n\
    diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nrename from a\nrename to b\n--- a/x\t1\n+++ b/x\n@@ -1,2 +1 @@\n-a\n";

#[test]
fn bytes_changed_at_random_never_panic() {
    let (_, event) = captured("codex").swap_remove(20);
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    // Characters that mean something to one of the readers, more often than chance would give them.
    let telling = b"{}[]\":,\\/*+-@ \n\ta09\xc3\xf0\0";
    for _ in 0..3_000 {
        for text in [
            event.as_str(),
            PATCHES,
            &PATCHES[PATCHES.find("diff").expect("there")..],
        ] {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..3 {
                let at = random() % bytes.len();
                bytes[at] = telling[random() % telling.len()];
            }
            bytes.truncate(bytes.len() - random() % 20);
            run(&bytes);
            let _ = ah::jsonc::read::<serde_json::Value>(&bytes);
            let text = String::from_utf8_lossy(&bytes);
            let _ = ah::patch::files(&text);
            assert!(!ah::quote::bytes(&bytes, random() % 300).contains(['\n', '\0']));
            assert!(!ah::quote::path(&*text).contains(['\n', '\0']));
        }
    }
    logged();
}

#[test]
fn a_program_may_answer_what_cannot_be_read() {
    let deny = |bytes: &[u8], options: &Options| {
        String::from_utf8(hook::answer_bytes(&PROGRAM, bytes, options)).expect("UTF-8")
    };
    let named = Options {
        event: Some("PreToolUse".into()),
        ..Options::default()
    };
    assert!(deny(b"!\xff", &named).contains("\"deny\""));
    assert!(
        deny(
            b"!{\"hook_event_name\" : \"PreToolUse\", \xff",
            &Options::default()
        )
        .contains("\"deny\"")
    );
    assert_eq!(deny(b"!{\"hook_event_name\" : \"Stop\", \xff", &named), "");
    for text in [
        &b"!"[..],
        b"!\"hook_event_name\"",
        b"!\"hook_event_name\":",
        b"!\"hook_event_name\":\"",
        b"!\"hook_event_name\":5\"",
    ] {
        assert_eq!(deny(text, &Options::default()), "");
    }
}

#[test]
fn a_harness_that_nobody_knows_is_logged_and_found_out() {
    let options = Options {
        harness: Some("claud\u{1b}".into()),
        ..Options::default()
    };
    assert!(!hook::answer_bytes(&PROGRAM, EVENT.as_bytes(), &options).is_empty());
    assert_eq!(logged(), ["ah-sample: unknown harness: claud\\u{1b}"]);
}

fn set_off(name: &str) -> Option<OsString> {
    (name == "AH_OFF").then(|| "1".into())
}

fn set_judge(name: &str) -> Option<OsString> {
    (name == "AH_JUDGE").then(|| "1".into())
}

#[test]
fn off_is_off_whoever_says_so() {
    let quiet = |edges, heeds_judge| {
        let program = Program {
            edges,
            heeds_judge,
            ..PROGRAM
        };
        hook::answer_bytes(&program, EVENT.as_bytes(), &Options::default()).is_empty()
    };
    let edges = PROGRAM.edges;
    assert!(!quiet(edges, true));
    assert!(quiet(
        Edges {
            off: |name| name == "ah-sample",
            ..edges
        },
        false
    ));
    assert!(quiet(
        Edges {
            env: set_off,
            ..edges
        },
        false
    ));
    assert!(quiet(
        Edges {
            env: set_judge,
            ..edges
        },
        true
    ));
    assert!(
        !quiet(
            Edges {
                env: set_judge,
                ..edges
            },
            false
        ),
        "the guard works inside a judge too"
    );
}

#[test]
fn a_filter_answers_line_by_line_and_writes_nothing_unless_told() {
    let mut input = Vec::new();
    let good = EVENT.as_bytes();
    for line in [
        good,
        b"",
        b"not json",
        &vec![b'x'; MAX_BYTES + 5],
        b"{}",
        b"\xff",
        good,
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(good);
    let filter = |options: &Options, program: &Program| {
        let mut output = Vec::new();
        let objected =
            hook::answer_lines(program, options, &mut &input[..], &mut output).expect("no failure");
        let lines: Vec<String> = String::from_utf8(output)
            .expect("UTF-8")
            .lines()
            .map(str::to_owned)
            .collect();
        (lines, objected)
    };
    let (lines, objected) = filter(&Options::default(), &PROGRAM);
    let denied: Vec<bool> = lines.iter().map(|line| line.contains("\"deny\"")).collect();
    assert_eq!(
        denied,
        [true, false, false, false, false, false, true, true]
    );
    assert!(lines[1..6].iter().all(|line| line == "{}") && lines[0].contains("probe") && objected);
    assert_eq!(logged(), [""; 0]);

    let record = Options {
        record: true,
        ..Options::default()
    };
    let (lines, _) = filter(&record, &PROGRAM);
    assert!(lines[0].contains("deny") && !lines[0].contains("probe"));
    assert_eq!(logged().len(), 3);

    let off = Program {
        edges: Edges {
            env: set_off,
            ..PROGRAM.edges
        },
        ..PROGRAM
    };
    assert!(
        filter(&Options::default(), &off).1,
        "an audit looks all the same"
    );
    assert!(filter(&record, &off).0.iter().all(|line| line == "{}"));
}

/// A reader that went away.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_answer_that_nobody_read_is_told_as_such() {
    let input = format!("{EVENT}\n{EVENT}\n");
    let failed = hook::answer_lines(
        &PROGRAM,
        &Options::default(),
        &mut input.as_bytes(),
        &mut Gone,
    );
    assert_eq!(
        failed.map_err(|error| error.kind()),
        Err(io::ErrorKind::BrokenPipe)
    );
    assert_eq!(FATES.take(), [Fate::Unprinted], "and the filter ends there");
}
