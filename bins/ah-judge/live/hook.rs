//! The live check's two moments in a hook: after a tool call that changes something, and at a stop.

use super::mode::Live;
use super::state::{State, lock};
use crate::desk::Desk;
use ah::clock::now_ms;
use ah::effect::effect_in;
use ah::event::Event;
use ah::fs::Lock;
use ah::hook::Context;
use ah::paths::Paths;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Largest file of settings that is looked at, in bytes.
const MAX_CONFIG: u64 = 1 << 20;

/// The longest that a stop waits for a check that runs.
const WAIT: Duration = Duration::from_secs(15);

/// Whether the mode may be live, by one look at the environment and one at the settings' bytes: what most sessions pay.
pub fn possible(paths: &Paths) -> bool {
    let word = |file: &Path| ah::fs::read(file, MAX_CONFIG).is_ok_and(|bytes| bytes.windows(6).any(|w| w == b"\"live\""));
    ["AH_MODE", "BORG_MODE"].iter().any(|name| std::env::var_os(name).is_some())
        || word(&paths.config_file())
        || word(&paths.system_config())
}

/// Whether a tool call changes something.
fn changes(event: &Event) -> bool {
    event.tool_input.is_some_and(|input| effect_in(event.tool(), input, Some(&event.cwd)).may_change())
}

/// Starts a check in the background, if it is time for one.
///
/// # Errors
/// The system's.
pub fn after_tool(event: &Event, desk: &Desk, live: &Live, context: &Context) -> io::Result<()> {
    if !live.on {
        return Ok(());
    }
    let state = State::of(&desk.session, Some((&event.tool_use_id, changes(event))), None)?;
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
    _lock: Option<Lock>,
}

/// Waits for a check that runs, at most a quarter of the stop's `budget` and 15 seconds. `closed` is the line with which
/// this stop closed the turn.
///
/// # Errors
/// The system's.
pub fn at_stop(desk: &Desk, live: &Live, closed: &str, budget: Duration) -> io::Result<AtStop> {
    if !live.on {
        return Ok(AtStop::default());
    }
    match lock(&desk.session, WAIT.min(budget / 4)) {
        Ok(lock) => {
            Ok(AtStop { covered: State::of(&desk.session, None, Some(closed))?.covered(), running: false, _lock: Some(lock) })
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(AtStop { running: true, ..AtStop::default() }),
        Err(error) => Err(error),
    }
}
