//! The reference system's text form and formula, exactly, for parity and for moving over from it.
//!
//! Facts checked against golden values that the reference produced itself (`tests/data/golden`).

mod bm25;
mod context;
mod score;
mod trust;

pub use bm25::Bm25;
pub use context::{MARKERS, turn, work_text};
pub use score::{Scored, THRESHOLD, idf_max, score};
