//! The stash: its entries and what they hold.

use std::path::PathBuf;

use super::{Git, LogEntry, Oid, Repo, Trouble};

/// One entry of the stash.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stash {
    /// Its place: 0 is the newest (`stash@{0}`).
    pub at: usize,
    /// What git noted (`WIP on main: ...`).
    pub message: String,
    /// Its commit.
    pub oid: Oid,
    /// Seconds since the Unix epoch; 0 where unknown.
    pub time: i64,
}

/// What an entry of the stash holds.
#[derive(Clone, Debug, Default)]
pub struct StashPaths {
    /// The commit it was made on.
    pub base: Option<Oid>,
    /// Tracked paths that differ from that commit.
    pub changed: Vec<PathBuf>,
    /// Untracked files it took along.
    pub untracked: Vec<PathBuf>,
}

impl Repo {
    /// The entries of the stash, newest first.
    ///
    /// # Errors
    /// `Foreign`, `Io`, `TooMuch`.
    pub fn stashes(&self) -> Result<Vec<Stash>, Trouble> {
        // Without the ref git shows no entry, whatever its log still says.
        if self.resolve("refs/stash")?.is_none() {
            return Ok(Vec::new());
        }
        Ok(stashes(self.reflog("refs/stash")?))
    }
}

impl Git<'_> {
    /// As [`Repo::stashes`], for foreign repositories too.
    ///
    /// # Errors
    /// Those of the reader, or of the process.
    pub fn stashes(&self) -> Result<Vec<Stash>, Trouble> {
        match self.repo().stashes() {
            Err(Trouble::Foreign(_)) => Ok(stashes(self.reflog("refs/stash")?)),
            known => known,
        }
    }

    /// What an entry of the stash (its commit) holds.
    ///
    /// # Errors
    /// Those of the process; `Failed` when it is no stash commit.
    pub fn stash_paths(&self, stash: &Oid) -> Result<StashPaths, Trouble> {
        let reply = self.run(self.call(&["rev-list", "--parents", "--max-count=1", stash.as_str(), "--"]))?;
        let text = String::from_utf8_lossy(&reply.out);
        let parents: Vec<Oid> = text.split_ascii_whitespace().skip(1).filter_map(Oid::parse).collect();
        let Some(base) = parents.first().filter(|_| parents.len() >= 2) else {
            return Err(Trouble::Failed { args: format!("rev-list {stash}"), line: "not a stash entry".into() });
        };
        let mut changed: Vec<PathBuf> = self.diff_paths(base, stash)?.into_iter().map(|c| c.path).collect();
        // What was staged and then changed back in the work tree is held by the second parent alone.
        changed.extend(self.diff_paths(base, &parents[1])?.into_iter().map(|c| c.path));
        changed.sort_unstable();
        changed.dedup();
        let untracked = match parents.get(2) {
            Some(tree) => self.tree_paths(tree, &[])?.into_iter().map(|(path, _)| path).collect(),
            None => Vec::new(),
        };
        Ok(StashPaths { base: Some(base.clone()), changed, untracked })
    }
}

fn stashes(log: Option<Vec<LogEntry>>) -> Vec<Stash> {
    let entries = log.unwrap_or_default().into_iter().enumerate();
    entries.map(|(at, e)| Stash { at, message: e.message, oid: e.new, time: e.time }).collect()
}
