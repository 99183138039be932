//! Snapshots: what a command may lose, kept outside of the repository and brought back.
//!
//! A snapshot is a commit in a bare repository of ah's own (`store`), one for each repository of the person. Its tree
//! holds the manifest and the raw bytes of files; commits, stash entries and staged content lie beside it as one pack;
//! secret-like files and those that a filter passes through as private side files.

pub mod before;
pub mod commands;
pub mod manifest;
mod part;
pub mod prune;
mod save;
pub mod store;
pub mod take;
pub mod turn;
pub mod undo;

use ah::git::{Oid, Repo};
use std::path::PathBuf;

/// Commits that may lose their name, and what holds what lies below them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The repository, as found from where the command stands.
    pub repo: Repo,
    /// What is to be kept: commits, stash entries.
    pub tips: Vec<Oid>,
    /// What keeps its name whatever happens; nothing that these reach is stored.
    pub held: Vec<Oid>,
}

/// What a snapshot is to hold.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// Everything that is changed, staged or untracked in these work trees.
    pub trees: Vec<PathBuf>,
    /// Files at stake, absolute; a directory stands for all that lies in it.
    pub paths: Vec<PathBuf>,
    /// Commits and stash entries at stake.
    pub pins: Vec<Pin>,
}

/// A snapshot that was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Its id.
    pub id: String,
    /// What of the wanted it does not hold.
    pub uncovered: Vec<manifest::Uncovered>,
}

/// Why an empty directory is not held: git has no place for one.
pub const EMPTY_DIRECTORY: &str = "empty directory";
