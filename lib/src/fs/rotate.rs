//! Putting a full log aside.

use super::lock;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Puts `log` aside as [`old`] once it has `max` bytes; the one that was put aside before is gone then.
///
/// Where that fails, the log goes on growing: a line too many is better than one that is missing.
pub fn rotate(log: &Path, max: u64) {
    let full = || log.metadata().is_ok_and(|meta| meta.len() >= max);
    if !full() {
        return;
    }
    // Two at once must not put the new log over the old one; who has not got the lock lets the other do it.
    let lock = lock(&log.with_extension("lock"), Duration::ZERO);
    if lock.is_ok() && full() {
        let _ = std::fs::rename(log, old(log));
    }
}

/// Where the log that was full before lies: `x.old.jsonl` beside `x.jsonl`.
#[must_use]
pub fn old(log: &Path) -> PathBuf {
    log.with_extension("old.jsonl")
}
