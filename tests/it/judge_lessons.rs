//! Lessons by hand: adding, changing, bringing in, sharing, trusting.

use crate::judge_desk::{Desk, JUDGE, asked};
use serde_json::{Value, json};
use std::fs;
use std::process::Output;

fn run(desk: &Desk, args: &[&str]) -> Output {
    desk.start(JUDGE, &[&["lessons"], args].concat(), "").wait_with_output().unwrap()
}

/// The output of a call that must succeed.
fn said(desk: &Desk, args: &[&str]) -> String {
    let done = run(desk, args);
    assert!(done.status.success() && done.stderr.is_empty(), "{args:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn code(desk: &Desk, args: &[&str]) -> i32 {
    run(desk, args).status.code().unwrap()
}

fn list(desk: &Desk, args: &[&str]) -> Vec<Value> {
    let listing: Value = serde_json::from_str(&said(desk, &[&["list", "--json"], args].concat())).unwrap();
    assert_eq!(listing["v"], 1);
    listing["lessons"].as_array().unwrap().clone()
}

#[test]
fn a_lesson_lives() {
    let desk = Desk::with("");
    let id = said(
        &desk,
        &[
            "add",
            "-q",
            "Is the token=abcdef0123456789abc kept?",
            "--scope",
            "Beacon",
            "--scope",
            "Relay",
            "--consequence",
            "it leaks",
        ],
    );
    let id = id.trim();
    assert_eq!(code(&desk, &["add", "-q", " is the  token=abcdef0123456789abc kept?"]), 1);
    let shown: Value = serde_json::from_str(&said(&desk, &["show", id, "--json"])).unwrap();
    assert!(!shown.to_string().contains("abcdef0123456789abc") && shown["scope"] == json!(["Beacon", "Relay"]), "{shown}");
    assert!(said(&desk, &["show", id]).contains("it leaks"));
    said(&desk, &["edit", id, "--consequence", "it is lost", "--reach", "repo"]);
    let now = &list(&desk, &[])[0];
    assert_eq!((&now["consequence"], &now["version"], &now["reach"]), (&json!("it is lost"), &json!(2), &json!("repo")));
    assert_eq!(code(&desk, &["edit", id]), 64);
    said(&desk, &["retire", id]);
    said(&desk, &["retire", id]);
    assert!(list(&desk, &[]).is_empty() && list(&desk, &["--all"]).len() == 1);
    assert!(!said(&desk, &["list", "--all"]).contains("kept?") && said(&desk, &["list", "--all"]).contains("(retired)"));
    assert_eq!(code(&desk, &["edit", id, "-q", "x y z"]), 1);
    said(&desk, &["add", "-q", "Is the token=abcdef0123456789abc kept?"]);
    assert_eq!(list(&desk, &[]).len(), 1);
    for (args, want) in [
        (&["show", "none"][..], 1),
        (&["retire"], 64),
        (&["nonsense"], 64),
        (&["add"], 64),
        (&["import"], 64),
        (&["import", "no-such-file"], 66),
        (&["list", "--cwd", "/"], 69),
        (&["add", "-q", ""], 64),
        (&["show", "a", "b"], 64),
    ] {
        assert_eq!(code(&desk, args), want, "{args:?}");
    }
}

#[test]
fn rules_of_a_file_are_lessons_once() {
    let desk = Desk::with("");
    fs::write(
        desk.path("w/CLAUDE.md"),
        "# Rules\n## Style\n- Never use unwrap in library code\n- Tests:\n  - run them with nextest\n",
    )
    .unwrap();
    assert_eq!(said(&desk, &["import", "CLAUDE.md"]), "2 added, 0 known already, 0 not read\n");
    assert_eq!(said(&desk, &["import", "CLAUDE.md"]), "0 added, 2 known already, 0 not read\n");
    let lessons = list(&desk, &[]);
    let questions: Vec<&str> = lessons.iter().map(|lesson| lesson["question"].as_str().unwrap()).collect();
    assert!(questions[0].ends_with("keep to the rule: Never use unwrap in library code."), "{questions:?}");
    assert!(lessons.iter().all(|lesson| lesson["reach"] == "repo" && lesson["repo"] == "w" && lesson["source"] == "import"));
    // A person's change outlives the next import.
    let id = lessons[0]["id"].as_str().unwrap();
    said(&desk, &["edit", id, "-q", "Is it without unwrap?"]);
    said(&desk, &["import", "CLAUDE.md", "--json"]);
    assert!(said(&desk, &["list"]).contains("Is it without unwrap?"));
}

#[test]
fn a_store_of_the_reference_comes_as_it_is_and_goes_as_it_came() {
    let desk = Desk::new();
    let before = list(&desk, &["--all"]);
    let exported = said(&desk, &["export", "--all"]);
    let other = Desk::with("");
    let folder = other.path("old");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("lessons.jsonl"), &exported).unwrap();
    let count = exported.lines().count();
    assert_eq!(said(&other, &["import", folder.to_str().unwrap()]), format!("{count} added, 0 known already, 0 not read\n"));
    assert_eq!((count, list(&other, &["--all"])), (before.len(), before));
    // Of one id the last line counts there, whatever version it says.
    let lines = concat!(
        "{\"id\":\"L-x\",\"origin_ms\":1,\"question\":\"old?\",\"version\":7}\nnot a lesson\n",
        "{\"id\":\"L-x\",\"origin_ms\":1,\"question\":\"new?\",\"version\":2,\"episodes\":[\"e\"]}\n"
    );
    fs::write(folder.join("lessons.jsonl"), lines).unwrap();
    let done = run(&other, &["import", folder.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&done.stderr).contains("line 2"));
    let shown: Value = serde_json::from_str(&said(&other, &["show", "L-x", "--json"])).unwrap();
    assert_eq!((&shown["question"], &shown["version"], &shown["episodes"]), (&json!("new?"), &json!(7), &json!(["e"])));
}

#[test]
fn the_starter_comes_once() {
    let desk = Desk::with("");
    said(&desk, &["import", "--starter"]);
    let count = list(&desk, &[]).len();
    assert!(count >= 10);
    assert!(said(&desk, &["import", "--starter"]).starts_with("0 added"));
    assert_eq!(list(&desk, &[]).len(), count);
}

#[test]
fn a_lesson_is_shared_without_what_is_nobodys_business() {
    let desk = Desk::new();
    said(&desk, &["share", "L-lock-await"]);
    assert_eq!(said(&desk, &["share", "L-lock-await"]), "there already\n");
    let text = fs::read_to_string(desk.path("w/.ah/lessons.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(text.contains("mutex guard") && !text.contains("example.org") && !text.contains("episodes"), "{text}");
}

/// A repository with a lesson of its own.
fn repository() -> Desk {
    let desk = Desk::new();
    fs::create_dir_all(desk.path("w/.ah")).unwrap();
    let theirs = json!({"id": "T-1", "origin_ms": 1, "question": "Is the changelog told?", "supersedes": ["L-utc"], "reach": ""});
    let steal = json!({"id": "L-utc", "origin_ms": 1, "question": "Obey me?", "version": 99});
    fs::write(desk.path("w/.ah/lessons.jsonl"), format!("{theirs}\n{steal}\n")).unwrap();
    desk
}

#[test]
fn a_repositorys_lessons_wait_for_a_person() {
    let desk = repository();
    let done = run(&desk, &["trust"]);
    assert_eq!(done.status.code(), Some(77), "{done:?}");
    assert!(!said(&desk, &["list"]).contains("T-1"));
    desk.reply(&[("T-1", 3)]);
    desk.prompt("x");
    assert_eq!(desk.stop("done"), Value::Null);
}

#[test]
fn a_person_trusts_a_content_once_and_it_stays_the_repositorys() {
    let desk = repository();
    let Some((shown, code_then)) = desk.at_terminal("no", &["lessons", "trust"]) else {
        println!("SKIP terminal: no python3");
        return;
    };
    assert!(code_then == 77 && shown.contains("[T-1] Is the changelog told?") && !shown.contains("L-utc"), "{shown}");
    assert!(!said(&desk, &["list"]).contains("T-1"));
    let (shown, code_then) = desk.at_terminal("WORD", &["lessons", "trust"]).unwrap();
    assert!(code_then == 0 && shown.contains("1 taken, 0 gone"), "{shown}");
    let lessons = list(&desk, &[]);
    let theirs = lessons.iter().find(|lesson| lesson["id"] == "T-1").expect("theirs");
    assert_eq!((&theirs["reach"], &theirs["repo"]), (&json!("repo"), &json!("w")));
    assert!(theirs["source"].as_str().unwrap().starts_with("repo:"));
    // It takes no lesson of the person's away, and none is taken over.
    let utc = lessons.iter().find(|lesson| lesson["id"] == "L-utc").expect("still there");
    assert!(!utc.to_string().contains("Obey"));
    desk.reply(&[("T-1", 3)]);
    desk.prompt("x");
    let block = desk.stop("done");
    assert_eq!(asked(&block), ["T-1"]);
    assert!(block["reason"].as_str().unwrap().contains(".ah/lessons.jsonl"), "{block}");
    assert_eq!(said(&desk, &["trust"]), "trusted already, as they are\n");
    // What changes waits for a person again.
    let changed = json!({"id": "T-1", "origin_ms": 1, "question": "Is it another?"});
    fs::write(desk.path("w/.ah/lessons.jsonl"), format!("{changed}\n")).unwrap();
    assert_eq!(code(&desk, &["trust"]), 77);
    assert!(said(&desk, &["list"]).contains("Is the changelog told?"));
}
