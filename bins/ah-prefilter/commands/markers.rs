//! `markers`: what closes a turn.

use ah::cli::{Call, Cli};
use ah::compat::MARKERS;
use ah::exit;
use std::process::ExitCode;

/// Kinds of lines of a session log that close a turn.
const CLOSING: [&str; 2] = ["open", "skip"];

/// Lists the closing kinds of our logs, and the markers of the reference's text.
pub fn markers(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("markers takes no operand"));
    }
    let text = if call.options.json {
        format!("{}\n", serde_json::json!({ "compat": MARKERS, "log": CLOSING }))
    } else {
        let line = |of: &str, all: &[&str]| all.iter().map(|one| format!("{of}\t{one}\n")).collect::<String>();
        line("compat", &MARKERS) + &line("log", &CLOSING)
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}
