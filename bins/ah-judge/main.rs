//! Asks one model which learned lessons a turn runs into, once, and hands the rest over free. Manual: ah-judge(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use lessons::{ALL, AREA, CONSEQUENCE, CWD, OVERRIDES, QUESTION, REACH, SCOPE, SITUATION, STARTER, STAT, YES};
use std::process::ExitCode;

mod capture;
mod check;
mod check_id;
mod coin;
mod commands;
mod correction;
mod declared;
mod deliver;
mod desk;
mod early;
mod episode;
mod event;
mod learn;
mod ledger;
mod lessons;
mod live;
mod memory;
mod model;
mod order;
mod parcel;
mod past;
mod pending;
mod pool;
mod queue;
mod rule;
mod scopes;
mod settings;
mod settle;
mod stock;
mod stop;
mod verdict;
mod wording;
mod work;

const CLI: Cli = Cli {
    name: "ah-judge",
    about: "ask which learned lessons a turn runs into, and hand them over",
    usage: &[
        "[flags] < event",
        "check --session ID [--cwd DIR]",
        "learn [--session ID] [--dry-run] [--yes] [EPISODE]",
        "learn EPISODE --question TEXT [--consequence TEXT] [--situation TEXT] | --drop",
        "lessons [list] [--all] [--stat] [--json]",
        "lessons add|edit|export|import|retire|share|show|trust|unmute|why ...",
        "request [--send] < question",
        "strip [--json] CHECK LESSON",
    ],
    commands: &[
        Command { name: "check", args: "", help: "check the work of a session so far, as the live mode does" },
        Command { name: "learn", args: "[EPISODE]", help: "turn corrections into lessons, each shown before it is stored" },
        Command { name: "lessons", args: "[WHAT]", help: "list, add, change, bring in, share and explain lessons" },
        Command { name: "request", args: "", help: "show what the model would be sent, or send it" },
        Command {
            name: "strip",
            args: "CHECK LESSON",
            help: "say whether a verdict of this check leaves out what the agent declared",
        },
    ],
    flags: &[
        ALL, AREA, COMPLETIONS, CONSEQUENCE, CWD, DROP, DRY_RUN, EVENT, EXPLAIN, FAIL, HARNESS, HELP, JSON, JSONL, OVERRIDES,
        QUESTION, REACH, RECORD, SCOPE, SEND, SESSION, SITUATION, STARTER, STAT, VERSION, YES,
    ],
};

/// `--drop`
const DROP: Flag = Flag { long: "drop", short: None, value: None, help: "with learn: nothing is to be learned from this one" };
/// `--dry-run`
const DRY_RUN: Flag =
    Flag { long: "dry-run", short: None, value: None, help: "with learn: show what would be stored, store nothing" };
/// `--session ID`
const SESSION: Flag = Flag { long: "session", short: None, value: Some("ID"), help: "the session that is meant" };

const SEND: Flag = Flag { long: "send", short: None, value: None, help: "with request: send it, and show what came back" };

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges::SYSTEM,
    heeds_judge: true,
    panicked: |_| Answer::Silence,
    unreadable: |_| Answer::Silence,
};

fn main() -> ExitCode {
    if let Some(code) = model::keeper::run() {
        return code;
    }
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    match call.command {
        None => Ok(hook::run(&PROGRAM, &call.options)),
        Some("check") => live::check(&CLI, &call),
        Some("learn") => learn::learn(&CLI, &call),
        Some("lessons") => lessons::lessons(&CLI, &call),
        Some("request") => commands::request(&CLI, &call),
        Some("strip") => commands::strip(&CLI, &call),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}
