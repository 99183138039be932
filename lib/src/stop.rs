//! What a Stop does beside the judge: the gate's decision, and the line that closes the turn.

use crate::compat;
use crate::event::Event;
use crate::session::{Closer, Decision, Fold, Home, close};
use crate::store::Store;
use std::io;

/// Closes the turn that ends with this Stop. A turn is open when a question of the background check waits, when a
/// verdict is due and the turn changed something, or when the gate says so.
///
/// # Errors
/// The log cannot be read or written.
pub fn stop(home: &Home, store: &Store, event: &Event) -> io::Result<Closer> {
    let fold = home.session.fold()?;
    close(home, event, &fold, |said| Ok(decide(store, &fold, said)))
}

/// What the gate says of a turn that ends with this message.
#[must_use]
pub fn decide(store: &Store, fold: &Fold, said: &str) -> Decision {
    let words = [&fold.turn.prompts[..], &fold.touches(), &fold.edits(), &[said.to_owned()]].concat().join("\n");
    // A line of the reference's form would be its bookkeeping.
    let words = words.replace("\n#", "\n #");
    let waiting = fold.state.live_waits() || !fold.turn.changes.is_empty() && fold.state.due().next().is_some();
    let (scored, failed) = match store.read() {
        Ok(lessons) => (compat::score(&lessons.live, &[], &words), false),
        Err(_) => (compat::score(&[], &[], ""), true),
    };
    let why = match scored.score {
        _ if waiting => "waiting",
        _ if failed => "error",
        _ if words.trim().is_empty() || scored.n == 0 => "empty",
        score if score >= compat::THRESHOLD => "score",
        _ => "below",
    };
    Decision {
        open: matches!(why, "score" | "waiting"),
        score: scored.score,
        shortlist: scored.turn_ids,
        threshold: compat::THRESHOLD,
        why: why.to_owned(),
    }
}
