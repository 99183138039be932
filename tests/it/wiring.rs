//! Hooks are put into settings as text: no other byte changes, and every reader finds them.

use ah::harness::wiring::{self, Entry, Form, Part, Scope, Wiring};
use serde_json::Value;
use std::path::Path;

fn entries(harness: &str, parts: &[Part]) -> Vec<Entry> {
    wiring::entries(Wiring::named(harness).unwrap(), parts, Path::new("/opt/a b/it's"), Scope::User, true)
}

/// The text with everything put in, and the same with it taken out again.
fn put(text: &str, entries: &[Entry]) -> (String, String) {
    let mut edits = wiring::insert(text, false, entries).unwrap_or_else(|error| panic!("{error}: {text}"));
    let (mut with, mut without) = (text.to_owned(), None);
    edits.sort_by_key(|(at, _)| *at);
    for (at, added) in edits.iter().rev() {
        with.insert_str(*at, added);
    }
    let mut bare = with.clone();
    for (at, added) in &edits {
        assert_eq!(&bare[*at..*at + added.len()], added);
        bare.replace_range(*at..*at + added.len(), "");
        without = Some(bare.clone());
    }
    (with, without.unwrap_or_else(|| text.to_owned()))
}

const LAYOUTS: &[&str] = &[
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\n  \"model\": \"x\"\n}\n",
    "{\r\n\t\"model\": \"x\",\r\n\t\"n\": 1.0e2\r\n}\r\n",
    "{\"a\":1,\"b\":{\"hooks\":[]}}",
    "{\n    \"hooks\": {}\n}",
    "{\n    \"hooks\": {\n    }\n}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"Stop\": [ ]\n  },\n  \"z\": null\n}\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"X\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"mine \\u00e9\" }\n        ]\n      }\n    ],\n    \"Other\": [{}, 3]\n  }\n}\n",
];

#[test]
fn what_is_put_in_is_found_and_nothing_else_changes() {
    for harness in ["claude", "codex"] {
        for parts in [&[Part::Guard][..], &Part::ALL] {
            let wanted = entries(harness, parts);
            for text in LAYOUTS {
                let (with, without) = put(text, &wanted);
                assert_eq!(without, *text);
                let read: Value = serde_json::from_str(&with).unwrap_or_else(|error| panic!("{error}:\n{with}"));
                let found = wiring::found(Form::Json, with.as_bytes()).unwrap();
                let ours: Vec<_> = found.iter().filter(|one| !one.programs.is_empty()).collect();
                assert_eq!(ours.len(), wanted.len(), "{with}");
                for one in ours {
                    let (group, at) = one.place;
                    let hook = &read["hooks"][&one.event][group]["hooks"][at];
                    assert_eq!((hook["command"].as_str(), hook["timeout"].as_f64()), (Some(&*one.command), one.timeout));
                    assert_eq!(with.lines().nth(one.line - 1).map(|line| line.contains('{')), Some(true));
                    let text: Value = serde_json::from_str(&with[one.range.clone()]).unwrap();
                    assert_eq!(&text, hook);
                }
                // What stood there before has the same number as before: trust is kept by number.
                let before = wiring::found(Form::Json, text.as_bytes()).unwrap();
                for one in before {
                    assert!(
                        found.iter().any(|now| (&now.event, now.place, &now.command) == (&one.event, one.place, &one.command))
                    );
                }
                assert!(!text.contains("\r\n") || !with.replace("\r\n", "").contains('\n'));
            }
        }
    }
}

#[test]
fn the_layout_is_the_files_own() {
    let (with, _) = put("{\n\t\"a\": 1\n}\n", &entries("claude", &[Part::Guard]));
    assert!(with.contains("\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": "), "{with}");
    let (with, _) = put("{\"a\":1}", &entries("claude", &[Part::Guard]));
    assert!(with.starts_with("{\"a\":1,\"hooks\":{\"PreToolUse\":[{\"matcher\":") && !with.contains('\n'), "{with}");
}

#[test]
fn an_entry_is_what_its_harness_runs() {
    let claude = entries("claude", &Part::ALL);
    let guard = &claude[0];
    assert_eq!(guard.command, "/opt/a b/it's/ah-git-guard");
    assert_eq!(guard.args.as_deref().unwrap(), ["--harness", "claude"]);
    assert!(guard.block_on_failure && guard.matcher.unwrap().contains("PowerShell"));
    assert_eq!(claude.iter().filter(|entry| entry.block_on_failure).count(), 1);
    let stop = claude.iter().find(|entry| entry.programs.len() == 2).unwrap();
    let quoted = "'/opt/a b/it'\\''s/ah-prefilter' --harness claude --pass | '/opt/a b/it'\\''s/ah-judge' --harness claude";
    assert_eq!((&*stop.command, &stop.args, stop.event), (quoted, &None, "Stop"));
    let codex = entries("codex", &[Part::Guard]);
    assert_eq!(codex[0].command, "'/opt/a b/it'\\''s/ah-git-guard' --harness codex");
    assert!(codex.iter().all(|entry| entry.args.is_none() && !entry.block_on_failure));
    for harness in ["claude", "codex"] {
        let mut seen = std::collections::HashSet::new();
        for entry in entries(harness, &Part::ALL) {
            for program in &entry.programs {
                assert!(seen.insert((entry.event, *program)), "{harness}: {program} twice at {}", entry.event);
            }
        }
    }
}

#[test]
fn settings_that_the_harness_cannot_read_are_refused_with_the_place() {
    let wanted = entries("claude", &[Part::Guard]);
    for (text, place) in [
        ("{\n  // why\n  \"a\": 1\n}", (2, 3)),
        ("{\"a\": 1,}", (1, 8)),
        ("{\"hooks\": []}", (1, 11)),
        ("{\n\"hooks\": {\"PreToolUse\": {}}}", (2, 25)),
        ("{\"hooks\": {}, \"hooks\": {}}", (1, 15)),
        ("[]", (1, 1)),
        ("{\"a\"", (1, 5)),
    ] {
        let error = wiring::insert(text, false, &wanted).expect_err(text);
        assert_eq!((error.line, error.column), place, "{text}: {error}");
        assert!(wiring::found(Form::Json, text.as_bytes()).is_err(), "{text}");
    }
    assert!(wiring::found(Form::Json, b"{\"a\": \"\xff\"}").is_err());
    assert!(wiring::insert(&"[".repeat(100_000), false, &wanted).is_err());
    // A harness that bears comments.
    let text = "{\n  // why\n  \"hooks\": { \"PreToolUse\": [ {\"hooks\": []}, /* last */ ], },\n}";
    let mut with = text.to_owned();
    for (at, added) in wiring::insert(text, true, &wanted).unwrap().into_iter().rev() {
        with.insert_str(at, &added);
    }
    assert_eq!(wiring::found(Form::Jsonc, with.as_bytes()).unwrap().len(), 3, "{with}");
}

#[test]
fn hooks_of_others_stay_when_ours_are_taken_out_one_by_one() {
    let wanted = entries("claude", &[Part::Guard]);
    for text in LAYOUTS.iter().filter(|text| text.trim_start().starts_with('{')) {
        let (with, _) = put(text, &wanted);
        let found = wiring::found(Form::Json, with.as_bytes()).unwrap();
        let gone: Vec<_> =
            found.iter().filter(|one| !one.programs.is_empty()).map(|one| (one.event.clone(), one.place)).collect();
        let mut bare = with.clone();
        for range in wiring::cuts(&with, false, &gone).unwrap().into_iter().rev() {
            bare.replace_range(range, "");
        }
        let left = wiring::found(Form::Json, bare.as_bytes()).unwrap_or_else(|error| panic!("{error}:\n{bare}"));
        let before = wiring::found(Form::Json, text.as_bytes()).unwrap();
        let commands = |all: &[wiring::Found]| all.iter().map(|one| one.command.clone()).collect::<Vec<_>>();
        assert_eq!(commands(&left), commands(&before), "{bare}");
    }
}

#[test]
fn toml_gets_its_hooks_at_the_end() {
    let wanted = entries("codex", &Part::ALL);
    for text in [
        "",
        "model = \"x\"\n",
        "model = 'x' # no newline",
        "[hooks.state.\"/h/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
        "[[hooks.PreToolUse]]\r\n[[hooks.PreToolUse.hooks]]\r\ntype = \"command\"\r\ncommand = \"mine\"\r\n",
    ] {
        let added = wiring::append(text, &wanted).unwrap_or_else(|error| panic!("{error}: {text}"));
        let with = format!("{text}{added}");
        let found = wiring::found(Form::Toml, with.as_bytes()).unwrap();
        let ours: Vec<_> = found.iter().filter(|one| !one.programs.is_empty()).collect();
        assert_eq!(ours.len(), wanted.len(), "{with}");
        for (one, entry) in ours.iter().zip(&wanted) {
            assert!(wanted.iter().any(|entry| entry.command == one.command && entry.event == one.event), "{entry:?}");
        }
        let first = ours.iter().find(|one| one.event == "PreToolUse").unwrap();
        assert_eq!(first.place, (usize::from(text.contains("mine")), 0));
        assert!(!text.contains("\r\n") || !with.replace("\r\n", "").contains('\n'));
    }
    for (text, line) in [("a = \n", 1), ("hooks = { PreToolUse = [] }\n", 1), ("\nhooks = 3\n", 2)] {
        assert_eq!(wiring::append(text, &wanted).expect_err(text).line, line, "{text}");
    }
}

#[test]
fn the_manual_has_the_table_of_hooks() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("man/ah-hooks.5")).unwrap();
    let rows: Vec<&str> = page
        .lines()
        .skip_while(|line| *line != ".Ss What is registered")
        .take_while(|line| *line != ".El")
        .filter(|line| line.starts_with(".It "))
        .collect();
    let wanted: Vec<String> = wiring::HOOKS
        .iter()
        .map(|hook| {
            let run: Vec<String> = hook.run.iter().map(|words| words.join(" ")).collect();
            let tools = match (hook.tools, hook.moment.name().contains("Tool")) {
                (_, false) => "-",
                (wiring::Tools::All, _) => "all",
                (wiring::Tools::Edits, _) => "edits",
                (wiring::Tools::Guarded, _) => "guarded",
            };
            format!(".It {} Ta {} Ta {} Ta {tools} Ta {}", hook.moment.name(), run.join(" | "), hook.part.name(), hook.seconds)
        })
        .collect();
    assert_eq!(rows[1..], wanted);
    for wiring in wiring::ALL {
        assert!(page.contains(&format!("\"matcher\": \"{}\"", wiring.guarded)), "{}", wiring.title);
    }
}
