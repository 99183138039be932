//! What a store's turns measured: the latest scores, from which its own threshold follows.

use crate::fs;
use crate::index::{FORM, ONE};
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// So many scores are kept, and fewer say nothing yet.
const KEPT: usize = 200;
const ENOUGH: usize = 40;
/// The largest file that is read, in bytes.
const MOST: u64 = 64 << 10;
/// How long another writer is waited for: a score that is not kept is no loss.
const WAIT: Duration = Duration::from_millis(5);

/// The latest scores, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The scores, in 1/[`ONE`].
    pub scores: Vec<u32>,
}

/// The file. Every Stop reads it, and a string of numbers is read in a tenth of the time of a list.
#[derive(Serialize, Deserialize)]
struct Kept<'k> {
    /// The scores, a blank between two.
    scores: &'k str,
    /// When it was written, in milliseconds since the Unix epoch.
    t: u64,
    /// The version of the measure.
    v: u32,
}

impl Calibration {
    /// What is kept of a store; nothing where nothing can be read. Scores of another measure say nothing of this one's.
    #[must_use]
    pub fn read(store: &Store) -> Self {
        let bytes = fs::read(&store.calibration_file(), MOST).unwrap_or_default();
        let kept = serde_json::from_slice::<Kept>(&bytes).ok().filter(|kept| kept.v == FORM.version);
        let scores = kept.map_or("", |kept| kept.scores).split(' ').flat_map(str::parse);
        Self { scores: scores.take(KEPT).collect() }
    }

    /// The score below which this share of turns lies; `None` while too few are known.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        if self.scores.len() < ENOUGH {
            return None;
        }
        let mut scores = self.scores.clone();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let at = ((share * scores.len() as f64) as usize).min(scores.len() - 1);
        let (_, score, _) = scores.select_nth_unstable(at);
        Some(f64::from(*score) / f64::from(ONE))
    }

    /// Keeps one more score. Written while few are known, then one in eight: a quantile of many hardly moves. A failure
    /// is no matter.
    pub fn saw(&self, store: &Store, score: f64, now: u64) {
        if self.scores.len() >= ENOUGH && !now.is_multiple_of(8) || !store.dir().is_dir() {
            return;
        }
        let file = store.calibration_file();
        let Ok(_lock) = fs::lock(&file.with_extension("lock"), WAIT) else { return };
        let mut fresh = Self::read(store);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a score is a whole number of these")]
        fresh.scores.push((score * f64::from(ONE)).round() as u32);
        let over = fresh.scores.len().saturating_sub(KEPT);
        fresh.scores.drain(..over);
        let scores = fresh.scores.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
        let kept = Kept { scores: &scores, t: now, v: FORM.version };
        let _ = fs::replace_soon(&file, serde_json::to_string(&kept).unwrap_or_default().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_scores_say_nothing_and_many_a_quantile() {
        let mut calibration = Calibration { scores: (0..30).map(|n| n * ONE).collect() };
        assert_eq!(calibration.quantile(0.5), None);
        calibration.scores = (0..100).rev().map(|n| n * ONE).collect();
        assert_eq!(calibration.quantile(0.78), Some(78.0));
        assert_eq!(calibration.quantile(1.0), Some(99.0));
    }

    #[test]
    fn scores_are_kept_under_races() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_owned());
        std::thread::scope(|scope| {
            for n in 0..8 {
                let store = &store;
                scope.spawn(move || (0..5).for_each(|m| Calibration::read(store).saw(store, f64::from(n * 5 + m), 8)));
            }
        });
        let read = Calibration::read(&store);
        assert!(!read.scores.is_empty() && read.scores.len() <= 40);
    }
}
