//! Whether a turn that still goes on may be worth a model: the gate's measure against a part of its threshold.

use crate::desk::Desk;
use crate::memory::Memory;
use crate::work;
use ah::gate::{Calibration, Gate, Query, Work, measure};
use ah::index::Index;
use std::io;

/// The lessons that the turn so far is about, best first; `None` where it does not reach `bar` times the threshold. A
/// gate that a person set to something else than words is as open here as at a stop.
///
/// # Errors
/// The lessons or the session cannot be read.
pub fn reached(desk: &Desk, memory: &Memory, bar: f64) -> io::Result<Option<Vec<String>>> {
    let index = Index::open(&desk.store)?;
    if index.live() == 0 {
        return Ok(Some(Vec::new()));
    }
    let fold = desk.session.fold()?;
    let (prompt, touches, edits) = (fold.turn.prompts.join("\n"), fold.touches(), fold.edits());
    let place = work::place(&desk.scope.name, &memory.turn, "");
    let work =
        Work { edits: &edits, final_message: "", place: &place, prompt: &prompt, repo: &desk.scope.name, touches: &touches };
    let mut measured = measure(&index, &Query::of(&work), &work)?;
    let threshold = desk.gate.threshold(&Calibration::read(&desk.store)).value;
    if desk.gate.gate == Gate::Score && measured.score < bar * threshold {
        return Ok(None);
    }
    measured.shortlist().map(Some)
}
