//! What surrounds one event: who sent it, whether it may be acted on, and what became of the answer.

use crate::harness::Harness;
use std::cell::RefCell;
use std::io::{self, Write};

/// What waits for an answer's fate.
type After<'c> = Box<dyn FnOnce(Fate) + 'c>;

/// What a program may want to know beside the event.
pub struct Context<'c> {
    /// Whether a person would see a question.
    pub can_ask: bool,
    /// Where to say why.
    pub explain: Explain,
    /// Who sent the event.
    pub harness: &'static Harness,
    /// The event as it was sent.
    pub input: &'c [u8],
    /// Write, spawn and connect nothing.
    pub probe: bool,
    after: RefCell<Vec<After<'c>>>,
    instead: RefCell<Option<String>>,
}

impl<'c> Context<'c> {
    pub(super) fn new(harness: &'static Harness, can_ask: bool, explain: Explain, probe: bool, input: &'c [u8]) -> Self {
        Self { can_ask, explain, harness, input, probe, after: RefCell::default(), instead: RefCell::default() }
    }

    /// Prints this line in place of an answer: for a program further down a pipe.
    pub fn pass_on(&self, line: String) {
        *self.instead.borrow_mut() = Some(line);
    }

    pub(super) fn passed_on(&self) -> Option<String> {
        self.instead.take()
    }

    pub(super) fn tell(&self, fate: Fate) {
        for act in self.after.take() {
            act(fate);
        }
    }

    /// Has `act` called once the answer's fate is known; a lock it owns is held until then.
    pub fn after(&self, act: impl FnOnce(Fate) + 'c) {
        self.after.borrow_mut().push(Box::new(act));
    }
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was written out and flushed, or was silence.
    Printed,
    /// The harness cannot take it at this moment; nothing was printed.
    Undelivered,
    /// Nobody could be reached: standard output is closed or full.
    Unprinted,
}

/// Where a program says what it read, computed and decided: standard error under `--explain`, else nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explain(bool);

impl Explain {
    /// Says nothing.
    pub const OFF: Self = Self(false);
    /// Writes to standard error.
    pub const ON: Self = Self(true);

    /// Says one line. Text from elsewhere must have gone through `quote`.
    pub fn say(self, line: impl FnOnce() -> String) {
        if self.0 {
            let _ = io::stderr().write_all((line() + "\n").as_bytes());
        }
    }
}
