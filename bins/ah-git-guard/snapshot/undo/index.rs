//! Entries of the index: which of them come back, and bringing them back.

use super::super::manifest::{self, Part, Staged};
use super::plan::{Does, Row, What};
use ah::git::{Entered, Git, IndexEntry, Oid, Paths, Trouble};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

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
    for ((tail, staged), file) in paths.into_iter().zip(files) {
        let there = present.get(&tail).map(Vec::as_slice).unwrap_or_default();
        let held = |oid: &Oid| file.as_ref() == Some(oid) || committed.iter().any(|(path, o)| *path == tail && o == oid);
        let settled = there.iter().all(|e| e.stage == 0 && held(&e.oid));
        let row = Row::new(at, What::Index(root.join(&tail), staged.clone()), Does::BringBack);
        rows.push(if same(there, &staged) {
            Row { does: Does::AsItWas, ..row }
        } else if moved {
            Row { does: Does::LeaveAlone, ..row }.why("HEAD is at another commit")
        } else if settled || always {
            row
        } else {
            Row { does: Does::LeaveAlone, ..row }.why("staged otherwise since")
        });
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

/// Puts the entries of a part back, where HEAD is what it was.
pub fn apply(rows: &mut [Row], at: usize, part: &Part, git: &Git<'_>) {
    let root = manifest::path(&part.root);
    let mut entries = Vec::new();
    let mut mine = Vec::new();
    for row in rows.iter_mut().filter(|row| row.part == at && row.does == Does::BringBack) {
        let What::Index(path, staged) = &row.what else { continue };
        let tail = path.strip_prefix(&root).unwrap_or(path);
        entries.extend(staged.iter().map(|s| Entered {
            mode: s.mode.clone(),
            oid: Oid::parse(&s.oid),
            path: tail.to_owned(),
            stage: s.stage,
        }));
        mine.push(row);
    }
    if mine.is_empty() {
        return;
    }
    let head = git.rev_parse("HEAD^{commit}").ok().flatten();
    if head.as_ref().map_or("", Oid::as_str) != part.tip {
        mine.into_iter().for_each(|row| row.leave("HEAD is at another commit"));
    } else if let Err(trouble) = git.enter(&entries) {
        mine.into_iter().for_each(|row| row.fail(trouble.to_string()));
    }
}
