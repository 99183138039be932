//! Our session logs, counted.

use super::{Tally, add};
use crate::fs;
use crate::session::{Entry, Logged};
use std::collections::BTreeSet;
use std::path::Path;

/// Adds one log from then on. A record that came twice counts once.
pub(super) fn count(log: &Path, since: u64, tally: &mut Tally) {
    let mut seen = BTreeSet::new();
    // What could not be read counts nothing.
    let _ = fs::lines_back(log, u64::MAX, |line| {
        if let Some(logged) = Logged::read(line)
            && logged.t >= since
            && (logged.key.is_empty() || seen.insert((logged.entry.kind(), logged.key.clone())))
        {
            one(logged.entry, tally);
        }
        true
    });
}

fn one(entry: Entry, tally: &mut Tally) {
    match entry {
        Entry::Asked(asked) if asked.channel == "stop" => {
            tally.rounds += 1;
            tally.questions += asked.ids.len() as u64;
            tally.block_chars += asked.text.len() as u64;
        }
        Entry::Check(check) => {
            let live = check.of.starts_with("live");
            match check.outcome.as_str() {
                "answered" if live => {
                    tally.live_checks += 1;
                    tally.live_lessons += check.applied.len() as u64;
                }
                "answered" => tally.asked += 1,
                "failed" | "skipped" => tally.failed += 1,
                _ => {}
            }
            let cost = if live { &mut tally.live_cost } else { &mut tally.cost };
            check.usage.iter().for_each(|(unit, amount)| add(cost, unit, *amount));
        }
        Entry::Judged(judged) => {
            tally.judged += 1;
            tally.judge_resolved += u64::from(judged.verdict != "unclear");
        }
        Entry::Shown(shown) if !matches!(shown.kind.as_str(), "gone" | "live") && !shown.ids.is_empty() => {
            tally.free += 1;
            tally.free_lessons += shown.ids.len() as u64;
        }
        Entry::Skip { .. } => tally.skipped += 1,
        _ => {}
    }
}
