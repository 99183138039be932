//! What only a reflog, or nothing at all, still points to: the rescue of earlier mistakes.

use super::{Commit, Git, Oid, Stash, Trouble, read};

/// The most commits that are listed.
const SHOWN: usize = 20;

/// What a `gc --prune=now`, a `prune` or an expired reflog would destroy.
#[derive(Clone, Debug, Default)]
pub struct Rescue {
    /// Commits that nothing points to, not even a reflog: the ends of their lines. A prune destroys them.
    pub dangling: Vec<Oid>,
    /// Files, trees and tags that nothing points to: how many. A prune destroys them too.
    pub loose: usize,
    /// The newest commits that only reflogs hold (at most 20). They go when reflogs expire.
    pub logged: Vec<Commit>,
    /// Entries of the stash below the newest: only the stash's own log holds them.
    pub stashed: Vec<Stash>,
}

impl Rescue {
    /// Whether there is nothing to rescue.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dangling.is_empty() && self.loose == 0 && self.logged.is_empty() && self.stashed.is_empty()
    }
}

impl Git<'_> {
    /// The commits that only reflogs hold, newest first, at most 20. What a hidden ref or the stash holds is not among
    /// them.
    ///
    /// # Errors
    /// Those of the readers and the process.
    pub fn only_reflog(&self) -> Result<Vec<Commit>, Trouble> {
        let logged = self.logged(&|name| name == "refs/stash")?;
        if logged.is_empty() {
            return Ok(Vec::new());
        }
        let mut held: Vec<Oid> = self.refs("refs/")?.into_iter().map(|r| r.oid).collect();
        held.extend(self.detached_heads()?.into_iter().map(|(_, oid)| oid));
        held.extend(self.stashes()?.into_iter().map(|s| s.oid));
        self.commits(&logged, &held, SHOWN)
    }

    /// What only reflogs hold, and what dangles. Walks every object of the repository.
    ///
    /// # Errors
    /// `Deadline` in a large repository; those of the readers and the process.
    pub fn rescue(&self) -> Result<Rescue, Trouble> {
        let stashed = self.stashes()?.into_iter().skip(1).collect();
        let mut rescue = Rescue { logged: self.only_reflog()?, stashed, ..Rescue::default() };
        // 1, 2, 4, ...: it found something broken besides; its list is still the answer.
        let call = self.call(&["fsck", "--connectivity-only", "--dangling", "--no-progress"]);
        let reply = self.run(call.good(&[0, 1, 2, 3, 4, 5, 6, 7]))?;
        // The tree of a merge in progress, which git itself makes again at will.
        let merging = read::line(&self.repo().git_dir.join("AUTO_MERGE")).and_then(|l| Oid::parse_bytes(&l));
        for line in String::from_utf8_lossy(&reply.out).lines() {
            let Some((kind, oid)) = line.strip_prefix("dangling ").and_then(|l| l.split_once(' ')) else {
                continue;
            };
            match Oid::parse(oid) {
                Some(oid) if kind == "commit" => rescue.dangling.push(oid),
                oid => rescue.loose += usize::from(oid.is_none() || oid != merging),
            }
        }
        Ok(rescue)
    }
}
