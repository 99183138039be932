//! The other trees of a repository: linked work trees and submodules.

use std::path::{Path, PathBuf};

use super::config::layout;
use super::{Head, Oid, Repo, Trouble, Vars, read};

/// The most linked trees or submodules that are listed.
const TREES: usize = 1_000;

/// A work tree made by `git worktree add`.
#[derive(Clone, Debug)]
pub struct LinkedTree {
    /// Its git directory, below `worktrees` of the shared one.
    pub git_dir: PathBuf,
    /// Where its HEAD stands; `None` when unreadable or only git can read it.
    pub head: Option<Head>,
    /// Its name in `worktrees/`.
    pub id: String,
    /// Whether it is locked.
    pub locked: bool,
    /// The top of its work tree; `None` when its record is broken. It need not exist any more.
    pub path: Option<PathBuf>,
}

/// A submodule whose repository is kept in `modules` of this one.
#[derive(Clone, Debug)]
pub struct Submodule {
    /// Its git directory.
    pub git_dir: PathBuf,
    /// Its name in the configuration.
    pub name: String,
    /// The top of its work tree, as its configuration says; it need not exist.
    pub work_tree: Option<PathBuf>,
}

impl Repo {
    /// The linked work trees, this one among them if it is one; not the main tree.
    #[must_use]
    pub fn linked_trees(&self) -> Vec<LinkedTree> {
        let base = self.common_dir.join("worktrees");
        let trees = read::names(&base, TREES).into_iter().filter_map(|name| {
            let git_dir = base.join(&name);
            if !git_dir.is_dir() {
                return None;
            }
            let dot_git = read::line(&git_dir.join("gitdir")).filter(|l| !l.is_empty());
            let path = dot_git.and_then(|l| git_dir.join(read::path(&l)).parent().map(Path::to_owned));
            let head = self.head_in(&git_dir).ok();
            let locked = git_dir.join("locked").exists();
            Some(LinkedTree { git_dir, head, id: name.to_string_lossy().into_owned(), locked, path })
        });
        trees.collect()
    }

    /// The top of the main work tree as seen from a linked one (and from the main tree itself); `None` when bare.
    #[must_use]
    pub fn main_tree(&self) -> Option<PathBuf> {
        if !self.is_linked {
            return self.work_tree.clone();
        }
        Self::open(&self.common_dir, &Vars::default())?.work_tree
    }

    /// Where the HEAD of the main tree stands, as seen from a linked one.
    ///
    /// # Errors
    /// As [`Repo::head`].
    pub fn main_head(&self) -> Result<Head, Trouble> {
        self.head_in(&self.common_dir)
    }

    /// The paths of submodules that `.gitmodules` names, whatever lies there.
    #[must_use]
    pub fn module_paths(&self) -> Vec<PathBuf> {
        let Some(top) = &self.work_tree else { return Vec::new() };
        let config = layout(&top.join(".gitmodules"));
        let names = config.sections("submodule");
        names.into_iter().take(TREES).filter_map(|name| Some(config.get(&format!("submodule.{name}.path"))?.into())).collect()
    }

    /// The commits at which a shallow clone ends; none where it is not shallow.
    #[must_use]
    pub fn shallow(&self) -> Vec<Oid> {
        let list = read::file(&self.common_dir.join("shallow"), read::LIST).ok().flatten().unwrap_or_default();
        list.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect()
    }

    /// The text of the repository's own configuration, at most 1 MiB; `None` where it cannot be read.
    #[must_use]
    pub fn config_text(&self) -> Option<Vec<u8>> {
        read::file(&self.common_dir.join("config"), 1 << 20).ok().flatten()
    }

    /// Whether objects may be missing that a remote promises.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let config = layout(&self.common_dir.join("config"));
        let promised = |name: &&str| config.bool(&format!("remote.{name}.promisor")) == Some(true);
        config.get("extensions.partialClone").is_some() || config.sections("remote").iter().any(promised)
    }

    /// The submodules whose repositories are kept in this one; those of submodules not among them.
    #[must_use]
    pub fn submodules(&self) -> Vec<Submodule> {
        let base = self.common_dir.join("modules");
        let mut all = Vec::new();
        modules(&base, "", 0, &mut all);
        all
    }
}

/// A name may hold slashes, so a directory that is no repository is searched.
fn modules(dir: &Path, prefix: &str, depth: usize, all: &mut Vec<Submodule>) {
    if depth > 16 || all.len() >= TREES {
        return;
    }
    for file in read::names(dir, TREES) {
        let (git_dir, name) = (dir.join(&file), format!("{prefix}{}", file.to_string_lossy()));
        if git_dir.join("HEAD").is_file() {
            let config = layout(&git_dir.join("config"));
            let work_tree = config.get("core.worktree").map(|t| {
                let tree = git_dir.join(t);
                std::fs::canonicalize(&tree).unwrap_or(tree)
            });
            all.push(Submodule { git_dir, name, work_tree });
        } else if git_dir.is_dir() {
            modules(&git_dir, &format!("{name}/"), depth + 1, all);
        }
    }
}
