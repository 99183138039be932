//! The mesh where things go wrong: killed hooks, no home, a full disk, clocks that differ, records in the way.

use crate::judge_desk;
use crate::mesh_desk::{Desk, answer};
use serde_json::{Value, json};
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

fn text(said: &str) -> String {
    let whole: Value = serde_json::from_str(said).unwrap_or_default();
    whole["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn c4_killed_at_any_moment_nothing_is_lost_and_a_repeat_says_so() {
    let desk = Desk::new();
    desk.prompt("w", "s-one");
    desk.prompt("w", "s-two");
    let (mut seen, mut repeats) = (0, 0);
    for round in 0..60_u64 {
        let (code, said) = desk.run("w", "s-one", &["tell", "repo", &format!("word {round}.")]);
        assert_eq!(code, 0, "{said}");
        let mut hook = desk.start("w", "s-two", "UserPromptSubmit", &json!({"prompt": "x"}));
        sleep(Duration::from_micros(300 + round * 150));
        hook.kill().unwrap();
        let mut said = String::new();
        hook.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        hook.wait().unwrap();
        let (first, second) = (text(&said), desk.prompt("w", "s-two"));
        let shown = |text: &str| text.contains(&format!("> word {round}."));
        assert!(shown(&first) || shown(&second), "round {round} was lost");
        if shown(&first) && shown(&second) {
            assert!(second.contains("perhaps shown before"), "round {round}: {second}");
            repeats += 1;
        }
        seen += usize::from(shown(&first));
        assert_eq!(desk.prompt("w", "s-two"), "", "round {round}: shown for good");
    }
    println!("{seen} of 60 hooks had spoken when they were killed, {repeats} of them once more");
}

#[test]
fn k3_a_hook_that_is_killed_keeps_nobody_from_a_file() {
    let desk = Desk::new();
    desk.settings(&json!({"claims": "deny"}));
    let input =
        |n: u64| json!({"tool_name": "Write", "tool_input": {"file_path": desk.path(&format!("w/src/{n}.rs")), "content": "x"}});
    for round in 0..30_u64 {
        let mut hook = desk.start("w", "s-one", "PreToolUse", &input(round));
        sleep(Duration::from_micros(300 + round * 200));
        hook.kill().unwrap();
        hook.wait().unwrap();
        // It has the file or has not; the record is whole, and the lock is free.
        let other = desk.hook("w", "s-two", "PreToolUse", &input(round));
        assert!(other.is_null() || other["permissionDecision"] == "deny", "{other}");
    }
    for claim in
        fs::read_dir(desk.mesh().join("claims")).unwrap().flatten().filter(|c| c.path().extension().is_some_and(|e| e == "json"))
    {
        serde_json::from_slice::<Value>(&fs::read(claim.path()).unwrap()).expect("a whole record");
    }
    assert_eq!(desk.failures(), "");
}

#[test]
fn k3_what_is_taken_over_is_told_to_both_once() {
    let desk = Desk::new();
    desk.prompt("w", "s-one");
    desk.prompt("w", "s-two");
    desk.edit("w", "s-one", "PreToolUse", "src/a.rs");
    desk.edit("w", "s-one", "PostToolUse", "src/a.rs");
    // A quarter of an hour goes by.
    let file = fs::read_dir(desk.mesh().join("claims")).unwrap().flatten().next().unwrap().path();
    let mut claim: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    claim["touched"] = json!(now() - 16 * 60_000);
    fs::write(&file, claim.to_string()).unwrap();
    let told = desk.edit("w", "s-two", "PreToolUse", "src/a.rs");
    let said = told["additionalContext"].as_str().unwrap();
    assert!(said.contains("src/a.rs") && said.contains(&desk.name("s-one")), "{told}");
    assert_eq!(desk.edit("w", "s-two", "PreToolUse", "src/a.rs"), Value::Null);
    assert!(desk.prompt("w", "s-one").contains("> I edit src/a.rs now"));
    assert_eq!(desk.prompt("w", "s-one"), "");
}

#[test]
fn c3_a_message_comes_before_the_next_tool_of_any_kind() {
    let desk = Desk::new();
    desk.prompt("w", "s-one");
    desk.prompt("w", "s-two");
    desk.run("w", "s-one", &["tell", "repo", "meanwhile"]);
    let look = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let sub = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "agent_id": "a1", "agent_type": "x"});
    assert_eq!(desk.hook("w", "s-two", "PreToolUse", &sub), Value::Null, "a sub-agent is not who was told");
    let told = desk.hook("w", "s-two", "PreToolUse", &look);
    assert!(told["additionalContext"].as_str().unwrap().contains("> meanwhile") && told.get("permissionDecision").is_none());
    assert_eq!(desk.hook("w", "s-two", "PreToolUse", &look), Value::Null);
    // A stop is never held up.
    desk.run("w", "s-one", &["ask", "repo", "are you there?"]);
    assert_eq!(desk.hook("w", "s-two", "Stop", &json!({"stop_hook_active": false})), Value::Null);
    assert!(desk.prompt("w", "s-two").contains("> are you there?"));
}

#[test]
fn c5_c9_the_longest_messages_wait_and_are_all_shown_once() {
    let desk = Desk::new();
    desk.prompt("w", "s-two");
    for sender in 0..8 {
        let id = format!("s-{sender}");
        desk.prompt("w", &id);
        let (code, said) = desk.run("w", &id, &["tell", "s-two", &format!("{sender}: {}", "long ".repeat(3_200))]);
        assert_eq!(code, 0, "{said}");
    }
    let mut shown = Vec::new();
    for _ in 0..8 {
        let text = desk.prompt("w", "s-two");
        assert!(text.chars().count() < 9_000, "{}", text.len());
        shown.extend((0..8).filter(|sender| text.contains(&format!("> {sender}: long"))));
    }
    shown.sort_unstable();
    assert_eq!(shown, (0..8).collect::<Vec<_>>());
    assert_eq!(desk.prompt("w", "s-two"), "");
    assert_eq!(desk.failures(), "");
}

#[test]
fn k2_a_patch_claims_every_file_it_names() {
    let desk = Desk::new();
    let patch = "*** Begin Patch\n*** Add File: src/n.rs\n+x\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-a\n+b\n*** Delete File: src/c.rs\n*** End Patch";
    let event = desk.event(
        "w",
        "s-one",
        "PreToolUse",
        &json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "model": "m", "turn_id": "t"}),
    );
    let mut hook = desk.command("w").args(["--harness", "codex"]).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    assert_eq!(answer(&hook.wait_with_output().unwrap()), Value::Null);
    let claims: Value = serde_json::from_str(&desk.run("w", "", &["claims", "--json"]).1).unwrap();
    let paths: Vec<&str> = claims.as_array().unwrap().iter().map(|claim| claim["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["src/a.rs", "src/b.rs", "src/c.rs", "src/n.rs"]);
}

#[test]
fn g1_without_a_home_there_is_no_mesh_and_no_noise() {
    let desk = Desk::new();
    let event = desk.event("w", "s-one", "UserPromptSubmit", &json!({"prompt": "x"}));
    let mut hook = desk.command("w").env_remove("HOME").env_remove("AH_HOME").args(["--harness", "claude"]).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    assert_eq!(answer(&hook.wait_with_output().unwrap()), Value::Null);
    let done = desk.command("w").env_remove("HOME").env_remove("AH_HOME").args(["tell", "repo", "x"]).output().unwrap();
    assert_eq!(done.status.code(), Some(69));
    assert!(!desk.path("ah").exists() && fs::read_dir(desk.path("home")).unwrap().next().is_none());
}

#[test]
fn g1_on_a_full_or_read_only_disk_hooks_are_silent_and_commands_say_so() {
    if !Command::new("unshare").args(["-m", "true"]).stderr(Stdio::null()).status().is_ok_and(|s| s.success()) {
        println!("SKIP disks: no mount namespace here");
        return;
    }
    let desk = Desk::new();
    fs::create_dir_all(desk.path("ah")).unwrap();
    let event = desk.event("w", "s-one", "UserPromptSubmit", &json!({"prompt": "x"}));
    fs::write(desk.path("event"), event).unwrap();
    for last in ["dd if=/dev/zero of=fill bs=4k 2>/dev/null; :", "mount -o remount,ro ."] {
        let script = format!(
            "mount -t tmpfs -o size=64k tmpfs {ah} && cd {ah} && {{ {last}; }} && cd {w} || exit 99
             {mesh} --harness claude < {event} || exit 98
             {mesh} claim src/a.rs; exit $?",
            ah = desk.path("ah").display(),
            w = desk.path("w").display(),
            event = desk.path("event").display(),
            mesh = env!("CARGO_BIN_EXE_ah-mesh"),
        );
        let mut command = Command::new("unshare");
        command.args(["-m", "sh", "-c", &script]).env_clear().env("HOME", desk.path("home")).env("AH_HOME", desk.path("ah"));
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("CLAUDE_CODE_SESSION_ID", "s-one");
        let done = command.stdin(Stdio::null()).output().unwrap();
        assert!(done.stdout.is_empty() && matches!(done.status.code(), Some(73 | 77)), "{last}: {done:?}");
        assert_eq!(String::from_utf8_lossy(&done.stderr).lines().count(), 1, "the command's one line: {done:?}");
    }
}

#[test]
fn c10_d1_clocks_that_differ_by_an_hour_lose_nothing_for_ever() {
    let desk = Desk::new();
    desk.prompt("w", "s-one");
    desk.prompt("w", "s-two");
    let send = |t: u64, text: &str| {
        let message = ah::mesh::Message {
            t,
            by: "s-one".into(),
            to: ah::mesh::To::Collective.text(),
            text: text.into(),
            ..Default::default()
        };
        ah::mesh::Board::append(&ah::mesh::Files::at(desk.mesh()), &message.sealed()).unwrap();
    };
    send(now() + 3_600_000, "from the future");
    send(now() - 30_000, "a little behind");
    let shown = desk.prompt("w", "s-two");
    assert!(shown.contains("> a little behind") && !shown.contains("from the future"), "{shown}");
    // A presence and a claim that an hour's jump left in the future hold nobody up.
    for (folder, field) in [("presence", "t"), ("claims", "touched")] {
        desk.edit("w", "s-one", "PreToolUse", "src/a.rs");
        for file in fs::read_dir(desk.mesh().join(folder))
            .unwrap()
            .flatten()
            .map(|f| f.path())
            .filter(|p| p.extension().is_some_and(|e| e == "json"))
        {
            let mut record: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
            record[field] = json!(now() + 3_600_000);
            record["t"] = json!(now() + 3_600_000);
            fs::write(&file, record.to_string()).unwrap();
        }
    }
    assert_eq!(desk.edit("w", "s-two", "PreToolUse", "src/a.rs").get("permissionDecision"), None);
    assert!(desk.run("w", "", &["claims"]).1.contains(&desk.name("s-two")), "taken over");
    assert!(desk.run("w", "", &["top"]).1.contains("working"));
}

#[test]
fn d1_the_judge_does_not_run_while_paused() {
    let desk = judge_desk::Desk::new();
    let file = desk.path("ah/state/mesh/paused/sess-1");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, json!({"v": 1, "session": "sess-1", "t": now()}).to_string()).unwrap();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("hold the lock");
    assert_eq!(desk.stop("I hold the guard over the await"), Value::Null);
    assert_eq!(desk.calls().len(), 0, "no model is asked");
    fs::remove_file(&file).unwrap();
    desk.prompt("hold the lock");
    assert_ne!(desk.stop("I hold the guard over the await"), Value::Null);
}
