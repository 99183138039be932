//! Command lines and event bodies changed at random, read in this process: no panic, no end of the stack, and in the
//! full run (`AH_MUTATIONS=1000000`, release) none slower than 20 ms per 100 KB.
//!
//! That is the time of one whole reading, from the bytes to the last command told, on the processor of the thread that
//! reads: the bound is about this work, not about what else the machine does. An input shorter than 100 KB has as
//! much time as one of 100 KB, and none is longer. Where the first measurement is over a quarter of the bound, the
//! shortest of it and three more counts.
//!
//! Input `n` depends on `AH_MUTATIONS_SEED` and `n` alone: `AH_MUTATIONS_FIRST` starts at a later one, and one
//! alone is printed whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ah::event::Moment;
use ah::harness;
use ah::shell::{Command, End, HOLE, Known, Machine, Source, Start, Step, Word, walk};

use crate::events::{captured, no_env};

/// What an ordinary run looks at.
const FEW: u64 = 20_000;
/// The longest input, in bytes.
const LONGEST: usize = 100_000;
/// The most that an input of `LONGEST` bytes, or a shorter one, may take.
const BOUND: Duration = Duration::from_millis(20);
/// So many of the slowest are told.
const TOLD: usize = 8;

/// What means something to the shell, to JSON or to a patch, put in more often than chance would.
const TELLING: &[&str] = &[
    "$(", "${", "$((", "))", ")", "}", "`", "'", "\"", "\\", "\\\n", "\n", ";", ";;", "&", "&&", "|", "||", "(", "{ ", "<<A\n",
    "<<-'A'\n", "<<<", "<(", ">(", ">", ">>", "&>", "2>&1", "#", "!", "[[ ", " ]]", "((", "case x in ", "esac", "for x in ",
    "do ", "done", "if ", "fi", "while ", "f() {", "eval ", "sh -c '", "sudo ", "env -S '", "xargs ", "find . -exec ", "$'",
    "$\"", "{a,b}", "{1..9999}", "*", "?", "[", "~", "=", "+=", "x=", "$x", "${x:-", "${x//", "${!x}", "$@", "\0", "\u{feff}",
    "\u{1f600}", "\r", "\t", "*** Begin Patch\n", "*** Delete File: a\n", "diff --git a/x b/x\n", "\\u0000", "\\ud800", ":", ",",
    "[", "]", "null", "1e999", "git ", " --hard", " -C ", "EOF\n",
];

/// Numbers that look random, by splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("below a usize")
    }

    fn place(&mut self, bytes: &[u8]) -> usize {
        self.below(bytes.len() + 1)
    }

    fn range(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let (one, other) = (self.place(bytes), self.place(bytes));
        one.min(other)..one.max(other)
    }

    fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }
}

/// One change.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    match random.below(8) {
        0 if !bytes.is_empty() => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        1 if !bytes.is_empty() => {
            let at = random.below(bytes.len());
            bytes[at] = u8::try_from(random.below(256)).expect("a byte");
        }
        2 => {
            let other = random.one(seeds);
            let part = random.range(other);
            let at = random.place(bytes);
            bytes.splice(at..at, other[part].iter().copied());
        }
        3 => {
            let part = random.range(bytes);
            let (at, times) = (part.end, random.below(8));
            let copy = bytes[part].repeat(times);
            bytes.splice(at..at, copy);
        }
        4 => bytes.truncate(random.place(bytes)),
        5 => {
            let part = random.range(bytes);
            bytes.drain(part);
        }
        _ => {
            let at = random.place(bytes);
            let telling = random.one(TELLING);
            bytes.splice(at..at, telling.bytes());
        }
    }
    bytes.truncate(LONGEST);
}

/// Input `n`.
fn input(seed: u64, n: u64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut random = Random(seed ^ n.wrapping_mul(0xd6e8_feb8_6659_fd93));
    let mut bytes = random.one(seeds).clone();
    for _ in 0..=random.below(6) {
        change(&mut bytes, seeds, &mut random);
    }
    // Now and then a long one: what is quadratic shows there.
    if random.below(64) == 0 && !bytes.is_empty() {
        let part = random.range(&bytes);
        let unit = if part.is_empty() { bytes.clone() } else { bytes[part].to_vec() };
        let at = random.place(&bytes);
        let times = (LONGEST - bytes.len()) / unit.len();
        bytes.splice(at..at, unit.repeat(times));
    }
    bytes
}

/// A machine that takes every word in, splits worlds now and then, and has scripts to read.
struct Listener<'s> {
    heard: usize,
    script: &'s str,
}

impl Machine for Listener<'_> {
    type State = u32;

    fn run(&mut self, command: &Command, state: u32) -> Step<u32> {
        self.heard += command.words.iter().map(|w| w.text().len()).sum::<usize>();
        assert!(!command.words.is_empty(), "a command has a word");
        if let Some(word) = command.words.iter().filter_map(Word::literal).find(|w| w.contains(HOLE)) {
            panic!("a known word has a hole: {}, {:?} via {:?}", shown(word.as_bytes()), command.program(), command.via);
        }
        let end = |state, ok| End { state, ok, output: None };
        match (command.program(), self.heard % 5) {
            (Some("git"), _) => Step::Done(vec![end(state + 1, Some(true)), end(state, Some(false))]),
            (_, 0) => Step::Done(vec![End { state, ok: None, output: Some("a b\n*\n".into()) }]),
            _ => Step::Done(vec![end(state, None)]),
        }
    }

    fn file(&mut self, path: &str, _: &u32) -> Known {
        path.len().is_multiple_of(2).then(|| self.script.to_owned())
    }

    fn is_dir(&mut self, path: &str, _: &u32) -> Option<bool> {
        [None, Some(true), Some(false)][path.len() % 3]
    }

    fn same(&self, one: &u32, other: &u32) -> bool {
        one == other
    }
}

/// Reads an input in every way there is; gives how much was understood.
fn read(bytes: &[u8], script: &str) -> usize {
    let mut heard = 0;
    let mut line = |text: &str, source| {
        let start = Start {
            cwd: Some("/home/dev/project".into()),
            variables: vec![("HOME".into(), "/home/dev".into()), ("x".into(), "a b *".into())].into(),
            complete: text.len().is_multiple_of(2),
            aliases: vec![("grhh".into(), "git reset --hard".into())],
        };
        let mut listener = Listener { heard: 0, script };
        let walked = walk(text, source, &start, &mut listener, 0);
        assert!(!walked.worlds.is_empty() && walked.worlds.len() <= 8, "{} worlds", walked.worlds.len());
        assert!(walked.unread.iter().all(|u| u.part.chars().count() <= 80));
        heard += listener.heard;
    };
    match harness::read(bytes, None, None, no_env) {
        Ok((_, event)) => {
            if let Some(text) = event.input("command").filter(|_| event.moment == Moment::PreToolUse) {
                line(&text, Source::Shell);
            }
            heard += event.patch().map_or(0, |text| ah::patch::files(&text).len());
        }
        Err(_) => {
            let text = String::from_utf8_lossy(bytes);
            line(&text, if bytes.len() % 8 == 7 { Source::PowerShell } else { Source::Shell });
            heard += ah::patch::files(&text).len();
        }
    }
    heard
}

fn seeds() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for line in include_str!("../data/corpus/git-guard.jsonl").lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        all.push(line["command"].as_str().expect("a command").into());
    }
    for text in [include_str!("../data/shell/nasty.txt"), include_str!("../data/shell/cases.txt")] {
        all.extend(text.split("%%\n").map(|part| part.as_bytes().to_vec()));
    }
    for harness in ["claude-code", "codex"] {
        all.extend(captured(harness).into_iter().map(|(_, text)| text.into_bytes()));
    }
    assert!(all.len() > 600, "{} seeds", all.len());
    all
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// What this thread has had of a processor so far.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("a time after the start")
}

/// How long one reading takes, at best.
fn best_of_three(bytes: &[u8], script: &str) -> Duration {
    let once = |_| {
        let start = processor();
        read(bytes, script);
        processor() - start
    };
    (0..3).map(once).min().expect("three")
}

/// The beginning of an input.
fn shown(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(200)]))
}

fn run() {
    let (count, seed, first) = (number("AH_MUTATIONS", FEW), number("AH_MUTATIONS_SEED", 1), number("AH_MUTATIONS_FIRST", 0));
    let (seeds, full) = (seeds(), count > FEW);
    let start = Instant::now();
    let (mut heard, mut bytes_read) = (0, 0);
    let mut slowest: Vec<(Duration, u64, usize)> = Vec::new();
    for n in first..first + count {
        let bytes = input(seed, n, &seeds);
        let script = String::from_utf8_lossy(&seeds[usize::try_from(n).expect("fits") % seeds.len()]);
        if count == 1 {
            println!("{}", String::from_utf8_lossy(&bytes));
        }
        let begin = full.then(processor);
        match catch_unwind(AssertUnwindSafe(|| read(&bytes, &script))) {
            Ok(understood) => heard += understood,
            Err(_) => panic!("input {n} of seed {seed}, {} bytes: {}", bytes.len(), shown(&bytes)),
        }
        bytes_read += bytes.len();
        if let Some(begin) = begin {
            let took = processor() - begin;
            if took > BOUND / 4 || slowest.len() < TOLD {
                slowest.push((took.min(best_of_three(&bytes, &script)), n, bytes.len()));
                slowest.sort_by(|one, other| other.cmp(one));
                slowest.truncate(TOLD);
            }
            if (n + 1) % 50_000 == 0 {
                println!("{} inputs, {} MB, {:.0?}", n + 1 - first, bytes_read >> 20, start.elapsed());
            }
        }
    }
    assert!(heard > 0, "nothing was understood");
    for (took, n, length) in &slowest {
        let bytes = input(seed, *n, &seeds);
        println!("{took:.1?} for {length} bytes, input {n}: {}", shown(&bytes));
    }
    assert!(slowest.iter().all(|(took, ..)| *took <= BOUND), "over {BOUND:?}");
}

#[test]
fn nothing_panics_and_nothing_takes_long() {
    // With the stack that a program's first thread has.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
