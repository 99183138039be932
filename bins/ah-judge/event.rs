//! From a hook event to an answer: which moments the judge has something to do at.

use crate::desk::Desk;
use crate::{past, settle};
use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::hook::Context;

/// The judge's answer to an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    // Without a session there is nothing that could be remembered, and a sub-agent's turn is its parent's.
    if event.session_id.is_empty() || event.in_subagent() {
        return Answer::Silence;
    }
    if !context.probe && matches!(event.moment, Moment::SessionEnd | Moment::UserPromptSubmit) {
        if let Some(desk) = Desk::of(event, &|why| context.explain.say(|| why.to_owned())) {
            remember(event, &desk);
        }
    }
    Answer::Silence
}

/// What a person says against the work is kept, and at a session's end it is settled what came of the lessons.
fn remember(event: &Event, desk: &Desk) {
    let failed = |what: &str, error: std::io::Error| {
        ah::log::failure(
            desk.paths,
            crate::CLI.name,
            &format!("cannot {what}: {}: {error}", ah::quote::path(desk.session.file())),
        );
    };
    past::capture(event, desk).map_or_else(|error| failed("keep a correction", error), drop);
    if event.moment == Moment::SessionEnd {
        settle::at_end(event, desk).unwrap_or_else(|error| failed("settle the session", error));
    }
}
