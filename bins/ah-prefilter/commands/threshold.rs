//! `threshold`: with what a turn's score is compared here, and where that is from.

use crate::here;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use ah::gate::{Calibration, Gate, Source, Threshold};
use serde_json::json;
use std::process::ExitCode;

/// Prints the gate, the threshold, and its source.
pub fn threshold(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("threshold takes no operand"));
    }
    let (config, store) = here::store(cli)?;
    let settings = here::settings(&config);
    let calibration = store.as_ref().map(Calibration::read).unwrap_or_default();
    let Threshold { source, value } = match call.has("compat") {
        true => settings.fixed.unwrap_or(Threshold { source: Source::Shipped, value: compat::THRESHOLD }),
        false => settings.threshold(&calibration),
    };
    let text = if call.options.json {
        let (seen, skip) = (calibration.scores.len(), settings.skip);
        format!("{}\n", json!({"gate": settings.gate, "value": value, "source": source, "skip": skip, "turns": seen}))
    } else {
        let source = match source {
            Source::Calibrated => "from the turns of this store",
            Source::Config => "from the settings",
            Source::Environment => "from the environment",
            Source::Shipped => "as shipped",
        };
        match settings.gate {
            Gate::Edits => "edits: a turn that changed something is open\n".to_owned(),
            Gate::Off => "off: every turn is open\n".to_owned(),
            Gate::Score => format!("score {value:.4}, {source}\n"),
        }
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}
