//! `status`: what the hooks did and what it cost.

use crate::examine::place;
use crate::prove::proofs;
use ah::cli::{Call, Cli};
use ah::clock::{now_ms, since_ms, utc};
use ah::exit;
use ah::fs;
use ah::paths::Paths;
use ah::quote;
use ah::tally::{Amounts, Tally, tally};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// How much of each audit is read, in bytes.
const MOST: u64 = 64 << 20;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    snapshot: Option<String>,
    #[serde(default)]
    t: u64,
    #[serde(default)]
    verdict: String,
}

#[derive(Serialize)]
struct Status {
    /// Verdicts of the guard, but silent ones, by their word.
    guard: BTreeMap<String, u64>,
    judge: Tally,
    proofs: Vec<crate::prove::Proof>,
    /// From when on, in milliseconds since the Unix epoch.
    since: u64,
    /// Snapshots that were taken before something went on.
    snapshots: u64,
    v: u32,
}

/// `status [--since WHEN] [--json]`.
pub fn status(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let paths = place(cli)?;
    let since = match call.value("since").map(|when| when.to_string_lossy()) {
        None => 0,
        Some(when) => since_ms(&when, now_ms())
            .ok_or_else(|| cli.usage_error(&format!("--since: not 30m, 2h, 7d or 2026-11-30: {}", quote::line(&when, 40))))?,
    };
    let (guard, snapshots) = audit(paths, since);
    let judge = tally(&paths.sessions(), since).map_err(|error| {
        exit::fail(cli.name, exit::NO_INPUT, &format!("cannot count: {}: {error}", quote::path(paths.sessions())))
    })?;
    let status = Status { guard, judge, proofs: proofs(paths).proofs, since, snapshots, v: 1 };
    let text = if call.options.json { serde_json::to_string(&status).unwrap_or_default() + "\n" } else { shown(&status) };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// The verdicts on record, and how many had a snapshot.
fn audit(paths: &Paths, since: u64) -> (BTreeMap<String, u64>, u64) {
    let (mut verdicts, mut snapshots) = (BTreeMap::new(), 0);
    let newest = paths.guard_audit();
    for file in [&newest, &fs::old(&newest)] {
        let _ = fs::lines_back(file, MOST, |line| {
            let Ok(line) = serde_json::from_slice::<Line>(line) else { return true };
            if line.t >= since {
                *verdicts.entry(quote::line(&line.verdict, 20)).or_default() += 1;
                snapshots += u64::from(line.snapshot.is_some());
            }
            line.t >= since
        });
    }
    (verdicts, snapshots)
}

fn shown(status: &Status) -> String {
    let verdict = |word: &str| status.guard.get(word).copied().unwrap_or(0);
    let spent = |amounts: &Amounts| match amounts.is_empty() {
        true => "nothing spent".to_owned(),
        false => {
            amounts.iter().map(|(unit, amount)| format!("{amount} {}", unit.replace('_', " "))).collect::<Vec<_>>().join(", ")
        }
    };
    let judge = &status.judge;
    let mut rows = vec![
        format!(
            "guard     {} stopped   {} asked about   {} after a snapshot   {} let through by a person   {} noted",
            verdict("deny"),
            verdict("ask"),
            verdict("let-through"),
            verdict("granted"),
            verdict("note")
        ),
        format!(
            "judge     {} turns   {} free   {} asked   {} failed   {}",
            judge.skipped + judge.asked + judge.failed,
            judge.skipped,
            judge.asked,
            judge.failed,
            spent(&judge.cost)
        ),
        format!(
            "lessons   {} blocks with {} questions   {} handed over free   {} of {} verdicts stand",
            judge.rounds, judge.questions, judge.free_lessons, judge.judge_resolved, judge.judged
        ),
    ];
    if judge.live_checks > 0 {
        rows.push(format!(
            "live      {} checks   {} lessons   {}",
            judge.live_checks,
            judge.live_lessons,
            spent(&judge.live_cost)
        ));
    }
    for proof in &status.proofs {
        let outcome = serde_json::to_value(&proof.outcome).ok().and_then(|word| word.as_str().map(str::to_owned));
        rows.push(format!("proved    {} {} {} UTC", proof.agent, outcome.unwrap_or_default(), utc(proof.t)));
    }
    if status.since > 0 {
        rows.push(format!("since     {} UTC", utc(status.since)));
    }
    rows.join("\n") + "\n"
}
