//! Stops commands that would lose a person's work. Manual: ah-git-guard(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use ah::log;
use ah::paths::Paths;
use std::process::ExitCode;

mod call;
mod commands;
mod commits;
mod event;
mod explain;
mod files;
mod forge;
mod git_call;
mod glob;
mod guard;
mod guarded;
mod hits;
mod invocation;
mod judge;
mod listing;
mod look;
mod loss;
mod machine;
mod making;
mod memory;
mod message;
mod nested;
mod options;
mod place;
mod plain;
mod policy;
mod provenance;
mod remotes;
mod removal;
mod rule;
mod script;
mod site;
mod spec;
mod survey;
mod tools;
mod transcript;
mod treasure;
mod unread;
mod verb;
mod verbs;
mod verdict;
mod words;
mod workdir;
mod world;

const CLI: Cli = Cli {
    name: "ah-git-guard",
    about: "stop commands that would lose a person's work",
    usage: &[
        "[flags] < event",
        "check [--cwd DIR] [--json] -- COMMAND",
        "explain [--cwd DIR] [--json] -- COMMAND",
        "policy [--cwd DIR] [--json]",
        "rules [--json] [ID]",
    ],
    commands: &[
        Command { name: "check", args: "-- COMMAND", help: "judge a command line: exit 0 allow or note, 1 deny, 3 ask" },
        Command { name: "explain", args: "-- COMMAND", help: "show how a command line is read and judged" },
        Command { name: "policy", args: "", help: "show the policy in force and where each value came from" },
        Command { name: "rules", args: "[ID]", help: "list the rules, or show one" },
    ],
    flags: &[COMPLETIONS, CWD, EVENT, EXPLAIN, FAIL, HARNESS, HELP, JSON, JSONL, RECORD, VERSION],
};

const CWD: Flag = Flag { long: "cwd", short: None, value: Some("DIR"), help: "judge a command in this directory" };

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges { env: hook::environment, failure, off },
    heeds_judge: false,
    panicked: event::panicked,
    unreadable: |_| Answer::Silence,
};

fn main() -> ExitCode {
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    match call.command {
        None => Ok(hook::run(&PROGRAM, &call.options)),
        Some("check") => commands::check(&CLI, &call),
        Some("explain") => commands::explain(&CLI, &call),
        Some("policy") => commands::show_policy(&CLI, &call),
        Some("rules") => commands::rules(&CLI, &call),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}

fn failure(program: &str, what: &str) {
    if let Some(paths) = Paths::from_env() {
        log::failure(paths, program, what);
    }
}

/// Whether a person has switched the guard, or everything, off.
fn off(program: &str) -> bool {
    let Some(paths) = Paths::from_env() else { return false };
    // One look suffices where nothing ever was switched off.
    paths.off().exists() && (paths.off_flag(program).exists() || paths.off_flag("all").exists())
}
