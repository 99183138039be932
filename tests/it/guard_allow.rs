//! A person's way through: once, for exactly one call, and only for a person.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::guard_run::{GUARD, Run, bash, call, claude, codex, dirty, feed, guard, hook};
use crate::support::TestRepo;

const HARD: &str = "git reset --hard";

/// The lines of the audit, oldest first.
pub fn audit(t: &TestRepo) -> Vec<Value> {
    let text = fs::read_to_string(t.root().join("ah/state/guard.jsonl")).unwrap_or_default();
    text.lines().map(|l| serde_json::from_str(l).expect("a line of JSON")).collect()
}

/// The code of the last denial.
pub fn code(t: &TestRepo) -> String {
    audit(t).last().expect("a line")["code"].as_str().expect("a code").to_owned()
}

/// Runs the guard on a terminal of its own, below no other program, where `answer` is typed to its question. What the terminal
/// showed, and the exit code.
fn at_terminal(t: &TestRepo, answer: &str, args: &[&str]) -> (String, i32) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/terminal.py");
    let like = guard(t);
    let mut command = Command::new("python3");
    command.arg(script).arg(answer).arg(GUARD).args(args).env_clear().current_dir(t.work()).stdin(Stdio::null());
    command.envs(like.get_envs().filter_map(|(n, v)| Some((n, v?))));
    let out = command.output().expect("python3");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let code = text.trim_end().rsplit("exit ").next().and_then(|c| c.parse().ok());
    (text.clone(), code.unwrap_or_else(|| panic!("no exit code: {text} {}", String::from_utf8_lossy(&out.stderr))))
}

#[test]
fn a_denial_has_a_code_and_keeps_it() {
    let t = dirty();
    let (verdict, text) = hook(&t, &bash(&t, HARD)).answer();
    let first = code(&t);
    assert_eq!(verdict, "deny");
    assert!(first.len() == 4 && !first.contains(['0', 'o', '1', 'l', 'i']), "{first}");
    assert!(text.contains(&format!("ah-git-guard allow {first}")) && text.contains("(rule tree.discard)"), "{text}");
    hook(&t, &bash(&t, HARD));
    assert_eq!(code(&t), first);
    hook(&t, &bash(&t, "git checkout -- a.txt"));
    assert_ne!(code(&t), first);
}

#[test]
fn it_passes_once_byte_for_byte_in_its_directory() {
    let t = dirty();
    t.write("sub/b.txt", "x\n");
    hook(&t, &bash(&t, HARD));
    let (shown, exit) = at_terminal(&t, "WORD", &["allow", &code(&t).to_uppercase()]);
    assert_eq!(exit, 0, "{shown}");
    for part in [HARD, "tree.discard", "a.txt (unsaved edit)", "ago"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(hook(&t, &bash(&t, "git reset --hard ")).verdict(), "deny", "another text");
    let below = claude(&t.work().join("sub"), "Bash", json!({"command": HARD}));
    assert_eq!(hook(&t, &below).verdict(), "deny", "another directory");
    let probe = feed(guard(&t).arg("--jsonl"), format!("{}\n", bash(&t, HARD)).as_bytes());
    assert!(probe.stdout.contains("deny"), "a probe uses nothing up: {probe:?}");
    assert_eq!(hook(&t, &bash(&t, HARD)).answer(), ("allow".into(), String::new()));
    assert_eq!(audit(&t).last().unwrap()["verdict"], "granted");
    let spent = code(&t);
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
    assert_ne!(code(&t), spent, "a code that was used is not used again");
}

#[test]
fn it_passes_on_codex_and_for_a_file_tool() {
    let t = dirty();
    let event = codex(&t.work(), "Bash", HARD);
    assert_eq!(hook(&t, &event).verdict(), "deny");
    assert_eq!(at_terminal(&t, "WORD", &["allow", &code(&t)]).1, 0);
    assert_eq!(hook(&t, &event).verdict(), "allow");
    let write = |text: &str| claude(&t.work(), "Write", json!({"file_path": t.work().join(".git/config"), "content": text}));
    assert_eq!(hook(&t, &write("secret text")).verdict(), "deny");
    let line = audit(&t).pop().unwrap();
    assert!(line["command"].as_str().unwrap().starts_with("Write /") && !line.to_string().contains("secret text"), "{line}");
    assert_eq!(at_terminal(&t, "WORD", &["allow", &code(&t)]).1, 0);
    assert_eq!(hook(&t, &write("other text")).verdict(), "deny");
    assert_eq!(hook(&t, &write("secret text")).verdict(), "allow");
}

#[test]
fn of_two_at_once_one_passes() {
    let t = dirty();
    hook(&t, &bash(&t, HARD));
    assert_eq!(at_terminal(&t, "WORD", &["allow", &code(&t)]).1, 0);
    let event = bash(&t, HARD);
    let passed: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| usize::from(hook(&t, &event).verdict() == "allow"))).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(passed, 1);
}

#[test]
fn a_command_can_be_let_through_beforehand() {
    let t = dirty();
    let (shown, exit) = at_terminal(&t, "WORD", &["allow", "--cwd", t.work().to_str().unwrap(), "--", HARD]);
    assert!(exit == 0 && shown.contains("a.txt"), "{shown}");
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "allow");
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
    assert_eq!(call(&t, ["allow", "--"]).code, Some(64));
}

#[test]
fn a_grant_ends() {
    let t = dirty();
    hook(&t, &bash(&t, HARD));
    assert_eq!(at_terminal(&t, "WORD", &["allow", &code(&t)]).1, 0);
    let file = t.root().join("ah/state/allow.jsonl");
    assert_eq!(crate::ground::mode(&file), 0o600);
    let mut grant: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(grant["until"].as_u64().unwrap() - grant["t"].as_u64().unwrap(), 600_000);
    grant["until"] = (grant["t"].as_u64().unwrap() - 1).into();
    fs::write(&file, format!("{grant}\n")).unwrap();
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
}

#[test]
fn without_a_person_it_is_refused_and_on_record() {
    let t = dirty();
    hook(&t, &bash(&t, HARD));
    let code = code(&t);
    let refused = |run: &Run, why: &str| {
        assert_eq!(run.code, Some(77), "{run:?}");
        assert!(run.stderr.contains(why), "{run:?}");
        let line = audit(&t).pop().unwrap();
        assert_eq!((&line["rules"][0], &line["verdict"]), (&"ah.disarm".into(), &"deny".into()));
        assert!(line["detail"].as_str().unwrap().contains(why), "{line}");
    };
    refused(&call(&t, ["allow", &code]), "allow refused");
    refused(&call(&t, ["allow", "--", HARD]), "allow refused");
    // Input that is piped in answers nothing.
    refused(&feed(guard(&t).args(["allow", &code]), b"y\ny\ny\n"), "allow refused");
    for (answer, why) in [("y", "not the word"), ("", "not the word"), (code.as_str(), "not the word")] {
        let (shown, exit) = at_terminal(&t, answer, &["allow", &code]);
        assert!(exit == 77 && shown.contains(why), "{shown}");
    }
    assert!(!t.root().join("ah/state/allow.jsonl").exists());
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
}

#[test]
fn below_a_harness_it_is_refused_whatever_terminal_there_is() {
    let t = dirty();
    hook(&t, &bash(&t, HARD));
    let code = code(&t);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/terminal.py");
    for name in ["claude", "codex", "/opt/claude/versions/2.1.0"] {
        // A shell under the harness's name starts the guard on a good terminal.
        let line = format!("{GUARD} allow {code}; echo status $?");
        let mut command = Command::new("python3");
        command.arg(&script).args(["WORD", "bash", "-c"]).arg(format!("(exec -a {name} bash -c '{line}')"));
        command.env_clear().envs(guard(&t).get_envs().filter_map(|(n, v)| Some((n, v?)))).current_dir(t.work());
        let out = command.stdin(Stdio::null()).output().unwrap();
        let shown = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(shown.contains("open another terminal") && shown.contains("status 77"), "{name}: {shown}");
    }
    // A variable that a person's shell inherited says nothing.
    let mut command = Command::new("python3");
    command.arg(&script).args(["WORD", GUARD, "allow", &code]).env_clear().env("CLAUDECODE", "1").current_dir(t.work());
    command.envs(guard(&t).get_envs().filter_map(|(n, v)| Some((n, v?))));
    let out = command.stdin(Stdio::null()).output().unwrap();
    assert!(String::from_utf8_lossy(&out.stdout).contains("exit 0"), "{out:?}");
}

#[test]
fn allow_alone_lists_what_was_stopped() {
    let t = dirty();
    assert_eq!((call(&t, ["allow"]).stdout.as_str(), call(&t, ["allow"]).code), ("", Some(0)));
    hook(&t, &bash(&t, HARD));
    let first = code(&t);
    hook(&t, &bash(&t, "git checkout -- a.txt #\u{1b}[31m\u{202e}"));
    hook(&t, &bash(&t, HARD));
    let listed = call(&t, ["allow"]).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with(&first) && lines[0].ends_with(HARD), "{listed}");
    assert!(!listed.contains('\u{1b}') && !listed.contains('\u{202e}'), "{listed}");
    let json: Value = serde_json::from_str(&call(&t, ["allow", "--json"]).stdout).unwrap();
    assert_eq!((&json["v"], &json["denials"][0]["code"]), (&1.into(), &first.as_str().into()));
    for bad in ["zzzz", "", "\"", "a b"] {
        assert_eq!(call(&t, ["allow", bad]).code, Some(1), "{bad}");
    }
    assert_eq!(call(&t, ["allow", "a", "b"]).code, Some(64));
}

#[test]
fn the_third_time_it_only_says_whom_to_ask() {
    let t = dirty();
    let denied = || hook(&t, &bash(&t, HARD)).answer().1;
    assert_eq!([denied(), denied()].iter().filter(|m| m.contains("a.txt")).count(), 2);
    let third = denied();
    assert_eq!(third.lines().count(), 2, "{third}");
    assert!(third.contains("Ask the person") && third.contains(&format!("allow {}", code(&t))), "{third}");
    let mut other = bash(&t, HARD);
    other["session_id"] = "another".into();
    assert!(hook(&t, &other).answer().1.contains("a.txt"), "each session hears it all");
}

#[test]
fn broken_files_of_ours_let_nothing_through_and_stop_nobody() {
    for broken in ["{\"v\":1}\n[]\nnull\n\0\u{1}\n{\"v\":1,\"code\":7}\n", &"x".repeat(3 << 20), "{\"v\":1,\"code\":\"k7f2\""] {
        let t = dirty();
        fs::create_dir_all(t.root().join("ah/state")).unwrap();
        for name in ["allow.jsonl", "guard.jsonl", "guard.old.jsonl"] {
            fs::write(t.root().join("ah/state").join(name), broken).unwrap();
        }
        let (verdict, text) = hook(&t, &bash(&t, HARD)).answer();
        assert!(verdict == "deny" && text.contains("ah-git-guard allow"), "{text}");
        let listed = call(&t, ["allow"]);
        assert!(listed.code == Some(0) && listed.stdout.ends_with("git reset --hard\n"), "{listed:?}");
        assert_eq!(call(&t, ["log"]).code, Some(0));
    }
    let t = dirty();
    fs::create_dir_all(t.root().join("ah/state")).unwrap();
    for name in ["allow.jsonl", "guard.jsonl", "guard.old.jsonl", "allow.lock"] {
        assert!(Command::new("mkfifo").arg(t.root().join("ah/state").join(name)).status().unwrap().success());
    }
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
    for args in [&["allow"][..], &["log"], &["allow", "k7f2"], &["report", "k7f2", "-"]] {
        assert!(matches!(call(&t, args).code, Some(0 | 1)), "{args:?}");
    }
}

#[test]
fn an_entry_of_the_policy_lets_through() {
    let t = dirty();
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    let entry = |command: &str, until: &str| {
        let allow = json!({"rule": "tree.discard", "repo": t.work(), "command": command, "until": until});
        let config = json!({"git_guard": {"allow": [allow]}});
        fs::write(t.root().join("ah/config/config.json"), config.to_string()).unwrap();
    };
    entry("git reset *", "2099-12-31");
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "allow");
    assert_eq!(audit(&t).pop().unwrap()["verdict"], "granted");
    assert_eq!(call(&t, ["check", "--", HARD]).code, Some(0));
    assert_eq!(hook(&t, &bash(&t, "git checkout -- a.txt")).verdict(), "deny");
    t.write("new.txt", "x");
    assert_eq!(hook(&t, &bash(&t, "git reset --hard; git clean -fd")).verdict(), "deny", "what stands beside it");
    entry("git reset *", "2020-12-31");
    assert_eq!(hook(&t, &bash(&t, HARD)).verdict(), "deny");
}
