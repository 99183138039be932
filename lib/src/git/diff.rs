//! Changes between two states, as lines and as paths.

use std::path::PathBuf;

use super::pathspec::within;
use super::process::LISTING;
use super::{Git, Head, Oid, Paths, Trouble, read};

/// Which two states are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Against {
    /// HEAD (nothing, where there is no commit) and the index.
    HeadToIndex,
    /// HEAD (nothing, where there is no commit) and the tracked files of the work tree.
    HeadToTree,
    /// The index and the work tree.
    IndexToTree,
}

/// How much of a file changed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lines {
    /// Lines added; `None` for a binary file.
    pub added: Option<u64>,
    /// The path.
    pub path: PathBuf,
    /// Lines removed; `None` for a binary file.
    pub removed: Option<u64>,
}

/// One path that differs between two trees.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Change {
    /// The later blob; `None` when deleted.
    pub new: Option<Oid>,
    /// The earlier blob; `None` when added.
    pub old: Option<Oid>,
    /// The path.
    pub path: PathBuf,
    /// git's letter: `A`, `D`, `M`, `T`.
    pub status: char,
}

impl Git<'_> {
    /// Lines added and removed, by path; only paths where there are any (no empty files, no changes of mode alone).
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn numstat(&self, paths: Paths<'_>, against: Against) -> Result<Vec<Lines>, Trouble> {
        if paths.none() {
            return Ok(Vec::new());
        }
        let mut args = vec![
            "diff",
            "--numstat",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=dirty",
        ];
        let unborn = against != Against::IndexToTree && matches!(self.head()?, Head::Unborn(_));
        match against {
            Against::HeadToIndex => args.extend(["--cached", if unborn { self.empty_tree() } else { "HEAD" }]),
            Against::HeadToTree => args.push(if unborn { self.empty_tree() } else { "HEAD" }),
            Against::IndexToTree => {}
        }
        let reply = self.run(self.call_about(&args, paths)?.limit(LISTING))?;
        let filter = paths.filter();
        let lines = reply.out.split(|b| *b == 0).filter_map(|line| {
            let mut fields = line.splitn(3, |b| *b == b'\t');
            let number = |b: &[u8]| std::str::from_utf8(b).ok()?.parse().ok();
            let (added, removed) = (number(fields.next()?), number(fields.next()?));
            Some(Lines { added, path: read::path(fields.next()?), removed })
        });
        Ok(lines.filter(|l| (l.added, l.removed) != (Some(0), Some(0)) && within(filter.as_ref(), &l.path)).collect())
    }

    /// The paths that differ between two commits or trees. A rename is a deletion and an addition.
    ///
    /// # Errors
    /// Those of the process.
    pub fn diff_paths(&self, from: &Oid, to: &Oid) -> Result<Vec<Change>, Trouble> {
        let call =
            self.call(&["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", from.as_str(), to.as_str(), "--"]);
        let reply = self.run(call.limit(LISTING))?;
        Ok(changes(&reply.out))
    }

    /// The name of the tree with nothing in it; every repository knows it.
    pub(super) fn empty_tree(&self) -> &'static str {
        match self.repo().foreign {
            Some("sha256") => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
            _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        }
    }
}

/// `:<mode> <mode> <oid> <oid> <letter> NUL <path> NUL`, repeated.
pub(super) fn changes(out: &[u8]) -> Vec<Change> {
    let mut fields = out.split(|b| *b == 0);
    let mut all = Vec::new();
    while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<&[u8]> = head.split(|b| *b == b' ').collect();
        let [_, _, old, new, status] = words[..] else {
            break;
        };
        let oid = |b: &[u8]| Oid::parse_bytes(b).filter(|o| !o.is_zero());
        let status = status.first().map_or('M', |b| char::from(*b));
        all.push(Change { new: oid(new), old: oid(old), path: read::path(path), status });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn raw_lines() {
        let (a, z) = ("a".repeat(40), "0".repeat(40));
        let out = format!(":100644 000000 {a} {z} D\0x y\n\0:000000 100644 {z} {a} A\0z\0");
        let all = changes(out.as_bytes());
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].status, all[0].new.is_none(), all[1].old.is_none()), ('D', true, true));
        assert_eq!(all[0].path.to_str(), Some("x y\n"));
        assert!(changes(b"junk\0x\0").is_empty());
    }
}
