//! The breaker: a model that fails is left alone for a while, longer each time.

use serde::{Deserialize, Serialize};

/// Failures in a row after which a model is left alone.
const PATIENCE: u32 = 3;
/// How long it is left alone first, in milliseconds; twice as long after each further failure.
const FIRST: u64 = 60_000;
/// The longest time without being told, in milliseconds.
const LONGEST: u64 = 30 * 60_000;
/// The longest time that a server can ask for, in milliseconds.
const MOST: u64 = 24 * 60 * 60_000;
/// How far a clock may have been set back before what it wrote counts no more, in milliseconds.
const SKEW: u64 = 5 * 60_000;

/// A failure, as it is noted.
#[derive(Clone, Debug)]
pub struct Failure {
    /// For how long it is pointless to try again, in milliseconds, where that is known.
    pub pause_ms: Option<u64>,
    /// What failed, in a few words.
    pub why: String,
}

/// What is remembered of a model that failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breaker {
    /// Failures in a row.
    pub failures: u32,
    /// When the last one was, in milliseconds since the epoch.
    pub since: u64,
    /// Until when it is left alone; 0 when it is not.
    pub until: u64,
    /// What failed.
    pub why: String,
}

impl Breaker {
    /// Whether it is left alone now. A clock that was set back makes no day out of a minute.
    #[must_use]
    pub fn holds(&self, now_ms: u64) -> bool {
        let sane = self.since <= now_ms.saturating_add(SKEW) && self.until.saturating_sub(self.since) <= MOST;
        sane && now_ms < self.until
    }

    pub(super) fn fail(&mut self, now_ms: u64, failure: &Failure) -> Option<u64> {
        self.failures = self.failures.saturating_add(1);
        self.since = now_ms;
        self.why = crate::quote::line(&failure.why, 300);
        let times = self.failures.checked_sub(PATIENCE);
        let pause = failure.pause_ms.or_else(|| Some((FIRST << times?.min(10)).min(LONGEST)));
        self.until = pause.map_or(0, |pause| now_ms.saturating_add(pause.min(MOST)));
        (self.until > now_ms).then_some(self.until)
    }
}
