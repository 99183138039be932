//! From a hook event to an answer: which moments the judge has something to do at.

use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::hook::Context;

/// The judge's answer to an event.
pub fn answer(event: &Event, _context: &Context) -> Answer {
    // Without a session there is nothing that could be remembered, and a sub-agent's turn is its parent's.
    if event.session_id.is_empty() || event.in_subagent() {
        return Answer::Silence;
    }
    match event.moment {
        Moment::Stop => Answer::Silence,
        _ => Answer::Silence,
    }
}
