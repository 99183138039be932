//! Commits and trees: names, ancestry, contents.

use std::path::PathBuf;

use super::process::LISTING;
use super::{Git, Oid, Trouble, read};

impl Git<'_> {
    /// The object a revision means (`HEAD~2`, `main`, `v1^{commit}`, `:path`); `None` when it means none.
    ///
    /// # Errors
    /// Those of the process; a revision that means nothing is none.
    pub fn rev_parse(&self, spec: &str) -> Result<Option<Oid>, Trouble> {
        // git would take it for an option.
        if spec.starts_with('-') || spec.contains('\0') {
            return Ok(None);
        }
        match self.run(self.call(&["rev-parse", "-q", "--verify", spec]).good(&[0, 1])) {
            Ok(reply) => Ok(Oid::parse_bytes(reply.out.trim_ascii())),
            // Quiet and dead: an entry that a reflog does not have.
            Err(Trouble::Failed { line, .. }) if line.is_empty() => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Whether commit `a` is an ancestor of `b`, or `b` itself.
    ///
    /// # Errors
    /// Those of the process; `Failed` when either is no commit here.
    pub fn is_ancestor(&self, a: &Oid, b: &Oid) -> Result<bool, Trouble> {
        Ok(a == b || self.run(self.call(&["merge-base", "--is-ancestor", a.as_str(), b.as_str()]).good(&[0, 1]))?.code == 0)
    }

    /// The best common ancestor; `None` when there is none.
    ///
    /// # Errors
    /// As [`Git::is_ancestor`].
    pub fn merge_base(&self, a: &Oid, b: &Oid) -> Result<Option<Oid>, Trouble> {
        let reply = self.run(self.call(&["merge-base", a.as_str(), b.as_str()]).good(&[0, 1]))?;
        Ok(reply.out.split(|c| *c == b'\n').next().and_then(Oid::parse_bytes))
    }

    /// The files of a commit or tree, in the given directories or all of it: path and blob.
    ///
    /// # Errors
    /// Those of the process; `TooMuch` beyond 64 MiB.
    pub fn tree_paths(&self, tree: &Oid, below: &[PathBuf]) -> Result<Vec<(PathBuf, Oid)>, Trouble> {
        let call = self.call(&["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", tree.as_str(), "--"]);
        let reply = self.run(call.more(below).limit(LISTING))?;
        let entries = reply.out.split(|b| *b == 0).filter_map(|line| {
            let tab = line.iter().position(|b| *b == b'\t')?;
            let oid = line[..tab].rsplit(|b| *b == b' ').next().and_then(Oid::parse_bytes)?;
            Some((read::path(&line[tab + 1..]), oid))
        });
        Ok(entries.collect())
    }

    /// How many commits `to` has that `from` has not.
    ///
    /// # Errors
    /// As [`Git::is_ancestor`].
    pub fn ahead(&self, from: &Oid, to: &Oid) -> Result<u64, Trouble> {
        let reply = self.run(self.call(&["rev-list", "--count", to.as_str(), &format!("^{from}"), "--"]))?;
        let text = String::from_utf8_lossy(&reply.out);
        text.trim().parse().map_err(|_| Trouble::Failed { args: "rev-list --count".into(), line: "no number".into() })
    }
}
