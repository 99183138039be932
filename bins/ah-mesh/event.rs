//! From a hook event to an answer.

use crate::deliver;
use crate::edits;
use crate::place::Place;
use ah::answer::Answer;
use ah::clock::{now_ms, utc};
use ah::effect::effect_in;
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::log;
use ah::mesh::{self, Board, Inbox, Presence, harnessed, paused};
use ah::paths::Paths;
use ah::quote;
use std::path::Path;
use std::time::Duration;

/// How long another hook of the same session is waited for.
const WAIT: Duration = Duration::from_millis(100);

/// The mesh's answer to an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    if event.session_id.is_empty() {
        return Answer::Silence;
    }
    let Some(paths) = Paths::from_env() else { return Answer::Silence };
    if event.moment == Moment::PreToolUse
        && let Some(answer) = held(paths, event)
    {
        return answer;
    }
    if event.moment == Moment::Other || event.moment == Moment::SubagentStop {
        return Answer::Silence;
    }
    let place = match Place::of(Path::new(&*event.cwd)) {
        Ok(place) => place,
        Err(why) => {
            context.explain.say(|| format!("nothing of this directory is recorded: {why:?}"));
            return Answer::Silence;
        }
    };
    if context.probe {
        return Answer::Silence;
    }
    handle(event, context, &place).unwrap_or_else(|error| {
        log::failure(paths, crate::CLI.name, &format!("cannot keep the mesh: {}: {error}", event.moment.name()));
        Answer::Silence
    })
}

/// A pause's answer to a tool call.
fn held(paths: &Paths, event: &Event) -> Option<Answer> {
    let pause = paused(paths, &event.session_id, now_ms())?;
    if pause.read_only {
        let changes = event.tool_input.is_none_or(|input| effect_in(event.tool(), input, Some(&event.cwd)).may_change());
        if !changes {
            return None;
        }
    }
    let note = if pause.note.is_empty() { String::new() } else { format!(" They say: {}", quote::line(&pause.note, 400)) };
    let what = if pause.read_only { "may only read" } else { "is paused" };
    Some(Answer::Deny(format!(
        "ah-mesh: this session {what}, by a person since {} UTC.{note} It goes on when they run `ah-mesh resume` in a terminal of \
         their own, or after 24 hours. Say so and end the turn; another way around it is not meant.",
        utc(pause.t)
    )))
}

fn handle(event: &Event, context: &Context, place: &Place) -> std::io::Result<Answer> {
    let now = now_ms();
    let subagent = event.in_subagent();
    if event.moment == Moment::PreToolUse {
        return before(event, context, place, now);
    }
    let after = matches!(event.moment, Moment::PostToolUse | Moment::PostToolUseFailure);
    let written = if after { edits::done(event, place, now)? } else { Vec::new() };
    let presence = present(event, context, place, now, &written)?;
    match event.moment {
        Moment::SessionEnd => {
            place.files.release(&event.session_id, None)?;
            Ok(Answer::Silence)
        }
        Moment::UserPromptSubmit => deliver::deliver(event, context, place, &presence, now),
        // A text at the end of a turn would begin another; the next prompt takes it.
        Moment::SessionStart | Moment::PostToolUse | Moment::PostToolUseFailure if !subagent => {
            deliver::deliver(event, context, place, &presence, now)
        }
        _ => Ok(Answer::Silence),
    }
}

/// Before a tool runs: its files are taken, and what waits is handed over, the conflict first.
fn before(event: &Event, context: &Context, place: &Place, now: u64) -> std::io::Result<Answer> {
    let claimed = edits::claim(event, context, place, now)?;
    let known: Option<Presence> = place.files.record("presence", &mesh::file_name(&event.session_id));
    // A session that no other event has made known is greeted at the next one.
    let Some(mut presence) = known.filter(|_| !event.in_subagent()) else { return Ok(claimed) };
    if presence.is_due(now) {
        presence = present(event, context, place, now, &[])?;
    }
    let text = match claimed {
        Answer::Silence => String::new(),
        Answer::Context(text) => text,
        stopped => return Ok(stopped),
    };
    Ok(match deliver::deliver(event, context, place, &presence, now)? {
        Answer::Context(told) if text.is_empty() => Answer::Context(told),
        Answer::Context(told) => Answer::Context(format!("{text}\n{told}")),
        _ if text.is_empty() => Answer::Silence,
        _ => Answer::Context(text),
    })
}

/// Brings the session's presence up to date.
fn present(event: &Event, context: &Context, place: &Place, now: u64, written: &[String]) -> std::io::Result<Presence> {
    let name = mesh::file_name(&event.session_id);
    // Without the lock a file that another hook notes might be lost; a presence is worth no more waiting.
    let lock = place.files.lock(&format!("presence-{name}.lock"), WAIT);
    let old: Option<Presence> = place.files.record("presence", &name);
    let mut presence = match &old {
        Some(old) => old.clone(),
        None => {
            place.files.prune(now);
            let others = place.files.presences()?;
            let taken: Vec<&str> = others.iter().map(|other| other.name.as_str()).collect();
            let process = harnessed().unwrap_or_default();
            Presence {
                v: 1,
                session: event.session_id.to_string(),
                name: mesh::name(&event.session_id, &taken),
                started: now,
                pid: process.pid,
                born: process.born,
                ..Presence::default()
            }
        }
    };
    if event.moment == Moment::SessionStart && old.is_some() {
        // A session that goes on may run in another process.
        let process = harnessed().unwrap_or_default();
        (presence.pid, presence.born) = (process.pid, process.born);
    }
    presence.harness = context.harness.name.to_owned();
    presence.repo.clone_from(&place.scope.repo);
    presence.repo_name.clone_from(&place.scope.name);
    presence.worktree = place.repo.root.to_string_lossy().into_owned();
    presence.branch = place.branch();
    if event.moment == Moment::UserPromptSubmit && place.share_prompt && !event.machine_prompt() {
        let first = event.prompt.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        presence.prompt = quote::line(&ah::redact::redact(first), 100);
    }
    for path in written {
        presence.files.retain(|file| file != path);
        presence.files.insert(0, path.clone());
    }
    presence.files.truncate(3);
    presence.event = event.moment.name().to_owned();
    presence.t = now;
    if presence.differs(old.as_ref()) {
        place.files.put(&presence)?;
    }
    drop(lock);
    if old.is_none() {
        greet(event, place)?;
    }
    Ok(presence)
}

/// From here on a session hears everything, however much is said before it looks.
fn greet(event: &Event, place: &Place) -> std::io::Result<()> {
    let name = mesh::file_name(&event.session_id);
    let _lock = place.files.lock(&format!("inbox-{name}.lock"), WAIT)?;
    if place.files.record::<Inbox>("inbox", &name).is_none() {
        Inbox::of(&place.files, &event.session_id)?.write(&place.files, &event.session_id)?;
    }
    Ok(())
}
