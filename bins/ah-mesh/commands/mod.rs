//! What a person or an agent runs by hand, a file for each group of commands.

mod claims;
mod inbox;
mod say;
mod steer;
mod target;
mod top;

pub use claims::{claim, claims, release};
pub use inbox::{inbox, thread, wait};
pub use say::say;
pub use steer::steer;
pub use top::{place, top};

use crate::place::Place;
use ah::cli::{Call, Cli};
use ah::clock::lasting;
use ah::exit;
use ah::route::Off;
use std::path::PathBuf;
use std::process::ExitCode;

/// The directory of `--cwd`, else the current one.
fn directory(call: &Call) -> PathBuf {
    let here = || std::env::current_dir().unwrap_or_default();
    call.value("cwd").map_or_else(here, |dir| here().join(dir))
}

/// The mesh of where a command runs.
fn here(cli: &Cli, call: &Call) -> Result<Place, ExitCode> {
    Place::of(&directory(call)).map_err(|why| {
        let code = if why == Some(Off::Invalid) { exit::BAD_CONFIG } else { exit::UNAVAILABLE };
        exit::fail(cli.name, code, &format!("no mesh here: {}", reason(why)))
    })
}

/// Why nothing is recorded, for people.
fn reason(why: Option<Off>) -> &'static str {
    match why {
        None => "no place for its state is known: HOME is not set",
        Some(Off::Default) => "it belongs to no collective, and those are off",
        Some(Off::Invalid) => "the settings have a mistake (ah-doctor shows it)",
        Some(Off::Listed) => "it is switched off by the settings",
        Some(Off::Nowhere) => "it lies in no repository",
        Some(Off::Silent) => "AH_OFF is set",
    }
}

/// A time like `90`, `30s`, `15m` or `2h`, in milliseconds.
fn time(cli: &Cli, call: &Call) -> Result<Option<u64>, ExitCode> {
    let Some(value) = call.value("for") else { return Ok(None) };
    let text = value.to_string_lossy();
    // A number alone is of seconds.
    let seconds = text.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{text}s"));
    let length = lasting(seconds.as_deref().unwrap_or(&text)).filter(|ms| *ms <= 7 * 86_400_000);
    length.map(Some).ok_or_else(|| cli.usage_error("--for: a time like 30s, 15m or 2h, a week at most"))
}

/// What failed, as a code to end with.
fn failed(cli: &Cli, what: &str, error: &std::io::Error) -> ExitCode {
    exit::fail(cli.name, exit::CANNOT_CREATE, &format!("{what}: {error}"))
}
