//! Finds out what does not work and says how to mend it; shows what the hooks did; the off switch. Manual: ah-doctor(1).

#![forbid(unsafe_code)]

use ah::cli::{COMPLETIONS, Cli, Command, Flag, HELP, JSON, VERSION};
use std::process::ExitCode;

mod check;
mod demo;
mod examine;
mod finding;
mod forget;
mod ground;
mod past;
mod programs;
mod prove;
mod replay;
mod run;
mod stage;
mod status;
mod switch;

const CLI: Cli = Cli {
    name: "ah-doctor",
    about: "find out what does not work, and show what the hooks did",
    usage: &["[--deep] [--fix] [--json] [--quiet] [CHECK ...]", "--list", "off [PROGRAM] [--for TIME]", "on [PROGRAM]"],
    commands: &[
        Command { name: "agents", args: "", help: "check: what each agent is told of our hooks, and how these run" },
        Command { name: "breaker", args: "", help: "check: models that are left alone because they failed" },
        Command { name: "config", args: "", help: "check: mistakes in the settings, with their places" },
        Command { name: "demo", args: "", help: "play what the guard does in a throwaway repository" },
        Command { name: "failures", args: "", help: "check: how often hooks let something be because they failed" },
        Command { name: "forget", args: "", help: "delete what was recorded of a session, a repository, or everything" },
        Command { name: "lessons", args: "", help: "check: the stores of lessons can be read" },
        Command { name: "locks", args: "", help: "check: locks held longer than any hook runs" },
        Command { name: "mesh", args: "", help: "check: whether sessions can reach each other, and who is paused" },
        Command { name: "off", args: "[PROGRAM]", help: "switch a hook, or all, off (a person only)" },
        Command { name: "on", args: "[PROGRAM]", help: "switch a hook, or all, on again" },
        Command { name: "programs", args: "", help: "check: the six programs are there, run, and are of one version" },
        Command { name: "prove", args: "[AGENT ...]", help: "have each agent try to lose something in a throwaway repository" },
        Command { name: "queue", args: "", help: "check: lessons that were chosen and never shown" },
        Command { name: "replay", args: "", help: "say what the guard would have stopped in your past sessions; nothing is run" },
        Command { name: "sessions", args: "", help: "check: the session logs can be read" },
        Command { name: "snapshots", args: "", help: "check: what the guard keeps can be listed" },
        Command { name: "state", args: "", help: "check: what is kept is private, can be written, and stays" },
        Command { name: "status", args: "", help: "show what the hooks did, and what it cost" },
        Command { name: "switches", args: "", help: "check: what is switched off" },
    ],
    flags: &[ALL, COMPLETIONS, DEEP, FIX, FOR, HELP, JSON, LIST, PASTE, QUIET, REPO, SESSION, SINCE, VERSION, YES],
};

const ALL: Flag = Flag { long: "all", short: None, value: None, help: "with forget: everything that was recorded" };
const DEEP: Flag = Flag { long: "deep", short: None, value: None, help: "also ask what takes longer, as Codex about trust" };
const FIX: Flag = Flag { long: "fix", short: None, value: None, help: "do what mends safely, and look again" };
const FOR: Flag = Flag { long: "for", short: None, value: Some("TIME"), help: "with off: so long (30m, 2h, 7d)" };
const LIST: Flag = Flag { long: "list", short: None, value: None, help: "list the checks" };
const PASTE: Flag =
    Flag { long: "paste", short: None, value: None, help: "with prove: print a line to paste into an agent, and wait" };
const QUIET: Flag = Flag { long: "quiet", short: Some('q'), value: None, help: "print problems only" };
const REPO: Flag =
    Flag { long: "repo", short: None, value: Some("DIR"), help: "with forget: what was recorded of this repository" };
const SESSION: Flag =
    Flag { long: "session", short: None, value: Some("ID"), help: "with forget: what was recorded of this session" };
const SINCE: Flag =
    Flag { long: "since", short: None, value: Some("WHEN"), help: "with status: from then on (30m, 2h, 7d, 2026-11-30)" };
const YES: Flag = Flag { long: "yes", short: Some('y'), value: None, help: "do it without asking" };

fn main() -> ExitCode {
    run().unwrap_or_else(|code| code)
}

fn run() -> Result<ExitCode, ExitCode> {
    let call = CLI.from_env()?;
    match call.command {
        Some("demo") => demo::demo(&CLI, &call),
        Some("forget") => forget::forget(&CLI, &call),
        Some("off") => switch::off(&CLI, &call),
        Some("on") => switch::on(&CLI, &call),
        Some("replay") => replay::replay(&CLI, &call),
        Some("status") => status::status(&CLI, &call),
        Some("prove") => prove::prove(&CLI, &call),
        _ => examine::examine(&CLI, &call),
    }
}
