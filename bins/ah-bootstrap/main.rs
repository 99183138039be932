//! Registers the hooks in every agent's settings, takes them out again, and checks what is installed. Manual: ah-bootstrap(1).

#![forbid(unsafe_code)]

use ah::cli::{COMPLETIONS, Call, Cli, Command, Flag, HELP, JSON, VERSION};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

mod apply;
mod choice;
mod dialogue;
mod diff;
mod error;
mod job;
mod managed;
mod mend;
mod orphan;
mod pins;
mod plan;
mod programs;
mod purge;
mod registered;
mod remove;
mod report;
mod script;
mod settle;
mod source;
mod target;
mod text;
mod trust;
mod verify;

const CLI: Cli = Cli {
    name: "ah-bootstrap",
    about: "register the hooks of ah in coding agents, and take them out again",
    usage: &[
        "[--harness LIST] [--scope SCOPE] [--with LIST] [--mend] [--apply]",
        "--remove [--harness LIST] [--with LIST] [--scope SCOPE] [--purge] [--apply]",
        "--trust codex",
        "registered PROGRAM HARNESS EVENT",
        "verify [--json]",
    ],
    commands: &[
        Command {
            name: "registered",
            args: "PROGRAM HARNESS EVENT",
            help: "whether the person's own settings run it: exit 0 yes, 1 no",
        },
        Command { name: "verify", args: "", help: "compare programs and settings with what was installed and registered" },
    ],
    flags: &[AGAIN, APPLY, BIN, COMPLETIONS, HARNESS, HELP, JSON, MEND, PURGE, REMOVE, SCOPE, TRUST, VERSION, WITH, YES],
};

const AGAIN: Flag = Flag { long: "again", short: None, value: None, help: "also register what you took out by hand" };
const APPLY: Flag = Flag { long: "apply", short: None, value: None, help: "do it; without it, only show what would be done" };
const BIN: Flag =
    Flag { long: "bin", short: None, value: Some("DIR"), help: "where the programs lie (default: beside this one)" };
const HARNESS: Flag = Flag {
    long: "harness",
    short: None,
    value: Some("LIST"),
    help: "for these agents (claude, codex, or all; default: each that is found)",
};
const MEND: Flag =
    Flag { long: "mend", short: None, value: None, help: "also put right what of ours stands there in another form" };
const PURGE: Flag =
    Flag { long: "purge", short: None, value: None, help: "with --remove: also drop snapshots, records and lessons" };
const REMOVE: Flag = Flag { long: "remove", short: None, value: None, help: "take the hooks out" };
const SCOPE: Flag = Flag {
    long: "scope",
    short: None,
    value: Some("user|project|managed"),
    help: "your own settings, this repository's, or the organisation's (printed only)",
};
const TRUST: Flag = Flag {
    long: "trust",
    short: None,
    value: Some("codex"),
    help: "have Codex trust the registered hooks (a person only, at a terminal)",
};
const WITH: Flag =
    Flag { long: "with", short: None, value: Some("LIST"), help: "beside the guard: judge, mesh, live, or all (all but live)" };
const YES: Flag =
    Flag { long: "yes", short: Some('y'), value: None, help: "do not ask; also write through a link into another repository" };

fn main() -> ExitCode {
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    let done = match call.command {
        None if alone(&call) => dialogue::run(),
        None if call.has("trust") => trust::run(&call),
        None => job::run(&call),
        Some("registered") => registered::run(&call),
        Some("verify") => verify::run(&call),
        Some(other) => return Err(CLI.usage_error(&format!("no such command: {other}"))),
    };
    done.map_err(|error| error.tell(&CLI))
}

/// Whether a person started it without saying what they want.
fn alone(call: &Call) -> bool {
    call.flags.is_empty() && io::stdin().is_terminal() && io::stdout().is_terminal()
}
