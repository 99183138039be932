//! `threshold`: what a turn's score is compared with, and where that comes from.

use crate::lessons;
use ah::cli::{Call, Cli};
use ah::config::Config;
use ah::exit;
use ah::gate::{Calibration, Gate, Settings, Source};
use ah::paths::Paths;
use serde_json::json;
use std::process::ExitCode;

/// How the gate is set for whoever runs this.
pub fn settings() -> Settings {
    let config = Paths::from_env().map(|paths| Config::load(paths, None).0).unwrap_or_default();
    Settings::of(&config, &|name| std::env::var_os(name))
}

/// Prints it.
pub fn threshold(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("threshold takes no operand"));
    }
    let settings = settings();
    // Without lessons there is nothing that it could have learned from.
    let calibration = lessons::here().map(|store| Calibration::read(&store)).unwrap_or_default();
    let threshold = settings.threshold(&calibration);
    let text = if call.options.json {
        let all = json!({
            "gate": settings.gate,
            "learned_from": calibration.scores.len(),
            "skip": settings.skip,
            "source": threshold.source,
            "value": threshold.value,
        });
        format!("{all}\n")
    } else {
        let source = match threshold.source {
            Source::Calibrated => "the store's own turns",
            Source::Config => "the configuration",
            Source::Environment => "AH_PREFILTER",
            Source::Shipped => "as shipped",
        };
        match settings.gate {
            Gate::Edits => "edits: every turn that changed something asks\n".to_owned(),
            Gate::Off => "off: every turn asks\n".to_owned(),
            Gate::Score => format!("score: {:.2} or more asks ({source})\n", threshold.value),
        }
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}
