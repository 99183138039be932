//! The filter over many events, and the off switches, which do not stop it.

use crate::sample::{EVENT, FATES, PROGRAM, logged};
use ah::cli::Options;
use ah::hook::{self, Edges, Fate, MAX_BYTES, Program};
use std::ffi::OsString;
use std::io::{self, Write};

fn set_off(name: &str) -> Option<OsString> {
    (name == "AH_OFF").then(|| "1".into())
}

fn set_judge(name: &str) -> Option<OsString> {
    (name == "AH_JUDGE").then(|| "1".into())
}

#[test]
fn off_is_off_whoever_says_so() {
    let quiet = |edges, heeds_judge| {
        let program = Program { edges, heeds_judge, ..PROGRAM };
        hook::answer_bytes(&program, EVENT.as_bytes(), &Options::default()).is_empty()
    };
    let edges = PROGRAM.edges;
    assert!(!quiet(edges, true));
    assert!(quiet(Edges { off: |name| name == "ah-sample", ..edges }, false));
    assert!(quiet(Edges { env: set_off, ..edges }, false));
    assert!(quiet(Edges { env: set_judge, ..edges }, true));
    assert!(!quiet(Edges { env: set_judge, ..edges }, false), "the guard works inside a judge too");
}

#[test]
fn a_filter_answers_line_by_line_and_writes_nothing_unless_told() {
    let mut input = Vec::new();
    let good = EVENT.as_bytes();
    for line in [good, b"", b"not json", &vec![b'x'; MAX_BYTES + 5], b"{}", b"\xff", good] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(good);
    let filter = |options: &Options, program: &Program| {
        let mut output = Vec::new();
        let objected = hook::answer_lines(program, options, &mut &input[..], &mut output).expect("no failure");
        let lines: Vec<String> = String::from_utf8(output).expect("UTF-8").lines().map(str::to_owned).collect();
        (lines, objected)
    };
    let (lines, objected) = filter(&Options::default(), &PROGRAM);
    let denied: Vec<bool> = lines.iter().map(|line| line.contains("\"deny\"")).collect();
    assert_eq!(denied, [true, false, false, false, false, false, true, true]);
    assert!(lines[1..6].iter().all(|line| line == "{}") && lines[0].contains("probe") && objected);
    assert_eq!(logged(), [""; 0]);

    let record = Options { record: true, ..Options::default() };
    let (lines, _) = filter(&record, &PROGRAM);
    assert!(lines[0].contains("deny") && !lines[0].contains("probe"));
    assert_eq!(logged().len(), 3);

    let off = Program { edges: Edges { env: set_off, ..PROGRAM.edges }, ..PROGRAM };
    assert!(filter(&Options::default(), &off).1, "an audit looks all the same");
    assert!(filter(&record, &off).0.iter().all(|line| line == "{}"));
}

/// A reader that went away.
struct Gone;

impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_answer_that_nobody_read_is_told_as_such() {
    let input = format!("{EVENT}\n{EVENT}\n");
    let failed = hook::answer_lines(&PROGRAM, &Options::default(), &mut input.as_bytes(), &mut Gone);
    assert_eq!(failed.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
    assert_eq!(FATES.take(), [Fate::Unprinted], "and the filter ends there");
}
