//! What is printed when the program has a bug: its answer of last resort, in the event's dialect, and code 0.

use super::{Program, guessed_moment, put};
use crate::cli::Options;
use crate::event::{Event, Moment};
use crate::exit;
use crate::harness::Harness;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The input, kept to the end of the process so that the last words can look at it without a copy.
static INPUT: OnceLock<Vec<u8>> = OnceLock::new();

/// Whose event it is, once that is known.
static HEARD: OnceLock<(&'static Harness, Moment)> = OnceLock::new();

/// Something was printed: a second object would void the first.
static SPOKEN: AtomicBool = AtomicBool::new(false);

/// From here on a panic ends the process in the hook's way. A panic hook, because it runs under `panic = "abort"` too.
pub fn prepare(program: &'static Program, options: &Options) {
    let options = options.clone();
    std::panic::set_hook(Box::new(move |panic| {
        // The place only: a panic's message can hold a piece of the event.
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        (program.edges.failure)(program.cli.name, &format!("bug at {place}"));
        if options.jsonl {
            // A filter's reader must not take the rest for judged.
            std::process::exit(i32::from(exit::BUG));
        }
        if !SPOKEN.load(Ordering::Relaxed) {
            last_words(program, &options);
        }
        std::process::exit(i32::from(exit::OK));
    }));
}

fn last_words(program: &Program, options: &Options) {
    let Some(input) = INPUT.get() else { return };
    let answer = (program.panicked)(&String::from_utf8_lossy(input));
    let (harness, moment) = HEARD.get().copied().unwrap_or_else(|| {
        let named = options.harness.as_deref().and_then(Harness::named);
        (named.unwrap_or_else(|| Harness::around(program.edges.env)), guessed_moment(input, options))
    });
    let reply = harness.render(&answer, &Event { moment, ..Event::default() });
    if !reply.stdout.is_empty() {
        put(&format!("{}\n", reply.stdout));
    }
}

/// Keeps the input of this process.
pub fn keep(input: Vec<u8>) -> &'static [u8] {
    INPUT.get_or_init(|| input)
}

/// Notes whose event it is.
pub fn heard(harness: &'static Harness, moment: Moment) {
    let _ = HEARD.set((harness, moment));
}

/// Notes that something is being printed.
pub fn spoken() {
    SPOKEN.store(true, Ordering::Relaxed);
}
