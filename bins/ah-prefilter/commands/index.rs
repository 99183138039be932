//! `index`: compiles the lessons of here at once, which a hook would do piece by piece.

use crate::here;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::index::{FORM, Index, Limits};
use ah::quote;
use serde_json::json;
use std::process::ExitCode;

/// Brings the index up to date and says what it holds.
pub fn index(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("index takes no operand"));
    }
    let (_, store) = here::store(cli)?;
    let none = || exit::fail(cli.name, exit::NO_INPUT, "no lessons here: no repository, or nothing of it is recorded");
    let store = store.ok_or_else(none)?;
    let file = store.lessons_file();
    let cannot = |error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file)));
    let index = Index::within(&store, &FORM, &Limits::ALL).map_err(cannot)?;
    let text = if call.options.json {
        format!("{}\n", json!({ "bytes": index.covered(), "lessons": index.live() }))
    } else {
        format!("{} lessons in {} bytes\n", index.live(), index.covered())
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}
