//! `eval` and `calibrate`: the gate on turns of which somebody knows whether a lesson applies.

use crate::lessons;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::gate::{Evaluated, SHIPPED, Turn, evaluate};
use ah::quote;
use serde_json::json;
use std::ffi::OsString;
use std::process::ExitCode;

/// Shares of turns without a relevant lesson that are skipped.
const SKIPS: [f64; 4] = [0.5, 0.7, 0.78, 0.9];

/// The share that a proposed threshold skips.
const AIM: f64 = 0.78;

/// Prints a JSON line for each turn of `--turns`: its id, its score, the lessons it ranks.
pub fn eval(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("eval takes no operand"));
    }
    let file = call.value("turns").cloned().ok_or_else(|| cli.usage_error("--turns FILE is missing"))?;
    let mut text = String::new();
    for (_, evaluated) in all(cli, call, &file)? {
        text += &format!("{}\n", json!(evaluated));
    }
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// Prints how many turns with a relevant lesson each threshold keeps, and proposes one.
pub fn calibrate(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let [file] = call.args.as_slice() else { return Err(cli.usage_error("calibrate takes one file of labelled turns")) };
    let turns = all(cli, call, file)?;
    let scores = |relevant: bool| {
        let mut all: Vec<f64> =
            turns.iter().filter(|(turn, _)| turn.relevant.is_empty() != relevant).map(|(_, evaluated)| evaluated.score).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    };
    let (with, without) = (scores(true), scores(false));
    if with.is_empty() || without.is_empty() {
        let text = format!("cannot calibrate: {}: needs turns with a relevant lesson and turns without", quote::path(file));
        return Err(exit::fail(cli.name, exit::BAD_DATA, &text));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
    let cut = |skip: f64| without[((skip * without.len() as f64) as usize).min(without.len() - 1)];
    let row = |skip: f64| {
        let threshold = cut(skip);
        (skip, threshold, with.iter().filter(|score| **score >= threshold).count() as f64 / with.len() as f64)
    };
    let rows: Vec<(f64, f64, f64)> = SKIPS.map(row).to_vec();
    let proposed = cut(AIM).max(SHIPPED);
    let text = if call.options.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(skip, threshold, recall)| json!({ "recall": recall, "skip": skip, "threshold": threshold }))
            .collect();
        format!(
            "{}\n",
            json!({ "proposed": proposed, "rows": rows, "turns": turns.len(), "with": with.len(), "without": without.len() })
        )
    } else {
        let lines = rows.iter().map(|(skip, threshold, recall)| {
            format!(
                "skipping {:2.0} % of turns without: threshold {threshold:5.2} keeps {:3.0} % of those with\n",
                100.0 * skip,
                100.0 * recall
            )
        });
        let head = format!("{} turns with a relevant lesson, {} without\n", with.len(), without.len());
        let end = format!("proposed: {{\"judge\":{{\"gate\":{{\"threshold\":{proposed:.2}}}}}}}\n");
        head + &lines.collect::<String>() + &end
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// Every turn of a file with what the gate makes of it.
fn all(cli: &Cli, call: &Call, file: &OsString) -> Result<Vec<(Turn, Evaluated)>, ExitCode> {
    let bytes = ah::fs::read(std::path::Path::new(file), 256 << 20).map_err(|error| lessons::unread(cli, file, &error))?;
    let index = lessons::timeless(cli, call)?;
    let mut all = Vec::new();
    for (n, line) in bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let turn: Turn = serde_json::from_slice(line).map_err(|error| {
            exit::fail(cli.name, exit::BAD_DATA, &format!("cannot read: {}: line {}: {error}", quote::path(file), n + 1))
        })?;
        let evaluated = evaluate(&index, &turn).map_err(|error| lessons::unread(cli, file, &error))?;
        all.push((turn, evaluated));
    }
    Ok(all)
}
