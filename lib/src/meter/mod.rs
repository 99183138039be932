//! What calls of a model have cost, what they may cost, and which model is better left alone for a while.
//!
//! One small file, `meter.json`, changed under a lock and replaced whole. An amount is taken before the call and put
//! right after it, so hooks that run at once cannot spend the same rest twice, and what a killed one took stays taken.
//! A file that cannot be read or written stops nothing: the caller learns of it and goes on.

mod breaker;
mod spend;
mod state;

pub use breaker::{Breaker, Failure};
pub use spend::{Caps, Limits, Over, Span, Spend, Who};

use crate::fs;
use crate::paths::{Paths, file_name};
use spend::room;
use state::State;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How long another process is waited for. Each holds the lock for a read and a rename.
const WAIT: Duration = Duration::from_secs(1);

/// How long what was learned is believed, in milliseconds: servers become better.
const TRUE_FOR: u64 = 30 * 86_400_000;

/// The file.
#[derive(Clone, Debug)]
pub struct Meter {
    file: PathBuf,
}

/// What was taken before a call.
#[derive(Debug)]
pub struct Taken {
    day: String,
    session: String,
    spend: Spend,
    turn: String,
    /// The file could not be written: nothing was taken, and the call may go on.
    pub unsaved: Option<io::Error>,
}

impl Taken {
    /// The amount.
    #[must_use]
    pub fn spend(&self) -> &Spend {
        &self.spend
    }
}

impl Meter {
    /// The person's.
    #[must_use]
    pub fn of(paths: &Paths) -> Self {
        Self { file: paths.meter() }
    }

    /// Takes what a call may cost at most.
    ///
    /// # Errors
    /// The cap that it would go over; nothing was taken then.
    pub fn take(&self, now_ms: u64, who: &Who, spend: &Spend, limits: &Limits) -> Result<Taken, Over> {
        let mut taken = Taken {
            day: state::day(now_ms),
            session: file_name(who.session, "_-", None),
            spend: spend.clone(),
            turn: file_name(who.turn, "_-:", None),
            unsaved: None,
        };
        let mut over = Ok(());
        let saved = self.change(|state| {
            over = room(state, &taken, limits);
            if over.is_ok() {
                state.add(now_ms, &taken, spend);
            }
            over.is_ok()
        });
        over?;
        taken.unsaved = saved.err();
        Ok(taken)
    }

    /// Puts right what was taken, once it is known what the call did cost.
    ///
    /// # Errors
    /// The system's; what was taken then stays taken.
    pub fn settle(&self, now_ms: u64, taken: &Taken, spend: &Spend) -> io::Result<()> {
        if taken.unsaved.is_some() {
            return Ok(());
        }
        self.change(|state| {
            state.remove(taken);
            state.add(now_ms, taken, spend);
            true
        })
    }

    /// Why `key` (a model at an address) is left alone now; `None` when it may be asked.
    #[must_use]
    pub fn broken(&self, key: &str, now_ms: u64) -> Option<Breaker> {
        self.state().breakers.get(&file_name(key, KEY, None)).filter(|breaker| breaker.holds(now_ms)).cloned()
    }

    /// Every model that is left alone now, with the reason: key and breaker.
    #[must_use]
    pub fn breakers(&self, now_ms: u64) -> Vec<(String, Breaker)> {
        self.state().breakers.into_iter().filter(|(_, breaker)| breaker.holds(now_ms)).collect()
    }

    /// Notes a failure; the moment until which `key` is then left alone, if it is.
    ///
    /// # Errors
    /// The system's.
    pub fn failed(&self, key: &str, now_ms: u64, failure: &Failure) -> io::Result<Option<u64>> {
        let mut until = None;
        self.change(|state| {
            until = state.breakers.entry(file_name(key, KEY, None)).or_default().fail(now_ms, failure);
            true
        })?;
        Ok(until)
    }

    /// Notes that `key` answered. Writes only if it had failed before.
    ///
    /// # Errors
    /// The system's.
    pub fn worked(&self, key: &str) -> io::Result<()> {
        self.change(|state| state.breakers.remove(&file_name(key, KEY, None)).is_some())
    }

    /// What was learned of `key` by trying, in the last 30 days: a short text of the caller's.
    #[must_use]
    pub fn learned(&self, key: &str, now_ms: u64) -> Option<String> {
        let learned = self.state().learned.remove(&file_name(key, KEY, None));
        learned.filter(|learned| now_ms < learned.t.saturating_add(TRUE_FOR)).map(|learned| learned.text)
    }

    /// Keeps what was learned of `key`; at most 200 bytes of it.
    ///
    /// # Errors
    /// The system's.
    pub fn learn(&self, key: &str, now_ms: u64, text: &str) -> io::Result<()> {
        let text = crate::quote::line(text, 200);
        self.change(|state| {
            let learned = state::Learned { t: now_ms, text: text.clone() };
            state.learned.insert(file_name(key, KEY, None), learned.clone()).is_none_or(|old| old.text != learned.text)
        })
    }

    /// What a day, by its first ten characters of [`crate::clock::utc`], has cost.
    #[must_use]
    pub fn day(&self, day: &str) -> Spend {
        self.state().days.remove(day).unwrap_or_default()
    }

    /// What a session has cost.
    #[must_use]
    pub fn session(&self, session: &str) -> Spend {
        self.state().sessions.remove(&file_name(session, "_-", None)).map(|used| used.all).unwrap_or_default()
    }

    /// The file as it is; empty where there is none that can be read.
    fn state(&self) -> State {
        State::read(&self.file).unwrap_or_default()
    }

    /// Changes the file under the lock; `change` says whether it did.
    fn change(&self, change: impl FnOnce(&mut State) -> bool) -> io::Result<()> {
        let mut lock = Err(io::ErrorKind::NotFound.into());
        if let Some(dir) = self.file.parent() {
            lock = fs::ensure_dir(dir).and_then(|()| fs::lock(&self.file.with_extension("lock"), WAIT));
        }
        let read = State::read(&self.file);
        let mut state = read.as_ref().ok().cloned().unwrap_or_default();
        let changed = change(&mut state);
        // Caps hold by what can be read, even where nothing can be written.
        let _lock = lock?;
        match read {
            Ok(_) if changed => state.write(&self.file),
            Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What may stand in a key beside letters and digits.
const KEY: &str = "_-.:";

#[cfg(test)]
mod tests;
