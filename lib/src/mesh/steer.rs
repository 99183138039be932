//! A pause: a person stops a session's tools for a while.
//!
//! One file for each paused session in the state's `mesh/paused`; where nobody is paused that is one look that finds nothing.

use super::file_name;
use crate::fs;
use crate::paths::Paths;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// How long a pause holds, in milliseconds.
const HOLDS: u64 = 86_400_000;
/// The largest file, in bytes.
const MAX: u64 = 16 << 10;

/// A pause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pause {
    /// 1.
    pub v: u32,
    /// The session.
    pub session: String,
    /// What the person says to it.
    pub note: String,
    /// Only what changes something is stopped.
    pub read_only: bool,
    /// When, in milliseconds since the epoch.
    pub t: u64,
}

fn folder(paths: &Paths) -> PathBuf {
    paths.state_home().join("mesh/paused")
}

/// The pause of a session, if it holds; one that cannot be read does not.
#[must_use]
pub fn paused(paths: &Paths, session: &str, now_ms: u64) -> Option<Pause> {
    let bytes = fs::read(&folder(paths).join(file_name(session)), MAX).ok()?;
    let pause: Pause = serde_json::from_slice(&bytes).ok()?;
    let holds = pause.v == 1 && pause.t <= now_ms.saturating_add(60_000) && now_ms.saturating_sub(pause.t) < HOLDS;
    holds.then_some(pause)
}

/// Every pause that holds.
#[must_use]
pub fn pauses(paths: &Paths, now_ms: u64) -> Vec<Pause> {
    let files = std::fs::read_dir(folder(paths)).into_iter().flatten().flatten();
    files.filter_map(|file| paused(paths, &file.file_name().to_string_lossy(), now_ms)).collect()
}

/// Pauses a session; whoever calls this has made sure that a person says so.
///
/// # Errors
/// The system's.
pub fn pause(paths: &Paths, pause: &Pause) -> io::Result<()> {
    fs::ensure_dir(&folder(paths))?;
    let text = serde_json::to_vec(&Pause { v: 1, ..pause.clone() }).map_err(io::Error::other)?;
    fs::replace(&folder(paths).join(file_name(&pause.session)), &text)
}

/// Ends the pause of a session; false where there was none.
///
/// # Errors
/// The system's.
pub fn resume(paths: &Paths, session: &str) -> io::Result<bool> {
    match std::fs::remove_file(folder(paths).join(file_name(session))) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
