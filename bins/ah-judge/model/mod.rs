//! The model: one question, one checked answer, within time and budget, whatever the model is.

mod ask;
mod fence;
mod json;
mod reason;
mod reply;
mod schema;
mod usage;
mod words;

pub use ask::{Ask, Group, Parts, Shown, line};
pub use fence::{fenced, word};
pub use reason::{Code, Reason};
pub use reply::{Applies, Reply, Resolved, Verdict};
pub use usage::Usage;

use crate::settings::{Judge, Model};
use ah::clock::Deadline;
use ah::paths::Paths;

/// What came of a question. That nothing applies is an answer; that the model could not be asked is none.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The model answered, and the answer was checked.
    Answered(Reply, Usage),
    /// It could not be asked, or its answer was no answer.
    Failed {
        /// Why.
        reason: Reason,
        /// What it cost all the same.
        usage: Usage,
    },
}

/// Asks.
#[must_use]
pub fn ask(settings: &Judge, ask: &Ask, _deadline: Deadline, _paths: Option<&Paths>) -> Outcome {
    let usage = Usage::of(&settings.model.text());
    let failed = |code, text: &str| Outcome::Failed { reason: Reason::new(code, text.to_owned()), usage: usage.clone() };
    match &settings.model {
        _ if !settings.problems.is_empty() => failed(Code::Config, &settings.problems.join("; ")),
        Model::Words => Outcome::Answered(words::reply(ask, settings.words_block), usage),
        _ => failed(Code::Off, "no model is asked"),
    }
}
