//! `check`: one check of the work so far, in the background or by hand.

use super::state::{State, lock};
use super::{Live, bar};
use crate::check::{self, Done, Plan};
use crate::desk::Desk;
use crate::memory::Memory;
use crate::pending::Channel;
use ah::cli::{Call, Cli};
use ah::clock::{Deadline, now_ms};
use ah::event::Event;
use ah::exit;
use ah::session::{Entry, Logged};
use std::io;
use std::process::ExitCode;
use std::time::Duration;

/// How long the session's lock is waited for.
const WAIT: Duration = Duration::from_secs(5);

/// `check --session ID [--cwd DIR]`: 0 when a model was asked, 1 when not, with the reason.
pub fn check(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let Some(session) = call.value("session").map(|id| id.to_string_lossy()).filter(|id| !id.is_empty()) else {
        return Err(cli.usage_error("check needs --session"));
    };
    let cwd = match call.value("cwd") {
        Some(dir) => dir.to_string_lossy().into_owned(),
        None => std::env::current_dir().map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default(),
    };
    let event = Event { session_id: session, cwd: cwd.into(), ..Event::default() };
    let Some(desk) = Desk::of(&event, &|_| ()) else {
        return Err(exit::fail(cli.name, exit::UNAVAILABLE, "nothing of this session is recorded here"));
    };
    let said = match one(&desk, &desk.live) {
        Ok(said) => said,
        Err(error) => {
            let what = format!("cannot check: {}: {error}", ah::quote::path(desk.session.file()));
            ah::log::failure(desk.paths, cli.name, &what);
            return Err(exit::fail(cli.name, exit::UNAVAILABLE, &what));
        }
    };
    exit::print(cli.name, &format!("{}\n", said.as_ref().map_or_else(|why| *why, String::as_str)));
    Ok(ExitCode::from(if said.is_ok() { exit::OK } else { exit::NO }))
}

/// One check, under the lock that keeps others out; decided once more under it. What it found, or why there was none.
fn one(desk: &Desk, live: &Live) -> io::Result<Result<String, &'static str>> {
    if !live.on {
        return Ok(Err("hook mode"));
    }
    let _alone = match lock(&desk.session, Duration::ZERO) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Err("running")),
        Err(error) => return Err(error),
    };
    let started = now_ms();
    let state = State::of(&desk.session, None, None)?;
    if let Err(wait) = state.decide(live, false, started) {
        return Ok(Err(wait.text()));
    }
    let checks = state.mark.as_ref().map_or(0, |mark| mark.checks);
    if checks >= live.checks {
        return skip(desk, &state, started, "budget").map(Err);
    }
    let memory = Memory::with_turn(&desk.session, None)?;
    let Some(shortlist) = bar::reached(desk, &memory, live.bar)? else {
        return skip(desk, &state, started, "below").map(Err);
    };
    // A name of its own for each check: one that was killed is not taken for one that was paid for.
    let of = format!("live:{started}");
    let plan = Plan {
        channel: Channel::Live,
        deadline: Deadline::after(desk.settings.timeout),
        judges: true,
        may_ask: true,
        of: &of,
        said: "",
        shortlist: &shortlist,
    };
    match check::run(desk, &plan, &memory)? {
        Done::Answered { ask, .. } => {
            mark(desk, &state, started, true, false)?;
            Ok(Ok(format!("asked a model; {} questions wait", ask.len())))
        }
        Done::Failed(_) => {
            mark(desk, &state, started, false, true)?;
            Ok(Err("the model could not be asked"))
        }
        Done::Skipped(why) => skip(desk, &state, started, why).map(Err),
    }
}

/// A check that asks no model covers nothing, and says why.
fn skip(desk: &Desk, state: &State, started: u64, why: &'static str) -> io::Result<&'static str> {
    let skip = Logged::new(now_ms(), "", Entry::Live { skip: why.to_owned() });
    let mark = Logged::new(now_ms(), "", Entry::Mark(state.mark(started, false, false)));
    let held = desk.session.lock(WAIT)?;
    desk.session.log(vec![skip, mark], Some(&held))?;
    Ok(why)
}

fn mark(desk: &Desk, state: &State, started: u64, seen: bool, failed: bool) -> io::Result<()> {
    let held = desk.session.lock(WAIT)?;
    desk.session.log(vec![Logged::new(now_ms(), "", Entry::Mark(state.mark(started, seen, failed)))], Some(&held))
}
