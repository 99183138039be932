//! What a Stop does beside the judge: the gate's decision, and the line that closes the turn.

use crate::event::Event;
use crate::gate::{self, Settings, Work};
use crate::session::{Closer, Decision, Fold, Home, close};
use crate::store::Store;
use std::io;

/// Closes the turn that ends with this Stop. A turn is open when a question of the background check waits, when a
/// verdict is due and the turn changed something, or when the gate says so.
///
/// # Errors
/// The log cannot be read or written. Lessons that cannot be read close the turn with `error`.
pub fn stop(home: &Home, store: &Store, event: &Event) -> io::Result<Closer> {
    let fold = home.session.fold()?;
    let settings = Settings::of(&home.config, &|name| std::env::var_os(name));
    close(home, event, &fold, |said| decide(home, store, &settings, &fold, said))
}

/// What the gate says of a turn that ends with this message, and whether the lessons could be read.
#[must_use]
pub fn decide(home: &Home, store: &Store, settings: &Settings, fold: &Fold, said: &str) -> Decision {
    let changed = !fold.turn.changes.is_empty();
    let waiting = fold.state.live_waits() || changed && fold.state.due().next().is_some();
    let (touches, edits, prompt) = (fold.touches(), fold.edits(), fold.turn.prompts.join("\n"));
    let work = Work {
        prompt: &prompt,
        touches: &touches,
        edits: &edits,
        final_message: said,
        repo: &home.scope.name,
        place: &home.root.to_string_lossy(),
    };
    match gate::judge(store, &work, settings, waiting, changed) {
        Ok(said) => Decision {
            open: said.open,
            score: said.score,
            shortlist: said.shortlist,
            threshold: said.threshold,
            why: said.why,
            failed: None,
        },
        Err(error) => {
            let why = if waiting { "waiting" } else { "error" };
            Decision { open: waiting, why: why.to_owned(), failed: Some(error), ..Decision::default() }
        }
    }
}
