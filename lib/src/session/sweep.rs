//! Old session logs go.

use crate::fs;
use crate::paths::Paths;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long and how much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Since a log's last record.
    pub age: Duration,
    /// Of all logs together, in bytes. Logs of the last day stay all the same.
    pub bytes: u64,
}

impl Default for Kept {
    /// 30 days and 200 MiB.
    fn default() -> Self {
        Self { age: 30 * DAY, bytes: 200 << 20 }
    }
}

/// Removes logs that are older than `kept` says, then the oldest until they are small enough; at most once a day, so
/// any hook may call it. Returns how many went.
///
/// # Errors
/// The system's, when the folder cannot be read or its stamp cannot be written.
pub fn sweep(paths: &Paths, kept: Kept, now: SystemTime) -> io::Result<usize> {
    let dir = paths.sessions();
    let stamp = dir.join(".swept");
    if age(&stamp, now).is_some_and(|age| age < DAY) || !dir.is_dir() {
        return Ok(0);
    }
    fs::replace(&stamp, b"")?;
    let mut logs: Vec<(Duration, u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(&dir)?.flatten() {
        let path = entry.path();
        let Ok(meta) = entry.metadata() else {
            continue;
        };
        let log = path.extension().is_some_and(|end| end == "jsonl");
        let Some(age) = age(&path, now).filter(|_| meta.is_file()) else {
            continue;
        };
        if log {
            logs.push((age, meta.len(), path));
        } else if age > kept.age
            && path.extension().is_some_and(|end| end == "lock" || end == "waits")
            && !path.with_extension("jsonl").exists()
        {
            let _ = std::fs::remove_file(&path);
        }
    }
    // The youngest first.
    logs.sort_unstable();
    let (mut total, mut gone) = (0u64, 0);
    for (age, bytes, path) in logs {
        total = total.saturating_add(bytes);
        let stays = age < DAY || age <= kept.age && total <= kept.bytes;
        if !stays && std::fs::remove_file(&path).is_ok() {
            for beside in ["lock", "waits"] {
                let _ = std::fs::remove_file(path.with_extension(beside));
            }
            total -= bytes;
            gone += 1;
        }
    }
    Ok(gone)
}

/// How long ago a file was written; nothing for one that does not exist or is from the future.
fn age(path: &Path, now: SystemTime) -> Option<Duration> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    let modified = meta.modified().ok()?;
    Some(now.duration_since(modified).unwrap_or_default())
}
