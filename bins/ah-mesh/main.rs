//! Lets sessions know of each other: who is there, messages, claims of files, pauses. Manual: ah-mesh(1).

#![forbid(unsafe_code)]

use ah::answer::Answer;
use ah::cli::{COMPLETIONS, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};
use ah::hook::{self, Edges, Program};
use std::process::ExitCode;

mod commands;
mod deliver;
mod edits;
mod event;
mod me;
mod place;

const CLI: Cli = Cli {
    name: "ah-mesh",
    about: "let sessions know of each other: who is there, messages, claims, pauses",
    usage: &[
        "[flags] < event",
        "ask|tell TO [--re ID] [--replace] TEXT ...",
        "claim PATH [--for TIME] [--why TEXT]",
        "claims [--json]",
        "inbox [--all] [--grep TEXT] [--show ID] [--json]",
        "pause TO [--read-only] [NOTE ...]",
        "release PATH | --all",
        "resume TO",
        "thread ID",
        "top [--json]",
        "veto TO REASON ...",
        "wait [--for TIME]",
        "where [PATH] [--json]",
    ],
    commands: &[
        Command { name: "ask", args: "TO TEXT", help: "ask another session something" },
        Command { name: "claim", args: "PATH", help: "hold a path of this work tree" },
        Command { name: "claims", args: "", help: "list who holds which path" },
        Command { name: "inbox", args: "", help: "show messages to this session, or to the person" },
        Command { name: "pause", args: "TO [NOTE]", help: "stop a session's tools (a person only)" },
        Command { name: "release", args: "PATH", help: "give a path back, or all" },
        Command { name: "resume", args: "TO", help: "end a pause (a person only)" },
        Command { name: "tell", args: "TO TEXT", help: "tell another session something" },
        Command { name: "thread", args: "ID", help: "show a message with what it answers and what answers it" },
        Command { name: "top", args: "", help: "show who is there and what they do" },
        Command { name: "veto", args: "TO REASON", help: "say no to what a session does (a person only)" },
        Command { name: "wait", args: "", help: "wait until this session has a message" },
        Command { name: "where", args: "[PATH]", help: "explain to whom a path belongs" },
    ],
    flags: &[
        ALL, COMPLETIONS, CWD, EVENT, EXPLAIN, FAIL, FOR, GREP, HARNESS, HELP, JSON, JSONL, RE, READ_ONLY, RECORD, REPLACE, SHOW,
        VERSION, WHY,
    ],
};

const ALL: Flag = Flag { long: "all", short: None, value: None, help: "all, also what was shown before" };
const CWD: Flag = Flag { long: "cwd", short: None, value: Some("DIR"), help: "work in this directory" };
const FOR: Flag = Flag { long: "for", short: None, value: Some("TIME"), help: "how long (30s, 15m, 2h)" };
const GREP: Flag = Flag { long: "grep", short: None, value: Some("TEXT"), help: "with inbox: only what contains this" };
const RE: Flag = Flag { long: "re", short: None, value: Some("ID"), help: "the message that this one answers" };
const READ_ONLY: Flag =
    Flag { long: "read-only", short: None, value: None, help: "with pause: stop only what changes something" };
const REPLACE: Flag = Flag { long: "replace", short: None, value: None, help: "take back what this one has not read of yours" };
const SHOW: Flag = Flag { long: "show", short: None, value: Some("ID"), help: "with inbox: the whole of one message" };
const WHY: Flag = Flag { long: "why", short: None, value: Some("TEXT"), help: "with claim: what for" };

static PROGRAM: Program = Program {
    answer: event::answer,
    cli: &CLI,
    edges: Edges::SYSTEM,
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
        Some("ask" | "tell" | "veto") => commands::say(&CLI, &call),
        Some("claim") => commands::claim(&CLI, &call),
        Some("claims") => commands::claims(&CLI, &call),
        Some("inbox") => commands::inbox(&CLI, &call),
        Some("pause" | "resume") => commands::steer(&CLI, &call),
        Some("release") => commands::release(&CLI, &call),
        Some("thread") => commands::thread(&CLI, &call),
        Some("top") => commands::top(&CLI, &call),
        Some("wait") => commands::wait(&CLI, &call),
        Some("where") => commands::place(&CLI, &call),
        Some(other) => Err(CLI.usage_error(&format!("no such command: {other}"))),
    }
}
