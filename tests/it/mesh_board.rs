//! What every back-end of the mesh must do, shown for files: order, once, claims, leases, take-over, wake.

use ah::mesh::{Board, Claim, Claimed, Cursor, Files, Kind, LEASE_MS, Message, Presence, TENTATIVE_MS, To};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use tempfile::TempDir;

/// A way into one and the same mesh, for each of its users.
type Open<'a> = &'a (dyn Fn() -> Box<dyn Board> + Sync);

const NOW: u64 = 1_700_000_000_000;

fn message(by: &str, text: &str, t: u64) -> Message {
    Message { t, by: by.into(), to: To::Collective.text(), text: text.into(), ..Message::default() }.sealed()
}

fn claim(by: &str, path: &str, now: u64) -> Claim {
    Claim::of("repo", Path::new("/w"), Path::new(path), by, by, now)
}

/// A reader that begins anywhere sees what follows, in the one order, and nothing twice.
fn keeps_order(open: Open) {
    let (writer, reader) = (open(), open());
    assert_eq!(reader.since(Cursor::default()).unwrap().0, []);
    assert!(!reader.news(reader.near_end().unwrap()));
    let mut begun = Cursor::default();
    for n in 0..100 {
        // Clocks differ: the order is that of arrival.
        writer.append(&message("s1", &format!("n {n}"), NOW + (n * 7919) % 1_000)).unwrap();
        if n == 49 {
            begun = reader.since(Cursor::default()).unwrap().1;
        }
    }
    let texts = |from| -> Vec<String> { reader.since(from).unwrap().0.into_iter().map(|m| m.text).collect() };
    assert_eq!(texts(Cursor::default()), (0..100).map(|n| format!("n {n}")).collect::<Vec<_>>());
    assert_eq!(texts(begun), (50..100).map(|n| format!("n {n}")).collect::<Vec<_>>());
    assert_eq!(open().since(begun).unwrap(), reader.since(begun).unwrap());
}

/// Sixteen writers at once lose nothing, and all readers have one order.
fn loses_nothing(open: Open) {
    let before = open().since(Cursor::default()).unwrap().1;
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let start = &start;
            scope.spawn(move || {
                let board = open();
                start.wait();
                for n in 0..200 {
                    board.append(&message(&format!("w{writer}"), &format!("{writer} {n}"), NOW)).unwrap();
                }
            });
        }
    });
    let (all, _) = open().since(before).unwrap();
    assert_eq!(all.len(), 3_200);
    assert_eq!(all.iter().map(|m| m.id.as_str()).collect::<BTreeSet<_>>().len(), 3_200);
    for writer in 0..16 {
        let own: Vec<&str> = all.iter().filter(|m| m.by == format!("w{writer}")).map(|m| m.text.as_str()).collect();
        assert_eq!(own, (0..200).map(|n| format!("{writer} {n}")).collect::<Vec<_>>(), "each in its own order");
    }
}

/// One look tells a waiter whether there is something; it never says so when there is not.
fn wakes(open: Open) {
    let (waiter, sender) = (open(), open());
    let (_, here) = waiter.since(Cursor::default()).unwrap();
    assert!(!waiter.news(here));
    sender.append(&message("s1", "wake", NOW)).unwrap();
    assert!(waiter.news(here));
    let (found, after) = waiter.since(here).unwrap();
    assert_eq!(found.iter().map(|m| m.text.as_str()).collect::<Vec<_>>(), ["wake"]);
    assert!(!waiter.news(after) && waiter.since(after).unwrap() == (Vec::new(), after));
}

/// Of forty that ask at once, one has it; it has it still when it asks again; nobody else gives it back.
fn has_one_winner(open: Open) {
    let start = Barrier::new(40);
    let won: Vec<String> = std::thread::scope(|scope| {
        let racers: Vec<_> = (0..40)
            .map(|n| {
                let start = &start;
                scope.spawn(move || {
                    let (board, name) = (open(), format!("s{n}"));
                    start.wait();
                    loop {
                        match board.claim(&claim(&name, "race.rs", NOW), NOW, &|_| true) {
                            Ok(Claimed::Won(None)) => return Some(name),
                            Ok(Claimed::Lost(held)) => {
                                assert!(held.by.starts_with('s') && held.path == "race.rs", "a whole record: {held:?}");
                                return None;
                            }
                            Ok(other) => panic!("{other:?}"),
                            // Forty at one lock: somebody may have waited long enough.
                            Err(_) => {}
                        }
                    }
                })
            })
            .collect();
        racers.into_iter().filter_map(|racer| racer.join().unwrap()).collect()
    });
    let [winner] = won.as_slice() else { panic!("{won:?}") };
    let board = open();
    let again = claim(winner, "race.rs", NOW + 1);
    assert_eq!(board.claim(&again, NOW + 1, &|_| true).unwrap(), Claimed::Mine);
    assert_eq!(board.release("another", Some(&again.key)).unwrap(), 0);
    assert!(
        matches!(board.claim(&claim("another", "race.rs", NOW), NOW, &|_| true).unwrap(), Claimed::Lost(held) if held.by == *winner)
    );
    assert_eq!(board.release(winner, Some(&again.key)).unwrap(), 1);
    assert_eq!(board.claim(&claim("another", "race.rs", NOW), NOW, &|_| true).unwrap(), Claimed::Won(None));
    assert_eq!(board.release("another", None).unwrap(), 1);
    assert_eq!(board.claims().unwrap(), []);
}

/// A claim ends with its lease, with its session, or at once when it is given back; who takes it over knows from whom.
fn leases_end(open: Open) {
    let board = open();
    let lives = |_: &str| true;
    let take = |by: &str, now, sure: bool, lives: &dyn Fn(&str) -> bool| {
        board.claim(&Claim { tentative: !sure, ..claim(by, "lease.rs", now) }, now, lives).unwrap()
    };
    let from = |claimed: Claimed| match claimed {
        Claimed::Won(Some(old)) => old.by,
        other => panic!("{other:?}"),
    };
    assert_eq!(take("a", NOW, false, &lives), Claimed::Won(None));
    assert!(matches!(take("b", NOW + TENTATIVE_MS, false, &lives), Claimed::Lost(_)));
    assert_eq!(from(take("b", NOW + TENTATIVE_MS + 1, false, &lives)), "a", "an edit that never ran");
    let now = NOW + TENTATIVE_MS + 2;
    assert_eq!(take("b", now, true, &lives), Claimed::Mine);
    assert!(matches!(take("a", now + LEASE_MS, true, &lives), Claimed::Lost(held) if !held.tentative), "confirmed");
    assert_eq!(take("b", now + LEASE_MS, false, &lives), Claimed::Mine, "renewed by use, and not tentative again");
    assert!(matches!(take("a", now + LEASE_MS + TENTATIVE_MS + 1, true, &lives), Claimed::Lost(_)));
    assert_eq!(from(take("a", now + 2 * LEASE_MS + 1, true, &lives)), "b", "not used for a whole lease");
    assert_eq!(from(take("b", now + 2 * LEASE_MS + 2, true, &|by| by != "a")), "a", "its session is over");
    assert!(matches!(take("a", now, true, &lives), Claimed::Lost(_) | Claimed::Won(Some(_))), "a clock an hour back is no panic");
    board.release("a", None).unwrap();
    board.release("b", None).unwrap();
}

/// One presence for each session, the latest.
fn knows_who_is_there(open: Open) {
    let board = open();
    for (session, t) in [("p1", 3), ("p2", 2), ("p1", 5)] {
        board.put(&Presence { v: 1, session: session.into(), t, ..Presence::default() }).unwrap();
    }
    let seen: Vec<(String, u64)> = open().presences().unwrap().into_iter().map(|p| (p.session, p.t)).collect();
    assert_eq!(seen, [("p1".to_owned(), 5), ("p2".to_owned(), 2)]);
}

/// The whole of it; a further back-end passes this unchanged.
fn conforms(open: Open) {
    keeps_order(open);
    wakes(open);
    loses_nothing(open);
    has_one_winner(open);
    leases_end(open);
    knows_who_is_there(open);
}

fn here(dir: &TempDir) -> PathBuf {
    dir.path().join("mesh")
}

#[test]
fn c1_c3_c17_k3_k4_files_do_what_a_back_end_must() {
    let dir = TempDir::new().unwrap();
    conforms(&|| Box::new(Files::at(here(&dir))));
}

#[test]
fn c17_a_torn_tail_is_healed_by_the_next_writer() {
    let dir = TempDir::new().unwrap();
    let board = Files::at(here(&dir));
    board.append(&message("s1", "one", NOW)).unwrap();
    let log = board.path("messages.jsonl");
    let whole = fs::read(&log).unwrap();
    // A writer that died in the middle, at each length.
    for length in 1..whole.len() {
        fs::write(&log, [&whole[..], &whole[..length]].concat()).unwrap();
        let (before, cursor) = board.since(Cursor::default()).unwrap();
        assert_eq!(before.len(), 1);
        board.append(&message("s1", "two", NOW)).unwrap();
        let texts: Vec<String> = board.since(cursor).unwrap().0.into_iter().map(|m| m.text).collect();
        let wanted: &[&str] = if length + 1 == whole.len() { &["one", "two"] } else { &["two"] };
        assert_eq!(texts, wanted, "torn after {length} bytes");
    }
}

#[test]
fn c1_c16_what_is_not_understood_stays_and_receipts_are_kept() {
    let dir = TempDir::new().unwrap();
    let board = Files::at(here(&dir));
    board.append(&message("s1", "one", NOW)).unwrap();
    let log = board.path("messages.jsonl");
    let foreign = b"{\"v\":2,\"kind\":\"hologram\"}\n\xff\xfe\0\n[]\n\n{\"v\":1,\"id\":\"m000000000000\",\"text\":\"forged\"}\n";
    fs::write(&log, [&fs::read(&log).unwrap()[..], foreign].concat()).unwrap();
    let seen = Message { kind: Kind::Seen, text: String::new(), ids: vec!["m1".into()], ..message("s2", "", NOW) }.sealed();
    board.append(&seen).unwrap();
    let (all, _) = board.since(Cursor::default()).unwrap();
    assert_eq!(all.iter().map(|m| m.kind).collect::<Vec<_>>(), [Kind::Tell, Kind::Seen]);
    assert!(fs::read(&log).unwrap().windows(foreign.len()).any(|part| part == foreign), "kept in place");
}

#[test]
fn c18_without_the_lock_an_append_goes_on_and_nothing_else_does() {
    let dir = TempDir::new().unwrap();
    let board = Files::at(here(&dir));
    board.append(&message("s1", "one", NOW)).unwrap();
    let held = |name: &str| ah::fs::lock(&board.path(name), std::time::Duration::ZERO).unwrap();
    let (_log, _claims) = (held("messages.lock"), held("claims.lock"));
    board.append(&message("s1", "two", NOW)).unwrap();
    assert_eq!(board.since(Cursor::default()).unwrap().0.len(), 2);
    assert!(board.claim(&claim("s1", "a", NOW), NOW, &|_| true).is_err());
    // Read without a lock.
    assert_eq!(board.claims().unwrap(), []);
}

#[test]
fn c17_a_log_written_anew_loses_nothing_that_is_fresh() {
    let dir = TempDir::new().unwrap();
    let board = Files::at(here(&dir));
    let now = ah::clock::now_ms();
    let text = "x ".repeat(2_000);
    let mut cursor = Cursor::default();
    // Beyond 4 MiB it is written anew; the newest 2 MiB stay.
    for n in 0..1_200 {
        board.append(&message("s1", &format!("{n} {text}"), now)).unwrap();
        if n == 1_000 {
            cursor = board.since(cursor).unwrap().1;
        }
    }
    let size = fs::metadata(board.path("messages.jsonl")).unwrap().len();
    assert!(size < 4 << 20, "{size}");
    let (rest, _) = board.since(cursor).unwrap();
    let numbers: Vec<u32> = rest.iter().map(|m| m.text.split(' ').next().unwrap().parse().unwrap()).collect();
    assert!(numbers.ends_with(&(1_001..1_200).collect::<Vec<_>>()), "{numbers:?}");
}

#[test]
fn b1_k3_records_that_are_broken_are_nobody() {
    let dir = TempDir::new().unwrap();
    let board = Files::at(here(&dir));
    for folder in ["presence", "claims"] {
        fs::create_dir_all(board.path(folder)).unwrap();
        let huge = vec![b'['; 100_000];
        for (n, junk) in [&b""[..], b"{", b"[]", b"{\"v\":9}", b"\xff\0", b"{\"session\":7}", &huge].iter().enumerate() {
            fs::write(board.path(folder).join(format!("{n}.json")), junk).unwrap();
        }
        fs::create_dir(board.path(folder).join("dir.json")).unwrap();
    }
    assert_eq!(board.presences().unwrap(), []);
    let want = claim("s1", "a", NOW);
    fs::write(board.path("claims").join(format!("{}.json", want.key)), "{torn").unwrap();
    assert!(matches!(board.claim(&want, NOW, &|_| true).unwrap(), Claimed::Won(None)));
}
