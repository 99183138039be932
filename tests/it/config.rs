//! Settings: layers, the floor, what a repository may do, and that no mistake removes the guard.

use crate::ground::{paths_in, write};
use ah::config::{Config, Fail, Hooks, NoPrompt, OnLoss, Origin, Problem, Profile, Severity, Verdict};
use std::ffi::OsString;
use std::path::Path;
use tempfile::TempDir;

/// A home, a floor and a repository, each with a config where one is given.
struct World(TempDir);

impl World {
    fn new(person: &str, system: &str, repo: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        for (place, text) in [("home/.config/ah", person), ("etc", system), ("repo/.ah", repo)] {
            if !text.is_empty() {
                write(&world.dir().join(place).join("config.json"), text);
            }
        }
        world
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn load(&self) -> (Config, Vec<Problem>) {
        self.load_with(&[])
    }

    fn load_with(&self, vars: &[(&str, &str)]) -> (Config, Vec<Problem>) {
        let look = |name: &str| {
            let found = vars.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(found.1))
        };
        Config::load_with(&paths_in(self.dir()), Some(&self.dir().join("repo")), &look)
    }
}

fn person(text: &str) -> (Config, Vec<Problem>) {
    World::new(text, "", "").load()
}

#[test]
fn without_files_all_is_built_in() {
    let (config, problems) = World::new("", "", "").load();
    assert!(problems.is_empty() && !config.invalid && !config.silent);
    assert_eq!(config.git_guard, ah::config::GitGuard::default());
    assert_eq!(config.origin("git_guard.on_loss"), Origin::BuiltIn);
    assert!(config.default.is_none() && config.off.is_empty());
}

#[test]
fn a_person_sets_everything() {
    let world = World::new(
        r#"{ // comments, and a comma too many
          "v": 1, "off": ["~/secret", "/srv/x"], "default": "work", "migrate": "borg",
          "collectives": [{"name": "work", "paths": ["~/work"], "share": "local"}, {"name": "my team", "paths": []}],
          "engineers": [{"name": "Ada", "emails": ["Ada@Example.test", "a@b.test"]}],
          "git_guard": {
            "protected": ["main"], "on_loss": "snapshot", "no_prompt": "deny", "fail": "closed", "hooks": "off",
            "verdicts": {"git.reset.hard": "ask"},
            "rules": [{"run": ["terraform", "destroy"], "verdict": "ask", "why": "shared state"}],
            "allow": [{"rule": "git.clean", "repo": "*", "command": "git clean -fd", "until": "2026-12-31"}],
            "snapshot": {"max_mb": 100, "turns": false}, "audit": {"file": "~/audit.jsonl"},
          },
          "judge": {"model": "words"}, "mesh": {"claims": "tell"},
        }"#,
        "",
        "",
    );
    let (config, problems) = world.load();
    assert!(problems.is_empty(), "{problems:?}");
    let home = world.dir().join("home");
    assert_eq!(config.off, [home.join("secret"), "/srv/x".into()]);
    assert_eq!((config.default.as_deref(), config.migrate.as_deref()), (Some("work"), Some("borg")));
    assert_eq!(config.collectives[0].store, "work");
    assert!(config.collectives[1].store.starts_with("my_team-"));
    assert_eq!(config.engineer("ADA@example.test"), "Ada");
    assert_eq!(config.engineer("x@y"), "x@y");
    let guard = &config.git_guard;
    assert_eq!(guard.protected, ["main"]);
    assert_eq!((guard.on_loss, guard.no_prompt), (OnLoss::Snapshot, NoPrompt::Deny));
    assert_eq!((guard.fail, guard.hooks), (Fail::Closed, Hooks::Off));
    assert_eq!(guard.verdict("git.reset.hard", Verdict::Deny), Verdict::Ask);
    assert_eq!(guard.verdict("other", Verdict::Deny), Verdict::Deny);
    assert_eq!(guard.rules[0].run, ["terraform", "destroy"]);
    assert_eq!(guard.allow[0].until, 1_798_761_599_999);
    assert_eq!((guard.snapshot.max_mb, guard.snapshot.turns, guard.snapshot.keep), (100, false, 200));
    assert_eq!(guard.audit_file.as_deref(), Some(&*home.join("audit.jsonl")));
    assert_eq!(config.origin("git_guard.snapshot.max_mb"), Origin::Person);
    assert_eq!(config.judge().unwrap()["model"], "words");
}

#[test]
fn the_floor_cannot_be_loosened() {
    let floor = r#"{"off": ["/srv"], "profile": "person", "judge": {"model": "off", "per_day": {"asks": 1}},
      "git_guard": {"on_loss": "deny", "no_prompt": "snapshot", "hooks": "ask", "protected": ["prod/*"],
        "verdicts": {"a": "ask", "b": "note"}, "rules": [{"run": ["x"], "verdict": "deny"}],
        "snapshot": {"keep_days": 30, "max_mb": 10, "turns": true}}}"#;
    let mine = r#"{"judge": {"model": "chat:x", "per_day": {"tokens": 5}},
      "git_guard": {"on_loss": "snapshot", "no_prompt": "deny", "hooks": "deny", "protected": ["main"],
        "verdicts": {"a": "allow", "b": "deny"}, "snapshot": {"keep_days": 1, "turns": false},
        "allow": [{"rule": "a", "repo": "*", "command": "*", "until": "2099-01-01"},
                  {"rule": "c", "repo": "*", "command": "*", "until": "2099-01-01"}]}}"#;
    let world = World::new(mine, floor, "");
    let (config, problems) = world.load_with(&[("AH_ON_LOSS", "own"), ("AH_PROFILE", "ci"), ("AH_OFF", "0")]);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(!config.invalid && !config.silent);
    let guard = &config.git_guard;
    assert_eq!((guard.on_loss, guard.no_prompt, guard.hooks), (OnLoss::Deny, NoPrompt::Deny, Hooks::Deny));
    assert_eq!(guard.protected, ["main", "prod/*"]);
    assert_eq!(guard.verdict("a", Verdict::Allow), Verdict::Ask);
    assert_eq!(guard.verdict("b", Verdict::Allow), Verdict::Deny);
    assert_eq!((guard.snapshot.keep_days, guard.snapshot.max_mb, guard.snapshot.turns), (30, 200, true));
    assert_eq!(guard.allow.len(), 1);
    assert_eq!(guard.rules[0].from, Origin::System);
    assert_eq!(config.origin("git_guard.on_loss"), Origin::System);
    assert_eq!(config.origin("git_guard.no_prompt"), Origin::Person);
    assert_eq!(config.origin("git_guard.protected[1]"), Origin::System);
    assert_eq!(config.profile, Profile::Person);
    let judge = config.judge().unwrap();
    assert_eq!((&judge["model"], &judge["per_day"]["asks"]), (&"off".into(), &1.into()));
    assert_eq!(judge["per_day"]["tokens"], 5);
}

#[test]
fn a_repository_only_tightens() {
    let repo = r#"{"off": true, "min_version": "99.0.0", "collectives": [{"name": "evil", "paths": ["/"]}],
      "judge": {"command": ["sh"]}, "default": "evil", "profile": "ci", "git_guard": {
        "on_loss": "snapshot", "no_prompt": "deny", "protected": ["dev"], "fail": "open",
        "verdicts": {"a": "allow", "b": "deny"}, "rules": [{"run": ["make", "wipe"], "verdict": "deny"}],
        "allow": [{"rule": "a", "repo": "*", "command": "*", "until": "2099-01-01"}],
        "snapshot": {"turns": false}, "audit": {"file": "/tmp/x"}}}"#;
    let world = World::new("", "", repo);
    let (config, problems) = world.load();
    assert!(!config.invalid && problems.iter().all(|p| p.severity == Severity::Warning), "{problems:?}");
    assert_eq!(problems.len(), 8, "{problems:#?}");
    let guard = &config.git_guard;
    assert_eq!((guard.on_loss, guard.no_prompt), (OnLoss::Own, NoPrompt::Deny));
    assert!(guard.allow.is_empty() && guard.audit_file.is_none() && guard.snapshot.turns);
    assert_eq!(guard.protected, ["main", "master", "trunk", "release/*", "dev"]);
    assert_eq!(guard.verdict("a", Verdict::Ask), Verdict::Ask);
    assert_eq!(guard.verdict("b", Verdict::Note), Verdict::Deny);
    assert_eq!(guard.rules.len(), 1);
    assert!(config.collectives.is_empty() && config.judge().is_none() && config.default.is_none());
    assert_eq!(config.off, [world.dir().join("repo")]);
    assert_eq!(config.profile, Profile::Person);
}

#[test]
fn every_error_names_its_place() {
    for (text, place, expected) in [
        ("{\n  \"v\": 2\n}", "2:8: v", "expected 1"),
        ("{\"off\": \"x\"}", "1:9: off", "expected a list; found \"x\""),
        ("{\"off\": [\"work\"]}", "1:10: off[0]", "expected an absolute path"),
        ("{\"git_guard\":\n {\"on_loss\": \"never\"}}", "2:14: git_guard.on_loss", "one of \"deny\", \"own\", \"snapshot\""),
        ("{\"git_guard\": {\"rules\": [{\"run\": []}]}}", "1:26: git_guard.rules[0]", "\"run\""),
        ("{\"git_guard\": {\"snapshot\": {\"max_mb\": -1}}}", "1:39: git_guard.snapshot.max_mb", "a whole number from 1"),
        ("{\"git_guard\": {\"allow\": [{\"until\": \"soon\"}]}}", "1:36: git_guard.allow[0].until", "a day like"),
        ("{\"judge\": 3}", "1:11: judge", "expected an object; found 3"),
        ("{\"profile\": null}", "1:13: profile", "found null"),
        ("{\"off\": [], \"off\": []}", "1:20: off", "given twice"),
        ("{\"collectives\": [{\"name\": \"a\"}, {\"name\": \"A\"}]}", "1:33: collectives[1]", "shares no folder"),
        ("{\"engineers\": [{\"name\": \"a\", \"x\": 1}]}", "1:35: engineers[0].x", "only the keys"),
        ("{\"engineers\": [{\"name\": \"a\", \"emails\": [\"x\", \"X\"]}]}", "1:16: engineers[0]", "once"),
        ("{\n \"off\": [\n}", "3:1", "not JSON"),
        ("{a: 1}", "1:2", "not JSON"),
        (" ", "1:1", "found nothing"),
        ("[]", "1:1", "expected an object; found a list"),
    ] {
        let (config, problems) = person(text);
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(config.invalid, "{text}");
        let said = |s: &String| s.contains(&format!("config.json:{place}: ")) && s.contains(expected);
        assert!(shown.iter().any(said), "{text} -> {shown:#?}");
    }
}

#[test]
fn unknown_keys_are_warnings() {
    let (config, problems) = person(r#"{"git_guard": {"onloss": "deny", "x.fail": 1}, "gitguard": 1, "zzz": 1}"#);
    assert!(!config.invalid);
    let shown: Vec<String> = problems.iter().map(|p| p.what.clone()).collect();
    assert_eq!(
        shown,
        ["unknown key; did you mean \"on_loss\"?", "unknown key", "unknown key; did you mean \"git_guard\"?", "unknown key"]
    );
}

#[test]
fn a_mistake_never_removes_the_guard() {
    let built_in = ah::config::GitGuard::default();
    for text in [
        "{",
        "\0",
        "{\"git_guard\": 1}",
        "{\"git_guard\": {\"protected\": [], \"fail\": \"x\"}}",
        "{\"v\": 2, \"git_guard\": {\"protected\": []}}",
        "{\"v\": \"1\", \"git_guard\": {\"protected\": []}}",
    ] {
        let (config, problems) = person(text);
        assert!(config.invalid && !problems.is_empty(), "{text}");
        assert_eq!(config.git_guard, built_in, "{text}");
    }
    // A mistake in another part leaves the guard's part as it is.
    let (config, _) = person(r#"{"judge": 1, "git_guard": {"on_loss": "deny"}}"#);
    assert!(config.invalid && config.git_guard.on_loss == OnLoss::Deny);
    // A broken repository or person's file leaves the floor in force.
    let world = World::new("{", r#"{"git_guard": {"on_loss": "deny"}}"#, "{");
    let (config, problems) = world.load();
    assert_eq!((problems.len(), config.git_guard.on_loss), (2, OnLoss::Deny));
}

#[test]
fn hostile_files_are_errors() {
    let world = World::new("", "", "");
    let file = world.dir().join("repo/.ah/config.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let check = |expected: &str| {
        let (config, problems) = world.load();
        assert!(config.invalid && problems[0].to_string().contains(expected), "{problems:?}");
        assert_eq!(config.git_guard, ah::config::GitGuard::default());
        std::fs::remove_file(&file).unwrap();
    };
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::RWXU).unwrap();
    check("not a regular file");
    std::fs::File::create(&file).unwrap().set_len(1 << 30).unwrap();
    check("at most");
    std::os::unix::fs::symlink("config.json", &file).unwrap();
    check("cannot be read");
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    check("not a regular file");
    std::fs::write(&file, b"{\n \"a\xff").unwrap();
    check(":2:4: expected UTF-8");
    std::fs::write(&file, "[".repeat(1 << 19)).unwrap();
    check("not JSON");
    let keys: Vec<String> = (0..60_000).map(|n| format!("\"k{n}\":1")).collect();
    std::fs::write(&file, format!("{{{}, \"off\": 1}}", keys.join(","))).unwrap();
    let (config, problems) = world.load();
    assert!(config.invalid && problems.len() <= 100);
}

#[test]
fn variables_are_a_layer() {
    let world = World::new(r#"{"git_guard": {"on_loss": "snapshot"}}"#, "", "");
    let (config, problems) = world.load_with(&[
        ("AH_ON_LOSS", "deny"),
        ("AH_FAIL", "closed"),
        ("AH_PROFILE", "ci"),
        ("AH_OFF", "1"),
        ("AH_SNAPSHOT_TURNS", "0"),
        ("AH_HOOKS", ""),
    ]);
    assert!(problems.is_empty());
    assert_eq!(config.git_guard.on_loss, OnLoss::Deny);
    assert_eq!(config.git_guard.fail, Fail::Closed);
    assert!(!config.git_guard.snapshot.turns && config.silent);
    assert_eq!((config.profile, config.origin("profile")), (Profile::Ci, Origin::Environment));
    let (config, problems) = world.load_with(&[("AH_ON_LOSS", "hunter2")]);
    assert!(config.invalid && config.git_guard.on_loss == OnLoss::Snapshot);
    let shown = problems[0].to_string();
    assert_eq!(shown, "environment: AH_ON_LOSS: expected one of \"deny\", \"own\", \"snapshot\"");
}

#[test]
fn any_bytes_are_read() {
    let mut numbers = crate::ground::Numbers(3);
    let base = r#"{"v":1,"off":["~/a"],"git_guard":{"rules":[{"run":["x"],"verdict":"ask"}],"verdicts":{"a":"deny"}}}"#;
    let world = World::new("", "", "");
    let file = world.dir().join("home/.config/ah/config.json");
    for _ in 0..2_000 {
        let mut bytes = base.as_bytes().to_vec();
        for _ in 0..=numbers.below(3) {
            if bytes.is_empty() {
                break;
            }
            let at = numbers.below(bytes.len());
            match numbers.below(3) {
                0 => bytes[at] = numbers.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        write(&file, &bytes);
        let _ = world.load();
    }
}
