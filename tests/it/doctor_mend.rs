//! What ah-doctor proposes is done, and the finding is gone.

use crate::doctor::Place;
use crate::doctor_faults::{FAULTS, claude};
use serde_json::Value;
use std::fs;

/// How a test does what a finding proposes.
enum Mend {
    /// What is to be edited is edited.
    Edit(fn(&Place)),
    /// The programs are put in place, as `install/install.sh` does (`install.rs` runs it).
    Install,
    /// It is not a command's to mend, and why.
    Person(&'static str),
    /// The command is run as it stands.
    Run,
}

fn mend(code: &str) -> Mend {
    match code {
        "agents.invalid" => Mend::Edit(|p| claude(p, |_| {})),
        "agents.disabled" => Mend::Edit(|p| claude(p, |_| {})),
        "config.invalid" | "config.warning" => Mend::Edit(|p| drop(p.write("ah/config/config.json", "{}"))),
        "lessons.invalid" => Mend::Edit(|p| {
            p.write("ah/data/collectives/x/lessons.jsonl", "{\"id\":\"a\",\"origin_ms\":1,\"question\":\"q\"}\n");
        }),
        "agents.slow" => Mend::Person("the machine is slow"),
        "agents.unguarded" => Mend::Person("which servers may run commands is a person's to say"),
        "agents.untrusted" => Mend::Person("Codex trusts what a person at a terminal says (`bootstrap_home.rs`)"),
        "breaker.open" => Mend::Person("it opens by itself, or asks a model"),
        "lessons.conflict" => Mend::Person("which of two lessons holds is a person's to say"),
        "queue.unshown" => Mend::Person("what was not shown stays so; the next session's is"),
        "mesh.paused" => Mend::Person("only a person at a terminal resumes (`mesh.rs`)"),
        "sessions.newer" => Mend::Person("no newer program is here"),
        "switches.flag" => Mend::Person("only a person at a terminal switches (`off_is_for_a_person`)"),
        code if code.starts_with("programs.") && code != "programs.mode" && code != "programs.receipt" => Mend::Install,
        "agents.exit" | "agents.noise" | "agents.answer" | "agents.unstopped" | "snapshots.unread" => Mend::Install,
        _ => Mend::Run,
    }
}

#[test]
fn what_a_finding_proposes_mends_it() {
    let mut wrong = Vec::new();
    for (code, plant) in FAULTS {
        let place = Place::new();
        plant(&place);
        let report: Value = serde_json::from_slice(&place.doctor(&["--json"]).stdout).unwrap();
        let of_code = |finding: &&Value| finding["code"] == *code;
        let finding = report["checks"].as_array().unwrap().iter().find(of_code).unwrap_or_else(|| panic!("{code}"));
        let command = finding["fix"]["command"].as_str().unwrap_or_default().to_owned();
        match mend(code) {
            Mend::Person(why) => {
                assert!(!why.is_empty());
                continue;
            }
            Mend::Edit(edit) => edit(&place),
            Mend::Install => {
                assert!(command.contains("install.sh"), "{code}: {command}");
                place.install();
                if let Some((_, rest)) = command.split_once("&& ") {
                    place.sh(rest);
                }
            }
            Mend::Run => place.sh(&command),
        }
        let left = place.codes(&[]);
        if left.iter().any(|found| found == code) {
            wrong.push(format!("{code}: {command}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_mended_registration_is_taken_out_whole() {
    for (code, plant) in FAULTS.iter().filter(|(code, _)| code.starts_with("agents.")) {
        let place = Place::new();
        // As it was registered, and then changed.
        place.sh("ah-bootstrap --harness claude --apply");
        plant(&place);
        let file = place.at("home/.claude/settings.json");
        let Ok(Ok(mut settings)) = fs::read(&file).map(|bytes| serde_json::from_slice::<Value>(&bytes)) else { continue };
        let other = serde_json::json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/true"}]});
        if let Some(groups) = settings.pointer_mut("/hooks/PreToolUse").and_then(Value::as_array_mut) {
            groups.insert(0, other.clone());
            groups.push(other.clone());
        }
        fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
        place.sh("ah-bootstrap --harness claude --mend --again --apply");
        let now: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        if let Some(groups) = settings["hooks"]["PreToolUse"].as_array() {
            assert_eq!(
                (&now["hooks"]["PreToolUse"][0], &now["hooks"]["PreToolUse"][groups.len() - 1]),
                (&other, &other),
                "{code}"
            );
        }
        let once = fs::read(&file).unwrap();
        place.sh("ah-bootstrap --harness claude --mend --again --apply");
        assert_eq!(fs::read(&file).unwrap(), once, "{code}: mended twice");
        place.sh("ah-bootstrap --harness claude --remove --apply --yes");
        // A file that only ours stood in goes, too.
        let left = fs::read_to_string(&file).unwrap_or("{}".to_owned());
        assert!(!left.contains("ah-git-guard"), "{code}: {left}");
        let left: Value = serde_json::from_str(&left).unwrap();
        let count = left["hooks"]["PreToolUse"].as_array().map_or(0, Vec::len);
        assert_eq!(count, if settings.pointer("/hooks/PreToolUse").is_some() { 2 } else { 0 }, "{code}: {left}");
    }
}

#[test]
fn what_fix_mends_is_gone_and_nothing_else_changes() {
    for (code, plant) in FAULTS {
        let place = Place::new();
        plant(&place);
        let before = place.codes(&[]);
        place.doctor(&["--fix"]);
        let after = place.codes(&[]);
        let ok = |code: &&String| !code.ends_with(".ok");
        let new: Vec<&String> = after.iter().filter(ok).filter(|code| !before.contains(code)).collect();
        assert!(new.is_empty(), "{code}: --fix brought {new:?}");
    }
}
