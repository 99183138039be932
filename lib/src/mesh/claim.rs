//! A claim: one session works on one path of one work tree.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// How long a claim holds that its session does not use, in milliseconds.
pub const LEASE_MS: u64 = 15 * 60_000;
/// How long one holds that was taken for an edit that has not run yet, in milliseconds: another hook may refuse the edit.
pub const TENTATIVE_MS: u64 = 60_000;

/// A claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Claim {
    /// 1.
    pub v: u32,
    /// A hash of repository, work tree and path: the same path of two work trees is two things.
    pub key: String,
    /// The session.
    pub by: String,
    /// Its name.
    pub name: String,
    /// The work tree.
    pub worktree: String,
    /// The path in it.
    pub path: String,
    /// Since when, in milliseconds since the epoch.
    pub t: u64,
    /// When the session last used it.
    pub touched: u64,
    /// The edit has not run yet.
    pub tentative: bool,
    /// Until when it holds without use; 0 for the usual lease.
    pub until: u64,
    /// What for.
    pub why: String,
}

/// What came of asking for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// Another session has it.
    Lost(Claim),
    /// It had it before.
    Mine,
    /// It has it now; from whom it was taken over, if it was.
    Won(Option<Claim>),
}

impl Claim {
    /// One for an edit of `path`, a path below `worktree`.
    #[must_use]
    pub fn of(repo: &str, worktree: &Path, path: &Path, by: &str, name: &str, now_ms: u64) -> Self {
        let (worktree, path) = (worktree.to_string_lossy().into_owned(), path.to_string_lossy().into_owned());
        let hash = blake3::hash([repo, &worktree, &path].join("\0").as_bytes());
        Self {
            v: 1,
            key: hash.to_hex()[..32].to_owned(),
            by: by.to_owned(),
            name: name.to_owned(),
            worktree,
            path,
            t: now_ms,
            touched: now_ms,
            tentative: true,
            until: 0,
            why: String::new(),
        }
    }

    /// Whether it holds at `now_ms`, if its session lives.
    #[must_use]
    pub fn holds(&self, now_ms: u64) -> bool {
        let lease = if self.tentative { TENTATIVE_MS } else { LEASE_MS };
        // A clock that was set back makes nothing hold for ever.
        let used = self.touched <= now_ms.saturating_add(TENTATIVE_MS) && now_ms.saturating_sub(self.touched) <= lease;
        used || now_ms < self.until && self.t <= now_ms.saturating_add(TENTATIVE_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k1_k3_keys_and_leases() {
        let of = |tree: &str| Claim::of("r", Path::new(tree), Path::new("a.rs"), "s", "n", 1_000_000);
        assert_ne!(of("/w1").key, of("/w2").key);
        let mut claim = of("/w1");
        assert!(claim.holds(1_060_000) && !claim.holds(1_060_001));
        claim.tentative = false;
        assert!(claim.holds(1_900_000) && !claim.holds(1_900_001) && !claim.holds(900_000));
        claim.until = 5_000_000;
        assert!(claim.holds(4_999_999) && !claim.holds(5_000_000));
    }
}
