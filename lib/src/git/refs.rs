//! HEAD and the refs, loose and packed.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use super::{Oid, Repo, Trouble, read};

/// The most refs that are read.
const REFS: usize = 500_000;
/// How deep directories of refs are followed.
const DEPTH: usize = 32;
/// git's own limit for refs that name refs.
const LINKS: usize = 5;

/// Where HEAD stands. Names are full (`refs/heads/main`).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Head {
    /// On a branch that has commits.
    Branch(String),
    /// On a commit, on no branch.
    Detached(Oid),
    /// On a branch that has no commit yet.
    Unborn(String),
}

impl Head {
    /// The branch's name without `refs/heads/`; `None` when detached.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch(name) | Self::Unborn(name) => Some(name.strip_prefix("refs/heads/").unwrap_or(name)),
            Self::Detached(_) => None,
        }
    }
}

/// A ref and the object it names in the end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ref {
    /// The full name. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// The object, as the ref says it (an annotated tag: the tag object).
    pub oid: Oid,
    /// The ref it names, when it is symbolic.
    pub target: Option<String>,
}

/// How far a ref counts as holding what it names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RefClass {
    /// A tool's own (`refs/original`, `refs/jj`, ...): it holds, but nobody looks there.
    Hidden,
    /// Ours: never counts.
    Own,
    /// A branch, tag, remote branch, note or the stash.
    Visible,
}

/// The class of a full ref name.
#[must_use]
pub fn ref_class(name: &str) -> RefClass {
    const VISIBLE: [&str; 4] = ["refs/heads/", "refs/notes/", "refs/remotes/", "refs/tags/"];
    if name.starts_with("refs/ah/") {
        RefClass::Own
    } else if name == "refs/stash" || VISIBLE.iter().any(|p| name.starts_with(p)) {
        RefClass::Visible
    } else {
        RefClass::Hidden
    }
}

enum Value {
    Direct(Oid),
    Symbolic(String),
}

impl Repo {
    /// Where this tree's HEAD stands.
    ///
    /// # Errors
    /// `Foreign`; `NotARepository` when HEAD cannot be read.
    pub fn head(&self) -> Result<Head, Trouble> {
        self.head_in(&self.git_dir)
    }

    /// Where the HEAD kept in a git directory stands: this tree's or a linked tree's.
    pub(super) fn head_in(&self, git_dir: &Path) -> Result<Head, Trouble> {
        self.readable()?;
        match value(&git_dir.join("HEAD")).ok_or(Trouble::NotARepository)? {
            Value::Direct(oid) => Ok(Head::Detached(oid)),
            Value::Symbolic(name) if self.resolve(&name)?.is_some() => Ok(Head::Branch(name)),
            Value::Symbolic(name) => Ok(Head::Unborn(name)),
        }
    }

    /// Every ref whose full name starts with `prefix`, by name. Broken refs are left out.
    ///
    /// # Errors
    /// `Foreign`, `Io`, `TooMuch`.
    pub fn refs(&self, prefix: &str) -> Result<Vec<Ref>, Trouble> {
        self.readable()?;
        let mut all = BTreeMap::new();
        let packed = self.packed()?.into_iter().filter(|(n, _)| n.starts_with(prefix));
        all.extend(packed.map(|(n, o)| (n, Value::Direct(o))));
        // Start in the deepest directory that the prefix names.
        let start = match prefix.rfind('/') {
            Some(end) if prefix.starts_with("refs/") && safe(prefix.trim_end_matches('/')) => &prefix[..end],
            _ => "refs",
        };
        self.loose(&self.common_dir, start, prefix, 0, &mut all)?;
        if self.git_dir != self.common_dir {
            for own in ["refs/bisect", "refs/rewritten", "refs/worktree"] {
                all.retain(|name, _| !name.starts_with(&format!("{own}/")));
                self.loose(&self.git_dir, own, prefix, 0, &mut all)?;
            }
        }
        let mut refs = Vec::with_capacity(all.len());
        let mut packed = None;
        for (name, value) in all {
            match value {
                Value::Direct(oid) => refs.push(Ref { name, oid, target: None }),
                Value::Symbolic(target) => {
                    if let Some(oid) = self.follow(&target, &mut packed)? {
                        refs.push(Ref { name, oid, target: Some(target) });
                    }
                }
            }
        }
        Ok(refs)
    }

    /// The object a full ref name (or `HEAD`, `ORIG_HEAD`, ...) stands for.
    ///
    /// # Errors
    /// `Foreign`, `Io`, `TooMuch`.
    pub fn resolve(&self, name: &str) -> Result<Option<Oid>, Trouble> {
        self.readable()?;
        self.follow(name, &mut None)
    }

    /// As [`Repo::resolve`]; the packed refs are read at most once.
    fn follow(&self, name: &str, packed: &mut Option<HashMap<String, Oid>>) -> Result<Option<Oid>, Trouble> {
        let mut name = name.to_owned();
        for _ in 0..=LINKS {
            if !safe(&name) {
                return Ok(None);
            }
            match value(&self.ref_file(&name)) {
                Some(Value::Direct(oid)) => return Ok(Some(oid)),
                Some(Value::Symbolic(next)) => name = next,
                None => {
                    let packed = match packed {
                        Some(packed) => packed,
                        None => packed.insert(self.packed()?.into_iter().collect()),
                    };
                    return Ok(packed.get(&name).cloned());
                }
            }
        }
        Ok(None)
    }

    /// The ref that a short name means (`main`, `v1`, `origin/main`, `origin`), by git's order.
    ///
    /// # Errors
    /// As [`Repo::resolve`].
    pub fn find(&self, short: &str) -> Result<Option<Ref>, Trouble> {
        self.readable()?;
        let mut packed = None;
        for name in spellings(short) {
            if let Some(oid) = self.follow(&name, &mut packed)? {
                return Ok(Some(Ref { target: self.target(&name), name, oid }));
            }
        }
        Ok(None)
    }

    /// The ref a symbolic ref names (`refs/remotes/origin/HEAD`); `None` when it is not symbolic.
    #[must_use]
    pub fn target(&self, name: &str) -> Option<String> {
        match value(&self.ref_file(name)).filter(|_| safe(name))? {
            Value::Symbolic(target) => Some(target),
            Value::Direct(_) => None,
        }
    }

    pub(super) fn readable(&self) -> Result<(), Trouble> {
        self.foreign.map_or(Ok(()), |format| Err(Trouble::Foreign(format)))
    }

    /// Where a ref lies as a file; some belong to one tree alone.
    pub(super) fn ref_file(&self, name: &str) -> PathBuf {
        let own = !name.starts_with("refs/")
            || ["refs/bisect/", "refs/rewritten/", "refs/worktree/"].iter().any(|p| name.starts_with(p));
        if own { self.git_dir.join(name) } else { self.common_dir.join(name) }
    }

    fn packed(&self) -> Result<Vec<(String, Oid)>, Trouble> {
        let file = self.common_dir.join("packed-refs");
        let bytes = read::file(&file, read::LIST)?.unwrap_or_default();
        let lines = bytes.split(|b| *b == b'\n').filter(|l| !matches!(l.first(), None | Some(b'#' | b'^')));
        let refs = lines.filter_map(|line| {
            let space = line.iter().position(|b| *b == b' ')?;
            Some((String::from_utf8_lossy(&line[space + 1..]).trim_end().to_owned(), Oid::parse_bytes(&line[..space])?))
        });
        let refs: Vec<_> = refs.take(REFS + 1).collect();
        if refs.len() > REFS { Err(Trouble::TooMuch { step: "packed-refs".into() }) } else { Ok(refs) }
    }

    fn loose(
        &self,
        base: &Path,
        dir: &str,
        prefix: &str,
        depth: usize,
        all: &mut BTreeMap<String, Value>,
    ) -> Result<(), Trouble> {
        if depth > DEPTH || all.len() > REFS {
            return Err(Trouble::TooMuch { step: "refs".into() });
        }
        for file in read::names(&base.join(dir), REFS) {
            let name = format!("{dir}/{}", file.to_string_lossy());
            let path = base.join(dir).join(&file);
            if fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) {
                if name.starts_with(prefix) || prefix.starts_with(&name) {
                    self.loose(base, &name, prefix, depth + 1, all)?;
                }
            } else if name.starts_with(prefix)
                && let Some(value) = value(&path)
            {
                all.insert(name, value);
            }
        }
        Ok(())
    }
}

/// The full names a short one can mean, first choice first.
pub(super) fn spellings(short: &str) -> [String; 6] {
    [
        short.to_owned(),
        format!("refs/{short}"),
        format!("refs/tags/{short}"),
        format!("refs/heads/{short}"),
        format!("refs/remotes/{short}"),
        format!("refs/remotes/{short}/HEAD"),
    ]
}

fn value(file: &Path) -> Option<Value> {
    let line = read::line(file)?;
    match line.strip_prefix(b"ref:") {
        Some(name) => Some(Value::Symbolic(String::from_utf8_lossy(name.trim_ascii()).into_owned())),
        None => Oid::parse_bytes(line.get(..64).filter(|l| Oid::parse_bytes(l).is_some()).or(line.get(..40))?).map(Value::Direct),
    }
}

/// Whether a name can be a ref's and stays inside the git directory.
fn safe(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0') && name.len() < 4096 && !name.split('/').any(|p| matches!(p, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_directory_are_refused() {
        for name in ["", "/etc/passwd", "refs/../x", "refs//x", "a\0b", "refs/heads/"] {
            assert!(!safe(name), "{name:?}");
        }
        assert!(safe("refs/heads/a..b"));
    }

    #[test]
    fn classes() {
        assert_eq!(ref_class("refs/stash"), RefClass::Visible);
        assert_eq!(ref_class("refs/original/refs/heads/main"), RefClass::Hidden);
        assert_eq!(ref_class("refs/stashes"), RefClass::Hidden);
        assert_eq!(ref_class("refs/ah/x"), RefClass::Own);
    }
}
