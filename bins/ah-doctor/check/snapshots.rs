//! What the guard keeps, as the guard itself says.

use crate::finding::Finding;
use crate::ground::Ground;
use crate::run;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::Path;
use std::time::Duration;

/// How long the guard may take to list them.
const WAIT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct List {
    snapshots: Vec<IgnoredAny>,
}

/// How many there are, and whether they can be listed.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let stores = std::fs::read_dir(ground.paths.snapshots()).into_iter().flatten().flatten().count();
    if stores == 0 {
        return vec![Finding::ok("snapshots.ok", "snapshots", "none yet")];
    }
    let guard = ground.folder.join("ah-git-guard");
    let said = run::output(&guard, &["snapshots", "--all", "--json"], b"", WAIT);
    let list =
        said.as_ref().ok().filter(|done| done.code == Some(0)).and_then(|done| serde_json::from_slice::<List>(&done.stdout).ok());
    let Some(list) = list else {
        let how = said.map_or_else(|error| error.to_string(), |done| done.ending());
        return vec![Finding::fail(
            "snapshots.unread",
            "snapshots",
            format!("cannot be listed: {how}"),
            "ah-git-guard snapshots --all || sh install/install.sh",
        )];
    };
    let bytes = size(&ground.paths.snapshots());
    let what = format!("{stores} repositories, {} kept, {:.1} MB", list.snapshots.len(), bytes as f64 / 1e6);
    vec![Finding::ok("snapshots.ok", "snapshots", what)]
}

/// The bytes of everything below a folder.
fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let each = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(each).sum()
}
