//! The meter, in a folder of its own.

use super::breaker::Breaker;
use super::state::{self, State};
use super::{Caps, Failure, Limits, Meter, Span, Spend, Taken, Who};

fn limits(turn: Caps) -> Limits {
    Limits { currency: "usd".into(), day: Caps { tokens: Some(1_000), ..Caps::default() }, session: Caps::default(), turn }
}

fn call(tokens: u64, money: f64) -> Spend {
    Spend { asks: 1, money: [("usd".to_owned(), money)].into(), tokens }
}

const WHO: Who = Who { session: "s", turn: "t1" };

fn meter() -> (tempfile::TempDir, Meter) {
    let dir = tempfile::tempdir().unwrap();
    let meter = Meter { file: dir.path().join("state/meter.json") };
    (dir, meter)
}

#[test]
fn caps_hold_and_what_was_taken_is_put_right() {
    let (_dir, meter) = meter();
    let caps = limits(Caps { asks: Some(2), money: Some(0.1), tokens: None });
    let taken = meter.take(1_000, &WHO, &call(600, 0.06), &caps).unwrap();
    let over = meter.take(1_000, &WHO, &call(600, 0.04), &caps).unwrap_err();
    assert_eq!((over.of, over.unit.as_str(), over.spent), (Span::Day, "tokens", 600.0));
    meter.settle(1_001, &taken, &call(100, 0.01)).unwrap();
    meter.take(1_002, &WHO, &call(600, 0.09), &caps).unwrap();
    let over = meter.take(1_003, &WHO, &call(1, 0.0), &caps).unwrap_err();
    assert_eq!((over.of, over.unit.as_str(), over.most), (Span::Turn, "asks", 2.0));
    assert!(over.to_string().contains("judge.per_turn is 2 asks"), "{over}");
    // Another turn, another session, another day.
    let next = Who { turn: "t2", ..WHO };
    let over = meter.take(1_004, &next, &call(1, 0.2), &caps).unwrap_err();
    assert_eq!((over.of, over.unit.as_str()), (Span::Turn, "usd"));
    meter.take(1_004, &next, &call(1, 0.0), &caps).unwrap();
    meter.take(86_400_000, &next, &call(900, 0.0), &caps).unwrap();
    assert_eq!(meter.day("1970-01-01").tokens, 701);
    assert_eq!(meter.session("s").asks, 4);
}

#[test]
fn racing_takers_never_go_over() {
    let (_dir, meter) = meter();
    let caps = limits(Caps::default());
    let won: usize = std::thread::scope(|scope| {
        let take = || usize::from(meter.take(5, &WHO, &call(100, 0.0), &caps).is_ok());
        let all: Vec<_> = (0..40).map(|_| scope.spawn(take)).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((won, meter.day("1970-01-01").tokens), (10, 1_000));
}

#[test]
fn a_breaker_opens_after_three_failures_and_closes_by_time_or_success() {
    let (_dir, meter) = meter();
    let failure = Failure { pause_ms: None, why: "it hung\n\u{1b}".into() };
    assert_eq!(meter.failed("m", 1_000, &failure).unwrap(), None);
    assert_eq!(meter.failed("m", 2_000, &failure).unwrap(), None);
    assert_eq!(meter.failed("m", 3_000, &failure).unwrap(), Some(63_000));
    assert_eq!(meter.broken("m", 62_999).unwrap().why, "it hung\\n\\u{1b}");
    assert_eq!(meter.broken("m", 63_000), None);
    assert_eq!(meter.failed("m", 63_000, &failure).unwrap(), Some(183_000));
    assert_eq!(meter.breakers(64_000).len(), 1);
    // Set back by an hour, the clock makes no hour out of two minutes.
    let late = Breaker { failures: 3, since: 7_200_000, until: 7_260_000, why: String::new() };
    assert!(late.holds(7_200_000) && !late.holds(3_600_000));
    meter.worked("m").unwrap();
    assert_eq!(meter.broken("m", 64_000), None);
    let told = Failure { pause_ms: Some(u64::MAX), why: "come back later".into() };
    assert_eq!(meter.failed("m", 0, &told).unwrap(), Some(86_400_000));
}

#[test]
fn a_file_that_cannot_be_used_stops_nothing() {
    let (dir, meter) = meter();
    let caps = limits(Caps::default());
    std::fs::write(dir.path().join("state"), "in the way").unwrap();
    let taken = meter.take(0, &WHO, &call(1, 0.0), &caps).unwrap();
    assert!(taken.unsaved.is_some());
    meter.settle(0, &taken, &call(1, 0.0)).unwrap();
    std::fs::remove_file(dir.path().join("state")).unwrap();
    std::fs::create_dir(dir.path().join("state")).unwrap();
    for text in ["", "{", "[]", "{\"days\":3}", "\u{0}\u{0}", "{\"v\":1,\"sessions\":{\"s\":{\"t\":-1}}}"] {
        std::fs::write(&meter.file, text).unwrap();
        assert!(meter.take(0, &WHO, &call(1, 0.0), &caps).unwrap().unsaved.is_none(), "{text}");
    }
    let newer = "{\"v\":2,\"days\":{\"1970-01-01\":{\"tokens\":1}}}";
    std::fs::write(&meter.file, newer).unwrap();
    assert!(meter.take(0, &WHO, &call(1, 0.0), &caps).unwrap().unsaved.is_some());
    assert_eq!(std::fs::read_to_string(&meter.file).unwrap(), newer);
}

#[test]
fn the_past_is_bounded() {
    let (_dir, meter) = meter();
    let caps = Limits { day: Caps::default(), ..limits(Caps::default()) };
    let mut state = State::default();
    let spend = call(1, 0.1);
    for n in 0..1_000_u64 {
        let (session, day) = (format!("s{n}"), state::day(n * 86_400_000));
        let taken = Taken { day, session, spend: spend.clone(), turn: String::new(), unsaved: None };
        state.add(n, &taken, &spend);
    }
    state.write(&meter.file).unwrap();
    let hostile = Who { session: &"x/".repeat(100_000), turn: "\u{0}../" };
    meter.take(2_000, &hostile, &spend, &caps).unwrap();
    for n in 0..100 {
        meter.learn(&format!("m{n}"), n, &"x".repeat(5_000)).unwrap();
    }
    let state = meter.state();
    assert_eq!((state.days.len(), state.sessions.len(), state.learned.len()), (31, 200, 50));
    assert!(state.days.contains_key("1970-01-01"), "today is kept, whatever came after it");
    assert_eq!(meter.learned("m99", 2_000).unwrap().len(), 202);
    assert_eq!(meter.learned("m99", 31 * 86_400_000), None, "that is long ago");
    assert!(std::fs::metadata(&meter.file).unwrap().len() < 100_000);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&meter.file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}
