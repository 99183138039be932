//! Broken input through the built recorder: exit 0, nothing printed, and a log that can be read.

use crate::guard_run::feed;
use crate::prefilter_run::{
    bash, event, failures, fold, lines, log_file, of_kind, passed, places, prefilter, prompt, ran, silent, stop, teach,
};
use crate::support::TestRepo;
use ah::clock::now_ms;
use ah::session::{Entry, Logged, Session};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn what_is_no_event_is_silent_and_leaves_nothing() {
    let t = TestRepo::new();
    let whole = stop(&t, "done");
    let with = |key: &str, value: Value| {
        let mut event = whole.clone();
        event[key] = value;
        event.to_string().into_bytes()
    };
    let text = whole.to_string();
    let mut long = text.clone().into_bytes();
    long.resize((16 << 20) + 1, b' ');
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b" \r\n\t".to_vec()),
        ("text", b"done".to_vec()),
        ("array", format!("[{text}]").into_bytes()),
        ("two objects", format!("{text}{text}").into_bytes()),
        ("cut off", text.as_bytes()[..text.len() - 2].to_vec()),
        ("not UTF-8", [b"{\"x\":\"\xff\",".as_slice(), &text.as_bytes()[1..]].concat()),
        ("too long", long),
        ("too deep", text.replacen('{', &format!("{{\"x\":{},", "{\"y\":".repeat(100_000)), 1).into_bytes()),
        ("another event", with("hook_event_name", json!("Stopped"))),
        ("session is a number", with("session_id", json!(5))),
        ("no session", with("session_id", json!(""))),
        ("cwd is a number", with("cwd", json!(5))),
        ("cwd is relative", with("cwd", json!("work"))),
        ("cwd is gone", with("cwd", json!("/nonexistent/x"))),
        ("cwd has a NUL", with("cwd", json!(format!("{}\0", t.work().display())))),
        ("cwd is huge", with("cwd", json!("/x".repeat(200_000)))),
    ];
    for (name, bytes) in cases {
        let run = feed(prefilter(&t).arg("--pass"), &bytes);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""), "{name}");
        assert!(!places(&t).sessions().exists(), "{name}");
    }
}

#[test]
fn odd_fields_are_recorded_as_far_as_they_go() {
    let t = TestRepo::new();
    for (n, (tool, input)) in [
        ("Bash", json!(5)),
        ("Bash", json!({"command": ["a", 5]})),
        ("Bash", json!({"command": {"x": 1}})),
        ("Edit", json!({"file_path": 5, "new_string": [1]})),
        ("Edit", json!({"file_path": "a\0b", "new_string": "x"})),
        ("MultiEdit", json!({"file_path": "a.txt", "edits": "x"})),
        ("MultiEdit", json!({"file_path": "a.txt", "edits": [{"new_string": "one"}, 5, {"new_string": "two"}]})),
        ("Write", json!({"file_path": "../../../../etc/passwd", "content": "x"})),
        ("Read", json!({"file_path": "/x".repeat(100_000)})),
        ("", json!({})),
        ("mcp__", json!({"query": null})),
        ("Bash", json!({"command": "$(".repeat(50_000)})),
        ("Bash", json!({"command": "x ".repeat(1 << 20)})),
    ]
    .into_iter()
    .enumerate()
    {
        silent(&t, &ran(&t, &format!("t{n}"), tool, input));
    }
    let raw = ran(&t, "t99", "Bash", json!({"command": "echo HALF"})).to_string().replace("HALF", "\\ud800 \\u0000");
    assert_eq!(feed(&mut prefilter(&t), raw.as_bytes()).code, Some(0));
    let long = "i".repeat(100_000);
    silent(&t, &ran(&t, &long, &long, json!({"query": "x"})));
    let edits: Vec<String> = of_kind(&t, "edit").iter().map(|line| line["text"].as_str().unwrap().to_owned()).collect();
    assert_eq!(edits.last().unwrap(), "one two");
    assert!(lines(&t).iter().all(|line| line.to_string().len() < 4_000));
    assert!(!failures(&t).contains("bug"), "{}", failures(&t));
}

#[test]
fn a_store_may_be_anything() {
    let store = |t: &TestRepo| {
        teach(t, "");
        let home = fs::read_dir(t.root().join("ah/data/collectives")).unwrap().next().unwrap().unwrap().path();
        home.join("lessons.jsonl")
    };
    let one = |name: &str, make: &dyn Fn(&Path), open: bool| {
        let t = TestRepo::new();
        let file = store(&t);
        fs::remove_file(&file).unwrap();
        make(&file);
        silent(&t, &prompt(&t, "retry uploader backoff"));
        assert_eq!(passed(&t, &stop(&t, "done")), "", "{name}");
        assert_eq!(fold(&t).state.closed(), 1, "{name}: the turn is closed all the same");
        assert_eq!(of_kind(&t, "skip")[0]["why"] == "error", open, "{name}: {}", of_kind(&t, "skip")[0]);
        assert!(!failures(&t).contains("bug"), "{name}: {}", failures(&t));
    };
    one("missing", &|_| {}, false);
    one("a directory", &|file| fs::create_dir(file).unwrap(), true);
    one("binary", &|file| fs::write(file, (0..=255u8).cycle().take(100_000).collect::<Vec<_>>()).unwrap(), false);
    one("one endless line", &|file| fs::write(file, "x".repeat(3 << 20)).unwrap(), false);
    one("torn", &|file| fs::write(file, "{\"id\":\"L1\",\"origin_ms\":1,\"question\":\"Is it").unwrap(), false);
}

#[test]
fn a_log_may_be_anything() {
    for (name, bytes) in [
        ("torn tail", &b"{\"v\":1,\"session\":\"s\",\"scope\":\"SCOPE\"}\n{\"t\":1,\"k\":\"prompt\",\"key\":\"p\",\"te"[..]),
        ("foreign lines", b"{\"v\":1,\"session\":\"s\",\"scope\":\"SCOPE\"}\n\xff\xfe\n[]\nnull\n{}\n{\"t\":\"x\",\"k\":5}\n"),
        ("a forged sum", b"{\"v\":1,\"session\":\"s\",\"scope\":\"SCOPE\"}\n{\"t\":1,\"k\":\"state\",\"key\":\"\",\"covers\":18446744073709551615,\"turn_from\":18446744073709551615,\"closer\":{\"number\":18446744073709551614,\"key\":\"stop:18446744073709551614\"}}\n"),
        ("binary", &[0u8; 5_000]),
    ] {
        let t = TestRepo::new();
        silent(&t, &prompt(&t, "x"));
        let first = fs::read_to_string(log_file(&t)).unwrap();
        let scope: Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
        let text = String::from_utf8_lossy(bytes).replace("SCOPE", scope["scope"].as_str().unwrap());
        fs::write(log_file(&t), text).unwrap();
        for event in [prompt(&t, "go"), bash(&t, "t1", "touch b"), stop(&t, "done")] {
            silent(&t, &event);
        }
        assert!(!failures(&t).contains("bug"), "{name}: {}", failures(&t));
        if name != "binary" {
            assert_eq!(of_kind_lossy(&t, "skip"), 1, "{name}");
        }
    }
    let t = TestRepo::new();
    fs::create_dir_all(log_file(&t)).unwrap();
    silent(&t, &prompt(&t, "x"));
    assert!(failures(&t).contains("cannot record UserPromptSubmit"), "{}", failures(&t));
    let t = TestRepo::new();
    fs::create_dir_all(places(&t).sessions()).unwrap();
    fs::write(log_file(&t), "{\"v\":2}\n").unwrap();
    silent(&t, &stop(&t, "x"));
    assert_eq!(fs::read_to_string(log_file(&t)).unwrap(), "{\"v\":2}\n", "a newer log is left alone");
}

fn of_kind_lossy(t: &TestRepo, kind: &str) -> usize {
    let text = String::from_utf8_lossy(&fs::read(log_file(t)).unwrap()).into_owned();
    text.lines().filter_map(|line| Logged::read(line.as_bytes())).filter(|logged| logged.entry.kind() == kind).count()
}

#[test]
fn a_clock_that_goes_backwards_reorders_nothing() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "one"));
    let session = Session::open(&places(&t), crate::prefilter_run::SESSION, "").unwrap();
    let later = now_ms() + 86_400_000;
    let closer = Entry::Skip { score: 0.0, threshold: 1.0, why: "below".into() };
    session.log(vec![Logged::new(later, "stop:1", closer)], None).unwrap();
    silent(&t, &prompt(&t, "two"));
    assert_eq!(fold(&t).turn.prompts, ["two"]);
    silent(&t, &stop(&t, "x"));
    assert_eq!(fold(&t).state.closed(), 2);
}

#[test]
fn where_nothing_can_be_written_it_is_silent() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "x"));
    let modes = |mode: u32| {
        for path in [log_file(&t), places(&t).sessions(), places(&t).state_home().to_owned()] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    };
    let before = fs::read(log_file(&t)).unwrap();
    modes(0o500);
    // A superuser writes all the same; a folder that is no folder stops everyone.
    for event in [prompt(&t, "y"), stop(&t, "z")] {
        let _ = passed(&t, &event);
    }
    modes(0o700);
    assert!(fs::read(log_file(&t)).unwrap().starts_with(&before));
    let t = TestRepo::new();
    fs::create_dir_all(t.root().join("ah")).unwrap();
    fs::write(t.root().join("ah/state"), "").unwrap();
    for event in [prompt(&t, "y"), bash(&t, "t", "touch c"), stop(&t, "z"), event(&t, "SessionEnd", json!({"reason": "other"}))] {
        assert_eq!(passed(&t, &event), "");
    }
}

#[test]
fn a_session_end_sweeps_old_logs_only() {
    let t = TestRepo::new();
    silent(&t, &prompt(&t, "x"));
    let old = places(&t).sessions().join("old.jsonl");
    fs::write(&old, "{\"v\":1}\n").unwrap();
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(31 * 86_400);
    fs::File::options().write(true).open(&old).unwrap().set_modified(then).unwrap();
    silent(&t, &event(&t, "SessionEnd", json!({"reason": "other"})));
    assert!(!old.exists() && log_file(&t).exists());
}
