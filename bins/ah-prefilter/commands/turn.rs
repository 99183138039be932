//! `turn`: what was said and done since the last turn was closed.

use crate::turns;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use std::process::ExitCode;

/// Prints the turn: of a text in the reference's form the rest of it, of a session of ours its words, on a line that
/// `eval` and `calibrate` read.
pub fn turn(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("turn takes no operand"));
    }
    let text = match turns::context(cli, call)? {
        Some(context) if call.options.json => {
            let turn = compat::turn(&context);
            format!("{}\n", serde_json::json!({"turn": turn, "work_text": compat::work_text(turn)}))
        }
        Some(context) => compat::turn(&context).to_owned(),
        None => format!("{}\n", serde_json::to_string(&turns::meant(cli, call)?).unwrap_or_default()),
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}
