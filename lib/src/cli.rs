//! One table of commands and flags per executable; help, version, completions and usage errors come from it.

use self::guess::{shown, unknown};
use crate::exit;
use lexopt::prelude::{Long, Short, Value};
use std::ffi::OsString;
use std::process::ExitCode;

mod complete;
mod flag;
mod guess;
mod help;

pub use flag::{COMPLETIONS, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, RECORD, VERSION};

/// The face of one executable.
#[derive(Clone, Copy, Debug)]
pub struct Cli {
    /// The executable's name.
    pub name: &'static str,
    /// What it does, in one line without a full stop.
    pub about: &'static str,
    /// What follows the name in a call, one entry per way to call it.
    pub usage: &'static [&'static str],
    /// Command words, in alphabetical order.
    pub commands: &'static [Command],
    /// Flags, in the order of the help.
    pub flags: &'static [Flag],
}

/// A command word.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The word.
    pub name: &'static str,
    /// What follows it, for people: `[--cwd DIR] -- COMMAND`. With `-- ` in it, flags end at the first operand.
    pub args: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

/// The flags that several executables share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// `--event`
    pub event: Option<String>,
    /// `--explain`
    pub explain: bool,
    /// `--fail`
    pub fail: bool,
    /// `--harness`
    pub harness: Option<String>,
    /// `--json`
    pub json: bool,
    /// `--jsonl`
    pub jsonl: bool,
    /// `--record`
    pub record: bool,
}

/// A command line that keeps to the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The command word; `None` is hook mode.
    pub command: Option<&'static str>,
    /// What follows the command word; after `--` whatever it looks like.
    pub args: Vec<OsString>,
    /// The shared flags.
    pub options: Options,
    /// Every flag in the order given, with its value.
    pub flags: Vec<(&'static str, Option<OsString>)>,
}

impl Call {
    /// Whether the flag was given.
    #[must_use]
    pub fn has(&self, long: &str) -> bool {
        self.flags.iter().any(|(name, _)| *name == long)
    }

    /// The flag's value; the last one, where it was given twice.
    #[must_use]
    pub fn value(&self, long: &str) -> Option<&OsString> {
        self.flags.iter().rev().find(|(name, _)| *name == long)?.1.as_ref()
    }
}

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Help, version or completions: print this and end, whatever else the line asks for.
    Print(String),
    /// Go on.
    Run(Call),
}

impl Cli {
    /// Reads the process's own command line; prints what is to be printed.
    ///
    /// # Errors
    /// The code to end with: help, version or completions were printed (0), or the line was wrong (64) and standard
    /// error says how.
    pub fn from_env(&self) -> Result<Call, ExitCode> {
        match self.parse(std::env::args_os().skip(1)) {
            Ok(Parsed::Run(call)) => Ok(call),
            Ok(Parsed::Print(text)) => {
                exit::print(self.name, &text);
                Err(ExitCode::from(exit::OK))
            }
            Err(what) => Err(self.usage_error(&what)),
        }
    }

    /// Reads a command line without the program's name.
    ///
    /// # Errors
    /// What is wrong with it, as text for [`Cli::usage_error`].
    pub fn parse(&self, args: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
        let mut args = lexopt::Parser::from_args(args);
        let mut call = Call::default();
        let mut print = None;
        while let Some(arg) = args.next().map_err(|error| error.to_string())? {
            let flag = match arg {
                Value(word) => {
                    match call.command {
                        None => call.command = Some(self.command(&word)?),
                        Some(name) => {
                            call.args.push(word);
                            // `check git push --force`: the flags belong to what is to be checked.
                            if self.ends_in_a_command(name) {
                                call.args.extend(args.raw_args().map_err(|error| error.to_string())?);
                            }
                        }
                    }
                    continue;
                }
                Long(long) => self
                    .flags
                    .iter()
                    .find(|flag| flag.long == long)
                    .ok_or_else(|| unknown("flag", "--", long, self.flags.iter().map(|flag| flag.long)))?,
                Short(short) => self
                    .flags
                    .iter()
                    .find(|flag| flag.short == Some(short))
                    .ok_or_else(|| format!("unknown flag: -{}", shown(&short.to_string())))?,
            };
            let value = match flag.value {
                Some(kind) => Some(value(flag, kind, &mut args)?),
                None => None,
            };
            match flag.long {
                "help" => print = Some(self.help()),
                "version" => print = Some(self.version()),
                "completions" => print = value.as_ref().and_then(|shell| self.completions(&shell.to_string_lossy())),
                long => call.options.set(long, value.as_ref())?,
            }
            call.flags.push((flag.long, value));
        }
        Ok(print.map_or(Parsed::Run(call), Parsed::Print))
    }

    /// Says on standard error what is wrong with the command line and how it should be; gives the code to end with.
    #[must_use]
    pub fn usage_error(&self, what: &str) -> ExitCode {
        exit::fail(self.name, exit::USAGE, &format!("{what}\n{}Try '{} --help'.", self.usage(), self.name))
    }

    fn ends_in_a_command(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command.name == name && command.args.contains("-- "))
    }

    fn command(&self, word: &OsString) -> Result<&'static str, String> {
        let names = self.commands.iter().map(|command| command.name);
        let word = word.to_string_lossy();
        names.clone().find(|name| *name == word).ok_or_else(|| unknown("command", "", &word, names))
    }
}

impl Options {
    /// # Errors
    /// The value is no text.
    fn set(&mut self, long: &str, value: Option<&OsString>) -> Result<(), String> {
        let text = || {
            let text = value.and_then(|value| value.to_str()).ok_or_else(|| format!("--{long}: not text"))?;
            Ok::<_, String>(Some(text.to_owned()))
        };
        match long {
            "event" => self.event = text()?,
            "explain" => self.explain = true,
            "fail" => self.fail = true,
            "harness" => self.harness = text()?,
            "json" => self.json = true,
            "jsonl" => self.jsonl = true,
            "record" => self.record = true,
            _ => {}
        }
        Ok(())
    }
}

fn value(flag: &Flag, kind: &str, args: &mut lexopt::Parser) -> Result<OsString, String> {
    let value = args.value().map_err(|_| format!("--{} needs a value: {kind}", flag.long))?;
    if kind.contains('|') && !kind.split('|').any(|choice| value == choice) {
        let given = shown(&value.to_string_lossy());
        return Err(format!("--{}: not one of {kind}: {given}", flag.long));
    }
    Ok(value)
}
