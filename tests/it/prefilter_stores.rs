//! The compiled index of a store that many processes look at, that cannot be written, that is huge.

use crate::prefilter_run::{call, lines, passed, places, prompt, silent, stop, teach};
use crate::support::TestRepo;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn json_of(t: &TestRepo, args: &[&str]) -> Value {
    let run = call(t, args, "");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stdout))
}

fn many(from: usize, to: usize) -> String {
    let line =
        |n| format!("{{\"id\":\"L{n}\",\"origin_ms\":{n},\"question\":\"Is the w{}q of the w{}x checked?\"}}\n", n % 97, n % 31);
    (from..to).map(line).collect()
}

fn store(t: &TestRepo) -> PathBuf {
    let routed = ah::route::route(&ah::config::Config::load(&places(t), None).0, &t.work());
    places(t).collective(&routed.scope().unwrap().store)
}

#[test]
fn sixteen_compile_one_store_at_once_while_it_grows() {
    let t = TestRepo::new();
    teach(&t, &many(0, 1500));
    let file = store(&t).join("lessons.jsonl");
    std::thread::scope(|scope| {
        let (t, file) = (&t, &file);
        for n in 0..16 {
            scope.spawn(move || {
                let lessons = json_of(t, &["index", "--json"])["lessons"].as_u64().unwrap();
                assert!((1500..=1600).contains(&lessons), "{n} {lessons}");
            });
        }
        scope.spawn(move || (0..10).for_each(|n| ah::fs::append(file, many(1500 + 10 * n, 1510 + 10 * n).as_bytes()).unwrap()));
    });
    assert_eq!(json_of(&t, &["index", "--json"])["lessons"], 1600);
    let index = store(&t).join("lessons.idx");
    let kept = fs::read(&index).unwrap();
    let left: Vec<String> = fs::read_dir(store(&t))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".tmp"))
        .collect();
    assert_eq!((left, &kept[..7]), (Vec::new(), b"ahindex".as_slice()));
}

#[test]
fn a_store_that_cannot_be_written_is_answered_all_the_same() {
    let t = TestRepo::new();
    teach(&t, &many(0, 200));
    // A file is in the way of each that would be written, which stops root too.
    for name in ["lessons.idx", "lessons.idx.lock", "lessons.tail.idx"] {
        fs::create_dir(store(&t).join(name)).unwrap();
    }
    silent(&t, &prompt(&t, "Look at w5q and w5x."));
    let text = passed(&t, &stop(&t, "The w5q of the w5x is not checked. w5q w5x w5q."));
    let closer: Value = lines(&t).pop().unwrap();
    assert!(closer["score"].as_f64().is_some_and(|score| score > 0.0), "{closer} {text}");
}

#[test]
fn two_gigabytes_of_one_line_cost_a_hook_a_bounded_look() {
    let t = TestRepo::new();
    teach(&t, &many(0, 50));
    let file = fs::OpenOptions::new().write(true).open(store(&t).join("lessons.jsonl")).unwrap();
    file.set_len(2 << 30).unwrap();
    silent(&t, &prompt(&t, "Look at w5q and w5x."));
    let begun = std::time::Instant::now();
    passed(&t, &stop(&t, "The w5q of the w5x is not checked."));
    assert!(begun.elapsed().as_secs() < 10);
    let closer: Value = lines(&t).pop().unwrap();
    assert!(closer["score"].as_f64().is_some_and(|score| score > 0.0), "{closer}");
}
