//! The checks as they are run: all or some, as text or JSON, with or without mending.

use crate::check::{CHECKS, Check};
use crate::finding::{Finding, Level};
use crate::ground::Ground;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::paths::Paths;
use serde::Serialize;
use std::process::ExitCode;

/// The whole result; `tests/data/schemas/ah-doctor.json` describes it.
#[derive(Serialize)]
struct Report<'a> {
    checks: &'a [Finding],
    summary: Summary,
    v: u32,
    version: &'static str,
}

#[derive(Serialize)]
struct Summary {
    fail: usize,
    ok: usize,
    warn: usize,
}

/// Runs the checks that `call` names, else all: 0 healthy, 1 problems.
pub fn examine(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let wanted = wanted(cli, call)?;
    if call.has("list") {
        let names: String = CHECKS.iter().map(|check| format!("{}\n", check.name)).collect();
        exit::print(cli.name, &names);
        return Ok(ExitCode::SUCCESS);
    }
    let paths = place(cli)?;
    let mut found = run(paths, &wanted, call.has("deep"));
    if call.has("fix") && mend(cli, &found) > 0 {
        // What was mended is looked at again, so that the end of the text is how it is now.
        found = run(paths, &wanted, call.has("deep"));
    }
    let count = |level| found.iter().filter(|finding| finding.level == level).count();
    let summary = Summary { fail: count(Level::Fail), ok: count(Level::Ok), warn: count(Level::Warn) };
    let failed = summary.fail;
    if call.options.json {
        let report = Report { checks: &found, summary, v: 1, version: env!("CARGO_PKG_VERSION") };
        exit::print(cli.name, &(serde_json::to_string(&report).unwrap_or_default() + "\n"));
    } else {
        let least = if call.has("quiet") { Level::Fail } else { Level::Ok };
        let mut text: String = found.iter().filter(|finding| finding.level >= least).map(Finding::row).collect();
        if !call.has("quiet") {
            text += &match (summary.fail, summary.warn) {
                (0, 0) => "no problems\n".to_owned(),
                (0, n) => format!("no problems, {n} to know of\n"),
                (1, _) => "1 problem\n".to_owned(),
                (n, _) => format!("{n} problems\n"),
            };
        }
        exit::print(cli.name, &text);
    }
    Ok(ExitCode::from(if failed > 0 { exit::NO } else { exit::OK }))
}

/// ah's own places.
pub fn place(cli: &Cli) -> Result<&'static Paths, ExitCode> {
    Paths::from_env().ok_or_else(|| exit::fail(cli.name, exit::UNAVAILABLE, "no place for its state is known: HOME is not set"))
}

fn run(paths: &'static Paths, wanted: &[&Check], deep: bool) -> Vec<Finding> {
    let ground = Ground::new(paths, deep);
    wanted.iter().flat_map(|check| (check.run)(&ground)).collect()
}

/// The named checks; a name that is none is an error, since who mistypes it must not think that it was looked at.
fn wanted(cli: &Cli, call: &Call) -> Result<Vec<&'static Check>, ExitCode> {
    let mut names: Vec<String> = call.command.iter().map(|name| (*name).to_owned()).collect();
    names.extend(call.args.iter().map(|arg| arg.to_string_lossy().into_owned()));
    if names.is_empty() {
        return Ok(CHECKS.iter().collect());
    }
    let find = |name: &String| {
        CHECKS.iter().find(|check| check.name == name).ok_or_else(|| {
            let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
            cli.usage_error(&format!("no such check: {}: one of {}", ah::quote::line(name, 40), all.join(" ")))
        })
    };
    names.iter().map(find).collect()
}

/// Does what mends safely; how many did.
fn mend(cli: &Cli, found: &[Finding]) -> usize {
    let mut done = 0;
    for finding in found {
        let Some((fix, act)) = finding.fix.as_ref().and_then(|fix| Some((fix, fix.act.as_ref()?))) else { continue };
        match act() {
            Ok(()) => {
                done += 1;
                exit::print(cli.name, &format!("mended  {:<10} {}\n", finding.subject, fix.command));
            }
            Err(error) => {
                let _ = exit::fail(cli.name, exit::NO, &format!("cannot mend: {}: {error}", finding.code));
            }
        }
    }
    done
}
