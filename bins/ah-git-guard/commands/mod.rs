//! What a person runs by hand; check and explain are here, each other command in a file of its own.

use crate::explain;
use crate::guard::{self, Judged};
use crate::own::memory::Memory;
use crate::policy::Policies;
use crate::snapshot::Taken;
use crate::verdict::Verdict;
use crate::way::Way;
use crate::way::attempt::Attempt;
use crate::way::audit::{self, Line};
use crate::way::outcome::Outcome;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::paths::Paths;
use ah::quote;
use ah::shell::Source;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

mod allow;
mod log;
mod policy;
mod report;
mod rules;

pub use allow::allow;
pub use log::log;
pub use policy::policy;
pub use report::report;
pub use rules::rules;

/// The directory of `--cwd`, else the current one.
fn place(cli: &Cli, call: &Call) -> Result<PathBuf, ExitCode> {
    let named = call.value("cwd").map(PathBuf::from);
    let dir = named.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    guard::directory(&dir.to_string_lossy())
        .ok_or_else(|| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot work in: {}: not a directory", quote::path(&dir))))
}

/// ah's own places.
fn paths(cli: &Cli) -> Result<&'static Paths, ExitCode> {
    Paths::from_env().ok_or_else(|| exit::fail(cli.name, exit::UNAVAILABLE, "no place for its state is known: HOME is not set"))
}

/// The denial of a code, in whatever case it was typed.
fn denial(cli: &Cli, paths: &Paths, code: &OsStr) -> Result<Line, ExitCode> {
    let none = || exit::fail(cli.name, exit::NO, &format!("no such code: {}: ah-git-guard allow lists them", quote::path(code)));
    audit::denial(paths, &code.to_string_lossy().to_lowercase()).ok_or_else(none)
}

/// The command line that follows `--`.
fn line(cli: &Cli, call: &Call) -> Result<String, ExitCode> {
    let line = call.args.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    if line.trim().is_empty() {
        let name = call.command.unwrap_or_default();
        return Err(cli.usage_error(&format!("no command to judge: ah-git-guard {name} -- COMMAND")));
    }
    Ok(line)
}

/// A line judged as if a person could be asked and a snapshot could be taken, and what would be said.
fn judge(cli: &Cli, call: &Call, thorough: bool) -> Result<(Judged, Outcome, String), ExitCode> {
    let line = line(cli, call)?;
    let cwd = place(cli, call)?;
    let policies = Policies::from_env();
    let mut judged = guard::line(&line, Source::Shell, &cwd, &policies, &Memory::default, thorough);
    // As a probe: what the policy says, and nothing on record.
    let attempt = Attempt::typed(line, &cwd);
    let way = Way { attempt: &attempt, can_ask: true, keep: &|_, _| Ok(Taken::default()), paths: None };
    let (outcome, message) = way.through(&mut judged);
    Ok((judged, outcome, message))
}

/// `check -- COMMAND`: 0 allow or note, 1 deny, 3 ask.
pub fn check(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let (judged, outcome, message) = judge(cli, call, call.options.explain)?;
    if call.options.explain {
        ah::hook::Explain::ON.say(|| explain::text(&judged, &outcome));
    }
    let text = match (call.options.json, message.is_empty()) {
        (true, _) => explain::json(&judged, &outcome, &message) + "\n",
        (false, true) => String::new(),
        (false, false) => message + "\n",
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(match outcome.verdict {
        Verdict::Allow | Verdict::Note => exit::OK,
        Verdict::Ask => exit::ASK,
        Verdict::Deny => exit::NO,
    }))
}

/// `explain -- COMMAND`.
pub fn explain(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let (judged, outcome, message) = judge(cli, call, true)?;
    let text = match call.options.json {
        true => explain::json(&judged, &outcome, &message),
        false => explain::text(&judged, &outcome),
    };
    exit::print(cli.name, &(text + "\n"));
    Ok(ExitCode::SUCCESS)
}
