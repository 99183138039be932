//! Every answer at every moment in every dialect, against the clients' own schemas and the table of `harness`.

use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::harness::{Harness, Reply};
use serde_json::{Value, json};
use std::path::PathBuf;

const INPUT: &str = r#"{"command":"git status","timeout":12345678901234567890}"#;

fn answers(text: &str) -> Vec<Answer> {
    let text = || text.to_owned();
    vec![
        Answer::Silence,
        Answer::Deny(text()),
        Answer::Ask(text()),
        Answer::Block(text()),
        Answer::Context(text()),
        Answer::Note(text()),
        Answer::Rewrite(INPUT.to_owned()),
    ]
}

fn render(harness: &str, answer: &Answer, moment: Moment) -> Reply {
    let event = Event { moment, event_name: moment.name().into(), ..Event::default() };
    Harness::named(harness).expect("a harness").render(answer, &event)
}

fn object(reply: &Reply) -> Value {
    serde_json::from_str(&reply.stdout).expect("one JSON object")
}

/// Codex's schema of its answer to an event, `None` where it ships none.
pub fn schema(moment: Moment) -> Option<Value> {
    let name = moment.name().chars().fold(String::new(), |name, c| match c.is_uppercase() {
        true if !name.is_empty() => name + "-" + &c.to_lowercase().to_string(),
        true => c.to_lowercase().to_string(),
        false => name + &c.to_string(),
    });
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/schemas/codex");
    let text = std::fs::read_to_string(dir.join(format!("{name}.command.output.schema.json"))).ok()?;
    Some(serde_json::from_str(&text).expect("a schema"))
}

/// What of `value` a schema of the shapes that Codex uses forbids. An unknown word in a schema is an error too, so that
/// nothing passes unread.
pub fn objections(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    let Some(words) = schema.as_object() else {
        return found;
    };
    for (word, rule) in words {
        match word.as_str() {
            "$schema" | "default" | "definitions" | "description" | "title" => {}
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix('#')).expect("a local reference");
                found.extend(objections(root, root.pointer(name).expect("a definition"), value, at));
            }
            "additionalProperties" => {
                assert_eq!(rule, &json!(false));
                let known = &schema["properties"];
                let keys = value.as_object().into_iter().flatten().map(|(key, _)| key);
                found.extend(keys.filter(|key| known.get(key).is_none()).map(|key| format!("{at}: unknown key {key}")));
            }
            "allOf" => {
                for part in rule.as_array().expect("a list") {
                    found.extend(objections(root, part, value, at));
                }
            }
            "const" => found.extend((value != rule).then(|| format!("{at}: is not {rule}"))),
            "enum" => {
                let known = rule.as_array().expect("a list").contains(value);
                found.extend((!known).then(|| format!("{at}: {value} is none of {rule}")));
            }
            "properties" => {
                for (key, part) in rule.as_object().expect("an object") {
                    if let Some(value) = value.get(key) {
                        found.extend(objections(root, part, value, &format!("{at}.{key}")));
                    }
                }
            }
            "required" => {
                let keys = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                found.extend(
                    keys.filter(|key| value.is_object() && value.get(key).is_none()).map(|key| format!("{at}: no {key}")),
                );
            }
            "items" => {
                for (number, value) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(objections(root, rule, value, &format!("{at}[{number}]")));
                }
            }
            "type" => {
                let is = match value {
                    Value::Array(_) => "array",
                    Value::Bool(_) => "boolean",
                    Value::Null => "null",
                    Value::Number(_) => "integer",
                    Value::Object(_) => "object",
                    Value::String(_) => "string",
                };
                let allowed = rule.as_array().map_or(rule == is, |all| all.iter().any(|one| one == is));
                found.extend((!allowed).then(|| format!("{at}: is {is}, not {rule}")));
            }
            other => panic!("the schema says {other}, which this reader does not know"),
        }
    }
    found
}

#[test]
fn codex_gets_its_schema_and_nothing_else() {
    let mut printed = 0;
    for moment in Moment::ALL {
        for text in ["why", "", " \n", "\u{0}\u{2028}\"\\ \u{1f600}", &"é\n".repeat(20_000)] {
            for answer in answers(text) {
                let reply = render("codex", &answer, moment);
                if reply.stdout.is_empty() {
                    continue;
                }
                printed += 1;
                let schema = schema(moment).unwrap_or_else(|| panic!("{moment:?} takes no answer: {}", reply.stdout));
                let found = objections(&schema, &schema, &object(&reply), "answer");
                assert!(found.is_empty(), "{moment:?} {answer:?}: {found:?}");
            }
        }
    }
    assert!(printed > 50, "{printed}");
}

#[test]
fn the_schema_reader_can_object() {
    let schema = schema(Moment::PreToolUse).expect("shipped");
    let good = object(&render("codex", &Answer::Deny("no".into()), Moment::PreToolUse));
    assert_eq!(objections(&schema, &schema, &good, ""), [""; 0]);
    for (pointer, key, value) in [
        ("", "note", json!("x")),
        ("/hookSpecificOutput", "extra", json!(1)),
        ("/hookSpecificOutput", "hookEventName", json!("Stop")),
        ("/hookSpecificOutput", "permissionDecision", json!("denied")),
        ("/hookSpecificOutput", "permissionDecisionReason", json!(5)),
        ("", "decision", json!("deny")),
    ] {
        let mut bad = good.clone();
        bad.pointer_mut(pointer).expect("there")[key] = value;
        assert_eq!(objections(&schema, &schema, &bad, "").len(), 1, "{bad}");
    }
    let mut nameless = good;
    nameless["hookSpecificOutput"].as_object_mut().expect("an object").remove("hookEventName");
    assert_eq!(objections(&schema, &schema, &nameless, ""), [".hookSpecificOutput: no hookEventName"]);
}

/// What a dialect prints, told apart from how it is written.
fn expected(harness: &str, answer: &Answer, moment: Moment) -> Option<Value> {
    use Moment::{
        Interrupt, Other, PostToolUse, PostToolUseFailure, PreToolUse, SessionStart, Stop, SubagentStop, UserPromptSubmit,
    };
    let claude = harness == "claude";
    let decided = |decision: &str, reason: &str| {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}})
    };
    let takes_context = match moment {
        SessionStart | UserPromptSubmit | PreToolUse | PostToolUse => true,
        PostToolUseFailure => claude,
        _ => false,
    };
    match answer {
        Answer::Deny(text) if moment == PreToolUse => Some(decided("deny", text)),
        Answer::Ask(text) if moment == PreToolUse => Some(decided(if claude { "ask" } else { "deny" }, text)),
        Answer::Block(text) if matches!(moment, Stop | SubagentStop) => Some(json!({"decision": "block", "reason": text})),
        Answer::Context(text) if takes_context => {
            Some(json!({"hookSpecificOutput": {"hookEventName": moment.name(), "additionalContext": text}}))
        }
        Answer::Note(text) if takes_context || moment == (if claude { Other } else { Interrupt }) => {
            Some(json!({"systemMessage": text}))
        }
        Answer::Rewrite(input) if moment == PreToolUse => Some(json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow",
            "updatedInput": serde_json::from_str::<Value>(input).expect("JSON")}})),
        _ => None,
    }
}

#[test]
fn every_answer_at_every_moment_follows_the_table() {
    for harness in ["claude", "codex"] {
        for moment in Moment::ALL {
            for answer in answers("a \"reason\"\n") {
                let reply = render(harness, &answer, moment);
                match expected(harness, &answer, moment) {
                    Some(value) => assert_eq!((object(&reply), reply.undelivered), (value, false), "{harness} {moment:?}"),
                    None => {
                        assert_eq!(reply.stdout, "", "{harness} {moment:?} {answer:?}");
                        assert_eq!(reply.undelivered, answer != Answer::Silence, "{harness} {moment:?} {answer:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_reason_is_never_empty_and_nothing_to_say_is_silence() {
    for harness in ["claude", "codex"] {
        for empty in ["", " ", "\n\t"] {
            for answer in [Answer::Deny(empty.into()), Answer::Ask(empty.into())] {
                let value = object(&render(harness, &answer, Moment::PreToolUse));
                let reason = value["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a reason");
                assert!(!reason.trim().is_empty());
            }
            let block = object(&render(harness, &Answer::Block(empty.into()), Moment::Stop));
            assert!(!block["reason"].as_str().expect("a reason").trim().is_empty());
            for answer in [Answer::Context(empty.into()), Answer::Note(empty.into())] {
                assert_eq!(render(harness, &answer, Moment::SessionStart), Reply::default());
            }
        }
    }
}

#[test]
fn long_text_is_cut_at_the_harness_limit_between_characters() {
    for harness in ["claude", "codex"] {
        let limit = Harness::named(harness).expect("a harness").can.text_units;
        for text in ["x".repeat(limit), "x".repeat(limit + 1), "aé".repeat(limit), "\u{1f600}".repeat(limit)] {
            let value = object(&render(harness, &Answer::Context(text.clone()), Moment::UserPromptSubmit));
            let kept = value["hookSpecificOutput"]["additionalContext"].as_str().expect("context");
            let units = kept.encode_utf16().count();
            assert!((limit - 2..=limit).contains(&units), "{units}");
            assert_eq!(kept == text, text.encode_utf16().count() <= limit);
        }
    }
}

#[test]
fn a_rewrite_that_is_no_tool_input_is_not_sent() {
    for input in ["", "git status", "[1]", "\"x\"", "{\"a\":", "null", "{} {}"] {
        let reply = render("claude", &Answer::Rewrite(input.into()), Moment::PreToolUse);
        assert_eq!(reply, Reply { stdout: String::new(), undelivered: true }, "{input}");
    }
}
