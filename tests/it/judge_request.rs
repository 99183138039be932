//! `request` with the event of a stop: what it shows is what that stop sends, and showing it changes nothing.

use crate::judge_desk::{Desk, JUDGE};
use serde_json::{Value, json};

/// A question without the word that is drawn for each.
fn plain(text: &str) -> Value {
    let mut question: Value = serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("{text}"));
    let prompt = question["prompt"].as_str().unwrap();
    let word = prompt.split("\nah-").nth(1).unwrap()[..32].to_owned();
    question["prompt"] = json!(prompt.replace(&word, "WORD"));
    question
}

#[test]
fn a_stop_is_shown_as_it_would_be_sent() {
    let desk = Desk::new();
    desk.reply(&[("L-lock-await", 3)]);
    desk.prompt("hold the lock");
    let event = desk.open("I hold the guard over the await, with token=abcdef0123456789");
    let log = desk.log().len();
    let done = desk.start(JUDGE, &["request"], &event).wait_with_output().unwrap();
    let shown = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && !shown.contains("abcdef0123456789"), "{shown}");
    assert_eq!((desk.calls().len(), desk.log().len()), (0, log), "nothing was sent, nothing written");
    let (_, input) = shown.split_once("--- standard input\n").unwrap();
    assert_eq!(desk.hook(JUDGE, &[], &event)["decision"], "block");
    assert_eq!(plain(input), plain(&desk.calls()[0].to_string()));
}

#[test]
fn there_may_be_nothing_to_ask() {
    let desk = Desk::with("");
    desk.prompt("x");
    let event = desk.open("done");
    let done = desk.start(JUDGE, &["request"], &event).wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), said.starts_with("ah-judge: nothing to ask: ")), (Some(1), true), "{said}");
    for (input, code) in [("", 65), ("{", 65), ("[]", 65), ("{\"lessons\":3}", 65), ("{\"hook_event_name\":\"Stop\"}", 69)] {
        let done = desk.start(JUDGE, &["request"], input).wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(code), "{input}: {}", String::from_utf8_lossy(&done.stderr));
    }
}
