//! Turns that a command is asked about: lines of a file, a text in the reference's form, a session's present one.

use crate::here;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use ah::fs;
use ah::gate::Turn;
use ah::quote;
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// A text of `--context`, if it is given.
pub fn context(cli: &Cli, call: &Call) -> Result<Option<String>, ExitCode> {
    let Some(file) = call.value("context") else { return Ok(None) };
    Ok(Some(String::from_utf8_lossy(&read(cli, file)?).into_owned()))
}

/// The turns of a file, a JSON object a line. One that is none is an error: figures without it would be others.
pub fn of_file(cli: &Cli, file: &OsStr) -> Result<Vec<Turn>, ExitCode> {
    let bytes = read(cli, file)?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    let turn = |(number, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|error| {
            let text = format!("no turn: {}:{}: {error}", quote::path(file), number + 1);
            exit::fail(cli.name, exit::BAD_DATA, &text)
        })
    };
    lines.map(turn).collect()
}

/// The turn that is meant: the last one of `--context`, else the present one of a session of here.
pub fn meant(cli: &Cli, call: &Call) -> Result<Turn, ExitCode> {
    if let Some(context) = context(cli, call)? {
        return Ok(Turn::of_text(&compat::work_text(compat::turn(&context))));
    }
    let home = here::session(cli, call)?;
    let file = home.session.file();
    let fold = home
        .session
        .fold()
        .map_err(|error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file))))?;
    let id = fold.state.closed() + 1;
    Ok(Turn {
        id: format!("{}:{id}", file.file_stem().unwrap_or_default().to_string_lossy()),
        prompt: fold.turn.prompts.join("\n"),
        touches: fold.touches(),
        edits: fold.edits().join("\n"),
        ..Turn::default()
    })
}

fn read(cli: &Cli, file: &OsStr) -> Result<Vec<u8>, ExitCode> {
    fs::read(Path::new(file), LARGEST)
        .map_err(|error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file))))
}
