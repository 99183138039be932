//! The live check's two moments in a hook: after a tool call that changes something, and at a stop.

use super::mode::Live;
use super::state::{State, lock};
use crate::desk::Desk;
use ah::clock::now_ms;
use ah::event::Event;
use ah::fs::Lock;
use ah::hook::Context;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The longest that a stop waits for a check that runs.
const WAIT: Duration = Duration::from_secs(15);

/// Starts a check in the background, if it is time for one; `changes` says that this call changes something.
///
/// # Errors
/// The system's.
pub fn after_tool(event: &Event, desk: &Desk, live: &Live, changes: bool, context: &Context) -> io::Result<()> {
    if !live.on {
        return Ok(());
    }
    let state = State::of(&desk.session, Some((&event.tool_use_id, changes)))?;
    // Nearly all calls end here, without a look at the lock.
    let held = state.decide(live, false, now_ms()).is_ok() && !is_free(desk)?;
    match state.decide(live, held, now_ms()) {
        Ok(()) if state.mark.as_ref().is_some_and(|mark| mark.checks >= live.checks) => {
            context.explain.say(|| "live check: the session has had all its checks".to_owned());
            Ok(())
        }
        Ok(()) => {
            context.explain.say(|| format!("live check: begins, {} changes", state.count));
            if context.probe { Ok(()) } else { spawn(event, context) }
        }
        Err(wait) => {
            context.explain.say(|| format!("live check: {}", wait.text()));
            Ok(())
        }
    }
}

fn is_free(desk: &Desk) -> io::Result<bool> {
    match lock(&desk.session, Duration::ZERO) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

/// Starts this program once more, on its own and unheard.
fn spawn(event: &Event, context: &Context) -> io::Result<()> {
    let option = |name: &str, value: &str| {
        let mut option = OsString::from(format!("--{name}="));
        option.push(value);
        option
    };
    let mut command = Command::new(crate::model::keeper::own()?);
    command.arg("check").arg(option("session", &event.session_id)).arg(option("cwd", &event.cwd));
    command.arg(option("harness", context.harness.name)).current_dir("/").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(drop)
}

/// What a stop finds of the live check.
#[derive(Debug, Default)]
pub struct AtStop {
    /// A check of this turn has seen every change: the stop need not ask a model.
    pub covered: bool,
    /// One still runs, after all the time that there was to wait: what it finds is asked later.
    pub running: bool,
    /// No check begins while this is held.
    pub lock: Option<Lock>,
}

/// Waits for a check that runs, at most a quarter of the stop's `budget` and 15 seconds.
///
/// # Errors
/// The system's.
pub fn at_stop(desk: &Desk, live: &Live, budget: Duration) -> io::Result<AtStop> {
    if !live.on {
        return Ok(AtStop::default());
    }
    match lock(&desk.session, WAIT.min(budget / 4)) {
        Ok(lock) => Ok(AtStop { covered: State::of(&desk.session, None)?.covered(), running: false, lock: Some(lock) }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(AtStop { running: true, ..AtStop::default() }),
        Err(error) => Err(error),
    }
}
