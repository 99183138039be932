//! The file's content, and how much of the past it keeps.

use super::Taken;
use super::breaker::Breaker;
use super::spend::Spend;
use crate::{clock, fs};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The largest file that is read, in bytes; four times what one within the bounds below has.
const MAX: u64 = 1 << 20;
/// Days that are kept.
const DAYS: usize = 31;
/// Sessions that are kept, the latest.
const SESSIONS: usize = 200;
/// Models of which something is kept.
const MODELS: usize = 50;

/// What one session has spent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Used {
    /// In all.
    pub all: Spend,
    /// In its turn.
    pub now: Spend,
    /// When last, in milliseconds since the epoch.
    pub t: u64,
    /// Which turn that is.
    pub turn: String,
}

/// What was learned of a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Learned {
    /// When, in milliseconds since the epoch.
    pub t: u64,
    /// What.
    pub text: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    pub v: u32,
    pub breakers: BTreeMap<String, Breaker>,
    pub days: BTreeMap<String, Spend>,
    pub learned: BTreeMap<String, Learned>,
    pub sessions: BTreeMap<String, Used>,
}

impl Default for State {
    fn default() -> Self {
        Self { v: 1, breakers: BTreeMap::new(), days: BTreeMap::new(), learned: BTreeMap::new(), sessions: BTreeMap::new() }
    }
}

/// The day of a moment, in UTC.
pub(super) fn day(now_ms: u64) -> String {
    clock::utc(now_ms).chars().take(10).collect()
}

impl State {
    /// The file's content; the empty one where there is none, or where it is no such file any more.
    ///
    /// # Errors
    /// A newer program's file, which is not touched; else the system's.
    pub fn read(file: &Path) -> io::Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let bytes = match fs::read(file, MAX) {
            Ok(bytes) => bytes,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::FileTooLarge) => {
                return Ok(Self::default());
            }
            Err(error) => return Err(error),
        };
        match serde_json::from_slice::<Version>(&bytes) {
            Ok(version) if version.v > 1 => Err(io::Error::new(io::ErrorKind::Unsupported, "it is a newer version's")),
            _ => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        }
    }

    /// Replaces the file, without what is too old to keep.
    pub fn write(mut self, file: &Path) -> io::Result<()> {
        self.v = 1;
        newest(&mut self.sessions, SESSIONS, |used| used.t);
        newest(&mut self.learned, MODELS, |learned| learned.t);
        newest(&mut self.breakers, MODELS, |breaker| breaker.since);
        let text = serde_json::to_vec(&self).map_err(io::Error::other)?;
        fs::replace(file, &text)
    }

    pub fn add(&mut self, now_ms: u64, taken: &Taken, spend: &Spend) {
        self.days.entry(taken.day.clone()).or_default().add(spend);
        // Not today's, even where a clock once stood in a later year.
        while self.days.len() > DAYS {
            let Some(oldest) = self.days.keys().find(|day| **day != taken.day).cloned() else { break };
            self.days.remove(&oldest);
        }
        let used = self.sessions.entry(taken.session.clone()).or_default();
        if used.turn != taken.turn {
            used.turn.clone_from(&taken.turn);
            used.now = Spend::default();
        }
        used.t = now_ms;
        used.all.add(spend);
        used.now.add(spend);
    }

    pub fn remove(&mut self, taken: &Taken) {
        if let Some(day) = self.days.get_mut(&taken.day) {
            day.remove(&taken.spend);
        }
        if let Some(used) = self.sessions.get_mut(&taken.session) {
            used.all.remove(&taken.spend);
            if used.turn == taken.turn {
                used.now.remove(&taken.spend);
            }
        }
    }
}

/// Keeps the `most` entries with the highest time.
fn newest<T>(entries: &mut BTreeMap<String, T>, most: usize, time: impl Fn(&T) -> u64) {
    if entries.len() > most {
        let mut times: Vec<u64> = entries.values().map(&time).collect();
        times.sort_unstable();
        let least = times[times.len() - most];
        entries.retain(|_, entry| time(entry) >= least);
        while entries.len() > most {
            entries.pop_first();
        }
    }
}
