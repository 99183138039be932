//! Letting snapshots go: the old, those beyond the number kept, and what killed processes left behind.

use super::manifest::Summary;
use super::save::{SAME, sweep};
use super::store::Store;
use super::turn;
use ah::clock::{Deadline, now_ms};
use ah::config::Snapshot;
use ah::fs::{lock, replace};
use ah::git::Trouble;
use ah::paths::Paths;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How often it is due by time alone.
const EVERY: Duration = Duration::from_secs(3600);
/// How old a folder must be that no snapshot names, to be taken for a killed process's.
const LEFT: Duration = Duration::from_secs(3600);
/// How many packs a store may have before they become one.
const PACKS: usize = 50;
/// How long one store may take.
const PATIENCE: Duration = Duration::from_secs(300);
const DAY: u64 = 86_400_000;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Snapshots let go.
    pub gone: usize,
    /// Snapshots that are left.
    pub kept: usize,
    /// Bytes that all stores take.
    pub bytes: u64,
    /// Stores that others were writing, and that were left for the next time.
    pub busy: usize,
}

/// After a snapshot: has it done in the background once it is due. Cheap.
pub fn if_due(paths: &Paths, bounds: &Snapshot, store: &Store) {
    let stamp = paths.snapshots().join("pruned");
    if !stamp.exists() {
        // The first one of all.
        return mark(paths);
    }
    let age = stamp.metadata().and_then(|m| m.modified()).ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    let many = store.ids().len() as u64 > bounds.keep + bounds.keep / 10;
    if many || age.is_none_or(|age| age > EVERY) {
        // Others need not start one too.
        mark(paths);
        turn::detached(&["prune".as_ref()]);
    }
}

/// Lets go what is beyond the bounds: days, number in each store, bytes of all stores.
pub fn prune(paths: &Paths, bounds: &Snapshot) -> Result<Pruned, Trouble> {
    let mut done = Pruned::default();
    let stores = Store::all(paths);
    if stores.is_empty() {
        return Ok(done);
    }
    // Two at once would be in each other's way.
    let Ok(_one) = lock(&paths.snapshots().join("prune.lock"), Duration::from_secs(20)) else {
        return Ok(Pruned { busy: stores.len(), ..done });
    };
    mark(paths);
    let deadline = Deadline::after(PATIENCE);
    let oldest = now_ms().saturating_sub(bounds.keep_days.saturating_mul(DAY));
    let mut left: Vec<(Summary, &Store)> = Vec::new();
    for store in &stores {
        let list = store.list(deadline)?;
        let extra = list.len().saturating_sub(usize::try_from(bounds.keep).unwrap_or(usize::MAX));
        let (gone, kept): (Vec<_>, Vec<_>) =
            list.into_iter().enumerate().partition(|(n, summary)| *n < extra || summary.t < oldest);
        let gone: Vec<String> = gone.into_iter().map(|(_, summary)| summary.id).collect();
        drop_all(store, &gone, deadline, &mut done)?;
        left.extend(kept.into_iter().map(|(_, summary)| (summary, store)));
    }
    left.sort_by_key(|(summary, _)| summary.t);
    let most = bounds.keep_mb << 20;
    let mut size = total(paths);
    // Contents that several hold are freed with the last of them, so that it may take more than one round.
    while size > most && !left.is_empty() {
        let (mut enough, mut count) = (0, 0);
        for (summary, store) in &left {
            if enough > size - most {
                break;
            }
            enough += summary.size.max(1) + of(store, &summary.id);
            count += 1;
        }
        for store in &stores {
            let ids = left[..count].iter().filter(|(_, s)| *s == store).map(|(summary, _)| summary.id.clone());
            drop_all(store, &ids.collect::<Vec<_>>(), deadline, &mut done)?;
        }
        left.drain(..count);
        let now = total(paths);
        if done.busy > 0 {
            break;
        }
        size = now;
    }
    done.kept = left.len();
    done.bytes = total(paths);
    Ok(done)
}

/// Notes that it was done now.
fn mark(paths: &Paths) {
    let _ = replace(&paths.snapshots().join("pruned"), b"");
}

/// Removes every store whole.
pub fn everything(paths: &Paths) -> std::io::Result<Pruned> {
    let mut done = Pruned::default();
    for store in Store::all(paths) {
        match lock(&store.lock(), Duration::from_secs(5)) {
            Ok(_held) => {
                done.gone += store.ids().len();
                std::fs::remove_dir_all(&store.dir)?;
            }
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => done.busy += 1,
            Err(e) => return Err(e),
        }
    }
    done.bytes = total(paths);
    Ok(done)
}

/// Lets snapshots of a store go, sweeps what none names, and frees what none holds.
fn drop_all(store: &Store, ids: &[String], deadline: Deadline, done: &mut Pruned) -> Result<(), Trouble> {
    let keep = store.keep(&[], deadline)?;
    if !ids.is_empty() {
        let names: Vec<String> = ids.iter().map(|id| Store::name(id)).collect();
        keep.forget(&names)?;
        ids.iter().for_each(|id| sweep(store, id));
        done.gone += ids.len();
    }
    let before = keep.list("refs/")?;
    let named: BTreeSet<String> = before.iter().filter_map(|n| n.name.rsplit('/').next().map(str::to_owned)).collect();
    for id in store.ids().into_iter().filter(|id| !named.contains(id) && older(&store.sides(id), LEFT)) {
        sweep(store, &id);
    }
    // Packs that no snapshot has any more have one name left.
    for entry in std::fs::read_dir(store.dir.join("ah/packs").join(SAME)).into_iter().flatten().flatten() {
        if entry.metadata().is_ok_and(|meta| meta.nlink() == 1) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    litter(store, LEFT);
    let packs = std::fs::read_dir(store.dir.join("objects/pack")).into_iter().flatten().flatten();
    let packs = packs.filter(|p| p.path().extension().is_some_and(|e| e == "pack")).count();
    if ids.is_empty() && packs <= PACKS {
        return Ok(());
    }
    let other = keep.repack()?;
    // The old packs go only if nobody is writing, and nothing has come since: it may rest on them.
    match lock(&store.lock(), Duration::ZERO) {
        Ok(_held) if keep.list("refs/")? == before => {
            // Without its index a pack is not looked into any more.
            let (first, last): (Vec<_>, Vec<_>) = other.into_iter().partition(|p| p.extension().is_some_and(|e| e == "idx"));
            first.iter().chain(&last).for_each(|path| drop(std::fs::remove_file(path)));
        }
        _ => done.busy += 1,
    }
    Ok(())
}

/// After a failure: what git left half written goes at once, unless others are writing too.
pub fn clear(store: &Store) {
    if let Ok(_held) = lock(&store.lock(), Duration::ZERO) {
        litter(store, Duration::ZERO);
    }
}

/// Removes what killed or failed processes of git left.
fn litter(store: &Store, age: Duration) {
    let left = |name: &str| name.starts_with("fast_import_crash_") || name.starts_with("tmp_");
    for dir in [store.dir.clone(), store.dir.join("objects/pack")] {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            if left(&entry.file_name().to_string_lossy()) && (age.is_zero() || older(&entry.path(), age)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether a file or folder has not changed for so long.
fn older(path: &Path, age: Duration) -> bool {
    let at = path.symlink_metadata().and_then(|m| m.modified()).ok();
    at.and_then(|at| SystemTime::now().duration_since(at).ok()).is_some_and(|since| since > age)
}

/// Bytes of all stores; a file of two names counts once.
fn total(paths: &Paths) -> u64 {
    fn below(dir: &Path, seen: &mut BTreeSet<u64>) -> u64 {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        let mut size = 0;
        for entry in entries {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => size += below(&entry.path(), seen),
                Ok(meta) if meta.nlink() == 1 || seen.insert(meta.ino()) => size += meta.len(),
                _ => {}
            }
        }
        size
    }
    below(&paths.snapshots(), &mut BTreeSet::new())
}

/// Bytes of a snapshot's own files.
fn of(store: &Store, id: &str) -> u64 {
    let packs = (0..).map(|n| store.pack(id, n)).map_while(|pack| pack.metadata().ok());
    packs.map(|meta| meta.len()).sum()
}
