//! Many recorders of one session at once, killed at any moment: lines are whole or absent, and the fold is right.

use crate::ground::Numbers;
use crate::prefilter_run::{bash, event, fold, lines, log_file, prefilter, prompt, ran, silent, stop};
use crate::support::TestRepo;
use ah::session::{Fold, Logged};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::Duration;

fn start(t: &TestRepo, event: &Value) -> Child {
    let mut child = prefilter(t).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(event.to_string().as_bytes()).expect("written");
    child
}

/// Runs all events as processes, so many at once; each must end well.
fn together(t: &TestRepo, events: &[Value], at_once: usize) {
    for some in events.chunks(at_once) {
        let children: Vec<Child> = some.iter().map(|event| start(t, event)).collect();
        children.into_iter().for_each(|mut child| assert!(child.wait().expect("it ends").success()));
    }
}

/// What a fold says, without the order of what happened at the same time.
fn sorted(fold: Fold) -> [Vec<String>; 5] {
    let mut touches: Vec<String> = fold.turn.touches.iter().map(|touch| format!("{} {:?}", touch.text, touch.paths)).collect();
    let mut edits: Vec<String> = fold.turn.edits.iter().map(|edit| edit.text.clone()).collect();
    let mut prompts = fold.turn.prompts;
    let mut changes: Vec<String> = fold.turn.changes.iter().map(|(tool, reason)| format!("{tool} {reason}")).collect();
    touches.sort();
    edits.sort();
    prompts.sort();
    changes.sort();
    [prompts, touches, edits, changes, vec![fold.state.closed().to_string(), fold.state.prompt]]
}

/// A turn of pairs: an edit and a command each.
fn pairs(t: &TestRepo, from: usize, to: usize) -> Vec<Value> {
    let pair = |n: usize| {
        let edit = json!({"file_path": format!("src/f{}.rs", n % 40), "old_string": "a", "new_string": format!("edit {n} {}", "w ".repeat(60))});
        [ran(t, &format!("e{n}"), "Edit", edit), bash(t, &format!("b{n}"), &format!("grep -n word{n} src/f.rs"))]
    };
    (from..to).flat_map(pair).collect()
}

#[test]
fn sixty_four_record_one_session_at_once() {
    let t = TestRepo::new();
    let events: Vec<Value> = [prompt(&t, "go")].into_iter().chain(pairs(&t, 0, 160)).collect();
    together(&t, &events, 64);
    let text = std::fs::read_to_string(log_file(&t)).unwrap();
    assert_eq!(text.matches("{\"v\":1").count(), 1);
    assert!(text.starts_with("{\"v\":1"));
    let all = lines(&t);
    assert_eq!(all.iter().filter(|line| line["k"] != "state").count(), 1 + 160 * 4);
    // The same stop in sixty-four at once is one end of one turn.
    together(&t, &vec![stop(&t, "done"); 64], 64);
    let now = fold(&t);
    assert_eq!((now.state.closed(), now.turn.records), (1, 0));
}

#[test]
fn a_thousand_parallel_pairs_are_as_in_a_row() {
    let (many, row) = (TestRepo::new(), TestRepo::new());
    // Three turns; each event is sent by two hooks, as after a double registration.
    for (turn, (from, to)) in [(0, 400), (400, 500), (500, 1_000)].into_iter().enumerate() {
        let words = |t: &TestRepo| {
            event(t, "UserPromptSubmit", json!({"prompt": format!("turn {turn}"), "prompt_id": format!("p{turn}")}))
        };
        silent(&many, &words(&many));
        let twice: Vec<Value> = pairs(&many, from, to).into_iter().flat_map(|event| [event.clone(), event]).collect();
        together(&many, &twice, 32);
        // The row is written by the library itself: a process for each would say no more.
        silent(&row, &words(&row));
        together(&row, &pairs(&row, from, to), 1);
        let (a, b) = (fold(&many), fold(&row));
        assert!(a.turn.touches.len() == 2 * (to - from) && !a.turn.cut, "{}", a.turn.touches.len());
        assert_eq!(sorted(a), sorted(b), "turn {turn}");
        for t in [&many, &row] {
            silent(t, &stop(t, &format!("end {turn}")));
        }
    }
    let (a, b) = (fold(&many), fold(&row));
    assert_eq!((a.state.closed(), b.state.closed()), (3, 3));
    assert!(lines(&many).iter().any(|line| line["k"] == "state"), "a long log is added up now and then");
    // The sum and the whole log say the same.
    let text = std::fs::read_to_string(log_file(&many)).unwrap();
    let whole: String = text.lines().filter(|line| !line.contains("\"k\":\"state\"")).map(|line| format!("{line}\n")).collect();
    let summed = fold(&many);
    std::fs::write(log_file(&many), whole).unwrap();
    let read = fold(&many);
    assert_eq!((&summed.turn, &summed.state.closer, &summed.state.had), (&read.turn, &read.state.closer, &read.state.had));
}

#[test]
fn killed_at_any_moment_a_line_is_whole_or_absent() {
    let t = TestRepo::new();
    let mut numbers = Numbers(31);
    silent(&t, &prompt(&t, "go"));
    let (mut killed, mut ended) = (0, 0);
    for round in 0..12 {
        let events = pairs(&t, round * 16, round * 16 + 16);
        let mut children: Vec<Child> = events.iter().map(|event| start(&t, event)).collect();
        children.push(start(&t, &stop(&t, &format!("end {round}"))));
        std::thread::sleep(Duration::from_micros(numbers.below(6_000) as u64));
        for child in children.iter_mut().filter(|_| numbers.below(2) == 0) {
            let _ = child.kill();
        }
        for mut child in children {
            if child.wait().unwrap().success() { ended += 1 } else { killed += 1 }
        }
        let text = std::fs::read_to_string(log_file(&t)).unwrap();
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            assert!(Logged::read(line.as_bytes()).is_some(), "{line}");
        }
        let now = fold(&t);
        assert!(now.state.closed() <= round as u64 + 1);
        assert_eq!(text.matches("\"k\":\"final\"").count(), now.state.closed() as usize, "each closed turn has one end");
    }
    assert!(ended > 0, "{killed} killed");
    // It goes on as if nothing had been.
    let closed = fold(&t).state.closed();
    silent(&t, &prompt(&t, "more"));
    silent(&t, &stop(&t, "done"));
    assert_eq!(fold(&t).state.closed(), closed + 1);
}
