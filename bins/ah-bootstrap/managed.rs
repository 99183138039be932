//! The organisation's settings: printed for whoever may put them in their place.

use crate::CLI;
use crate::choice::Choice;
use crate::error::Error;
use crate::programs;
use ah::cli::Call;
use ah::exit;
use ah::harness::wiring::{self, Wiring};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Prints what the organisation's files are to hold.
pub fn run(choice: &Choice, call: &Call) -> Result<ExitCode, Error> {
    if choice.apply || call.has("remove") || call.has("json") {
        return Err(Error::Usage("--scope managed only prints; put it in place yourself, as the administrator".into()));
    }
    let mut text = String::new();
    for wiring in &choice.harnesses {
        programs::look(&choice.entries(wiring), &choice.bin)?;
        if choice.harnesses.len() > 1 {
            let _ = writeln!(text, "==> {} <==", wiring.managed);
        }
        text.push_str(&settings(wiring, choice)?);
    }
    exit::print(CLI.name, &text);
    Ok(ExitCode::from(exit::OK))
}

fn settings(wiring: &Wiring, choice: &Choice) -> Result<String, Error> {
    let entries = choice.entries(wiring);
    let invalid = |error| Error::Invalid(wiring.managed.into(), error);
    if !wiring.managed.ends_with(".toml") {
        let edits = wiring::insert("", false, &entries).map_err(invalid)?;
        return Ok(edits.into_iter().map(|(_, text)| text).collect());
    }
    // Codex runs hooks of this file only from the folder that it names.
    let folder = serde_json::to_string(&choice.bin.to_string_lossy()).unwrap_or_default();
    let head = format!("[features]\nhooks = true\n\n[hooks]\nmanaged_dir = {folder}\n");
    let tail = wiring::append(&head, &entries).map_err(invalid)?;
    Ok(format!("{head}{tail}"))
}
