//! A program of the person's as a model: one JSON object in, the reply out.

use super::call::{Call, Heard};
use super::child::{self, Private, Program};
use super::reason::{Code, Reason};
use crate::settings::Judge;
use ah::clock::Deadline;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Question<'a> {
    system: &'a str,
    prompt: &'a str,
    schema: Option<&'a RawValue>,
}

/// Asks.
pub fn ask(call: &Call, settings: &Judge, deadline: Deadline) -> Heard {
    let answer = || {
        let dir = Private::new()?;
        let ran = child::run(&program(call, settings), dir.path(), deadline)?;
        let said = String::from_utf8_lossy(&ran.out).into_owned();
        if said.trim().is_empty() {
            let code = ran.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit {code}"));
            let error = ran.error.lines().next().unwrap_or("it said nothing");
            return Err(Reason::new(Code::Program, format!("{}: {code}: {error}", ah::quote::path(&settings.command[0]))));
        }
        Ok(Heard { money: None, said: Ok(said), tokens: None })
    };
    answer().unwrap_or_else(Reason::into)
}

/// The command.
pub fn program(call: &Call, settings: &Judge) -> Program {
    let question = Question { system: &call.system, prompt: &call.prompt, schema: serde_json::from_str(&call.schema).ok() };
    let input = serde_json::to_string(&question).unwrap_or_default() + "\n";
    let mut words = settings.command.iter().map(Into::into);
    Program { name: words.next().unwrap_or_default(), args: words.collect(), env: Vec::new(), input }
}
