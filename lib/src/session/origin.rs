//! Where a content came from: write by write, copy by copy, whether anything of anybody else's is in it.

use super::memory::{Committed, Memory, Start, Wrote};
use super::own::{hash_file, path_text};
use std::path::Path;

/// How many copies of copies are followed.
pub(super) const DEPTH: usize = 8;

/// What a write left at a path.
pub(super) struct Left<'m> {
    /// Nothing of anybody else's is in it.
    pub(super) own: bool,
    pub(super) hash: Option<&'m str>,
    pub(super) t: u64,
}

impl Memory {
    /// Whether the session may have written a content of this hash to `path` in `tree`, and nothing of anybody else's
    /// was in it.
    #[must_use]
    pub fn had(&self, tree: &str, path: &Path, hash: &str, committed: Committed) -> bool {
        let path = path_text(path);
        if self.cut || self.found(&path) || self.starts.get(tree).is_none_or(|start| start.overflow) {
            return false;
        }
        let here = self.left(&path, u64::MAX, committed, DEPTH);
        let same = |left: &Left| left.own && left.hash == Some(hash);
        here.iter().any(|left| left.own && left.hash.is_none_or(|h| h == hash))
            // The same content at another path: moved, copied, or carried to another tree by git.
            || self.wrote.iter().any(|(other, all)| {
                let written = all.iter().any(|wrote| wrote.hash.as_deref() == Some(hash));
                written && !self.found(other) && self.left(other, u64::MAX, committed, DEPTH).iter().any(same)
            })
    }

    /// Whether a path was dirty or untracked when the session first saw its tree, and not of its own making.
    pub(super) fn found(&self, path: &str) -> bool {
        let made = |start: &Start, hash: &Option<String>| {
            let new = |w: &Wrote| w.t <= start.t && w.hash.is_some() && w.hash == *hash && w.was.as_deref() == Some("");
            self.wrote.get(path).is_some_and(|all| all.iter().any(new))
        };
        self.starts.values().any(|start| start.paths.get(path).is_some_and(|hash| !made(start, hash)))
    }

    /// What each write up to `until` left at a path.
    pub(super) fn left(&self, path: &str, until: u64, committed: Committed, depth: usize) -> Vec<Left<'_>> {
        let mut all: Vec<Left<'_>> = self.inherited(path, until, committed, depth).into_iter().collect();
        for wrote in self.wrote.get(path).into_iter().flatten().filter(|wrote| wrote.t <= until) {
            let met = match wrote.was.as_deref() {
                None => all.last().is_none_or(|left| left.own),
                Some("") => true,
                Some(was) => {
                    all.last().is_some_and(|left| left.own && left.hash.is_none())
                        || all.iter().any(|left| left.own && left.hash == Some(was))
                        || committed(path, was)
                }
            };
            let from = |from: &String| depth > 0 && self.came(from, wrote, committed, depth - 1);
            let own = met && wrote.from.as_ref().is_none_or(from);
            all.push(Left { own, hash: wrote.hash.as_deref(), t: wrote.t });
        }
        all
    }

    /// What a copy or move of a directory around a path left there.
    fn inherited(&self, path: &str, until: u64, committed: Committed, depth: usize) -> Option<Left<'_>> {
        let depth = depth.checked_sub(1)?;
        let (wrote, tail) = Path::new(path).ancestors().skip(1).find_map(|dir| {
            let whole = self.wrote.get(dir.to_str()?)?.iter().rev().find(|w| w.t <= until && w.from.is_some())?;
            Some((whole, Path::new(path).strip_prefix(dir).ok()?))
        })?;
        let source = path_text(&Path::new(wrote.from.as_ref()?).join(tail));
        let own = !self.found(&source) && self.came(&source, wrote, committed, depth);
        let hash = self.left(&source, wrote.t, committed, depth).last().and_then(|left| left.hash);
        Some(Left { own, hash, t: wrote.t })
    }

    /// Whether what was copied or moved from a path was the session's own, or is there still.
    fn came(&self, from: &str, wrote: &Wrote, committed: Committed, depth: usize) -> bool {
        if let Some(hash) = &wrote.hash
            && (committed(from, hash) || hash_file(Path::new(from)).as_ref() == Some(hash))
        {
            return true;
        }
        let all = self.left(from, wrote.t, committed, depth);
        !self.found(from)
            && all.last().is_some_and(|left| {
                left.own && (left.hash.is_none() || wrote.hash.is_none() || left.hash == wrote.hash.as_deref())
            })
    }
}
