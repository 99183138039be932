//! What differs between HEAD, the index and the work tree.

use std::path::{Path, PathBuf};

use super::pathspec::within;
use super::process::LISTING;
use super::{Git, Oid, Paths, Trouble, read};

/// Which untracked files a status lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Untracked {
    /// Every file.
    All,
    /// None.
    No,
    /// A directory without tracked files as one path with a slash at its end.
    Normal,
}

/// What state a path is in. Letters are git's: `M` modified, `T` type changed, `A` added, `D` deleted, `.` unchanged.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum State {
    /// It differs.
    Changed {
        /// HEAD to index.
        index: char,
        /// Index to work tree.
        tree: char,
        /// Modes in HEAD, index and work tree; 0 where absent.
        modes: [u32; 3],
        /// The blob in HEAD; `None` where absent.
        head: Option<Oid>,
        /// The blob in the index; `None` where absent.
        staged: Option<Oid>,
        /// Whether it is a submodule (its commit differs: what is inside is not looked at).
        submodule: bool,
    },
    /// Not tracked, and ignored.
    Ignored,
    /// In conflict.
    Unmerged {
        /// The two letters that say who did what.
        sides: [char; 2],
        /// The blobs of the base, ours and theirs; `None` where absent.
        stages: [Option<Oid>; 3],
    },
    /// Not tracked.
    Untracked,
}

/// One path of a status.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// The path; ends with a slash where git lists a whole directory.
    pub path: PathBuf,
    /// Its state.
    pub state: State,
}

impl Entry {
    /// Whether the work tree's content is not the index's (untracked and unmerged included).
    #[must_use]
    pub fn in_tree(&self) -> bool {
        !matches!(self.state, State::Changed { tree: '.', .. })
    }

    /// Whether the index differs from HEAD.
    #[must_use]
    pub fn in_index(&self) -> bool {
        matches!(self.state, State::Changed { index, .. } if index != '.') || matches!(self.state, State::Unmerged { .. })
    }
}

impl Git<'_> {
    /// What differs, by path. A rename is a deletion and an addition: each path is judged by itself. A submodule
    /// counts as changed when its commit differs; for what is inside, ask it ([`super::Repo::submodules`]).
    /// Hidden by git's own flags: see [`Git::hidden`].
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn status(&self, paths: Paths<'_>, untracked: Untracked, ignored: bool) -> Result<Vec<Entry>, Trouble> {
        if paths.none() {
            return Ok(Vec::new());
        }
        let untracked = match untracked {
            Untracked::All => "--untracked-files=all",
            Untracked::No => "--untracked-files=no",
            Untracked::Normal => "--untracked-files=normal",
        };
        let ignored = if ignored { "--ignored=matching" } else { "--ignored=no" };
        let args = [
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--no-ahead-behind",
            "--ignore-submodules=dirty",
            untracked,
            ignored,
        ];
        let reply = self.run(self.call_about(&args, paths)?.limit(LISTING))?;
        let filter = paths.filter();
        let entries = reply.out.split(|b| *b == 0).filter(|l| !l.is_empty()).filter_map(entry);
        Ok(entries.filter(|e| within(filter.as_ref(), &e.path)).collect())
    }

    /// Ignored files, each by itself or as a directory with a slash at its end.
    ///
    /// # Errors
    /// As [`Git::status`].
    pub fn ignored_paths(&self, paths: Paths<'_>) -> Result<Vec<PathBuf>, Trouble> {
        let all = self.status(paths, Untracked::Normal, true)?;
        Ok(all.into_iter().filter(|e| e.state == State::Ignored).map(|e| e.path).collect())
    }

    /// Which of these paths pass through a filter driver (their content in the repository is not that of the file):
    /// with drivers switched off, a status can name one as modified that is not.
    ///
    /// # Errors
    /// Those of the process.
    pub fn filtered(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Trouble> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        let call = self.call(&["check-attr", "-z", "--stdin", "filter"]).at(top).input(zeros(paths)).limit(LISTING);
        let reply = self.run(call)?;
        let fields: Vec<&[u8]> = reply.out.split(|b| *b == 0).collect();
        let named = fields.chunks_exact(3).filter(|f| !matches!(f[2], b"unspecified" | b"unset" | b"set"));
        Ok(named.map(|f| read::path(f[0])).collect())
    }
}

/// The paths, a NUL after each.
pub(super) fn zeros<P: AsRef<Path>>(paths: &[P]) -> Vec<u8> {
    paths.iter().flat_map(|p| [p.as_ref().as_os_str().as_encoded_bytes(), b"\0"].concat()).collect()
}

fn entry(line: &[u8]) -> Option<Entry> {
    let (kind, rest) = line.split_at_checked(2)?;
    let fields = |count: usize| -> Option<Vec<&[u8]>> {
        let all: Vec<&[u8]> = rest.splitn(count, |b| *b == b' ').collect();
        (all.len() == count).then_some(all)
    };
    let oid = |b: &[u8]| Oid::parse_bytes(b).filter(|o| !o.is_zero());
    let letters = |b: &[u8]| (b.len() == 2).then(|| [char::from(b[0]), char::from(b[1])]);
    let (path, state) = match kind {
        b"1 " => {
            let f = fields(8)?;
            let [index, tree] = letters(f[0])?;
            let modes = [mode(f[2])?, mode(f[3])?, mode(f[4])?];
            let state =
                State::Changed { index, tree, modes, head: oid(f[5]), staged: oid(f[6]), submodule: f[1].first() == Some(&b'S') };
            (f[7], state)
        }
        b"u " => {
            let f = fields(10)?;
            (f[9], State::Unmerged { sides: letters(f[0])?, stages: [oid(f[6]), oid(f[7]), oid(f[8])] })
        }
        b"? " => (rest, State::Untracked),
        b"! " => (rest, State::Ignored),
        _ => return None,
    };
    Some(Entry { path: read::path(path), state })
}

/// A mode in octal digits.
pub(super) fn mode(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let (a, b, z) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let e = entry(format!("1 AM N... 000000 100644 100755 {z} {b} a b").as_bytes()).expect("changed");
        assert_eq!(e.path, Path::new("a b"));
        let State::Changed {
            index: 'A',
            tree: 'M',
            modes: [0, 0o100_644, 0o100_755],
            head: None,
            staged: Some(_),
            submodule: false,
        } = e.state
        else {
            panic!("{e:?}")
        };
        let e = entry(format!("u AA N... 000000 100644 100644 100644 {z} {a} {b} x").as_bytes()).expect("unmerged");
        assert!(matches!(e.state, State::Unmerged { stages: [None, Some(_), Some(_)], .. }));
        assert_eq!(entry(b"? a\nb/").map(|e| e.state), Some(State::Untracked));
        for junk in [&b""[..], b"1", b"1 A", b"2 x", b"# branch", b"1 AM N... x y z a b c"] {
            assert_eq!(entry(junk), None);
        }
    }
}
