//! Which snapshot is meant: the newest of this work tree, and of this session when run in one.

use super::super::manifest::{Kind, Summary, path};
use super::super::store::{Store, is_id};
use ah::clock::Deadline;
use ah::git::{Repo, Trouble, Vars};
use ah::paths::Paths;
use std::path::{Path, PathBuf};

/// A snapshot and where it lies.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its store.
    pub store: Store,
    /// What the store tells of it.
    pub summary: Summary,
}

/// Where a person stands.
#[derive(Clone, Debug)]
pub struct Here {
    /// The directory.
    pub cwd: PathBuf,
    /// The top of the work tree, or a bare repository's directory; `None` in no repository.
    pub top: Option<PathBuf>,
}

impl Here {
    /// By a directory.
    pub fn at(cwd: &Path) -> Self {
        Self { cwd: cwd.to_owned(), top: top(cwd) }
    }

    /// Whether a snapshot is about the work tree here: taken of it, or before a command that ran in it; or of one that
    /// was here, or below, and is no more.
    pub fn is_of(&self, summary: &Summary) -> bool {
        let base = self.top.as_deref().unwrap_or(&self.cwd);
        let of_root = |root: &PathBuf| {
            let stands = self.top.as_deref() == Some(root);
            // What is found around the root now is another repository, or none.
            stands || (self.cwd.starts_with(root) || root.starts_with(base)) && top(root).as_ref() != Some(root)
        };
        if summary.roots.iter().filter(|r| !r.is_empty()).map(|r| path(r)).any(|root| of_root(&root)) {
            return true;
        }
        let ran = path(&summary.cwd);
        let existing = ran.ancestors().find(|dir| dir.is_dir()).unwrap_or(&ran);
        match &self.top {
            Some(top) => ran.starts_with(top) && self::top(existing).as_ref() == Some(top),
            None => ran == self.cwd || ran.starts_with(&self.cwd) && self::top(existing).is_none(),
        }
    }
}

fn top(dir: &Path) -> Option<PathBuf> {
    let repo = Repo::discover(dir, &Vars::of_process()).ok().flatten()?;
    Some(repo.work_tree.unwrap_or(repo.git_dir))
}

/// The snapshots of these kinds that belong here, newest first; those of a session alone, where it is named.
///
/// # Errors
/// A store that cannot be read.
pub fn all(paths: &Paths, here: &Here, kinds: &[Kind], session: &str, deadline: Deadline) -> Result<Vec<Chosen>, Trouble> {
    let mut all = Vec::new();
    for store in Store::all(paths) {
        let list = store.list(deadline)?;
        let fits = |s: &Summary| kinds.contains(&s.kind) && (session.is_empty() || s.session == session) && here.is_of(s);
        all.extend(list.into_iter().filter(fits).map(|summary| Chosen { store: store.clone(), summary }));
    }
    all.sort_by(|a, b| (b.summary.t, &b.summary.id).cmp(&(a.summary.t, &a.summary.id)));
    Ok(all)
}

/// Every snapshot of an id: those that belong here first. An id is unique in its store only.
///
/// # Errors
/// A store that cannot be read.
pub fn named(paths: &Paths, here: &Here, id: &str, deadline: Deadline) -> Result<Vec<Chosen>, Trouble> {
    let mut all = Vec::new();
    for store in Store::all(paths).into_iter().filter(|store| is_id(id) && store.sides(id).is_dir()) {
        let list = store.list(deadline)?;
        all.extend(list.into_iter().filter(|s| s.id == id).map(|summary| Chosen { store: store.clone(), summary }));
    }
    let (mut mine, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|c| here.is_of(&c.summary));
    mine.extend(others);
    Ok(mine)
}

/// The file that says that a snapshot was undone, and which one was taken before that. It goes with the snapshot.
fn mark(store: &Store, id: &str) -> PathBuf {
    store.sides(id).join("undone")
}

/// Whether a snapshot was undone.
pub fn is_undone(chosen: &Chosen) -> bool {
    mark(&chosen.store, &chosen.summary.id).exists()
}

/// Notes that a snapshot was undone; `safety` is how it was before that.
pub fn set_undone(store: &Store, id: &str, safety: &str) -> std::io::Result<()> {
    ah::fs::replace(&mark(store, id), safety.as_bytes())
}

/// Takes the note back: `safety` was restored, so that what was undone then can be undone again.
pub fn unset_undone(paths: &Paths, safety: &str) {
    for store in Store::all(paths) {
        for id in store.ids() {
            let file = mark(&store, &id);
            if ah::fs::read(&file, 16).is_ok_and(|bytes| bytes == safety.as_bytes()) {
                let _ = std::fs::remove_file(file);
            }
        }
    }
}
