//! The free gate: whether a turn's words match a lesson well enough that a model should look.
//!
//! Word matching alone, no model: what a turn says and edits against an index of the lessons. The measure is the best
//! lesson's; ARCHITECTURE.md says how it was found and what it reaches.

mod calibration;
mod concept;
mod evaluate;
mod labels;
mod measure;
mod query;
mod settings;

pub use calibration::Calibration;
pub use evaluate::{Evaluated, Turn, evaluate};
pub use labels::{Labels, RATES};
pub use measure::{Measured, measure};
pub use query::{Query, Work};
pub use settings::{Gate, SHIPPED, Settings, Source, Threshold};

use crate::clock::now_ms;
use crate::index::Index;
use crate::store::Store;
use serde::{Deserialize, Serialize};
use std::io;

/// What the gate says of a turn: the `"ah"` field of the pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The best lesson's measure; 0 where nothing matches.
    pub score: f64,
    /// What it was compared with.
    pub threshold: f64,
    /// Whether a model should look.
    #[serde(skip)]
    pub open: bool,
    /// Why: `score`, `below`, `waiting`, `edits`, `noedit`, `off`, `empty`.
    pub why: String,
    /// The best lessons, best first, at most 30; empty where the gate stays shut.
    pub shortlist: Vec<String>,
}

/// Judges a turn. `waiting` says that the judge must come whatever the words: a question waits, or a verdict is due;
/// `changed` that the turn changed something.
///
/// # Errors
/// The store's: it is there, and cannot be read.
pub fn judge(store: &Store, work: &Work, settings: &Settings, waiting: bool, changed: bool) -> io::Result<Verdict> {
    let index = Index::open(store)?;
    if index.live() == 0 {
        // As most stores are at first: no word of the turn is looked at.
        let why = if waiting { "waiting" } else { "empty" };
        let threshold = settings.threshold(&Calibration::default()).value;
        return Ok(Verdict { open: waiting, threshold, why: why.to_owned(), ..Verdict::default() });
    }
    let mut measured = measure(&index, &Query::of(work), work)?;
    let calibration = Calibration::read(store);
    let threshold = settings.threshold(&calibration);
    let score = measured.score;
    // A threshold that is no number holds nothing back.
    let below = score < threshold.value;
    let (open, why) = match settings.gate {
        _ if waiting => (true, "waiting"),
        Gate::Off => (true, "off"),
        Gate::Edits => (changed, if changed { "edits" } else { "noedit" }),
        Gate::Score => (!below, if below { "below" } else { "score" }),
    };
    if settings.learns && settings.gate == Gate::Score {
        calibration.saw(store, score, now_ms());
    }
    let shortlist = if open { measured.shortlist()? } else { Vec::new() };
    Ok(Verdict { score, threshold: threshold.value, open, why: why.to_owned(), shortlist })
}
