//! `pause` and `resume`: a person stops a session's tools, and lets it go on.

use super::target::session;
use super::{failed, here};
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::log;
use ah::mesh::{self, Pause};
use ah::person;
use ah::quote;
use std::process::ExitCode;

/// Pauses or resumes; a person only, at a terminal that no harness is above.
pub fn steer(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let fail = |code, text: &str| exit::fail(cli.name, code, text);
    let word = call.command.unwrap_or_default();
    let mut words = call.args.iter().map(|word| word.to_string_lossy().into_owned());
    let Some(to) = words.next() else { return Err(cli.usage_error(&format!("{word} whom?"))) };
    let place = here(cli, call)?;
    let now = now_ms();
    let session = session(&place, &to, now).map_err(|why| fail(exit::NO, &why))?;
    let pausing = word == "pause";
    let (shown, otherwise) = match pausing {
        true => (
            format!("The tools of {} ({}) will be stopped for 24 hours at most.", session.name, session.harness),
            "leaves it alone",
        ),
        false => (format!("{} ({}) goes on.", session.name, session.harness), "leaves it paused"),
    };
    if let Err(why) = person::confirm(&shown, if pausing { "pause it" } else { "let it go on" }, otherwise) {
        // That somebody tried is for the person to see.
        log::failure(place.paths, cli.name, &format!("{word} of {} refused: {why}", session.name));
        return Err(fail(exit::NO_PERMISSION, &format!("only a person at a terminal can {word} a session: {why}")));
    }
    let note = words.collect::<Vec<_>>().join(" ");
    let done = match pausing {
        true => {
            let note = quote::line(&ah::redact::redact(&note), 400);
            let pause = Pause { note, read_only: call.has("read-only"), session: session.session.clone(), t: now, v: 1 };
            mesh::pause(place.paths, &pause).map(|()| true)
        }
        false => mesh::resume(place.paths, &session.session),
    };
    let done = done.map_err(|error| failed(cli, "cannot keep it", &error))?;
    exit::print(
        cli.name,
        &format!(
            "{} {}\n",
            session.name,
            if pausing {
                "is paused"
            } else if done {
                "goes on"
            } else {
                "was not paused"
            }
        ),
    );
    Ok(ExitCode::from(if done { exit::OK } else { exit::NO }))
}
