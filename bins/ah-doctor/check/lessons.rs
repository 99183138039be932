//! Whether each store of lessons can be read, and is searched by its index.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use ah::quote;
use ah::store::Store;
use std::path::PathBuf;

/// A store that is larger is looked at by its index alone, in bytes: else a look would take longer than a moment.
const WHOLE: u64 = 4 << 20;

/// Each store below the folder of collectives.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let dir = ground.paths.data_home().join("collectives");
    let mut stores: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    stores.retain(|dir| dir.join("lessons.jsonl").symlink_metadata().is_ok());
    stores.sort();
    let (mut found, mut lessons, mut large) = (Vec::new(), 0, 0);
    for dir in &stores {
        let store = Store::at(dir.clone());
        let file = quote::path(store.lessons_file());
        let size = store.lessons_file().metadata().map_or(0, |meta| meta.len());
        if size > WHOLE {
            if !store.lessons_file().with_extension("idx").exists() {
                let what = format!("{file} has no index yet; the next turn makes it");
                found.push(Finding::warn("lessons.index", "lessons", what).mend("ah-prefilter threshold"));
            }
            large += 1;
            continue;
        }
        match store.read() {
            Err(error) => {
                let what = format!("{file} cannot be read ({error}), so nothing is learned or asked there");
                found.push(Finding::fail("lessons.unread", "lessons", what, aside(store.lessons_file())));
            }
            Ok(read) => {
                lessons += read.live.len();
                if let Some((line, why)) = read.invalid.first() {
                    let why = quote::line(&why.to_string(), 100);
                    let what = format!("{file}: {} lines are no lessons; the first is line {line}: {why}", read.invalid.len());
                    found.push(Finding::warn("lessons.invalid", "lessons", what).mend(format!("edit {file} at line {line}")));
                }
                if let Some(id) = read.conflicts.first() {
                    let what =
                        format!("{file}: a later line of {} has a lower version and counts for nothing", quote::line(id, 60));
                    found.push(
                        Finding::warn("lessons.conflict", "lessons", what)
                            .mend(format!("ah-judge lessons show {}", quote::line(id, 60))),
                    );
                }
            }
        }
    }
    if found.is_empty() {
        let more = if large > 0 { format!(", and {large} stores too large to read here") } else { String::new() };
        found.push(Finding::ok("lessons.ok", "lessons", format!("{} stores, {lessons} lessons{more}", stores.len())));
    }
    found
}
