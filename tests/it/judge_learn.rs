//! From a person's words to a lesson: what is kept, what is learned, and what is not.

use crate::judge_desk::JUDGE;
use crate::judge_whole::{GATE, Whole};
use serde_json::{Value, json};
use std::fs;

fn store(desk: &Whole, file: &str) -> String {
    fs::read_to_string(desk.path("ah/data/collectives/team").join(file)).unwrap_or_default()
}

fn lines(desk: &Whole, file: &str) -> Vec<Value> {
    store(desk, file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn learn(desk: &Whole, args: &[&str]) -> (i32, String) {
    let done = desk.start(JUDGE, &[&["learn"], args].concat(), "").wait_with_output().unwrap();
    assert!(done.stderr.is_empty(), "{done:?}");
    (done.status.code().unwrap(), String::from_utf8(done.stdout).unwrap())
}

fn draft(kind: &str, of: &str, question: &str) -> String {
    json!({"why": "said so", "kind": kind, "of": of, "question": question, "situations": ["retry an upload on failure"],
        "consequence": "the server is flooded", "scope": [], "reach": "team"})
    .to_string()
}

/// A refused tool call.
fn refused(desk: &Whole, command: &str, id: &str, error: &str) {
    let fields = json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": command}, "error": error, "is_interrupt": false});
    assert_eq!(desk.hook(GATE, &[], &desk.event("PostToolUseFailure", &fields)), Value::Null);
}

/// The reference's scenario of captures: the same episodes, in the same form.
#[test]
fn the_references_captures() {
    let golden: Value = serde_json::from_str(include_str!("../data/golden/e2e/captures.json")).unwrap();
    let appended = |step: &Value| step["appended_or_changed"]["episodes.jsonl"].as_str().map(str::to_owned);
    let want: Vec<Value> = golden["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(appended)
        .map(|line| serde_json::from_str(line.replace("\"<ms>\"", "0").trim()).unwrap())
        .collect();
    assert_eq!(want.len(), 3);
    let desk = Whole::new();
    let mut calls = 0;
    for step in golden["steps"].as_array().unwrap() {
        let input = &step["input"];
        match step["event"].as_str().unwrap() {
            "prompt" => assert_eq!(desk.prompt(input["prompt"].as_str().unwrap()), Value::Null),
            _ => {
                calls += 1;
                let command = input["tool_input"]["command"].as_str().unwrap();
                refused(&desk, command, &format!("t{calls}"), input["error"].as_str().unwrap());
            }
        }
    }
    // Differs on purpose: words that came with a refusal are kept at the next prompt or the session's end.
    assert_eq!(lines(&desk, "episodes.jsonl").len(), 2);
    desk.hook(JUDGE, &[], &desk.event("SessionEnd", &json!({"reason": "other"})));
    let have = lines(&desk, "episodes.jsonl");
    for (have, want) in have.iter().zip(&want) {
        for field in ["repo", "session", "task", "correction", "engineer"] {
            assert_eq!(have[field], want[field], "{field}");
        }
        assert_eq!(have["id"], json!(format!("sess-1-{}", have["ms"])));
        let tool = |line: &Value| line["rejected_tool"].as_str().map(|text| text.split_once(' ').unwrap().0.to_owned());
        assert_eq!(tool(have), tool(want));
    }
    assert_eq!((have.len(), desk.records("episode").len()), (3, 3));
    // Once more tells nothing new.
    desk.hook(JUDGE, &[], &desk.event("SessionEnd", &json!({"reason": "other"})));
    assert_eq!(lines(&desk, "episodes.jsonl").len(), 3);
}

#[test]
fn two_hooks_of_one_prompt_keep_it_once() {
    let desk = Whole::new();
    desk.both("UserPromptSubmit", &json!({"prompt": "write the uploader", "prompt_id": "p1"}));
    for fields in
        [json!({"prompt": "no, don't retry without a delay", "prompt_id": "p2"}), json!({"prompt": "no, not with a global"})]
    {
        let event = desk.event("UserPromptSubmit", &fields);
        let both: Vec<_> = (0..4).map(|_| desk.start(JUDGE, &["--harness", "claude"], &event)).collect();
        both.into_iter().for_each(|hook| assert!(hook.wait_with_output().unwrap().status.success()));
    }
    assert_eq!(lines(&desk, "episodes.jsonl").len(), 2, "{:?}", store(&desk, "episodes.jsonl"));
}

#[test]
fn what_is_quoted_or_pasted_and_what_comes_first_is_kept_nowhere() {
    let desk = Whole::new();
    for prompt in [
        "no, use the pool we have",
        "now the tests",
        "> no, use the pool\n\nwhat did they mean?",
        "```\n// no, wrong\n```\nexplain it",
        "<task-notification>no, wrong</task-notification>",
        "2026-11-30 10:00:01 ERROR no, you should not\nwhy is that printed?",
    ] {
        desk.prompt(prompt);
    }
    assert_eq!(store(&desk, "episodes.jsonl"), "");
    // Nor of a sub-agent, nor where nothing is recorded.
    let sub = desk.event("UserPromptSubmit", &json!({"prompt": "no, don't retry at once", "agent_id": "sub"}));
    desk.hook(JUDGE, &[], &sub);
    assert_eq!(store(&desk, "episodes.jsonl"), "");
}

#[test]
fn a_correction_becomes_a_lesson_that_is_shown_before_it_is_stored() {
    let desk = Whole::new();
    desk.prompt("write the uploader");
    desk.prompt("no, don't retry without a delay. token=abcdef0123456789abcdef");
    desk.say(&draft("new", "", "Does each retry wait longer than the one before?"));
    let before = store(&desk, "lessons.jsonl");
    let (code, text) = learn(&desk, &["--dry-run"]);
    assert!(code == 0 && text.contains("Does each retry wait") && text.contains("no, don't retry"), "{text}");
    let (code, text) = learn(&desk, &[]);
    assert!(code == 1 && text.contains("--yes"), "{text}");
    assert_eq!(store(&desk, "lessons.jsonl"), before);
    let (code, _) = learn(&desk, &["--session", "another"]);
    assert_eq!(code, 0);
    let (code, text) = learn(&desk, &["--yes", "--session", "sess-1"]);
    assert_eq!(code, 0, "{text}");
    let new = lines(&desk, "lessons.jsonl").pop().unwrap();
    assert_eq!(
        (&new["question"], &new["repo"], &new["version"]),
        (&json!("Does each retry wait longer than the one before?"), &json!("w"), &json!(1))
    );
    assert_eq!(new["id"], json!(format!("Lsess1-{}", new["origin_ms"])));
    // The words went to the model fenced and without the secret; the lesson names where it came from.
    let sent = desk.calls().pop().unwrap()["prompt"].as_str().unwrap().to_owned();
    assert!(sent.contains("\n| no, don't retry without a delay") && !sent.contains("abcdef0123456789abcdef"));
    let id = new["id"].as_str().unwrap();
    let why = desk.start(JUDGE, &["lessons", "why", id], "").wait_with_output().unwrap();
    assert!(String::from_utf8(why.stdout).unwrap().contains("no, don't retry without a delay"));
    // Learned once.
    let calls = desk.calls().len();
    assert_eq!(learn(&desk, &["--yes"]).1, "nothing to learn from: no correction waits\n");
    assert_eq!((desk.calls().len(), lines(&desk, "lessons.jsonl").len()), (calls, before.lines().count() + 1));
}

#[test]
fn near_lessons_are_merged_and_contradicted_ones_replaced() {
    let desk = Whole::new();
    let correct = |text: &str| {
        desk.prompt("work on the retry of the remote call");
        desk.prompt(text);
    };
    correct("no, the retry loop must stop after a bounded number of attempts");
    desk.say(&draft("same", "L-retry-budget", "Does every retry loop stop after a bounded number of attempts, with jitter?"));
    let (code, text) = learn(&desk, &["--yes"]);
    assert!(code == 0 && text.contains("strengthens L-retry-budget"), "{text}");
    let merged = lines(&desk, "lessons.jsonl").pop().unwrap();
    assert_eq!((&merged["id"], &merged["version"], &merged["support"]), (&json!("L-retry-budget"), &json!(2), &json!(2)));
    assert_eq!(merged["episodes"].as_array().unwrap().len(), 2);
    // The model saw the near lesson, as one that is there already.
    assert!(desk.calls()[0]["prompt"].as_str().unwrap().contains("[L-retry-budget]"));
    // One that asks the same in the same words is that one, whatever the model calls it.
    correct("don't let the retry loop run for ever again");
    desk.say(&draft("new", "", "does every retry loop stop after a bounded number of attempts with jitter?"));
    learn(&desk, &["--yes"]);
    assert_eq!(lines(&desk, "lessons.jsonl").pop().unwrap()["id"], "L-retry-budget");
    correct("no, here we never retry at all");
    desk.say(&draft("contradicts", "L-retry-budget", "Is there no retry at all in this service?"));
    let (_, text) = learn(&desk, &["--yes"]);
    assert!(text.contains("replaces    L-retry-budget"), "{text}");
    assert_eq!(lines(&desk, "lessons.jsonl").pop().unwrap()["supersedes"], json!(["L-retry-budget"]));
    let list = desk.start(JUDGE, &["lessons", "--all"], "").wait_with_output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(list.lines().any(|line| line.starts_with("L-retry-budget") && line.contains("(replaced by L")), "{list}");
}

#[test]
fn without_a_model_a_person_words_it() {
    let desk = Whole::new();
    desk.settings(&json!({"model": "words"}));
    desk.prompt("write the uploader");
    desk.prompt("no, don't retry without a delay");
    desk.prompt("nope, use the pool we already have");
    let (code, text) = learn(&desk, &[]);
    let episodes = lines(&desk, "episodes.jsonl");
    let id = |n: usize| episodes[n]["id"].as_str().unwrap();
    assert!(code == 1 && text.contains("2 corrections are kept") && text.contains(&format!("learn {} --drop", id(0))), "{text}");
    assert_eq!(
        learn(&desk, &[id(0), "--question", "Do I wait between retries?", "--situation", "retry a call", "--reach", "repo"]).0,
        0
    );
    let new = lines(&desk, "lessons.jsonl").pop().unwrap();
    assert_eq!(
        (&new["question"], &new["reach"], &new["episodes"]),
        (&json!("Do I wait between retries?"), &json!("repo"), &json!([id(0)]))
    );
    assert_eq!(learn(&desk, &[id(1), "--drop"]).0, 0);
    assert_eq!(learn(&desk, &[]).1, "nothing to learn from: no correction waits\n");
    assert_eq!(desk.calls().len(), 0);
}

#[test]
fn an_answer_that_is_no_use_leaves_the_episode() {
    let desk = Whole::new();
    desk.prompt("write the uploader");
    desk.prompt("no, don't retry without a delay");
    let before = store(&desk, "lessons.jsonl");
    for bad in
        ["", "no", "{}", "[1]", &draft("same", "L-none", "Is it so?"), &draft("new", "", "Wait longer."), &"x".repeat(1 << 20)]
    {
        desk.say(bad);
        let (code, text) = learn(&desk, &["--yes"]);
        assert!(code == 1 && text.contains("  kept  "), "{text}");
    }
    desk.say(&draft("nothing", "", ""));
    let (code, text) = learn(&desk, &["--yes"]);
    assert!(code == 0 && text.contains("nothing     said so"), "{text}");
    assert_eq!(store(&desk, "lessons.jsonl"), before);
}

/// Killed at any moment, learning stores a lesson whole or not at all, and the next run makes one of it, not two.
#[test]
fn a_killed_run_is_done_again_and_leaves_one_lesson() {
    for pause in [0, 5, 20, 40, 55, 60, 65, 80, 120] {
        let desk = Whole::new();
        desk.prompt("write the uploader");
        desk.prompt("no, don't retry without a delay");
        fs::write(desk.path("slow"), "0.05").unwrap();
        desk.say(&draft("new", "", "Does each retry wait longer than the one before?"));
        let mut first = desk.start(JUDGE, &["learn", "--yes"], "");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!(learn(&desk, &["--yes"]).0, 0);
        let episode = lines(&desk, "episodes.jsonl")[0]["id"].clone();
        let lessons = lines(&desk, "lessons.jsonl");
        let from = lessons.iter().filter(|lesson| lesson["episodes"].as_array().is_some_and(|all| all.contains(&episode)));
        assert_eq!(from.count(), 1, "after {pause} ms");
        assert_eq!(learn(&desk, &[]).1, "nothing to learn from: no correction waits\n");
    }
}

#[test]
fn what_is_no_episode_is_passed_over() {
    let desk = Whole::new();
    desk.prompt("write the uploader");
    desk.prompt("no, don't retry without a delay");
    let file = desk.path("ah/data/collectives/team/episodes.jsonl");
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend(b"\0\0\n{\"id\":7}\n[]\n\xff\xfe\n{\"id\":\"x\",\"ms\":1,\"correction\":null}\n");
    bytes.extend(format!("{}\n", "[".repeat(100_000)).bytes());
    bytes.extend(b"{\"id\":\"\\u001b[2J\",\"ms\":1,\"correction\":\"\\u202eno\\u001b[31m\",\"task\":\"t\"}\n{\"id\":\"torn");
    fs::write(&file, bytes).unwrap();
    desk.settings(&json!({"model": "words"}));
    let (code, text) = learn(&desk, &[]);
    assert!(code == 1 && text.contains("2 corrections are kept") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
    desk.prompt("nope, use the pool we already have");
    assert!(learn(&desk, &[]).1.contains("3 corrections are kept"));
}

#[test]
fn a_person_is_asked_about_each() {
    let desk = Whole::new();
    desk.prompt("write the uploader");
    desk.prompt("no, don't retry without a delay");
    desk.say(&draft("new", "", "Does each retry wait longer than the one before?"));
    let before = lines(&desk, "lessons.jsonl").len();
    let Some((text, code)) = desk.at_terminal("n", &["learn"]) else { return };
    assert!(text.contains("store it?") && code == 1, "{text}");
    assert_eq!(lines(&desk, "lessons.jsonl").len(), before);
    let (text, code) = desk.at_terminal("y", &["learn"]).unwrap();
    assert!(text.contains("Does each retry wait") && code == 0, "{text}");
    assert_eq!(lines(&desk, "lessons.jsonl").len(), before + 1);
}
