//! From a hook event to an answer: what the judge does at which moment.

use crate::deliver::{deliver, takes};
use crate::desk::Desk;
use crate::{live, past, queue, scopes, settle, stop};
use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::log;
use ah::paths::Paths;

/// The judge's answer to an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    // Without an id nobody knows whose memory it is, and a sub-agent's end is not the session's.
    if event.session_id.is_empty() || event.in_subagent() {
        return Answer::Silence;
    }
    let Some(paths) = Paths::from_env() else { return Answer::Silence };
    // A tool call is the most frequent of all: one look suffices where nothing waits.
    let tool = matches!(event.moment, Moment::PostToolUse | Moment::PostToolUseFailure);
    let after = event.moment == Moment::PostToolUse && live::possible(paths);
    if tool && !after && !queue::waits(paths, &event.session_id) {
        return Answer::Silence;
    }
    if !tool && !matches!(event.moment, Moment::SessionEnd | Moment::Stop | Moment::UserPromptSubmit) {
        return Answer::Silence;
    }
    let Some(desk) = Desk::of(event, &|why| context.explain.say(|| why.to_owned())) else { return Answer::Silence };
    let written = |what: &str, done: std::io::Result<()>| {
        if let Err(error) = done {
            log::failure(paths, crate::CLI.name, &format!("{what}: {error}"));
        }
    };
    match event.moment {
        Moment::Stop => {
            let answer = stop::stop(event, context, &desk);
            if !context.probe {
                scopes::renew(&desk.store);
            }
            answer
        }
        Moment::SessionEnd => {
            if !context.probe {
                written("cannot keep what a person said", past::capture(event, &desk).map(drop));
                written("cannot settle the session", settle::at_end(event, &desk));
            }
            Answer::Silence
        }
        _ => {
            if event.moment == Moment::UserPromptSubmit && !context.probe {
                written("cannot keep what a person said", past::capture(event, &desk).map(drop));
            }
            if after {
                written("cannot start a check", live::after_tool(event, &desk, &desk.live, context));
            }
            if takes(event, context) { deliver(event, context, &desk) } else { Answer::Silence }
        }
    }
}
