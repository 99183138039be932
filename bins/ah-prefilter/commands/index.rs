//! `index`: compiles the lessons of here at once, which a hook would do piece by piece.

use crate::lessons;
use ah::cli::{Call, Cli};
use ah::exit;
use serde_json::json;
use std::process::ExitCode;

/// Brings the index up to date and says what it holds. With `--lessons FILE` nothing is written.
pub fn index(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("index takes no operand"));
    }
    let index = lessons::index(cli, call)?;
    let text = if call.options.json {
        format!("{}\n", json!({ "bytes": index.covered(), "lessons": index.live() }))
    } else {
        format!("{} lessons in {} bytes\n", index.live(), index.covered())
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}
