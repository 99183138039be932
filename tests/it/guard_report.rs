//! A report: enough to see why, nothing that tells whose it is.

use std::fs;

use serde_json::{Value, json};

use crate::ground::mode;
use crate::guard_allow::{audit, code};
use crate::guard_run::{bash, call, claude, dirty, guard, hook};

/// Prints the report of the last denial.
fn printed(t: &crate::support::TestRepo) -> (String, Value) {
    let run = call(t, ["report", &code(t), "-"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    let value = serde_json::from_str(&run.stdout).expect("JSON");
    (run.stdout, value)
}

#[test]
fn a_case_holds_what_is_needed_to_see_it_again() {
    let t = dirty();
    t.write("staged.txt", "x");
    t.git(["add", "staged.txt"]);
    for name in ["one.txt", "two.txt", ".env"] {
        t.write(name, "private words");
    }
    t.write(".git/info/exclude", ".env\n");
    t.git(["remote", "add", "origin", "https://me:hunter2@example.test/o/private.git"]);
    t.git(["worktree", "add", "-q", t.root().join("linked").to_str().unwrap()]);
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    fs::write(t.root().join("ah/config/config.json"), r#"{"git_guard": {"snapshot": {"turns": false}}}"#).unwrap();
    hook(
        &t,
        &bash(
            &t,
            "git -c http.proxy=https://p.test/x reset --hard && GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB true",
        ),
    );
    let (text, value) = printed(&t);
    assert_eq!((&value["v"], &value["version"]), (&1.into(), &env!("CARGO_PKG_VERSION").into()));
    assert!(value["system"]["git"].as_str().unwrap().starts_with("git version"), "{text}");
    assert_eq!((&value["denial"]["verdict"], &value["denial"]["harness"]), (&"deny".into(), &"claude".into()));
    assert_eq!(value["denial"]["rules"], json!(["tree.discard"]));
    let facts = &value["repository"];
    for (key, count) in
        [("dirty", 1), ("staged", 1), ("untracked", 2), ("ignored", 1), ("remotes", 1), ("linked_trees", 1), ("submodules", 0)]
    {
        assert_eq!(facts[key], count, "{key}: {facts}");
    }
    assert_eq!((&facts["protected"], &facts["branch"], &facts["is_linked"]), (&true.into(), &"branch".into(), &false.into()));
    let commands = value["reading"]["commands"].as_array().unwrap();
    assert!(commands.iter().any(|c| c["command"].as_str().unwrap().ends_with("reset --hard")), "{text}");
    assert_eq!(value["reading"]["findings"][0]["more"], 2);
    let policy = value["policy"].as_array().unwrap();
    let turns = policy.iter().find(|s| s["key"] == "snapshot.turns").unwrap();
    assert_eq!((&turns["value"], &turns["from"]), (&"false".into(), &"Person".into()));
    for private in ["private", "hunter2", "ghp_", "p.test", "one.txt", "a.txt", "example.test", "GIT_CEILING"] {
        assert!(!text.contains(private), "{private}: {text}");
    }
}

#[test]
fn home_is_a_tilde_and_hostile_text_is_quoted() {
    let t = dirty();
    let home = t.root().join("home");
    let line =
        format!("git -C {} reset --hard; git reset --hard # {}/x \u{202e}\u{1b}[31m\n", t.work().display(), home.display());
    hook(&t, &bash(&t, &line));
    let (text, value) = printed(&t);
    assert!(!text.contains(home.to_str().unwrap()) && value["denial"]["command"].as_str().unwrap().contains("~/x"), "{text}");
    assert!(!text.contains('\u{202e}') && !text.contains("\\u001b"), "{text}");
}

#[test]
fn it_is_one_private_file_and_never_written_over() {
    let t = dirty();
    hook(&t, &bash(&t, "git reset --hard"));
    let code = code(&t);
    let run = call(&t, ["report", &code]);
    let file = t.work().join(format!("ah-report-{code}.json"));
    assert!(run.code == Some(0) && run.stdout.contains(&format!("ah-report-{code}.json")), "{run:?}");
    assert_eq!(mode(&file), 0o600);
    assert!(serde_json::from_str::<Value>(&fs::read_to_string(&file).unwrap()).is_ok());
    assert_eq!(call(&t, ["report", &code]).code, Some(73));
    assert_eq!(call(&t, ["report", "zzzz"]).code, Some(1));
    assert_eq!(call(&t, ["report"]).code, Some(64));
    assert_eq!(call(&t, ["report", &code, "x"]).code, Some(64));
}

#[test]
fn without_a_command_or_a_place_there_is_still_a_report() {
    let t = dirty();
    let write = claude(&t.work(), "Write", json!({"file_path": t.work().join(".git/config"), "content": "private"}));
    hook(&t, &write);
    let (text, value) = printed(&t);
    assert!(value["reading"].is_null() && !text.contains("private") && text.contains("repo.write"), "{text}");
    t.write(".ah/config.json", r#"{"off": true}"#);
    hook(&t, &bash(&t, "git reset --hard"));
    let (_, value) = printed(&t);
    assert!(value["reading"].is_null() && value["repository"].is_null() && value["denial"].get("command").is_none(), "{value}");
    fs::remove_file(t.work().join(".ah/config.json")).unwrap();
    hook(&t, &bash(&t, "git reset --hard"));
    let code = audit(&t).pop().unwrap()["code"].as_str().unwrap().to_owned();
    fs::rename(t.work(), t.root().join("gone")).unwrap();
    let run = guard(&t).current_dir(t.root()).args(["report", &code, "-"]).output().unwrap();
    let value: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(value["repository"].is_null() && value["reading"].is_null(), "{value}");
}
