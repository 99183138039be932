//! Locks that are held longer than any hook runs.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::fs;
use ah::quote;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No hook holds a lock so long.
const LONG: Duration = Duration::from_secs(60);
/// So many lock files are looked at; the rest is of sessions long gone.
const MOST: usize = 5_000;
/// So deep lie lock files below a folder of ours.
const DEPTH: usize = 4;

/// Every lock that is held.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut files = Vec::new();
    for dir in [ground.paths.state_home(), ground.paths.data_home()] {
        collect(dir, DEPTH, &mut files);
    }
    let held: Vec<&PathBuf> = files.iter().filter(|file| is_held(file)).collect();
    let mut found: Vec<Finding> = held.iter().filter_map(|file| stuck(file)).collect();
    if found.is_empty() {
        let now = if held.is_empty() { String::new() } else { format!(", {} held this moment", held.len()) };
        found.push(Finding::ok("locks.ok", "locks", format!("{} locks, none held for long{now}", files.len())));
    }
    found
}

fn collect(dir: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 && path.extension().is_none_or(|end| end != "git") {
            collect(&path, depth - 1, files);
        } else if kind.is_file() && path.extension().is_some_and(|end| end == "lock") && files.len() < MOST {
            files.push(path);
        }
    }
}

fn is_held(file: &Path) -> bool {
    fs::lock(file, Duration::ZERO).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// A held lock whose holder has been running for long.
fn stuck(file: &Path) -> Option<Finding> {
    let inode = file.metadata().ok()?.ino();
    let table = fs::read(Path::new("/proc/locks"), 16 << 20).ok()?;
    let table = String::from_utf8_lossy(&table).into_owned();
    // `1: FLOCK  ADVISORY  WRITE 4242 fe:00:123456 0 EOF`
    let row = table.lines().map(|line| line.split_ascii_whitespace().collect::<Vec<_>>()).find(|words| {
        words.get(1) == Some(&"FLOCK") && words.get(5).and_then(|place| place.rsplit(':').next()?.parse().ok()) == Some(inode)
    })?;
    let pid: u32 = row.get(4)?.parse().ok()?;
    let begun = std::fs::metadata(format!("/proc/{pid}")).ok()?.modified().ok()?;
    let age = SystemTime::now().duration_since(begun).unwrap_or_default();
    (age > LONG).then(|| {
        let what = format!("{} is held by process {pid}, which runs for {} s", quote::path(file), age.as_secs());
        Finding::fail("locks.stuck", "locks", what, format!("kill {pid}"))
    })
}
