//! Asks one model which learned lessons a turn runs into, once, and hands the rest over free. Manual: ah-judge(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, EVENT, EXPLAIN, FAIL, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use ah::log;
use ah::paths::Paths;
use std::process::ExitCode;

mod check_id;
mod event;
mod order;
mod pool;
mod rule;
mod wording;

const CLI: Cli = Cli {
    name: "ah-judge",
    about: "ask which learned lessons a turn runs into, and hand them over",
    usage: &["[flags] < event"],
    commands: &[],
    flags: &[COMPLETIONS, EVENT, EXPLAIN, FAIL, HARNESS, HELP, JSON, JSONL, RECORD, VERSION],
};

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges { env: hook::environment, failure, off },
    heeds_judge: true,
    panicked: |_| Answer::Silence,
    unreadable: |_| Answer::Silence,
};

fn main() -> ExitCode {
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    match call.command {
        None => Ok(hook::run(&PROGRAM, &call.options)),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}

fn failure(program: &str, what: &str) {
    if let Some(paths) = Paths::from_env() {
        log::failure(paths, program, what);
    }
}

/// Whether a person has switched the judge, or everything, off.
fn off(program: &str) -> bool {
    let Some(paths) = Paths::from_env() else { return false };
    // One look suffices where nothing ever was switched off.
    paths.off().exists() && (paths.off_flag(program).exists() || paths.off_flag("all").exists())
}
