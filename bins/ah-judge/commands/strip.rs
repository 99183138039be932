//! `strip`: how the coin fell for a check and a lesson.

use crate::coin::stripped;
use ah::cli::{Call, Cli};
use ah::exit;
use std::process::ExitCode;

/// Prints `stripped` or `kept`.
pub fn strip(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let texts: Vec<&str> = call.args.iter().filter_map(|arg| arg.to_str()).collect();
    let [check, lesson] = texts[..] else {
        return Err(cli.usage_error("strip: wants a check and a lesson"));
    };
    let stripped = stripped(check, lesson);
    let word = if stripped { "stripped" } else { "kept" };
    match call.options.json {
        true => {
            let line = serde_json::json!({ "v": 1, "check": check, "lesson": lesson, "stripped": stripped });
            exit::print(cli.name, &format!("{line}\n"));
        }
        false => exit::print(cli.name, &format!("{word}\n")),
    }
    Ok(ExitCode::from(exit::OK))
}
