//! One backward read of a log, and what it adds up to.
//!
//! What a fold costs does not grow with the session: now and then a line says what everything before it added up to.

use super::entry::{Entry, Logged};
use super::record::NAMELESS;
use super::state::State;
use super::turn::{Closer, Turn};
use super::{MAX_READ, Session};
use crate::fs;
use std::collections::BTreeSet;
use std::io;

/// How much of a log lies between two lines that add it up, in bytes.
const STEP: u64 = 64 << 10;

/// How much at least, where a turn ends: the next one then costs what it is itself.
const LEAST: u64 = 4 << 10;

/// What a log adds up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fold {
    /// Since the session began.
    pub state: State,
    /// Since the last closing line.
    pub turn: Turn,
    /// Where the line lies that it began with, in bytes from the log's beginning.
    since: u64,
}

/// The lines of one read, last first, each with where it ends.
#[derive(Default)]
struct Tail {
    /// What the line of an earlier fold says.
    base: Option<State>,
    /// Lines that the base has in it, of the turn that was the present one then.
    older: Vec<Logged>,
    newer: Vec<(u64, Logged)>,
    /// The beginning of the log was reached.
    whole: bool,
}

impl Session {
    /// What the log adds up to, with the words of the present turn.
    ///
    /// # Errors
    /// The system's. A log that does not exist adds up to nothing.
    pub fn fold(&self) -> io::Result<Fold> {
        self.folded(true)
    }

    /// The same without the turn.
    ///
    /// # Errors
    /// As [`Session::fold`].
    pub fn state(&self) -> io::Result<State> {
        Ok(self.folded(false)?.state)
    }

    fn folded(&self, with_turn: bool) -> io::Result<Fold> {
        // What is appended from here on is not in it.
        let covers = match self.file.metadata() {
            Ok(meta) => meta.len(),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Fold::default()),
            Err(e) => return Err(e),
        };
        let mut tail = Tail::default();
        let read = fs::placed_back(&self.file, MAX_READ, |end, bytes| end > covers || tail.visit(end, bytes, with_turn));
        match read {
            Ok(whole) => tail.whole = whole,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Fold::default()),
            Err(e) => return Err(e),
        }
        Ok(tail.fold(covers))
    }
}

impl Fold {
    /// A line that adds the log up, where enough was appended since the last one.
    #[must_use]
    pub(super) fn summary(&self, t: u64) -> Option<Logged> {
        let due = self.state.covers.saturating_sub(self.since) > LEAST;
        due.then(|| Logged::new(t, "", Entry::State(Box::new(self.state.clone()))))
    }
}

/// Whether an append of `added` bytes to a log of `size` bytes is the one after which it should be added up again.
pub(super) fn steps(size: u64, added: usize) -> bool {
    size / STEP != (size + added as u64) / STEP
}

/// Kinds and keys that were met.
type Seen = BTreeSet<(&'static str, String)>;

fn fresh(seen: &mut Seen, logged: &Logged) -> bool {
    logged.key.is_empty() || seen.insert((logged.entry.kind(), logged.key.clone()))
}

impl Tail {
    fn visit(&mut self, end: u64, bytes: &[u8], with_turn: bool) -> bool {
        if let Some(base) = self.base.as_ref().filter(|base| end <= base.covers) {
            // A turn that closed since lies in what was read.
            let closed = |(_, logged): &(u64, Logged)| Closer::of(logged).is_some_and(|closer| closer.number > base.closed());
            if !with_turn || end <= base.turn_from || self.newer.iter().any(closed) {
                return false;
            }
            self.older.extend(Logged::read(bytes));
            return true;
        }
        match Logged::read(bytes) {
            Some(Logged { entry: Entry::State(state), .. }) if self.base.is_none() && state.covers <= end => {
                self.base = Some(*state)
            }
            Some(Logged { entry: Entry::State(_), .. }) | None => {}
            Some(logged) => self.newer.push((end, logged)),
        }
        true
    }

    fn fold(self, covers: u64) -> Fold {
        let cut = self.base.is_none() && !self.whole;
        let state = self.base.unwrap_or_default();
        let mut fold = Fold { since: state.covers, state, turn: Turn::default() };
        fold.state.cut |= cut;
        fold.turn.cut = cut;
        let mut seen = Seen::new();
        for logged in self.older.into_iter().rev() {
            if fresh(&mut seen, &logged) {
                fold.turn.add(logged);
            }
        }
        for (end, logged) in self.newer.into_iter().rev() {
            if !fresh(&mut seen, &logged) {
                continue;
            }
            let closed = fold.state.closed();
            fold.state.add(end, &logged);
            if fold.state.closed() > closed {
                fold.turn = Turn::default();
                // What has no name of its own may be said again in another turn.
                seen.retain(|(_, key)| !key.starts_with(NAMELESS));
            } else {
                fold.turn.add(logged);
            }
        }
        fold.state.covers = covers;
        fold
    }
}
