//! `calibrate`: what each threshold would make of labelled turns, and which one to take.

use super::eval::measured;
use crate::here;
use crate::lessons::Lessons;
use crate::turns;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::gate::{Calibration, Labels, RATES};
use ah::quote;
use ah::store::Store;
use serde_json::json;
use std::process::ExitCode;

/// Prints the recall at each rate of skipped turns, and proposes the threshold of the rate that is wanted here.
pub fn calibrate(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let [file] = call.args.as_slice() else {
        return Err(cli.usage_error("calibrate reads one file of labelled turns"));
    };
    let turns = turns::of_file(cli, file)?;
    let (config, store) = here::store(cli)?;
    let mut lessons = None;
    let mut scores = Vec::new();
    for turn in &turns {
        let Some(label) = turn.relevant else { continue };
        let score = match turn.score {
            Some(score) if !call.has("lessons") => score,
            _ => {
                if lessons.is_none() {
                    lessons = Some(known(cli, call, store.as_ref())?);
                }
                match &lessons {
                    Some(lessons) => measured(cli, call, lessons, turn)?.score,
                    None => 0.0,
                }
            }
        };
        scores.push((score, label));
    }
    let labels: Labels = scores.into_iter().collect();
    let settings = here::settings(&config);
    let now = settings.threshold(&store.as_ref().map(Calibration::read).unwrap_or_default());
    let (Some(auc), Some(proposed)) = (labels.auc(), labels.threshold(settings.skip)) else {
        let text = format!("cannot calibrate: {}: turns with and without a lesson are needed", quote::path(file));
        return Err(exit::fail(cli.name, exit::BAD_DATA, &text));
    };
    let rows: Vec<(f64, f64)> = RATES.iter().filter_map(|rate| Some((*rate, labels.threshold(*rate)?))).collect();
    let text = if call.options.json {
        let row = |(rate, at): &(f64, f64)| json!({"skip": rate, "threshold": at, "recall": labels.recall(*at)});
        let all = json!({
            "auc": auc, "with": labels.with.len(), "without": labels.without.len(),
            "rates": rows.iter().map(row).collect::<Vec<_>>(),
            "proposed": {"skip": settings.skip, "threshold": proposed, "recall": labels.recall(proposed)},
            "now": {"threshold": now.value, "source": now.source, "recall": labels.recall(now.value), "skip": labels.skipped(now.value)},
        });
        format!("{all}\n")
    } else {
        let mut text =
            format!("turns      {} with a lesson, {} without; AUC {auc:.3}\n", labels.with.len(), labels.without.len());
        for (rate, at) in &rows {
            text += &format!("skip {:3.0} %  threshold {at:8.4}  recall {:.3}\n", rate * 100.0, labels.recall(*at));
        }
        let (recall, skipped) = (labels.recall(now.value), labels.skipped(now.value));
        text += &format!("now         threshold {:8.4}  recall {recall:.3}, skips {:.0} %\n", now.value, skipped * 100.0);
        let recall = labels.recall(proposed);
        text + &format!("proposed    threshold {proposed:8.4}  recall {recall:.3}, skips {:.0} %\n", settings.skip * 100.0)
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

fn known(cli: &Cli, call: &Call, store: Option<&Store>) -> Result<Lessons, ExitCode> {
    match (call.value("lessons"), store) {
        (Some(file), _) => Lessons::of_file(cli, file),
        (None, Some(store)) => Lessons::of_store(cli, store),
        (None, None) => Err(cli.usage_error("there is no repository here: --lessons FILE is needed")),
    }
}
