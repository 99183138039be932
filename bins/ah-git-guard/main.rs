//! Stops commands that would lose a person's work. Manual: ah-git-guard(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use std::process::ExitCode;

mod call;
mod claimed;
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
mod nested;
mod options;
mod own;
mod place;
mod plain;
mod policy;
mod remotes;
mod removal;
mod rule;
mod script;
mod site;
mod snapshot;
mod spec;
mod survey;
mod switch;
mod tools;
mod treasure;
mod unread;
mod verb;
mod verbs;
mod verdict;
mod way;
mod words;
mod workdir;
mod world;

const CLI: Cli = Cli {
    name: "ah-git-guard",
    about: "stop commands that would lose a person's work",
    usage: &[
        "[flags] < event",
        "allow [--json] [CODE]",
        "allow [--cwd DIR] -- COMMAND",
        "check [--cwd DIR] [--json] -- COMMAND",
        "explain [--cwd DIR] [--json] -- COMMAND",
        "log [--json] [--since WHEN] [--follow]",
        "policy [--cwd DIR] [--json]",
        "prune [--everything] [--json]",
        "report CODE [-]",
        "restore ID [PATH ...] [--into DIR] [-y] [--cwd DIR] [--json]",
        "rules [--json] [ID]",
        "snapshot [--cwd DIR] [-m TEXT] [--json] [PATH ...]",
        "snapshots [--all] [--cwd DIR] [--json]",
        "undo [--turn] [-y] [--session ID] [--cwd DIR] [--json]",
    ],
    commands: &[
        Command { name: "allow", args: "[CODE]", help: "list what was stopped, or let one call through once (a person only)" },
        Command { name: "check", args: "-- COMMAND", help: "judge a command line: exit 0 allow or note, 1 deny, 3 ask" },
        Command { name: "explain", args: "-- COMMAND", help: "show how a command line is read and judged" },
        Command { name: "log", args: "", help: "show what was stopped, asked about or noted" },
        Command { name: "policy", args: "", help: "show the policy in force and where each value came from" },
        Command { name: "prune", args: "", help: "let go of old snapshots, or of all" },
        Command {
            name: "report",
            args: "CODE [-]",
            help: "write a denial as a case to show to others, without secrets or names",
        },
        Command { name: "restore", args: "ID [PATH ...]", help: "bring a snapshot back, or some of its files" },
        Command { name: "rules", args: "[ID]", help: "list the rules, or show one" },
        Command {
            name: "snapshot",
            args: "[PATH ...]",
            help: "keep everything that is changed here and the commits no remote has, or some paths",
        },
        Command { name: "snapshots", args: "", help: "list the snapshots of what is around, newest first" },
        Command { name: "undo", args: "", help: "bring back what the last command lost, or changed in the last turn" },
    ],
    flags: &[
        ALL, COMPLETIONS, CWD, EVENT, EVERYTHING, EXPLAIN, FAIL, FOLLOW, HARNESS, HELP, INTO, JSON, JSONL, MESSAGE, RECORD,
        SESSION, SINCE, TURN, VERSION, YES,
    ],
};

const ALL: Flag = Flag { long: "all", short: None, value: None, help: "those of every repository" };
const CWD: Flag = Flag { long: "cwd", short: None, value: Some("DIR"), help: "work in this directory" };
const EVERYTHING: Flag = Flag { long: "everything", short: None, value: None, help: "every snapshot of every repository" };
const FOLLOW: Flag = Flag { long: "follow", short: None, value: None, help: "with log: go on as it grows" };
const INTO: Flag =
    Flag { long: "into", short: None, value: Some("DIR"), help: "write the files below this directory, and nothing else" };
const MESSAGE: Flag = Flag { long: "message", short: Some('m'), value: Some("TEXT"), help: "what a snapshot is for" };
const SESSION: Flag = Flag { long: "session", short: None, value: Some("ID"), help: "the session that a snapshot is of" };
const SINCE: Flag =
    Flag { long: "since", short: None, value: Some("WHEN"), help: "with log: from then on (30m, 2h, 7d, 2026-11-30)" };
const TURN: Flag = Flag { long: "turn", short: None, value: None, help: "the snapshot of a turn" };
const YES: Flag = Flag { long: "yes", short: Some('y'), value: None, help: "do it without asking" };

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges::SYSTEM,
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
        Some("allow") => commands::allow(&CLI, &call),
        Some("check") => commands::check(&CLI, &call),
        Some("explain") => commands::explain(&CLI, &call),
        Some("log") => commands::log(&CLI, &call),
        Some("policy") => commands::policy(&CLI, &call),
        Some("prune") => snapshot::commands::prune(&CLI, &call),
        Some("report") => commands::report(&CLI, &call),
        Some("restore") => snapshot::undo::restore(&CLI, &call),
        Some("rules") => commands::rules(&CLI, &call),
        Some("snapshot") => snapshot::commands::snapshot(&CLI, &call),
        Some("snapshots") => snapshot::commands::snapshots(&CLI, &call),
        Some("undo") => snapshot::undo::undo(&CLI, &call),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}
