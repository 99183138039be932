//! Entries of the index: which of them come back, and bringing them back.

use super::super::manifest::{self, Part, Staged};
use super::plan::{Does, Row, What};
use super::refs::{short, staging};
use ah::git::{Entered, Git, IndexEntry, Kept, Oid, Paths, Trouble};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// A row for each path that was staged. `head`: the commit that HEAD will name; `always`: the person wants it as it was.
///
/// # Errors
/// Those of git.
pub fn plan(at: usize, part: &Part, git: &Git<'_>, head: Option<&Oid>, always: bool) -> Result<Vec<Row>, Trouble> {
    let root = manifest::path(&part.root);
    let mut paths: BTreeMap<PathBuf, Vec<Staged>> = BTreeMap::new();
    for staged in &part.staged {
        let path = manifest::path(&staged.path);
        let Ok(tail) = path.strip_prefix(&root) else { continue };
        paths.entry(tail.to_owned()).or_default().push(staged.clone());
    }
    let tails: Vec<PathBuf> = paths.keys().cloned().collect();
    if tails.is_empty() {
        return Ok(Vec::new());
    }
    let mut present: HashMap<PathBuf, Vec<IndexEntry>> = HashMap::new();
    for entry in git.index_entries(Paths::Exact(&tails))? {
        present.entry(entry.path.clone()).or_default().push(entry);
    }
    let mut committed: Vec<(PathBuf, Oid)> = Vec::new();
    let now = git.rev_parse("HEAD^{commit}").ok().flatten();
    for commit in [now.as_ref(), head].into_iter().flatten() {
        // A tip that is in the pack only says nothing yet.
        committed.extend(git.tree_paths(commit, &tails).unwrap_or_default());
    }
    let files = git.hash(&tails, true)?;
    let moved = head.map_or("", Oid::as_str) != part.tip;
    let mut rows = Vec::new();
    let mut lone = Vec::new();
    for ((tail, staged), file) in paths.into_iter().zip(files) {
        let there = present.get(&tail).map(Vec::as_slice).unwrap_or_default();
        let held = |oid: &Oid| file.as_ref() == Some(oid) || committed.iter().any(|(path, o)| *path == tail && o == oid);
        let settled = there.iter().all(|e| e.stage == 0 && held(&e.oid));
        let row = Row::new(at, What::Index(root.join(&tail), staged.clone()), Does::BringBack);
        rows.push(if same(there, &staged) {
            Row { does: Does::AsItWas, ..row }
        } else if moved {
            let other = |s: &&Staged| s.stage == 0 && Oid::parse(&s.oid).is_some_and(|oid| file.as_ref() != Some(&oid));
            lone.extend(staged.iter().filter(other).cloned());
            Row { does: Does::LeaveAlone, ..row }.why("HEAD is at another commit")
        } else if settled || always {
            row
        } else {
            Row { does: Does::LeaveAlone, ..row }.why("staged otherwise since")
        });
    }
    let blobs: Vec<(PathBuf, Oid)> = lone.iter().filter_map(|s| Some((manifest::path(&s.path), Oid::parse(&s.oid)?))).collect();
    let blobs: Vec<(PathBuf, Oid)> =
        blobs.into_iter().map(|(path, oid)| (path.strip_prefix(&root).unwrap_or(&path).to_owned(), oid)).collect();
    if git.blobs_kept(&blobs)?.contains(&Kept::Nowhere) {
        rows.push(Row::new(at, What::Staging(lone), Does::BringBack));
    }
    Ok(rows)
}

fn same(there: &[IndexEntry], staged: &[Staged]) -> bool {
    let wanted: Vec<&Staged> = staged.iter().filter(|s| !s.oid.is_empty()).collect();
    wanted.len() == there.len()
        && wanted
            .iter()
            .all(|s| there.iter().any(|e| e.stage == s.stage && e.oid.as_str() == s.oid && format!("{:o}", e.mode) == s.mode))
}

/// A row for each path that was staged, where the index is made again.
pub fn all(at: usize, part: &Part) -> Vec<Row> {
    let mut paths: BTreeMap<PathBuf, Vec<Staged>> = BTreeMap::new();
    for staged in &part.staged {
        paths.entry(manifest::path(&staged.path)).or_default().push(staged.clone());
    }
    paths.into_iter().map(|(path, staged)| Row::new(at, What::Index(path, staged), Does::BringBack)).collect()
}

/// Puts the entries of a part back, where HEAD is what it was; what was staged on another commit gets a branch.
pub fn apply(rows: &mut [Row], at: usize, part: &Part, git: &Git<'_>, id: &str, scratch: &Path) {
    let root = manifest::path(&part.root);
    let entry = |s: &Staged| {
        let path = manifest::path(&s.path);
        let path = path.strip_prefix(&root).unwrap_or(&path).to_owned();
        Entered { mode: s.mode.clone(), oid: Oid::parse(&s.oid), path, stage: s.stage }
    };
    let why = format!("what was staged when the snapshot {id} was taken");
    let mut entries = Vec::new();
    let mut mine = Vec::new();
    let tip = Oid::parse(&part.tip);
    for row in rows.iter_mut().filter(|row| row.part == at && row.does == Does::BringBack) {
        match &row.what {
            What::Index(_, staged) => {
                entries.extend(staged.iter().map(entry));
                mine.push(row);
            }
            What::Staging(staged) => {
                let all: Vec<Entered> = staged.iter().map(entry).collect();
                let made = git.staging(tip.as_ref(), &all, &why, scratch);
                let done = made.and_then(|oid| git.set_ref(&staging(id), &oid, None, &why));
                if let Err(trouble) = done {
                    row.fail(trouble.to_string());
                }
            }
            _ => {}
        }
    }
    if mine.is_empty() {
        return;
    }
    let head = git.rev_parse("HEAD^{commit}").ok().flatten();
    if head == tip {
        if let Err(trouble) = git.enter(&entries) {
            mine.into_iter().for_each(|row| row.fail(trouble.to_string()));
        }
        return;
    }
    // A branch did not move as planned.
    entries.retain(|entry| entry.stage == 0);
    let name = staging(id);
    let made = git.staging(tip.as_ref(), &entries, &why, scratch).and_then(|oid| git.set_ref(&name, &oid, None, &why));
    for row in mine {
        match &made {
            Ok(()) => row.why = format!("as {}", short(&name)),
            Err(trouble) => row.fail(trouble.to_string()),
        }
    }
}
