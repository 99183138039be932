//! `off` and `on`: a person's switch, which works at once in running sessions.

use crate::examine::place;
use crate::programs;
use ah::cli::{Call, Cli};
use ah::clock::{lasting, now_ms, utc};
use ah::exit;
use ah::off::{self, Until};
use ah::person;
use ah::quote;
use std::process::ExitCode;

/// No switch holds longer than a year: who types more meant something else.
const MOST: u64 = 366 * 86_400_000;

/// `off [PROGRAM] [--for 1h]`: 77 where no person is known to ask for it.
pub fn off(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let paths = place(cli)?;
    let name = program(cli, call)?;
    let until = match call.value("for") {
        None => Until::Removed,
        Some(text) => Until::Moment(now_ms() + length(cli, &text.to_string_lossy())?),
    };
    let what = if name == off::ALL { "every hook" } else { name };
    let when = match until {
        Until::Removed => "until it is switched on again".to_owned(),
        Until::Moment(moment) => format!("until {} UTC", utc(moment)),
    };
    asked(cli, &format!("Switch {what} off, {when}. Running sessions follow at once."), "switch it off")?;
    off::switch_off(paths, name, until).map_err(|error| wrote(cli, &error))?;
    let again = if name == off::ALL { String::new() } else { format!(" {name}") };
    exit::print(cli.name, &format!("{what} is off, {when}; ah-doctor on{again} ends that\n"));
    Ok(ExitCode::SUCCESS)
}

/// `on [PROGRAM]`: without a program every flag goes.
pub fn on(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let paths = place(cli)?;
    let name = program(cli, call)?;
    let names: Vec<&str> = match name {
        off::ALL => programs::HOOKS.iter().copied().chain([off::ALL]).collect(),
        one => vec![one],
    };
    let set: Vec<&str> = names.iter().copied().filter(|name| off::until(paths, name).is_some()).collect();
    let mut gone = false;
    for name in names {
        gone |= off::switch_on(paths, name).map_err(|error| wrote(cli, &error))?;
    }
    let text = match (set.is_empty(), off::until(paths, off::ALL)) {
        (_, Some(_)) => "every hook is still off: ah-doctor on\n".to_owned(),
        (true, None) if !gone => "nothing was switched off\n".to_owned(),
        (true, None) => "what was switched off had ended by itself\n".to_owned(),
        (false, None) => format!("on again: {}\n", set.join(" ").replace(off::ALL, "every hook")),
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// How long a switch is to hold.
fn length(cli: &Cli, text: &str) -> Result<u64, ExitCode> {
    let length = lasting(text).filter(|length| *length > 0 && *length <= MOST);
    length.ok_or_else(|| cli.usage_error("--for: not 30m, 2h or 7d, a year at most"))
}

/// Has a person say yes at their terminal.
pub fn asked(cli: &Cli, shown: &str, to: &str) -> Result<(), ExitCode> {
    let refused = |why| exit::fail(cli.name, exit::NO_PERMISSION, &format!("this is for a person at their own terminal: {why}"));
    person::confirm(shown, to, "changes nothing").map_err(refused)
}

fn program(cli: &Cli, call: &Call) -> Result<&'static str, ExitCode> {
    match call.args.as_slice() {
        [] => Ok(off::ALL),
        [word] => {
            let word = word.to_string_lossy();
            let hooks = programs::HOOKS.join(" ");
            programs::hook(&word)
                .ok_or_else(|| cli.usage_error(&format!("no such hook: {}: one of {hooks}", quote::line(&word, 40))))
        }
        _ => Err(cli.usage_error("one program at a time, or none for all")),
    }
}

fn wrote(cli: &Cli, error: &std::io::Error) -> ExitCode {
    exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot write the switch: {error}"))
}
