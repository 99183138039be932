//! Files that were clean at the beginning of a turn: the snapshot has only the commit that holds them.

use super::super::manifest::{self, Part};
use super::files::root;
use super::plan::{Does, Row, What};
use super::spot::{Content, Spot};
use ah::git::{Git, Oid, Paths, State, Trouble, Untracked};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Rows for what differs from the tip of then and is not in the snapshot itself; files that came since are named.
/// `own`: git with the person's filters; `scratch`: a folder for an index.
///
/// # Errors
/// Those of git.
pub fn plan(at: usize, part: &Part, own: &Git<'_>, scratch: &Path) -> Result<Vec<Row>, Trouble> {
    let Some(root) = root(part) else { return Ok(Vec::new()) };
    let kept: BTreeSet<PathBuf> = part.files.iter().map(|f| manifest::path(&f.path)).collect();
    let deleted = part.staged.iter().filter(|s| s.oid.is_empty()).map(|s| manifest::path(&s.path));
    let kept: BTreeSet<PathBuf> = kept.into_iter().chain(deleted).collect();
    let row = |path: PathBuf, does: Does| Row::new(at, What::Tracked(path), does);
    let mut rows = Vec::new();
    let mut fresh = BTreeSet::new();
    if let Some(tip) = Oid::parse(&part.tip) {
        for change in own.changed_since(&tip, scratch)? {
            let path = root.join(&change.path);
            if kept.contains(&path) {
                continue;
            }
            if change.old.is_some() {
                rows.push(row(path, Does::BringBack));
            } else if std::fs::symlink_metadata(&path).is_ok() {
                fresh.insert(path);
            }
        }
    }
    let untracked = own.status(Paths::All, Untracked::All, false)?.into_iter().filter(|e| e.state == State::Untracked);
    fresh.extend(untracked.map(|e| root.join(e.path)).filter(|path| !kept.contains(path)));
    let back: BTreeSet<PathBuf> = rows.iter().filter_map(Row::file).collect();
    rows.extend(fresh.into_iter().filter(|path| !back.contains(path)).map(|path| row(path, Does::LeaveAlone).why("new since")));
    Ok(rows)
}

/// Brings the clean files of a part back as a checkout would write them.
pub fn apply(rows: &mut [Row], at: usize, part: &Part, own: &Git<'_>, scratch: &Path) {
    let Some((root, tip)) = root(part).zip(Oid::parse(&part.tip)) else { return };
    let mine = |row: &&mut Row| row.part == at && row.does == Does::BringBack && matches!(row.what, What::Tracked(_));
    let mut wanted: Vec<&mut Row> = rows.iter_mut().filter(mine).collect();
    if wanted.is_empty() {
        return;
    }
    let paths: Vec<PathBuf> = wanted.iter().filter_map(|row| row.file()).collect();
    let tails: Vec<PathBuf> = paths.iter().filter_map(|p| p.strip_prefix(&root).ok().map(Path::to_owned)).collect();
    let out = scratch.join("out");
    let extracted = std::fs::create_dir_all(&out)
        .map_err(|e| e.to_string())
        .and_then(|()| own.extract(&tip, &tails, &out, scratch).map_err(|t| t.to_string()));
    for (row, (path, tail)) in wanted.iter_mut().zip(paths.iter().zip(&tails)) {
        let done = extracted.clone().and_then(|()| {
            let content = content(&out.join(tail)).map_err(|e| e.to_string())?;
            Spot { root: Some(&root), path }.put(&content).map_err(|e| e.to_string())
        });
        if let Err(why) = done {
            row.fail(why);
        }
    }
}

fn content(file: &Path) -> std::io::Result<Content> {
    let meta = std::fs::symlink_metadata(file)?;
    if meta.is_symlink() {
        return Ok(Content::Link(std::fs::read_link(file)?));
    }
    Ok(Content::File(std::fs::read(file)?, meta.permissions().mode() & 0o777))
}
