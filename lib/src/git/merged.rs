//! Whether a branch's changes are in another, though its commits are not: after a squash or rebase merge.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::{Change, Git, Oid, Trouble};

/// The most paths that a branch may have changed for its content to be compared.
const PATHS: usize = 500;
/// The most bytes of paths on a command line.
const ARGUMENTS: usize = 256 << 10;
/// The most commits of the other side that are looked at.
const COMMITS: usize = 200;
/// The most (commit, path) pairs.
const PAIRS: usize = 20_000;

impl Git<'_> {
    /// Whether every change of `tip` since the merge base is in `into`: as the same content now, as the same content
    /// at some commit since, or as the same patch. `None`: undecided (no merge base, or over the bounds of 500 paths
    /// and 200 commits).
    ///
    /// # Errors
    /// Those of the process.
    pub fn merged_by_content(&self, tip: &Oid, into: &Oid) -> Result<Option<bool>, Trouble> {
        let Some(base) = self.merge_base(tip, into)? else {
            return Ok(None);
        };
        if base == *tip {
            return Ok(Some(true));
        }
        let changes = self.diff_paths(&base, tip)?;
        if changes.is_empty() {
            return Ok(Some(true));
        }
        let length: usize = changes.iter().map(|c| c.path.as_os_str().len()).sum();
        if changes.len() > PATHS || length > ARGUMENTS {
            return Ok(None);
        }
        let since = self.since(&base, into, &changes)?;
        if since.is_empty() {
            return Ok(Some(false));
        }
        if self.appears(&changes, &since)? || self.patches_in(&base, tip, &since)? {
            return Ok(Some(true));
        }
        Ok((since.len() < COMMITS).then_some(false))
    }

    /// The commits of `into` since the base that touch the changed paths, newest first.
    fn since(&self, base: &Oid, into: &Oid, changes: &[Change]) -> Result<Vec<Oid>, Trouble> {
        let limit = format!("--max-count={COMMITS}");
        let call = self.call(&["--literal-pathspecs", "rev-list", &limit, into.as_str(), &format!("^{base}"), "--"]);
        let call = match &self.repo().work_tree {
            Some(top) => call.at(top),
            None => call,
        };
        let reply = self.run(call.more(&changes.iter().map(|c| &c.path).collect::<Vec<_>>()))?;
        Ok(reply.out.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect())
    }

    /// Whether at one of these commits every changed path is as the branch has it.
    fn appears(&self, changes: &[Change], commits: &[Oid]) -> Result<bool, Trouble> {
        let pairs = commits.iter().flat_map(|c| changes.iter().map(move |p| (c, &p.path)));
        let pairs: Vec<(&Oid, &PathBuf)> = pairs.take(PAIRS).collect();
        let found = self.blobs_at(&pairs)?;
        Ok(found.chunks_exact(changes.len()).any(|at| at.iter().zip(changes).all(|(blob, change)| *blob == change.new)))
    }

    /// Whether the whole change, or each commit of the branch, is the patch of one of these commits.
    fn patches_in(&self, base: &Oid, tip: &Oid, commits: &[Oid]) -> Result<bool, Trouble> {
        let own =
            self.run(self.call(&["rev-list", "--no-merges", "--max-count=201", tip.as_str(), &format!("^{base}"), "--"]))?;
        let own: Vec<Oid> = own.out.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect();
        let theirs: HashSet<String> = self.patch_ids(self.patches(commits)?)?.into_values().collect();
        let mut whole = format!("commit {tip}\n").into_bytes();
        let args = [
            "diff-tree",
            "-r",
            "-p",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            base.as_str(),
            tip.as_str(),
            "--",
        ];
        whole.extend(self.run(self.call(&args))?.out);
        if self.patch_ids(whole)?.values().any(|id| theirs.contains(id)) {
            return Ok(true);
        }
        if own.len() > COMMITS {
            return Ok(false);
        }
        let mine = self.patch_ids(self.patches(&own)?)?;
        // A commit without a patch (an empty one) loses nothing.
        Ok(!mine.is_empty() && mine.values().all(|id| theirs.contains(id)))
    }

    /// The patches of commits against their first parents, as `git patch-id` reads them.
    fn patches(&self, commits: &[Oid]) -> Result<Vec<u8>, Trouble> {
        let input: String = commits.iter().flat_map(|c| [c.as_str(), "\n"]).collect();
        let args = ["diff-tree", "-r", "-p", "--stdin", "--root", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
        Ok(self.run(self.call(&args).input(input.into_bytes()))?.out)
    }

    /// Patch id by commit.
    fn patch_ids(&self, patches: Vec<u8>) -> Result<HashMap<String, String>, Trouble> {
        let reply = self.run(self.call(&["patch-id", "--stable"]).input(patches))?;
        let text = String::from_utf8_lossy(&reply.out);
        Ok(text.lines().filter_map(|l| l.split_once(' ')).map(|(id, commit)| (commit.to_owned(), id.to_owned())).collect())
    }
}
