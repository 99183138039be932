//! Models behind programs: how they are started, what they see, and that nothing of them is left.

use crate::model_server::{APPLIES, Home, question};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program in the home's own folder of programs, which comes first in its PATH.
fn script(home: &mut Home, name: &str, text: &str) -> PathBuf {
    let file = home.path("bin").join(name);
    fs::create_dir_all(home.path("bin")).unwrap();
    fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    home.env.retain(|(name, _)| *name != "PATH");
    home.env.push(("PATH", path));
    file
}

/// Notes arguments, environment, folder and input below `seen`, then runs the rest.
const NOTE: &str = r#"
mkdir -p "$HOME/seen"; for a; do printf '%s\0' "$a"; done >"$HOME/seen/args"; env >"$HOME/seen/env"
pwd >"$HOME/seen/pwd"; ls -A >"$HOME/seen/files"; stat -c %a . >"$HOME/seen/mode"; cat >"$HOME/seen/input"
"#;

fn seen(home: &Home, name: &str) -> String {
    fs::read_to_string(home.path("seen").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn args(home: &Home) -> Vec<String> {
    seen(home, "args").split_terminator('\0').map(str::to_owned).collect()
}

/// Processes whose command line has `mark`.
fn alive(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ")).filter(|line| line.contains(mark)).collect()
}

fn gone(mark: &str) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        if alive(mark).is_empty() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Nothing private is left in the home's folder of temporary files.
fn clean(home: &Home) -> bool {
    let begun = Instant::now();
    let left =
        |dir: &Path| fs::read_dir(dir).unwrap().flatten().any(|e| e.file_name().to_string_lossy().starts_with("ah-judge-"));
    while left(home.dir.path()) && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    !left(home.dir.path())
}

fn ours(home: &mut Home, text: &str) {
    let file = script(home, "grader", text);
    home.set(&json!({"model": "command", "command": [file, "--mode", "x y"], "timeout_s": 3, "per_turn": {"asks": null, "tokens": null}, "per_session": {"tokens": null}}));
}

#[test]
fn a_program_gets_one_json_object_and_a_clean_world() {
    let mut home = Home::new(&json!({}));
    ours(&mut home, &format!("{NOTE}printf '%s' '{APPLIES}'"));
    for (name, value) in [("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "s"), ("GIT_DIR", "/x"), ("AH_JUDGE_KEY", "k-secret")] {
        home.env.push((name, value.into()));
    }
    let told = home.send(&question());
    assert_eq!((&told["outcome"], &told["applies"][0]["grade"]), (&json!("answered"), &json!(3)), "{told}");
    assert_eq!(args(&home), ["--mode", "x y"]);
    let input: Value = serde_json::from_str(&seen(&home, "input")).unwrap();
    let keys: Vec<_> = input.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["prompt", "schema", "system"]);
    assert!(input["prompt"].as_str().unwrap().contains("| I hold the guard") && input["schema"]["type"] == "object");
    let env = seen(&home, "env");
    assert!(env.lines().any(|line| line == "AH_JUDGE=1"));
    for gone in ["CLAUDE", "GIT_DIR", "k-secret"] {
        assert!(!env.contains(gone), "{env}");
    }
    let place = seen(&home, "pwd");
    assert!(place.contains("/ah-judge-") && seen(&home, "mode").trim() == "700" && seen(&home, "files").is_empty());
    assert!(clean(&home));
}

#[test]
fn what_a_program_does_wrong_is_told() {
    for (text, reason) in [
        ("exit 3", "program"),
        ("echo oops >&2; exit 1", "program"),
        ("echo prose", "no_json"),
        ("printf '{\"moves\":[]}'", "no_applies"),
        ("head -c 1073741824 /dev/zero", "too_large"),
        ("sleep 600", "timeout"),
        ("kill -9 $$", "program"),
        ("trap '' TERM INT HUP; while :; do sleep 1; done", "timeout"),
    ] {
        let mut home = Home::new(&json!({}));
        ours(&mut home, text);
        let begun = Instant::now();
        assert_eq!(home.send(&question())["reason"], reason, "{text}");
        assert!(begun.elapsed() < Duration::from_millis(4_500), "{text}: {:?}", begun.elapsed());
        assert!(gone(home.dir.path().to_str().unwrap()) && clean(&home), "{text}");
    }
    let home = Home::new(&json!({"model": "command", "command": ["/no/such/program"]}));
    let told = home.send(&question());
    assert_eq!(told["reason"], "absent");
    assert!(told["text"].as_str().unwrap().contains("No such file"), "{told}");
}

#[test]
fn a_reply_counts_though_something_else_holds_the_pipe() {
    let mut home = Home::new(&json!({}));
    let mark = "600.123";
    ours(&mut home, &format!("sleep {mark} & printf '%s' '{APPLIES}'"));
    let begun = Instant::now();
    let told = home.send(&question());
    assert_eq!(told["outcome"], "answered", "{told}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    assert!(gone(mark), "{:?}", alive(mark));
}

#[test]
fn a_huge_prompt_reaches_the_program() {
    let mut home = Home::new(&json!({}));
    ours(&mut home, &format!("{NOTE}printf '%s' '{APPLIES}'"));
    let mut asked = question();
    asked["work"] = json!("🙂漢".repeat(20_000));
    let lessons: Vec<_> = (0..1_000)
        .map(|n| json!({"id": format!("L{n}"), "question": "漢".repeat(240), "consequence": "🙂".repeat(160)}))
        .collect();
    asked["lessons"] = json!(lessons);
    assert_eq!(home.send(&asked)["outcome"], "answered");
    assert!(seen(&home, "input").len() > 1_300_000, "{}", seen(&home, "input").len());
    // And one that reads none of it does not hold it up.
    ours(&mut home, &format!("printf '%s' '{APPLIES}'"));
    assert_eq!(home.send(&asked)["outcome"], "answered");
}

/// A kill of the hook, of the keeper, and of both at once: nothing goes on.
#[test]
fn no_kill_leaves_an_orphan() {
    use rustix::process::{Pid, Signal, kill_process};
    for whom in ["hook", "keeper", "both"] {
        let mut home = Home::new(&json!({}));
        let mark = format!("777.{}", std::process::id());
        ours(&mut home, &format!("sleep {mark} & echo $PPID >\"$HOME/keeper\"; sleep {mark}"));
        let mut hook = home.command(&["request", "--send"]).spawn().unwrap();
        std::io::Write::write_all(&mut hook.stdin.take().unwrap(), question().to_string().as_bytes()).unwrap();
        let begun = Instant::now();
        let keeper = loop {
            let text = fs::read_to_string(home.path("keeper")).unwrap_or_default();
            if let (Ok(pid), 2..) = (text.trim().parse::<i32>(), alive(&mark).len()) {
                break Pid::from_raw(pid).unwrap();
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "it did not start");
            std::thread::sleep(Duration::from_millis(10));
        };
        if whom != "keeper" {
            hook.kill().unwrap();
        }
        if whom != "hook" {
            kill_process(keeper, Signal::KILL).unwrap();
        }
        let status = hook.wait().unwrap();
        assert_eq!(status.code().is_some(), whom == "keeper", "{whom}");
        if whom == "both" {
            // Nobody is left to end what the program itself started; the program is gone.
            let own = home.path("bin/grader");
            assert!(gone(own.to_str().unwrap()), "{:?}", alive(own.to_str().unwrap()));
            for pid in fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok()) {
                let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                if String::from_utf8_lossy(&line).contains(&mark) {
                    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
                }
            }
        } else {
            assert!(gone(&mark), "{whom}: {:?}", alive(&mark));
            assert!(clean(&home), "{whom}");
        }
    }
}

#[test]
fn claude_is_called_without_tools_settings_or_a_trace() {
    let mut home = Home::new(&json!({"model": "claude:haiku", "per_turn": {"asks": null}}));
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "result": "",
        "structured_output": serde_json::from_str::<Value>(APPLIES).unwrap(), "total_cost_usd": 0.0031,
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 30, "output_tokens": 40}});
    script(&mut home, "claude", &format!("{NOTE}cat system.md >\"$HOME/seen/system\"; printf '%s' '{result}'"));
    let told = home.send(&question());
    assert_eq!(told["applies"][0]["grade"], 3, "{told}");
    assert_eq!(
        told["usage"],
        json!({"tokens_in": 10.0, "tokens_cache_read": 20.0, "tokens_cache_write": 30.0, "tokens_out": 40.0, "usd": 0.0031})
    );
    let args = args(&home);
    assert_eq!(args[..5], ["-p", "--output-format", "json", "--model", "haiku"]);
    let value = |flag: &str| args.iter().position(|arg| arg == flag).map(|at| args[at + 1].clone());
    assert_eq!((value("--tools"), value("--setting-sources")), (Some(String::new()), Some("project".into())));
    assert!(
        ["--strict-mcp-config", "--no-session-persistence", "--disable-slash-commands"]
            .iter()
            .all(|flag| args.iter().any(|arg| arg == flag))
    );
    assert!(value("--json-schema").unwrap().contains("\"enum\":[\"L1\",\"L2\"]"));
    assert!(!args.iter().any(|arg| arg.contains("I hold the guard")), "the prompt is in the arguments");
    assert!(seen(&home, "input").contains("| I hold the guard") && seen(&home, "system").starts_with("You review"));
    // Some versions print a list of events.
    script(&mut home, "claude", &format!("cat >/dev/null; printf '%s' '[{{\"type\":\"system\"}},{result}]'"));
    assert_eq!(home.send(&question())["applies"][0]["grade"], 3);
    // An older one has neither the schema nor the file.
    let old = json!({"type": "result", "is_error": false, "result": format!("```json\n{APPLIES}\n```"), "total_cost_usd": 0.01});
    script(
        &mut home,
        "claude",
        &format!(
            r#"{NOTE}case " $* " in *" --json-schema "*) echo "error: unknown option '--json-schema'" >&2; exit 1;; *" --system-prompt-file "*) echo "error: unknown option '--system-prompt-file'" >&2; exit 1;; esac
printf '%s' '{old}'"#
        ),
    );
    let told = home.send(&question());
    assert_eq!((&told["applies"][0]["grade"], &told["usage"]), (&json!(3), &json!({"usd": 0.01})), "{told}");
    let input = seen(&home, "input");
    assert!(input.starts_with("You review") && input.contains("fits this JSON schema"));
    assert!(home.state("meter.json").contains("--json-schema"), "it is remembered");
    for (result, reason) in [
        (json!({"type": "result", "is_error": true, "result": "Invalid API key · Please run /login"}), "auth"),
        (json!({"type": "result", "is_error": true, "subtype": "error_max_budget_usd"}), "budget"),
        (json!({"type": "result", "is_error": true, "result": "There's an issue with the selected model (x)."}), "no_model"),
        (json!({"type": "system"}), "program"),
    ] {
        let mut home = Home::new(&json!({"model": "claude:"}));
        let text = result.to_string().replace('\'', "");
        script(&mut home, "claude", &format!("cat >/dev/null; printf '%s' '{text}'"));
        assert_eq!(home.send(&question())["reason"], reason, "{result}");
    }
}

#[test]
fn codex_is_called_read_only_without_hooks_or_a_trace() {
    let mut home = Home::new(&json!({"model": "codex:gpt-5"}));
    let events = [
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "item.completed", "item": {"type": "agent_message", "text": APPLIES}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7}}),
    ];
    let lines = events.map(|event| event.to_string()).join("\n");
    script(&mut home, "codex", &format!("{NOTE}cat schema.json >\"$HOME/seen/schema\"; cat <<'E'\n{lines}\nE"));
    let told = home.send(&question());
    assert_eq!(told["applies"][0]["grade"], 3, "{told}");
    assert_eq!(told["usage"], json!({"tokens_in": 40.0, "tokens_cache_read": 60.0, "tokens_out": 7.0}));
    let args = args(&home);
    assert_eq!(args[..4], ["exec", "-m", "gpt-5", "--ignore-user-config"]);
    for flag in ["--ephemeral", "--skip-git-repo-check", "features.hooks=false", "read-only", "--json", "-"] {
        assert!(args.iter().any(|arg| arg == flag), "{flag}: {args:?}");
    }
    assert!(!args.iter().any(|arg| arg.contains("I hold the guard")));
    assert!(seen(&home, "input").contains("| I hold the guard"));
    assert_eq!(serde_json::from_str::<Value>(&seen(&home, "schema")).unwrap()["required"], json!(["moves", "applies"]));
    // The file of the last message counts more than the events; a failed turn says why.
    script(&mut home, "codex", &format!("cat >/dev/null; printf '%s' '{APPLIES}' >reply.json"));
    assert_eq!(home.send(&question())["applies"][0]["grade"], 3);
    let failed = json!({"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}});
    script(&mut home, "codex", &format!("cat >/dev/null; echo '{failed}'"));
    assert_eq!(home.send(&question())["reason"], "auth");
}

#[test]
fn inside_a_model_no_hook_does_anything() {
    let home = Home::new(&json!({}));
    let mut command = home.command(&["--harness", "claude"]);
    let mut child = command.env("AH_JUDGE", "1").spawn().unwrap();
    let event = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": home.dir.path(), "last_assistant_message": "x"});
    // It may leave before it reads.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), event.to_string().as_bytes());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty());
    assert!(!home.path("state").exists());
}
