//! Records a session's turns, and decides for free whether a turn is worth a model. Manual: ah-prefilter(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use std::process::ExitCode;

mod commands;
mod event;
mod here;
mod lessons;
mod turns;

const CLI: Cli = Cli {
    name: "ah-prefilter",
    about: "record a session's turns, and tell for free which are worth a model",
    usage: &[
        "[flags] [--pass] < event",
        "calibrate [--lessons FILE] [--compat] [--json] TURNS",
        "changes [--compat] < calls",
        "eval --lessons FILE --turns FILE [--compat]",
        "features [--session ID | --context FILE] [--lessons FILE] [--compat]",
        "index [--json]",
        "markers [--json]",
        "score [--session ID | --context FILE] [--lessons FILE] [--compat] [--json]",
        "skip [--session ID | --context FILE [--lessons FILE]] [--json]",
        "tally [--compat] [--json] [DIR]",
        "threshold [--compat] [--json]",
        "turn [--session ID | --context FILE] [--json]",
    ],
    commands: &[
        Command {
            name: "calibrate",
            args: "TURNS",
            help: "say what each threshold makes of labelled turns, JSON lines, and propose one",
        },
        Command { name: "changes", args: "", help: "say for each tool call, a JSON line, whether it changes anything" },
        Command { name: "eval", args: "", help: "score turns, JSON lines, and rank the lessons for each" },
        Command { name: "features", args: "", help: "print all that is computed of a turn" },
        Command { name: "index", args: "", help: "compile the lessons of here at once, and count them" },
        Command { name: "markers", args: "", help: "list what closes a turn" },
        Command { name: "score", args: "", help: "print how well a turn matches the lessons, and which ones" },
        Command { name: "skip", args: "", help: "ask the gate about a session's present turn: exit 0 it skips, 1 it opens" },
        Command { name: "tally", args: "[DIR]", help: "count what the logs of a folder say was asked, skipped and spent" },
        Command { name: "threshold", args: "", help: "print with what scores are compared here, and where it is from" },
        Command { name: "turn", args: "", help: "print what was said and done since the last turn was closed" },
    ],
    flags: &[
        COMPAT, COMPLETIONS, CONTEXT, EVENT, EXPLAIN, FAIL, HARNESS, HELP, JSON, JSONL, LESSONS, PASS, RECORD, SESSION, TURNS,
        VERSION,
    ],
};

const COMPAT: Flag = Flag { long: "compat", short: None, value: None, help: "as the reference system does it" };
const CONTEXT: Flag =
    Flag { long: "context", short: None, value: Some("FILE"), help: "a session's text in the reference's form" };
const LESSONS: Flag = Flag { long: "lessons", short: None, value: Some("FILE"), help: "these lessons, not the ones of here" };
const PASS: Flag =
    Flag { long: "pass", short: None, value: None, help: "at a stop: print the event when the judge should see it" };
const SESSION: Flag = Flag { long: "session", short: None, value: Some("ID"), help: "this session, not the newest one here" };
const TURNS: Flag = Flag { long: "turns", short: None, value: Some("FILE"), help: "turns to score: JSON lines" };

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges::SYSTEM,
    heeds_judge: true,
    panicked: |_| Answer::Silence,
    unreadable: |_| Answer::Silence,
};

/// The same with `--pass`.
static PASSING: Program = Program { answer: event::pass, ..PROGRAM };

fn main() -> ExitCode {
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    match call.command {
        None => Ok(hook::run(if call.has("pass") { &PASSING } else { &PROGRAM }, &call.options)),
        Some("calibrate") => commands::calibrate(&CLI, &call),
        Some("changes") => commands::changes(&CLI, &call),
        Some("eval") => commands::eval(&CLI, &call),
        Some("features") => commands::features(&CLI, &call),
        Some("index") => commands::index(&CLI, &call),
        Some("markers") => commands::markers(&CLI, &call),
        Some("score") => commands::score(&CLI, &call),
        Some("skip") => commands::skip(&CLI, &call),
        Some("tally") => commands::tally(&CLI, &call),
        Some("threshold") => commands::threshold(&CLI, &call),
        Some("turn") => commands::turn(&CLI, &call),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}
