//! A bootstrap that is killed at any step, several at once, and a harness that rewrites its settings meanwhile.

use crate::bootstrap_home::{Home, Tree};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const APPLY: &[&str] = &["--harness", "all", "--apply"];
const REMOVE: &[&str] = &["--remove", "--apply"];
const CLAUDE: &str = ".claude/settings.json";
const CODEX: &str = ".codex/hooks.json";

/// The command, to be killed at its system call `at`; `None` where nobody can do that.
fn killed_at(home: &Home, args: &[&str], at: usize) -> Option<Command> {
    let whole = home.command(args);
    let mut command = Command::new("python3");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kill_at.py");
    command.arg(script).arg(at.to_string()).arg(whole.get_program()).args(whole.get_args());
    command.env_clear().envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(home.path());
    command.stdin(Stdio::null()).stderr(Stdio::null());
    Command::new("python3").arg("-V").output().is_ok().then_some(command)
}

/// How many system calls a whole run has.
fn calls(home: &Home, args: &[&str]) -> Option<usize> {
    let output = killed_at(home, args, usize::MAX >> 1)?.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = text.lines().last()?.trim().parse().ok();
    if count.is_none() {
        println!("SKIP ptrace: {:?}", output.status);
    }
    count
}

/// The settings files as they are now; each must be one of its two states.
fn either(home: &Home, one: &Tree, other: &Tree, step: usize) {
    let now = home.tree();
    for file in [CLAUDE, CODEX] {
        let path: PathBuf = home.path().join(file);
        let here = now.get(&path);
        assert!(here == one.get(&path) || here == other.get(&path), "{step}: {file} is between: {here:?}");
    }
}

/// What two trees do not share.
fn differences(one: &Tree, other: &Tree) -> String {
    let names: std::collections::BTreeSet<&PathBuf> = one.keys().chain(other.keys()).collect();
    let text = |tree: &Tree, name| tree.get(name).map(|(mode, bytes)| format!("{mode:o} {}", String::from_utf8_lossy(bytes)));
    let apart = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
    apart.map(|name| format!("{}: {:?} / {:?}\n", name.display(), text(one, name), text(other, name))).collect()
}

#[test]
fn killed_at_any_step_it_leaves_either_state_and_the_next_run_heals() {
    let home = Home::new();
    home.write(CLAUDE, "{\n  \"model\": \"opus\"\n}\n");
    let before = home.tree();
    let Some(count) = calls(&home, APPLY) else { return };
    let applied = home.tree();
    assert!(count > 200 && applied != before, "{count}");
    home.ok(REMOVE);
    assert!(home.tree() == before);
    let mut at = 1;
    while at < count {
        let code = killed_at(&home, APPLY, at).unwrap().status().unwrap().code();
        assert!(matches!(code, Some(0 | 9)), "{at}: {code:?}");
        either(&home, &before, &applied, at);
        if at % 2 == 0 {
            home.ok(APPLY);
            assert!(home.tree() == applied, "{at}: apply did not heal: {}", differences(&home.tree(), &applied));
        }
        home.ok(REMOVE);
        assert!(home.tree() == before, "{at}: remove did not heal: {:?}", home.tree().keys());
        // Reading itself and starting programs is a long way; the rest is looked at closely.
        at += if at < count / 2 { 41 } else { 7 };
    }
    home.ok(APPLY);
    let Some(count) = calls(&home, REMOVE) else { return };
    assert!(home.tree() == before);
    let mut at = 1;
    while at < count {
        home.ok(APPLY);
        killed_at(&home, REMOVE, at).unwrap().status().unwrap();
        either(&home, &before, &applied, at);
        if at % 2 == 0 {
            home.ok(APPLY);
            assert!(home.tree() == applied, "{at}: apply did not heal a removal: {}", differences(&home.tree(), &applied));
        }
        home.ok(REMOVE);
        assert!(home.tree() == before, "{at}: remove did not heal: {:?}", home.tree().keys());
        at += if at < count / 2 { 41 } else { 7 };
    }
}

#[test]
fn eight_at_once_register_once() {
    let home = Home::new();
    home.write(CLAUDE, "{}");
    let before = home.tree();
    let start =
        |args: &[&str]| -> Vec<Child> { (0..8).map(|_| home.command(args).stdout(Stdio::null()).spawn().unwrap()).collect() };
    let all = |children: Vec<Child>| children.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
    all(start(APPLY));
    for file in [CLAUDE, CODEX] {
        let read: Value = serde_json::from_str(&home.read(file)).unwrap();
        assert_eq!(read["hooks"]["PreToolUse"].as_array().unwrap().len(), 1, "{file}");
    }
    home.ok(&["verify"]);
    let mut mixed = start(APPLY);
    mixed.extend(start(REMOVE));
    all(mixed);
    all(start(REMOVE));
    assert!(home.tree() == before);
}

#[test]
fn nothing_that_a_harness_writes_meanwhile_is_lost() {
    let home = Home::new();
    home.write(CLAUDE, "{\"n\": 0}");
    let done = AtomicBool::new(false);
    let file = home.path().join(CLAUDE);
    let last = std::thread::scope(|scope| {
        // As a careful harness does: read, change, write beside, rename; never over what it did not read.
        let writer = scope.spawn(|| {
            let mut last = 0;
            while !done.load(Ordering::Relaxed) {
                let text = std::fs::read_to_string(&file).unwrap();
                let mut all: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
                assert_eq!(all["n"].as_u64().unwrap(), last, "a write was lost: {text}");
                last += 1;
                all["n"] = last.into();
                let beside = home.path().join(".claude/beside");
                std::fs::write(&beside, all.to_string()).unwrap();
                if std::fs::read_to_string(&file).unwrap() != text {
                    last -= 1;
                    continue;
                }
                std::fs::rename(&beside, &file).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            last
        });
        for _ in 0..10 {
            home.ok(&["--harness", "claude", "--apply", "--again"]);
            home.ok(&["--remove", "--harness", "claude", "--apply"]);
        }
        done.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    let _ = std::fs::remove_file(home.path().join(".claude/beside"));
    let left: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    assert_eq!(left, serde_json::json!({"n": last}));
    assert!(last > 3, "the other wrote only {last} times");
}
