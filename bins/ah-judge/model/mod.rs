//! The model: one question, one checked answer, within time and budget, whatever the model is.

mod anthropic;
mod ask;
mod budget;
mod call;
mod chat;
mod child;
mod claude;
mod codex;
mod fence;
mod http;
mod json;
pub mod keeper;
mod key;
mod ollama;
mod program;
mod reason;
mod reply;
pub mod request;
mod schema;
mod send;
mod server;
mod shape;
mod usage;
mod words;

pub use ask::{Ask, Group, Parts, Shown, line};
pub use call::Call;
pub use fence::{fenced, word};
pub use reason::{Code, Reason};
pub use reply::{Applies, Reply, Resolved, Verdict};
pub use usage::Usage;

use crate::settings::{Judge, Model};
use ah::clock::Deadline;
use ah::paths::Paths;
use ah::redact::redact;
use send::Sending;
use serde_json::Value;

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

/// Asks. Without `paths` neither caps nor the breaker are looked at: for trials.
#[must_use]
pub fn ask(settings: &Judge, ask: &Ask, deadline: Deadline, paths: Option<&Paths>) -> Outcome {
    if settings.model == Model::Words {
        return Outcome::Answered(words::reply(ask, settings.words_block), Usage::of(settings));
    }
    let call = Call::of(settings, ask);
    let read = |text: &str| Reply::read(text, &ask.prompt, &ask.ids, &ask.pending);
    match Sending::new(settings, &call, deadline, paths).run(read) {
        (Ok(reply), usage) => Outcome::Answered(reply, usage),
        (Err(reason), usage) => Outcome::Failed { reason, usage },
    }
}

/// Asks for any JSON object: for learning, with a rubric and a schema of its own. What is foreign in the prompt must have
/// been [`fenced`]; secrets are taken out here once more.
///
/// # Errors
/// Why there is no object, and what it cost all the same.
pub fn call_structured(
    settings: &Judge,
    call: &Call,
    deadline: Deadline,
    paths: Option<&Paths>,
) -> Result<(Value, Usage), (Reason, Usage)> {
    let mut call = call.clone();
    if call.max_tokens == 0 {
        call.max_tokens = settings.max_tokens.unwrap_or(2_000);
    }
    call.stable = redact(call.parts().0).len();
    call.prompt = redact(&call.prompt).into_owned();
    let none = || Reason::new(Code::NoJson, "the reply is no JSON object".to_owned());
    let read = |text: &str| json::find(text, &call.prompt, Value::is_object).ok_or_else(none);
    match Sending::new(settings, &call, deadline, paths).run(read) {
        (Ok(value), usage) => Ok((value, usage)),
        (Err(reason), usage) => Err((reason, usage)),
    }
}
