//! Whether the session logs can be read.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use ah::fs;
use ah::quote;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The newest logs are read, so many.
const NEWEST: usize = 50;
/// How much of the end of each, in bytes.
const TAIL: u64 = 128 << 10;

#[derive(Deserialize)]
struct Any {
    #[serde(default)]
    v: u32,
}

/// Lines that no program of ours wrote, or not to the end, and logs of a newer version.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let dir = ground.paths.sessions();
    let mut logs: Vec<(SystemTime, u64, PathBuf)> = std::fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.metadata().ok()?.len(), entry.path())))
        .collect();
    logs.sort_unstable_by(|a, b| b.cmp(a));
    let bytes: u64 = logs.iter().map(|log| log.1).sum();
    let mut found: Vec<Finding> = logs.iter().take(NEWEST).filter_map(|(_, _, file)| log(file)).collect();
    if found.is_empty() {
        let mib = bytes / (1 << 20);
        found.push(Finding::ok(
            "sessions.ok",
            "sessions",
            format!("{} logs, {mib} MiB, of {NEWEST} the ends read: whole", logs.len()),
        ));
    }
    found
}

fn log(file: &Path) -> Option<Finding> {
    let (mut foreign, mut newer, mut torn, mut last) = (0, false, false, true);
    let _ = fs::lines_back(file, TAIL, |line| {
        match serde_json::from_slice::<Any>(line) {
            Ok(any) => newer |= any.v > 1,
            // Only the last line may still be being written.
            Err(_) if last => torn = true,
            Err(_) => foreign += 1,
        }
        last = false;
        true
    });
    let name = quote::path(file);
    let away = aside(file);
    if newer {
        let what = format!("{name} is of a newer version and is left alone");
        return Some(Finding::fail("sessions.newer", "sessions", what, "sh install/install.sh"));
    }
    if foreign > 0 {
        let what = format!("{name}: {foreign} lines cannot be read and are passed over");
        return Some(Finding::warn("sessions.foreign", "sessions", what).mend(away));
    }
    torn.then(|| {
        let what = format!("{name}: the last line is torn; the next record begins a new one");
        Finding::warn("sessions.torn", "sessions", what).mend(away)
    })
}
