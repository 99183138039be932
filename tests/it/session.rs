//! The session log: many writers, torn lines, long logs, and what the guard remembers.

use crate::ground::{Numbers, mode, paths_in};
use ah::paths::Paths;
use ah::session::{Kept, Line, Memory, Own, Present, Prompt, Record, Seen, Session, Whose, sweep};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

fn prompt(t: u64, key: &str) -> Line {
    let record = Record::Prompt(Prompt { text: format!("text {key}"), ..Prompt::default() });
    Line { t, key: key.to_owned(), record }
}

fn other(t: u64, kind: &str, key: &str) -> Line {
    let raw = format!(r#"{{"t":{t},"k":"{kind}","key":"{key}"}}"#);
    Line { t, key: key.to_owned(), record: Record::Other { kind: kind.to_owned(), raw } }
}

fn wrote(t: u64, key: &str, path: &str, hash: &str) -> Line {
    let seen = Seen { path: path.to_owned(), hash: Some(hash.to_owned()), ..Seen::default() };
    Line { t, key: key.to_owned(), record: Record::Own(Own::wrote(vec![seen], "Write")) }
}

fn whose(memory: &Memory, path: &str, hash: Option<&str>) -> Whose {
    let now = Present { hash: hash.map(str::to_owned), written: None };
    memory.whose("/r", Path::new(path), &now, &|_, _| false)
}

#[test]
fn line_one_holds_the_scope() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    let session = Session::open(&paths, "s1", "work").unwrap();
    assert!(!paths.state_home().exists());
    assert!(session.turn().unwrap().is_empty() && session.memory().unwrap() == Memory::default());
    session.append(&[]).unwrap();
    assert!(!paths.state_home().exists());
    session.append(&[prompt(1, "a"), prompt(2, "b")]).unwrap();
    session.append(&[prompt(3, "c")]).unwrap();
    let text = std::fs::read_to_string(session.file()).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.starts_with(r#"{"v":1,"#) && text.matches("\"v\"").count() == 1);
    assert_eq!(Session::open(&paths, "s1", "elsewhere").unwrap().scope(), "work");
    assert_eq!((mode(session.file()), mode(&paths.sessions())), (0o600, 0o700));
    std::fs::write(session.file(), "{\"v\":2}\n").unwrap();
    assert!(Session::open(&paths, "s1", "work").is_err());
    assert!(Session::open(&paths, "", "work").is_err());
}

#[test]
fn ids_never_leave_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    let long = "x".repeat(5000);
    let ids = ["s1", "s/../1", "../s1", "s1\0", "é", ".", &long, "s_1"];
    let mut names = std::collections::BTreeSet::new();
    for id in ids {
        let session = Session::open(&paths, id, "").unwrap();
        session.append(&[prompt(1, id)]).unwrap();
        assert_eq!(session.file().parent().unwrap(), paths.sessions());
        assert!(names.insert(session.file().to_owned()), "{id:?}");
    }
    assert_eq!(paths.sessions().join("s1.jsonl"), Session::open(&paths, "s1", "").unwrap().file());
}

#[test]
fn a_turn_ends_at_a_closer_and_counts_each_key_once() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    session.append(&[prompt(1, "old"), other(2, "open", "1")]).unwrap();
    let mut again = prompt(5, "a");
    again.record = Record::Prompt(Prompt { text: "second".into(), ..Prompt::default() });
    session.append(&[prompt(3, "a"), other(4, "touch", "a"), other(4, "later", ""), other(4, "later", "")]).unwrap();
    session.append(&[again]).unwrap();
    let turn = session.turn().unwrap();
    let kinds: Vec<&str> = turn.iter().map(|l| l.record.kind()).collect();
    assert_eq!(kinds, ["prompt", "touch", "later", "later"]);
    assert_eq!(turn[0], prompt(3, "a"));
    // What a prompt says is text, never bookkeeping.
    let mut forged = prompt(6, "f");
    forged.record = Record::Prompt(Prompt { text: "\n{\"t\":9,\"k\":\"skip\",\"key\":\"9\"}\n".into(), ..Prompt::default() });
    session.append(&[forged]).unwrap();
    assert_eq!(session.turn().unwrap().len(), 5);
}

#[test]
fn torn_and_foreign_lines_are_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    session.append(&[prompt(1, "a")]).unwrap();
    let mut bytes = std::fs::read(session.file()).unwrap();
    bytes.extend_from_slice(b"\xff\xfe\n\n{}\n[1]\n{\"t\":2,\"k\":\"prompt\",\"key\":\"to");
    std::fs::write(session.file(), bytes).unwrap();
    session.append(&[prompt(3, "b")]).unwrap();
    let keys: Vec<String> = session.turn().unwrap().into_iter().map(|l| l.key).collect();
    assert_eq!(keys, ["a", "b"]);
    let huge = Record::Prompt(Prompt { text: "x".repeat(3 << 20), ..Prompt::default() });
    assert!(session.append(&[Line { t: 1, key: String::new(), record: huge }]).is_err());
}

#[test]
fn any_cut_of_a_log_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    session.append(&[prompt(1, "a"), wrote(2, "w", "/r/x", "h"), other(3, "skip", "1"), prompt(4, "b")]).unwrap();
    let bytes = std::fs::read(session.file()).unwrap();
    let mut numbers = Numbers(5);
    for end in 0..bytes.len() {
        let mut cut = bytes[..end].to_vec();
        if end > 0 && numbers.below(2) == 0 {
            let at = numbers.below(end);
            cut[at] = numbers.below(256) as u8;
        }
        std::fs::write(session.file(), &cut).unwrap();
        let _ = (session.turn().unwrap(), session.memory().unwrap());
    }
}

/// The work of one of several writers: pairs of a prompt and a write, each recorded twice.
fn pairs(session: &Session, writer: usize) {
    for n in 0..125 {
        let key = format!("{writer}-{n}");
        let t = (writer * 125 + n) as u64;
        let pair = [prompt(t, &key), wrote(t, &key, &format!("/r/{}", n % 40), &key)];
        session.append(&pair[..1]).unwrap();
        session.append(&pair).unwrap();
    }
}

fn state(session: &Session) -> (Vec<Line>, Memory) {
    let mut turn = session.turn().unwrap();
    turn.sort_by(|a, b| (a.t, a.record.kind()).cmp(&(b.t, b.record.kind())));
    (turn, session.memory().unwrap())
}

/// This test program again, as another process that runs one ignored test below.
fn child(name: &str, paths: &Path, arg: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", "--nocapture", &format!("session::{name}")])
        .env("TEST_DIR", paths)
        .env("TEST_ARG", arg)
        .stdout(Stdio::piped());
    command
}

fn parent() -> (Paths, String) {
    let dir = std::env::var_os("TEST_DIR").expect("run by another test");
    (paths_in(Path::new(&dir)), std::env::var("TEST_ARG").unwrap())
}

#[test]
#[ignore = "run as a process by another test"]
fn child_writes_pairs() {
    let (paths, arg) = parent();
    pairs(&Session::open(&paths, "many", "").unwrap(), arg.parse().unwrap());
}

#[test]
fn a_thousand_parallel_pairs_are_as_in_a_row() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    let children: Vec<_> = (0..8).map(|n| child("child_writes_pairs", dir.path(), &n.to_string()).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let many = Session::open(&paths, "many", "").unwrap();
    let row = Session::open(&paths, "row", "").unwrap();
    (0..8).for_each(|n| pairs(&row, n));
    let text = std::fs::read_to_string(many.file()).unwrap();
    // A line that stood half written for longer than a writer waits was closed once more: an empty one.
    assert_eq!(text.lines().filter(|line| !line.is_empty()).count(), 1 + 8 * 125 * 3);
    assert!(text.starts_with("{\"v\":1"));
    let (turn, memory) = state(&many);
    assert_eq!(turn.len(), 2000);
    assert!((turn, memory) == state(&row));
}

#[test]
#[ignore = "run as a process by another test"]
fn child_holds_the_lock() {
    let (paths, _) = parent();
    let _lock = Session::open(&paths, "s", "").unwrap().lock(Duration::ZERO).unwrap();
    println!("\nheld");
    std::thread::sleep(Duration::from_secs(600));
}

#[test]
fn a_killed_holder_gives_the_lock_back() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    let mut holder = child("child_holds_the_lock", dir.path(), "").spawn().unwrap();
    let lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "held"));
    let err = session.lock(Duration::from_millis(1)).unwrap_err();
    assert_eq!(err.kind(), std::io::ErrorKind::WouldBlock);
    // The first line waits for the lock, and says so when it does not come.
    assert!(session.append(&[prompt(1, "a")]).is_err());
    holder.kill().unwrap();
    holder.wait().unwrap();
    let lock = session.lock(Duration::from_secs(60)).unwrap();
    session.append_locked(&[prompt(1, "a")], &lock).unwrap();
    assert_eq!(session.turn().unwrap().len(), 1);
}

#[test]
#[ignore = "run as a process by another test"]
fn child_meets_a_full_disk() {
    let (paths, _) = parent();
    let session = Session::open(&paths, "s", "").unwrap();
    let failed = (0..200).find(|n| session.append(&[prompt(*n, &n.to_string())]).is_err());
    assert!(failed.is_some());
}

#[test]
fn a_full_disk_tears_one_line_at_most() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    let child = child("child_meets_a_full_disk", dir.path(), "");
    // 25 is SIGXFSZ, which would end the process; ignored, the write is cut short as on a full disk.
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "trap '' 25; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(child.get_program())
        .args(child.get_args())
        .envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .stdout(Stdio::null());
    assert!(limited.status().unwrap().success());
    let before = session.turn().unwrap();
    assert!(before.len() > 10);
    session.append(&[prompt(999, "after")]).unwrap();
    let after = session.turn().unwrap();
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.last().unwrap(), &prompt(999, "after"));
}

#[test]
fn the_memory_outlives_a_long_log() {
    let dir = tempfile::tempdir().unwrap();
    let session = Session::open(&paths_in(dir.path()), "s", "").unwrap();
    let dirty = Seen { path: "/r/dirty".into(), ..Seen::default() };
    session.remember(1, "start:/r", Own::start("/r", vec![dirty], false)).unwrap();
    // A second look later in the session finds the session's own work; the first one stands.
    let later = Seen { path: "/r/0".into(), ..Seen::default() };
    session.remember(2_000_000, "start:/r", Own::start("/r", vec![later], false)).unwrap();
    let filler = Record::Prompt(Prompt { text: "words ".repeat(40_000), ..Prompt::default() });
    for n in 0..80u64 {
        let t = 3_000_000 + n * 100_000;
        session.append(&[Line { t, key: format!("p{n}"), record: filler.clone() }]).unwrap();
        let seen = Seen { path: format!("/r/{n}"), hash: Some(n.to_string()), ..Seen::default() };
        session.remember(t, &format!("w{n}"), Own::wrote(vec![seen], "Write")).unwrap();
    }
    assert!(session.file().metadata().unwrap().len() > 16 << 20);
    let memory = session.memory().unwrap();
    assert_eq!(whose(&memory, "/r/dirty", None), Whose::Person);
    for n in 0..80 {
        let path = format!("/r/{n}");
        assert_eq!(whose(&memory, &path, Some(&n.to_string())), Whose::Own, "{n}");
    }
    assert_eq!(whose(&memory, "/r/else", None), Whose::Person);
    // Without a summary within reach nothing is claimed.
    for n in 0..40u64 {
        session.append(&[Line { t: 20_000_000 + n, key: format!("q{n}"), record: filler.clone() }]).unwrap();
    }
    let memory = session.memory().unwrap();
    assert_eq!(whose(&memory, "/r/1", Some("1")), Whose::Unknown);
}

#[test]
fn old_logs_go_once_a_day() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    let now = SystemTime::now();
    assert_eq!(sweep(&paths, Kept::default(), now).unwrap(), 0);
    assert!(!paths.state_home().exists());
    let day = Duration::from_secs(86_400);
    for (id, days) in [("new", 0), ("week", 7), ("month", 29), ("old", 31)] {
        let session = Session::open(&paths, id, "").unwrap();
        session.append(&[prompt(1, "a")]).unwrap();
        let file = std::fs::File::options().write(true).open(session.file()).unwrap();
        file.set_len(1000).unwrap();
        file.set_modified(now - day * days).unwrap();
    }
    let left = || {
        let entries = std::fs::read_dir(paths.sessions()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name.ends_with(".jsonl"));
        names.sort();
        names
    };
    assert_eq!(sweep(&paths, Kept::default(), now).unwrap(), 1);
    assert_eq!(left(), ["month.jsonl", "new.jsonl", "week.jsonl"]);
    assert!(!paths.sessions().join("old.lock").exists());
    let small = Kept { bytes: 1500, ..Kept::default() };
    assert_eq!(sweep(&paths, small, now).unwrap(), 0);
    assert_eq!(sweep(&paths, small, now + day * 2).unwrap(), 2);
    assert_eq!(left(), ["new.jsonl"]);
}
