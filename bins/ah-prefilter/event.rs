//! From a hook event to the session's log, and at a Stop on to the judge.

use crate::CLI;
use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::gate::Settings;
use ah::hook::Context;
use ah::log;
use ah::paths::Paths;
use ah::quote;
use ah::session::{Closer, Home, Kept, record, sweep};
use ah::stop::{decide, stop};
use ah::store::Store;
use serde::Serialize;
use std::io;
use std::time::SystemTime;

/// What the judge is told of a turn.
#[derive(Serialize)]
struct Ah<'c> {
    score: f64,
    threshold: f64,
    why: &'c str,
    shortlist: &'c [String],
    open: &'c str,
}

/// Records an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    handle(event, context);
    Answer::Silence
}

/// The same; a Stop of a turn that is worth a model is passed on.
pub fn pass(event: &Event, context: &Context) -> Answer {
    if let Some(closer) = handle(event, context).filter(|closer| closer.open) {
        let Closer { score, threshold, why, shortlist, key, .. } = &closer;
        let ah = Ah { score: *score, threshold: *threshold, why, shortlist, open: key };
        if let Some(line) = passed(context.input, &ah) {
            context.pass_on(line);
        }
    }
    Answer::Silence
}

/// The closing line, at a Stop.
fn handle(event: &Event, context: &Context) -> Option<Closer> {
    let stops = event.moment == Moment::Stop && !event.in_subagent();
    let records = matches!(event.moment, Moment::UserPromptSubmit | Moment::PostToolUse | Moment::PostToolUseFailure);
    if !stops && !records && event.moment != Moment::SessionEnd {
        return None;
    }
    let paths = Paths::from_env()?;
    if event.moment == Moment::SessionEnd {
        if !context.probe {
            // A failure to clean up is nothing that this session could mend.
            let _ = sweep(paths, Kept::default(), SystemTime::now());
        }
        return None;
    }
    recorded(paths, event, context, stops).unwrap_or_else(|error| {
        let what = format!("cannot record {}: {error}", quote::line(&event.event_name, 40));
        context.explain.say(|| what.clone());
        if !context.probe {
            log::failure(paths, CLI.name, &what);
        }
        None
    })
}

fn recorded(paths: &Paths, event: &Event, context: &Context, stops: bool) -> io::Result<Option<Closer>> {
    let say = |why: &str| context.explain.say(|| format!("nothing is recorded: {why}"));
    let Some(home) = Home::of(paths, event, &say)? else { return Ok(None) };
    context.explain.say(|| format!("the log is {}", quote::path(home.session.file())));
    if !stops {
        if !context.probe {
            record(&home, event)?;
        }
        return Ok(None);
    }
    let store = Store::of(paths, &home.scope);
    if event.stop_hook_active {
        // What the agent does on a Stop hook's word belongs to the next turn; the judge hears the answer.
        return Ok(Some(Closer { open: true, why: "active".to_owned(), ..Closer::default() }));
    }
    let closer = if context.probe {
        let settings = Settings { learns: false, ..Settings::of(&home.config, &|name| std::env::var_os(name)) };
        let decision = decide(&home, &store, &settings, &home.session.fold()?, &event.last_assistant_message);
        Closer {
            open: decision.open,
            score: decision.score,
            shortlist: decision.shortlist,
            threshold: decision.threshold,
            why: decision.why,
            ..Closer::default()
        }
    } else {
        stop(&home, &store, event)?
    };
    context.explain.say(|| {
        let does = if closer.open { "opens" } else { "skips" };
        format!("the gate {does}: {}, score {:.4}, threshold {:.4}", closer.why, closer.score, closer.threshold)
    });
    Ok(Some(closer))
}

/// The event as it was sent, on one line, with what the judge is told; of two equal keys the last one counts. `None` where
/// it is no object after all.
fn passed(input: &[u8], ah: &Ah) -> Option<String> {
    let event = std::str::from_utf8(input).ok()?.trim_end().strip_suffix('}')?;
    // In a string every line end is escaped.
    let event = event.replace(['\n', '\r'], " ");
    Some(format!("{event},\"ah\":{}}}", serde_json::to_string(ah).ok()?))
}
