//! How often a hook could not do its work and let things be, from the failure log.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use ah::fs;
use ah::quote;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How far back is looked, in milliseconds: a week.
const WEEK: u64 = 7 * 86_400_000;
/// How much of each log is read, in bytes.
const MOST: u64 = 8 << 20;
/// So many kinds are named.
const NAMED: usize = 5;
/// A kind is what stands before the object: so many characters of it.
const KIND: usize = 60;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    t: u64,
    #[serde(borrow, default)]
    program: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    what: std::borrow::Cow<'a, str>,
}

/// The failures of the last week, by program and kind.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let newest = ground.paths.log();
    let (mut kinds, mut total, mut torn) = (BTreeMap::<(String, String), u64>::new(), 0, 0);
    for file in [&newest, &fs::old(&newest)] {
        let _ = fs::lines_back(file, MOST, |bytes| {
            let Ok(line) = serde_json::from_slice::<Line>(bytes) else {
                torn += 1;
                return true;
            };
            if line.t + WEEK < ground.now {
                return false;
            }
            total += 1;
            let kind = line.what.split(": ").next().unwrap_or_default();
            *kinds.entry((line.program.into_owned(), quote::line(kind, KIND))).or_default() += 1;
            true
        });
    }
    let mut found = Vec::new();
    if torn > 0 {
        let what = format!("{torn} lines of {} cannot be read", quote::path(&newest));
        found.push(Finding::warn("failures.torn", "failures", what).mend(aside(&newest)));
    }
    if total == 0 {
        found.push(Finding::ok("failures.ok", "failures", "no hook failed this week"));
        return found;
    }
    let mut most: Vec<_> = kinds.into_iter().collect();
    most.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let named: Vec<String> = most.iter().take(NAMED).map(|((program, kind), n)| format!("{program}: {kind} ({n})")).collect();
    let more = if most.len() > NAMED { format!(" and {} other kinds", most.len() - NAMED) } else { String::new() };
    let what = format!("{total} times this week a hook failed and let things be: {}{more}", named.join("; "));
    let tail = format!("tail {} && {}", quote::path(&newest), aside(&newest));
    found.push(Finding::warn("failures.open", "failures", what).mend(tail));
    found
}
