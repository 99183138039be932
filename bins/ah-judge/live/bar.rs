//! Whether a turn that still goes on may be worth a model: the gate's score against a part of its threshold.

use crate::desk::Desk;
use crate::memory::Memory;
use crate::work;
use ah::compat;
use std::io;

/// The lessons that the turn so far is about, best first; `None` where it does not reach `bar` times the threshold.
///
/// # Errors
/// The lessons cannot be read.
pub fn reached(desk: &Desk, memory: &Memory, bar: f64) -> io::Result<Option<Vec<String>>> {
    let lessons = desk.store.read()?;
    let mine: Vec<_> = lessons.live.into_iter().filter(|lesson| lesson.deliverable(&desk.scope.name)).collect();
    let scored = compat::score(&mine, &[], &work::text(&memory.turn, ""));
    let reached = scored.score >= bar * compat::THRESHOLD;
    Ok(reached.then_some(scored.shortlist))
}
