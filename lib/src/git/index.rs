//! What the index holds.

use std::collections::HashMap;
use std::path::PathBuf;

use super::pathspec::within;
use super::process::LISTING;
use super::status::mode;
use super::{Git, Oid, Paths, Trouble, read};

/// The mode of a submodule's entry.
const GITLINK: u32 = 0o160_000;

/// One entry of the index.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IndexEntry {
    /// The mode: 0o100644, 0o100755, 0o120000 a symbolic link, 0o160000 a submodule.
    pub mode: u32,
    /// The blob, or a submodule's commit.
    pub oid: Oid,
    /// The path.
    pub path: PathBuf,
    /// 0, or 1 to 3 (base, ours, theirs) in a conflict.
    pub stage: u8,
}

/// Paths whose changes a status does not show.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    /// "Assume unchanged", yet different (or gone): a hard reset overwrites them.
    pub assumed: Vec<PathBuf>,
    /// "Skip work tree": git leaves them alone.
    pub skipped: Vec<PathBuf>,
}

impl Git<'_> {
    /// The entries of the index, by path and stage.
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn index_entries(&self, paths: Paths<'_>) -> Result<Vec<IndexEntry>, Trouble> {
        if paths.none() {
            return Ok(Vec::new());
        }
        let call = self.call_about(&["ls-files", "-s", "-z", "--full-name"], paths)?.limit(LISTING);
        let reply = self.run(call)?;
        let filter = paths.filter();
        let entries = reply.out.split(|b| *b == 0).filter_map(|line| {
            let tab = line.iter().position(|b| *b == b'\t')?;
            let mut words = line[..tab].split(|b| *b == b' ');
            Some(IndexEntry {
                mode: mode(words.next()?)?,
                oid: Oid::parse_bytes(words.next()?)?,
                stage: words.next()?.first()?.wrapping_sub(b'0'),
                path: read::path(&line[tab + 1..]),
            })
        });
        Ok(entries.filter(|e| within(filter.as_ref(), &e.path)).collect())
    }

    /// The submodules in the index: path and recorded commit.
    ///
    /// # Errors
    /// As [`Git::index_entries`].
    pub fn gitlinks(&self, paths: Paths<'_>) -> Result<Vec<(PathBuf, Oid)>, Trouble> {
        let all = self.index_entries(paths)?;
        Ok(all.into_iter().filter(|e| e.mode == GITLINK).map(|e| (e.path, e.oid)).collect())
    }

    /// Paths whose changes the index's own flags hide from a status.
    ///
    /// # Errors
    /// As [`Git::index_entries`].
    pub fn hidden(&self, paths: Paths<'_>) -> Result<Hidden, Trouble> {
        let mut hidden = Hidden::default();
        if paths.none() {
            return Ok(hidden);
        }
        let call = self.call_about(&["ls-files", "-v", "-z", "--full-name"], paths)?.limit(LISTING);
        let reply = self.run(call)?;
        let filter = paths.filter();
        let mut assumed = Vec::new();
        for line in reply.out.split(|b| *b == 0) {
            let Some((tag, path)) = line.split_at_checked(2) else {
                continue;
            };
            let path = read::path(path);
            if !within(filter.as_ref(), &path) {
                continue;
            }
            match tag[0] {
                b'S' | b's' => hidden.skipped.push(path),
                tag if tag.is_ascii_lowercase() => assumed.push(path),
                _ => {}
            }
        }
        if assumed.is_empty() {
            return Ok(hidden);
        }
        let recorded = self.index_entries(Paths::Exact(&assumed))?;
        let recorded: HashMap<PathBuf, Oid> =
            recorded.into_iter().filter(|e| e.mode != GITLINK).map(|e| (e.path, e.oid)).collect();
        let present = self.hash(&assumed, true)?;
        hidden.assumed = assumed
            .iter()
            .zip(present)
            .filter(|(path, now)| recorded.get(*path).is_some_and(|then| now.as_ref() != Some(then)))
            .map(|(path, _)| path.clone())
            .collect();
        Ok(hidden)
    }
}
