//! Which session of a scope was recorded last.

use super::{First, MAX_FIRST};
use crate::paths::Paths;
use std::io::Read;

/// The id of the session of `scope` whose log was written last.
#[must_use]
pub fn newest(paths: &Paths, scope: &str) -> Option<String> {
    let logs = std::fs::read_dir(paths.sessions()).ok()?.flatten().filter_map(|entry| {
        let (path, written) = (entry.path(), entry.metadata().ok()?.modified().ok()?);
        path.extension().is_some_and(|end| end == "jsonl").then_some((written, path))
    });
    let mut logs: Vec<_> = logs.collect();
    logs.sort_unstable_by(|a, b| b.cmp(a));
    logs.into_iter().find_map(|(_, path)| {
        let mut start = Vec::new();
        crate::fs::open(&path).ok()?.take(MAX_FIRST).read_to_end(&mut start).ok()?;
        let first: First = serde_json::from_slice(start.split(|byte| *byte == b'\n').next()?).ok()?;
        (first.scope == scope && !first.session.is_empty()).then_some(first.session)
    })
}
