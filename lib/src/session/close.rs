//! The end of a turn: exactly one closing line for every Stop that is not a Stop hook's own doing.

use super::Fold;
use super::clip::safe_ends;
use super::entry::{Entry, Logged};
use super::home::Home;
use super::record::{LONG, fingerprint};
use super::turn::{Closer, STOP};
use crate::clock::now_ms;
use crate::event::Event;
use std::io;

/// What the gate says of a turn.
#[derive(Debug, Default)]
pub struct Decision {
    /// Why the lessons could not be read, if so.
    pub failed: Option<io::Error>,
    /// The turn is worth a model.
    pub open: bool,
    /// Its score.
    pub score: f64,
    /// The best lessons, best first.
    pub shortlist: Vec<String>,
    /// What the score was compared with.
    pub threshold: f64,
    /// Why, in a word.
    pub why: String,
}

/// Closes the turn that ends with this Stop, as `decide` says. Told of the same Stop again it writes nothing, and gives
/// what it gave.
///
/// # Errors
/// As [`super::Session::append`]; and why `decide` failed, the turn closed all the same.
pub fn close(home: &Home, event: &Event, fold: &Fold, decide: impl FnOnce(&str) -> Decision) -> io::Result<Closer> {
    let text = safe_ends(&event.last_assistant_message, LONG);
    if let Some(closer) =
        fold.state.closer.as_ref().filter(|_| fold.turn.records == 0 && fold.state.said == Some(fingerprint(&text)))
    {
        return Ok(closer.clone());
    }
    let Decision { failed, open, score, shortlist, threshold, why } = decide(&text);
    let number = fold.state.closed() + 1;
    let key = format!("{STOP}{number}");
    let (t, said) = (now_ms(), why.clone());
    let entry = match open {
        true => Entry::Open { score, shortlist: shortlist.clone(), threshold, why },
        false => Entry::Skip { score, threshold, why },
    };
    let mut entries: Vec<Logged> = fold.summary(t).into_iter().collect();
    entries.push(Logged::clean(t, &key, Entry::Final { text: text.into_owned() }));
    entries.push(Logged::clean(t, &key, entry));
    home.session.log(entries, None)?;
    // What waits is not lost to lessons that cannot be read.
    if let Some(error) = failed.filter(|_| !open) {
        return Err(error);
    }
    Ok(Closer { key, number, open, score, shortlist, t, threshold, why: said })
}
