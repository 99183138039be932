//! A flag, and the flags that several executables share.

/// A flag.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its long name without the dashes.
    pub long: &'static str,
    /// Its short name without the dash.
    pub short: Option<char>,
    /// What its value is called, if it takes one; `a|b|c` is a choice, and nothing else is accepted then.
    pub value: Option<&'static str>,
    /// What it does, in one line.
    pub help: &'static str,
}

/// `--completions SHELL`
pub const COMPLETIONS: Flag =
    Flag { long: "completions", short: None, value: Some("bash|zsh|fish"), help: "print completions for a shell" };
/// `--event NAME`
pub const EVENT: Flag =
    Flag { long: "event", short: None, value: Some("NAME"), help: "the event's name, where the input has none" };
/// `--explain`
pub const EXPLAIN: Flag =
    Flag { long: "explain", short: None, value: None, help: "say on standard error what was read and what decided" };
/// `--fail`
pub const FAIL: Flag = Flag { long: "fail", short: None, value: None, help: "with --jsonl: exit 1 on any deny or ask" };
/// `--harness NAME`
pub const HARNESS: Flag =
    Flag { long: "harness", short: None, value: Some("NAME"), help: "the program that runs the agent (claude, codex, ...)" };
/// `-h`, `--help`
pub const HELP: Flag = Flag { long: "help", short: Some('h'), value: None, help: "print this help" };
/// `--json`
pub const JSON: Flag = Flag { long: "json", short: None, value: None, help: "print JSON instead of text" };
/// `--jsonl`
pub const JSONL: Flag =
    Flag { long: "jsonl", short: None, value: None, help: "read one event per line, answer each on a line, write nothing" };
/// `--record`
pub const RECORD: Flag = Flag { long: "record", short: None, value: None, help: "with --jsonl: write as a hook would" };
/// `-V`, `--version`
pub const VERSION: Flag = Flag { long: "version", short: Some('V'), value: None, help: "print the version" };
