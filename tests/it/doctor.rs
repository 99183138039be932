//! ah-doctor finds planted faults, each by its own code, mends what can be mended, and leaves what it looks at as it was.

use crate::doctor_faults::{FAULTS, claude};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

const PROGRAMS: &[(&str, &str)] = &[
    ("ah-bootstrap", env!("CARGO_BIN_EXE_ah-bootstrap")),
    ("ah-doctor", env!("CARGO_BIN_EXE_ah-doctor")),
    ("ah-git-guard", env!("CARGO_BIN_EXE_ah-git-guard")),
    ("ah-judge", env!("CARGO_BIN_EXE_ah-judge")),
    ("ah-mesh", env!("CARGO_BIN_EXE_ah-mesh")),
    ("ah-prefilter", env!("CARGO_BIN_EXE_ah-prefilter")),
];

/// An installation of its own: programs, home and ah's places below one folder.
pub struct Place {
    dir: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let place = Self { dir: TempDir::new().unwrap() };
        for dir in ["bin", "home", "ah/state/sessions", "ah/data", "ah/config", "work"] {
            fs::create_dir_all(place.at(dir)).unwrap();
        }
        for dir in ["ah/state", "ah/state/sessions", "ah/data", "ah/config"] {
            fs::set_permissions(place.at(dir), fs::Permissions::from_mode(0o700)).unwrap();
        }
        place.install();
        place
    }

    /// Puts the programs where they belong, whatever stands there.
    pub fn install(&self) {
        for (name, file) in PROGRAMS {
            let to = self.at("bin").join(name);
            let _ = fs::remove_file(&to);
            fs::hard_link(file, &to).or_else(|_| fs::copy(file, &to).map(drop)).unwrap();
        }
    }

    /// A program with this installation's places and nothing else of the environment.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let path = std::env::join_paths([self.at("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
        let mut command = Command::new(program);
        command.current_dir(self.at("work")).env_clear().env("AH_HOME", self.at("ah")).env("HOME", self.at("home"));
        command.env("PATH", path).stdin(Stdio::null());
        command
    }

    /// Runs what a finding proposes, as somebody who copies it.
    pub fn sh(&self, command: &str) {
        let done = self.command("/bin/sh").args(["-c", command]).output().unwrap();
        assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    }

    pub fn at(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    pub fn doctor(&self, args: &[&str]) -> Output {
        self.command(self.at("bin/ah-doctor")).args(args).output().unwrap()
    }

    pub fn codes(&self, args: &[&str]) -> Vec<String> {
        let mut all = args.to_vec();
        all.push("--json");
        let report: Value = serde_json::from_slice(&self.doctor(&all).stdout).unwrap();
        let checks = report["checks"].as_array().unwrap();
        checks.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
    }

    /// Every file below the folder with its content and time.
    fn tree(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        fn walk(dir: &Path, all: &mut BTreeMap<PathBuf, (Vec<u8>, SystemTime)>) {
            for entry in fs::read_dir(dir).unwrap().flatten() {
                let (path, meta) = (entry.path(), entry.metadata().unwrap());
                if meta.is_dir() {
                    walk(&path, all);
                }
                let text = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
                all.insert(path, (text, meta.modified().unwrap()));
            }
        }
        let mut all = BTreeMap::new();
        walk(&self.at("ah"), &mut all);
        walk(&self.at("home"), &mut all);
        all
    }
}

#[test]
fn a_pipe_of_two_programs_is_one_registration() {
    let place = Place::new();
    place.sh("ah-bootstrap --harness claude,codex --with judge,mesh --apply --yes");
    let codes = place.codes(&["agents"]);
    assert!(codes.contains(&"agents.ok".to_owned()) && !codes.contains(&"agents.incomplete".to_owned()), "{codes:?}");
}

#[test]
fn a_healthy_registration_has_no_finding() {
    let place = Place::new();
    claude(&place, |_| {});
    let done = place.doctor(&["agents"]);
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && text.contains("4 hooks ran as Claude Code runs them"), "{text}");
}

#[test]
fn each_planted_fault_is_found_by_its_code() {
    let healthy = Place::new().codes(&[]);
    for (code, plant) in FAULTS {
        assert!(!healthy.iter().any(|found| found == code), "{code} on a healthy place");
        let place = Place::new();
        plant(&place);
        let found = place.codes(&[]);
        assert!(found.iter().any(|found| found == code), "{code}: {found:?}");
    }
}

#[test]
fn the_report_is_what_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../data/schemas/ah-doctor.json")).unwrap();
    for (code, plant) in FAULTS {
        let place = Place::new();
        plant(&place);
        let report: Value = serde_json::from_slice(&place.doctor(&["--json"]).stdout).unwrap();
        let found = crate::answers::objections(&schema, &schema, &report, "report");
        assert!(found.is_empty(), "{code}: {found:?}");
        let failing = report["checks"].as_array().unwrap().iter().filter(|finding| finding["level"] == "fail");
        for finding in failing {
            assert!(finding["fix"]["command"].as_str().is_some_and(|command| !command.is_empty()), "{finding}");
        }
    }
}

#[test]
fn a_look_leaves_everything_as_it_was() {
    for (code, plant) in FAULTS {
        let place = Place::new();
        plant(&place);
        let before = place.tree();
        place.doctor(&[]);
        place.doctor(&["--json"]);
        assert!(place.tree() == before, "{code}");
    }
}

#[test]
fn what_is_safe_is_mended_and_looked_at_again() {
    let place = Place::new();
    fs::set_permissions(place.at("ah/state"), fs::Permissions::from_mode(0o777)).unwrap();
    let said = place.doctor(&["--fix", "state"]);
    let text = String::from_utf8(said.stdout).unwrap();
    assert!(text.contains("mended") && !text.contains("warn"), "{text}");
    assert_eq!(fs::metadata(place.at("ah/state")).unwrap().permissions().mode() & 0o777, 0o700);
}

/// As a hook at the start of a session runs it: a harness may have written its settings anew, without ours.
#[test]
fn a_hook_that_vanished_is_said_and_health_is_silent() {
    let place = Place::new();
    claude(&place, |_| {});
    let healthy = place.doctor(&["--quiet", "agents", "programs"]);
    assert!(healthy.status.success() && healthy.stdout.is_empty(), "{}", String::from_utf8_lossy(&healthy.stdout));
    place.write("home/.claude/settings.json", "{\"model\": \"x\"}");
    let gone = place.doctor(&["--quiet", "agents"]);
    let text = String::from_utf8(gone.stdout).unwrap();
    assert!(gone.status.code() == Some(1) && text.contains("not registered") && text.lines().count() == 1, "{text}");
}

#[test]
fn a_check_that_does_not_exist_is_an_error() {
    let place = Place::new();
    for args in [&["progams"][..], &["programs", "locs"]] {
        assert_eq!(place.doctor(args).status.code(), Some(64));
    }
    let list = String::from_utf8(place.doctor(&["--list"]).stdout).unwrap();
    for name in list.lines() {
        assert!(matches!(place.doctor(&[name]).status.code(), Some(0 | 1)), "{name}");
    }
}

#[test]
fn a_lock_held_for_a_moment_is_no_fault() {
    let place = Place::new();
    let _held = ah::fs::lock(&place.at("ah/state/sessions/a.lock"), Duration::ZERO).unwrap();
    let text = String::from_utf8(place.doctor(&["locks"]).stdout).unwrap();
    assert!(text.contains("1 held this moment"), "{text}");
}

#[test]
fn off_is_for_a_person() {
    let place = Place::new();
    assert_eq!(place.doctor(&["off"]).status.code(), Some(77));
    assert!(!place.at("ah/state/off").exists());
    assert_eq!(place.doctor(&["off", "nothing"]).status.code(), Some(64));
    assert_eq!(place.doctor(&["off", "judge", "--for", "soon"]).status.code(), Some(64));
    place.write("ah/state/off/ah-mesh", "");
    assert_eq!(place.doctor(&["on", "mesh"]).status.code(), Some(0));
    assert!(!place.at("ah/state/off/ah-mesh").exists());
}

#[test]
fn what_was_recorded_is_forgotten_and_nothing_else() {
    let place = Place::new();
    let line = |session: &str| format!("{{\"v\":1,\"t\":1,\"verdict\":\"deny\",\"session\":\"{session}\",\"repo\":\"r\"}}\n");
    place.write("ah/state/guard.jsonl", line("one") + &line("two"));
    place.write("ah/state/sessions/one.jsonl", "{\"v\":1,\"session\":\"one\",\"scope\":\"s\"}\n");
    place.write("ah/state/sessions/two.jsonl", "{\"v\":1,\"session\":\"two\",\"scope\":\"s\"}\n");
    assert_eq!(place.doctor(&["forget", "--session", "one"]).status.code(), Some(64), "without --yes nobody agreed");
    assert_eq!(place.doctor(&["forget"]).status.code(), Some(64));
    assert_eq!(place.doctor(&["forget", "--session", "one", "--yes"]).status.code(), Some(0));
    assert!(!place.at("ah/state/sessions/one.jsonl").exists() && place.at("ah/state/sessions/two.jsonl").exists());
    assert_eq!(fs::read_to_string(place.at("ah/state/guard.jsonl")).unwrap(), line("two"));
    place.write("ah/state/snapshots/keep", "");
    assert_eq!(place.doctor(&["forget", "--all", "-y"]).status.code(), Some(0));
    assert!(!place.at("ah/state/sessions").exists() && place.at("ah/state/snapshots/keep").exists());
}

#[test]
fn what_was_done_is_counted() {
    let place = Place::new();
    let line = |t: u64, verdict: &str| format!("{{\"v\":1,\"t\":{t},\"verdict\":\"{verdict}\"}}\n");
    place.write("ah/state/guard.jsonl", line(1, "deny") + &line(ah::clock::now_ms(), "let-through"));
    let status = |args: &[&str]| -> Value { serde_json::from_slice(&place.doctor(args).stdout).unwrap() };
    let all = status(&["status", "--json"]);
    assert_eq!((&all["guard"]["deny"], &all["guard"]["let-through"]), (&1.into(), &1.into()));
    let now = status(&["status", "--json", "--since", "1h"]);
    assert_eq!((&now["guard"]["deny"], &now["guard"]["let-through"]), (&Value::Null, &1.into()));
    assert_eq!(place.doctor(&["status", "--since", "soon"]).status.code(), Some(64));
    let text = String::from_utf8(place.doctor(&["status"]).stdout).unwrap();
    assert!(text.contains("1 stopped") && text.contains("1 after a snapshot"), "{text}");
}

#[test]
fn the_demonstration_is_as_expected() {
    let done = Place::new().doctor(&["demo"]);
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && text.contains("6 of 6 as expected"), "{text}");
}
