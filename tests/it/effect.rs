//! What tool calls do, against the labelled calls of tests/data/golden/changes.json.

use ah::effect::{Effect, effect, effect_in};
use serde_json::Value;
use serde_json::value::RawValue;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn bash(command: &str) -> Effect {
    let input = serde_json::json!({ "command": command }).to_string();
    effect_in("Bash", &raw(&input), Some("/w"))
}

#[test]
fn every_labelled_call_is_told_right() {
    let text = include_str!("../data/golden/changes.json");
    let golden: Value = serde_json::from_str(text).unwrap();
    let cases = golden["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 337);
    let mut wrong = Vec::new();
    for case in cases {
        let found = effect(case["tool"].as_str().unwrap(), &raw(&case["input"].to_string()));
        if Some(found.may_change()) != case["want"].as_bool() {
            wrong.push(format!("{} {} want {}: {found:?}", case["tool"], case["input"], case["want"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_are_named() {
    assert_eq!(bash("cat a.rs && cd src && sed -i s/a/b/ c.rs > log").reads, ["/w/a.rs"]);
    let two = bash("cat a.rs > b.rs; rm -f c 'd e'");
    assert_eq!(two.writes, ["/w/b.rs", "/w/c", "/w/d e"]);
    assert!(!two.opaque);
    let input = raw(r#"{"file_path":"/w/a.rs","content":"x"}"#);
    assert_eq!(effect("Write", &input).writes, ["/w/a.rs"]);
    assert_eq!(effect("Read", &input).reads, ["/w/a.rs"]);
    assert!(bash("cargo test").opaque);
    assert!(bash("if true; then").opaque, "what could not be read may be anything");
}

#[test]
fn a_patch_names_its_files_typed_or_as_a_tool() {
    let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** Add File: b.rs\n+z\n*** End Patch\n";
    let input = serde_json::json!({ "input": patch }).to_string();
    assert_eq!(effect("apply_patch", &raw(&input)).writes, ["src/a.rs", "b.rs"]);
    let typed = bash(&format!("apply_patch <<'EOF'\n{patch}EOF\n"));
    assert_eq!(typed.writes, ["src/a.rs", "b.rs"]);
}

#[test]
fn foreign_input_is_no_trouble() {
    for input in [
        "null",
        "[]",
        "3",
        "\"x\"",
        r#"{"command":3}"#,
        r#"{"command":[1,null]}"#,
        r#"{"command":["a\u0000b"]}"#,
        r#"{"path":{}}"#,
    ] {
        for tool in ["Bash", "Edit", "apply_patch", "mcp__x__get", "mcp____", "__", "Task"] {
            let _ = effect(tool, &raw(input));
        }
    }
}
