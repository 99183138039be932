//! Any bytes as a command line: the reader must come back, within its bounds.

#![no_main]

use ah::shell::{Command, End, Machine, Source, Start, Step, walk};
use libfuzzer_sys::fuzz_target;

/// Counts commands; every one may end either way.
struct Counter(usize);

impl Machine for Counter {
    type State = u32;

    fn run(&mut self, command: &Command, state: u32) -> Step<u32> {
        assert!(!command.words.is_empty());
        self.0 += 1;
        let end = |ok| End { state: state.wrapping_add(1), ok, output: None };
        Step::Done(vec![end(Some(true)), end(Some(false))])
    }
}

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    let start = Start { cwd: Some("/w".to_owned()), ..Start::default() };
    for source in [Source::Shell, Source::PowerShell] {
        let mut counter = Counter(0);
        let walked = walk(&line, source, &start, &mut counter, 0);
        assert!(counter.0 <= 200_000);
        assert!(!walked.worlds.is_empty() && walked.worlds.len() <= 64, "{} worlds", walked.worlds.len());
    }
});
