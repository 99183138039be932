//! `skip`: what the gate says of a turn that ended now.

use crate::here;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use ah::fs;
use ah::quote;
use ah::stop::decide;
use ah::store::Store;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Largest context that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Says whether the gate skips: exit 0 it does, 1 it opens.
pub fn skip(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("skip takes no operand"));
    }
    let (skips, score, threshold, why) = match call.value("context") {
        Some(file) => of_context(cli, call, file)?,
        None => of_session(cli, call)?,
    };
    let text = if call.options.json {
        let skip = skips.then_some(score);
        format!("{}\n", serde_json::json!({ "score": score, "skip": skip, "threshold": threshold, "why": why }))
    } else {
        format!("{} {why}: score {score:.4}, threshold {threshold:.4}\n", if skips { "skip" } else { "open" })
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(if skips { exit::OK } else { exit::NO }))
}

/// A text in the reference's form, by its formula.
fn of_context(cli: &Cli, call: &Call, file: &OsStr) -> Result<(bool, f64, f64, String), ExitCode> {
    let cannot = |file: &OsStr, error: std::io::Error| {
        exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file)))
    };
    let bytes = fs::read(Path::new(file), LARGEST).map_err(|error| cannot(file, error))?;
    let lessons = call.value("lessons").ok_or_else(|| cli.usage_error("--context needs --lessons FILE"))?;
    let store = Store::file(lessons.into());
    let read = store.read().map_err(|error| cannot(lessons, error))?;
    let score = compat::score(&read.live, &[], &String::from_utf8_lossy(&bytes)).score;
    let skips = score < compat::THRESHOLD;
    Ok((skips, score, compat::THRESHOLD, if skips { "below" } else { "score" }.to_owned()))
}

/// The newest session of the repository around here, or a named one.
fn of_session(cli: &Cli, call: &Call) -> Result<(bool, f64, f64, String), ExitCode> {
    let home = here::session(cli, call)?;
    let fold = home.session.fold().map_err(|error| {
        exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(home.session.file())))
    })?;
    let decision = decide(&home, &Store::of(here::paths(cli)?, &home.scope), &here::settings(&home.config), &fold, "");
    if let Some(error) = decision.failed {
        return Err(exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read the lessons: {error}")));
    }
    Ok((!decision.open, decision.score, decision.threshold, decision.why))
}
