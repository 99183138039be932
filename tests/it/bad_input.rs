//! Input that is no event, or a hostile one: never a panic, a hang or a lost answer, and one log line where due.

use crate::events::captured;
use crate::sample::{EVENT, FATES, PROGRAM, logged, run};
use ah::cli::Options;
use ah::hook::{self, Fate, MAX_BYTES};

#[test]
fn an_event_is_answered_and_its_fate_told() {
    assert_eq!(run(EVENT.as_bytes()).matches("rm x in /p of s").count(), 1);
    let asked = |mode: &str| format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":"ask","permission_mode":"{mode}"}}"#);
    assert!(run(asked("default").as_bytes()).contains("\"true\""));
    assert!(run(asked("dontAsk").as_bytes()).contains("\"false\""));
    FATES.take();
    run(EVENT.as_bytes());
    run(br#"{"hook_event_name":"Stop","prompt":"context"}"#);
    run(br#"{"hook_event_name":"Stop"}"#);
    assert_eq!(FATES.take(), [Fate::Printed, Fate::Undelivered, Fate::Printed]);
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
        assert_eq!(run(bytes), "", "{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
        let log = logged();
        assert_eq!(log.len(), lines, "{log:?}");
        assert!(log.iter().all(|line| line.starts_with("ah-sample: event not read: ") && !line.contains("secr")), "{log:?}");
    }
}

#[test]
fn one_odd_field_never_costs_the_event() {
    let odd =
        ["null", "true", "7", "-1e999999", "[1,[2]]", "{\"a\":{}}", "\"\"", "\"\\ud800\"", "\"\\udc00\\ud800x\"", "\"\\u0000\""];
    let keys = [
        "agent_id", "agent_type", "ah", "duration_ms", "error", "is_interrupt", "last_assistant_message", "model",
        "permission_mode", "prompt", "prompt_id", "reason", "source", "stop_hook_active", "tool_response", "tool_use_id",
        "transcript_path", "turn_id", "unknown", "k\u{e9}y", "",
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
            let event = EVENT.replace(&format!("\"{key}\":{}", whole[key]), &format!("\"{key}\":{value}"));
            assert!(event.contains(value) && run(event.as_bytes()).contains("rm x in"), "{event}");
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
    let escaped = EVENT.replace("\"tool_input\"", "\"tool\\u005finput\"").replace("rm x", "r\\u006d \\ud83d\\ude00 \\ud800!");
    let printed = run(escaped.as_bytes());
    assert!(printed.contains("rm \u{1f600} \u{fffd}"), "{printed}");
    let huge = EVENT.replace("rm x", &format!("rm {}", "x".repeat(1 << 20)));
    assert!(run(huge.as_bytes()).len() < 10_000);
    assert_eq!(logged(), [""; 0]);
}

#[test]
fn an_event_cut_off_anywhere_is_silence() {
    for dir in ["claude-code", "codex"] {
        for (name, text) in captured(dir).into_iter().filter(|(name, _)| name.starts_with("PreToolUse-Bash")) {
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
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    // Characters that mean something to one of the readers, more often than chance would give them.
    let telling = b"{}[]\":,\\/*+-@ \n\ta09\xc3\xf0\0";
    for _ in 0..3_000 {
        for text in [event.as_str(), PATCHES, &PATCHES[PATCHES.find("diff").expect("there")..]] {
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
    let deny = |bytes: &[u8], options: &Options| String::from_utf8(hook::answer_bytes(&PROGRAM, bytes, options)).expect("UTF-8");
    let named = Options { event: Some("PreToolUse".into()), ..Options::default() };
    assert!(deny(b"!\xff", &named).contains("\"deny\""));
    assert!(deny(b"!{\"hook_event_name\" : \"PreToolUse\", \xff", &Options::default()).contains("\"deny\""));
    assert_eq!(deny(b"!{\"hook_event_name\" : \"Stop\", \xff", &named), "");
    for text in
        [&b"!"[..], b"!\"hook_event_name\"", b"!\"hook_event_name\":", b"!\"hook_event_name\":\"", b"!\"hook_event_name\":5\""]
    {
        assert_eq!(deny(text, &Options::default()), "");
    }
}

#[test]
fn a_harness_that_nobody_knows_is_logged_and_found_out() {
    let options = Options { harness: Some("claud\u{1b}".into()), ..Options::default() };
    assert!(!hook::answer_bytes(&PROGRAM, EVENT.as_bytes(), &options).is_empty());
    assert_eq!(logged(), ["ah-sample: unknown harness: claud\\u{1b}"]);
}
