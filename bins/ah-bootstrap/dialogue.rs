//! What a person at a terminal is told and asked: at most three questions, each with a flag that answers it.

use crate::CLI;
use crate::choice::Choice;
use crate::error::Error;
use crate::job;
use crate::plan::Plan;
use crate::purge::{ask, says_yes};
use ah::cli::Parsed;
use ah::exit;
use ah::harness::wiring::{self, Part};
use std::ffi::OsString;
use std::process::ExitCode;

const COSTS: &str = "\
The guard: about a millisecond a tool call, no network, no money; snapshots of what a command would lose stay on this
machine for 14 days. Lessons and messages between sessions are a process more at each step; nothing is sent unless you
name a model or an etcd in the settings.
";

/// Tells what is found and what would be done, asks, and does it.
pub fn run() -> Result<ExitCode, Error> {
    let mut choice = Choice::of(&default_call()?)?;
    if choice.harnesses.is_empty() {
        let known: Vec<&str> = wiring::ALL.iter().map(|wiring| wiring.title).collect();
        return Err(Error::Missing(format!(
            "no agent is found here that takes hooks ({}); name one by --harness",
            known.join(", ")
        )));
    }
    let found: Vec<&str> = choice.harnesses.iter().map(|wiring| wiring.title).collect();
    exit::print(
        CLI.name,
        &format!(
            "Found: {}.\nThe guard is registered in each. It stops commands that would lose your work.\n{COSTS}\n",
            found.join(", ")
        ),
    );
    if has(&choice, &["ah-prefilter", "ah-judge"]) && says_yes("Also lessons from your corrections (--with judge)? [y/N] ") {
        choice.parts.push(Part::Judge);
    }
    if has(&choice, &["ah-mesh"]) && says_yes("Also messages and file claims between sessions (--with mesh)? [y/N] ") {
        choice.parts.push(Part::Mesh);
    }
    choice.parts.sort_unstable();
    let report = job::register(&choice)?;
    exit::print(CLI.name, &report.text());
    if !report.plans.iter().any(Plan::changes) {
        return Ok(ExitCode::from(exit::OK));
    }
    let answer = ask("Write this (--apply)? [Y/n] ");
    // The end of input is no answer.
    if !answer.ends_with('\n') || !matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes") {
        exit::print(CLI.name, "Nothing was written.\n");
        return Ok(ExitCode::from(exit::NO));
    }
    choice.apply = true;
    // They have seen where each file leads.
    choice.yes = true;
    let done = job::register(&choice)?;
    exit::print(CLI.name, &done.notes.iter().map(|note| format!("{note}\n")).collect::<String>());
    exit::print(CLI.name, "To see whether it works: ah-doctor. To take it out: ah-bootstrap --remove --apply.\n");
    Ok(ExitCode::from(exit::OK))
}

/// What a command line without any word means.
fn default_call() -> Result<ah::cli::Call, Error> {
    match CLI.parse(Vec::<OsString>::new()) {
        Ok(Parsed::Run(call)) => Ok(call),
        Ok(Parsed::Print(text)) | Err(text) => Err(Error::Usage(text)),
    }
}

fn has(choice: &Choice, names: &[&str]) -> bool {
    names.iter().all(|name| crate::programs::runnable(&choice.bin.join(name)))
}
