//! Faults that ah-doctor must find, and how each is planted.

use crate::doctor::Place;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

/// A fault: its code, the check that finds it, and how it is planted.
pub type Fault = (&'static str, fn(&Place));

pub const FAULTS: &[Fault] = &[
    ("programs.missing", |p| fs::remove_file(p.at("bin/ah-git-guard")).unwrap()),
    ("programs.mode", |p| {
        fs::remove_file(p.at("bin/ah-git-guard")).unwrap();
        p.write("bin/ah-git-guard", "#!/bin/sh\n");
    }),
    ("programs.version", |p| script(p, "bin/ah-git-guard", "echo ah-git-guard 0.0.1")),
    ("programs.broken", |p| script(p, "bin/ah-git-guard", "exit 3")),
    ("programs.tampered", |p| {
        p.sh("ah-bootstrap --harness claude --apply");
        let mut receipt: Value = serde_json::from_slice(&fs::read(p.at("ah/data/receipt.json")).unwrap()).unwrap();
        receipt["programs"][0]["sha256"] = "00".into();
        p.write("ah/data/receipt.json", receipt.to_string());
    }),
    ("programs.receipt", |p| {
        claude(p, |_| {});
        p.write("ah/data/receipt.json", "{\"v\":9}");
    }),
    ("agents.missing", |p| drop(p.write("home/.claude/settings.json", "{}"))),
    ("agents.invalid", |p| drop(p.write("home/.claude/settings.json", "{\n  // mine\n}"))),
    ("agents.disabled", |p| claude(p, |s| s["disableAllHooks"] = true.into())),
    ("agents.duplicate", |p| {
        claude(p, |s| {
            let first = s["hooks"]["SessionStart"][0].clone();
            s["hooks"]["SessionStart"].as_array_mut().unwrap().push(first);
        })
    }),
    ("agents.dead", |p| claude(p, |s| hook(s)["command"] = "/nowhere/ah-git-guard".into())),
    ("agents.relative", |p| claude(p, |s| hook(s)["command"] = "ah-git-guard".into())),
    ("agents.foreign", |p| {
        fs::create_dir(p.at("old")).unwrap();
        fs::copy("/bin/true", p.at("old/ah-git-guard")).unwrap();
        let other = p.at("old/ah-git-guard");
        claude(p, |s| hook(s)["command"] = other.to_str().unwrap().into());
    }),
    ("agents.dialect", |p| claude(p, |s| hook(s)["args"][1] = "codex".into())),
    ("agents.unit", |p| claude(p, |s| hook(s)["timeout"] = 60_000.into())),
    ("agents.matcher", |p| claude(p, |s| s["hooks"]["PreToolUse"][0]["matcher"] = "Edit".into())),
    ("agents.incomplete", |p| claude(p, |s| drop(s["hooks"].as_object_mut().unwrap().remove("PreToolUse")))),
    ("agents.exit", |p| odd_guard(p, "exit 3")),
    ("agents.noise", |p| odd_guard(p, "echo oops >&2")),
    ("agents.answer", |p| odd_guard(p, "echo hello")),
    ("agents.unstopped", |p| odd_guard(p, "exit 0")),
    ("agents.slow", |p| odd_guard(p, "grep -q 'ls -la' && sleep 0.2")),
    ("agents.unguarded", |p| {
        claude(p, |_| {});
        p.write("home/.claude.json", r#"{"mcpServers": {"my-shell": {"command": "x"}}}"#);
    }),
    ("agents.untrusted", |p| {
        let command = format!("{} --harness codex", p.at("bin/ah-git-guard").display());
        let group = serde_json::json!([{"matcher": "Bash|apply_patch|mcp__.*git.*", "hooks": [{"type": "command", "command": command, "timeout": 10}]}]);
        let rest = serde_json::json!([{"hooks": [{"type": "command", "command": command, "timeout": 10}]}]);
        let all = serde_json::json!({"hooks": {"PreToolUse": group, "SessionStart": rest, "UserPromptSubmit": rest}});
        p.write("home/.codex/hooks.json", all.to_string());
    }),
    ("breaker.open", |p| {
        let paths = ah::paths::Paths::new(&|name| (name == "AH_HOME").then(|| p.at("ah").into_os_string())).unwrap();
        let failure = ah::meter::Failure { pause_ms: Some(600_000), why: "429".into() };
        ah::meter::Meter::of(&paths).failed("chat:x", ah::clock::now_ms(), &failure).unwrap();
    }),
    ("snapshots.unread", |p| {
        fs::create_dir_all(p.at("ah/state/snapshots/x.git")).unwrap();
        script(
            p,
            "bin/ah-git-guard",
            &format!("[ \"$1\" = --version ] && echo ah-git-guard {} || exit 70", env!("CARGO_PKG_VERSION")),
        );
    }),
    ("config.invalid", |p| drop(p.write("ah/config/config.json", "{\"git_guard\": {\"on_loss\": 7}}"))),
    ("config.warning", |p| drop(p.write("ah/config/config.json", "{\"default\": \"nobody\"}"))),
    ("switches.flag", |p| drop(p.write("ah/state/off/ah-judge", ""))),
    ("state.open", |p| fs::set_permissions(p.at("ah/state"), fs::Permissions::from_mode(0o755)).unwrap()),
    ("state.kind", |p| {
        fs::remove_dir(p.at("ah/data")).unwrap();
        p.write("ah/data", "a file");
    }),
    ("state.clock", |p| {
        let file = p.write("ah/state/guard.jsonl", "");
        let later = SystemTime::now() + Duration::from_secs(3600);
        fs::File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
    }),
    ("sessions.torn", |p| drop(p.write("ah/state/sessions/a.jsonl", "{\"v\":1}\n{\"t\":1,\"k\":\"pro"))),
    ("sessions.foreign", |p| drop(p.write("ah/state/sessions/a.jsonl", "{\"v\":1}\nhello\n{\"t\":1,\"k\":\"x\"}\n"))),
    ("sessions.newer", |p| drop(p.write("ah/state/sessions/a.jsonl", "{\"v\":2}\n"))),
    ("lessons.invalid", |p| drop(p.write("ah/data/collectives/x/lessons.jsonl", "{}\n"))),
    ("lessons.conflict", |p| {
        let line = |v: u32| format!("{{\"id\":\"a\",\"origin_ms\":1,\"question\":\"q\",\"version\":{v}}}\n");
        p.write("ah/data/collectives/x/lessons.jsonl", line(2) + &line(1));
    }),
    ("lessons.unread", |p| fs::create_dir_all(p.at("ah/data/collectives/x/lessons.jsonl")).unwrap()),
    ("queue.unshown", |p| {
        let queued = "{\"t\":1,\"k\":\"queue\",\"key\":\"e\",\"entry\":\"e\",\"lesson\":\"a\",\"grade\":2,\"kind\":\"free\",\"check\":\"c\"}\n";
        let file = p.write("ah/state/sessions/s.jsonl", format!("{{\"v\":1,\"session\":\"s\",\"scope\":\"x\"}}\n{queued}"));
        let past = SystemTime::now() - Duration::from_secs(3 * 86_400);
        fs::File::options().write(true).open(file).unwrap().set_modified(past).unwrap();
    }),
    ("mesh.kind", |p| drop(p.write("ah/data/collectives/x/mesh", ""))),
    ("mesh.open", |p| {
        fs::create_dir_all(p.at("ah/data/collectives/x/mesh")).unwrap();
        fs::set_permissions(p.at("ah/data/collectives/x/mesh"), fs::Permissions::from_mode(0o750)).unwrap();
    }),
    ("mesh.log", |p| {
        fs::create_dir_all(p.at("ah/data/collectives/x/mesh/messages.jsonl")).unwrap();
        fs::set_permissions(p.at("ah/data/collectives/x/mesh"), fs::Permissions::from_mode(0o700)).unwrap();
    }),
    ("mesh.foreign", |p| {
        p.write("ah/data/collectives/x/mesh/messages.jsonl", "{\"v\":1}\n");
        fs::set_permissions(p.at("ah/data/collectives/x/mesh"), fs::Permissions::from_mode(0o700)).unwrap();
    }),
    ("mesh.pause", |p| drop(p.write("ah/state/mesh/paused/s", "{\"v\":"))),
    ("mesh.paused", |p| {
        let now = ah::clock::now_ms();
        p.write("ah/state/mesh/paused/s", format!("{{\"v\":1,\"session\":\"s\",\"note\":\"\",\"t\":{now}}}"));
    }),
    ("failures.open", |p| {
        let now = ah::clock::now_ms();
        p.write("ah/state/log.jsonl", format!("{{\"v\":1,\"t\":{now},\"program\":\"ah-judge\",\"what\":\"model: late\"}}\n"));
    }),
    ("failures.torn", |p| drop(p.write("ah/state/log.jsonl", "{\"v\":1,\"t"))),
];

/// The guard registered in Claude Code as it should be, and then changed.
pub fn claude(place: &Place, change: impl FnOnce(&mut Value)) {
    let hook = || serde_json::json!({"type": "command", "command": place.at("bin/ah-git-guard"), "args": ["--harness", "claude"], "timeout": 10});
    let rest = || serde_json::json!([{"hooks": [hook()]}]);
    let matcher = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit|mcp__.*git.*";
    let first = serde_json::json!([{"matcher": matcher, "hooks": [hook()]}]);
    let mut settings = serde_json::json!({"hooks": {"PreToolUse": first, "SessionStart": rest(), "UserPromptSubmit": rest()}});
    change(&mut settings);
    place.write("home/.claude/settings.json", settings.to_string());
}

/// Its entry at PreToolUse.
fn hook(settings: &mut Value) -> &mut Value {
    &mut settings["hooks"]["PreToolUse"][0]["hooks"][0]
}

/// A guard that runs and is registered, but does something else.
fn odd_guard(place: &Place, text: &str) {
    claude(place, |_| {});
    let version = env!("CARGO_PKG_VERSION");
    script(place, "bin/ah-git-guard", &format!("[ \"$1\" = --version ] && echo ah-git-guard {version} && exit\n{text}"));
}

fn script(place: &Place, path: &str, text: &str) {
    let _ = fs::remove_file(place.at(path));
    let file = place.write(path, format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}
