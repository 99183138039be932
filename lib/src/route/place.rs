//! A path as written and as it really is, and whether it lies in another.

use super::Repo;
use std::path::{Component, Path, PathBuf};

/// A path in both forms.
pub(super) struct Place {
    real: PathBuf,
    written: PathBuf,
}

impl Place {
    /// `None` unless `path` is absolute and without NUL.
    pub fn of(path: &Path) -> Option<Self> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if !path.is_absolute() || bytes.contains(&0) {
            return None;
        }
        Some(Self { real: real(path), written: fold(path) })
    }

    /// The repository that really holds it.
    pub fn repo(&self) -> Option<Repo> {
        Repo::around(&self.real)
    }

    /// How many parts `outer` has, if this lies in it or is it, in either form of either.
    pub fn depth_in(&self, outer: &Path) -> Option<usize> {
        let outer = Self::of(outer)?;
        let inside = |outer: &PathBuf| {
            let inside = self.written.starts_with(outer) || self.real.starts_with(outer);
            inside.then(|| outer.components().count())
        };
        inside(&outer.written).max(inside(&outer.real))
    }
}

/// Takes `.` and `..` out as text.
fn fold(path: &Path) -> PathBuf {
    let mut folded = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => folded.push(name),
            Component::ParentDir => {
                folded.pop();
            }
            _ => {}
        }
    }
    folded
}

/// Links resolved as far as the path exists; what does not exist yet is folded onto it.
#[must_use]
pub fn real(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let Ok(real) = std::fs::canonicalize(known) {
            let rest = path.strip_prefix(known).unwrap_or(Path::new(""));
            return fold(&real.join(rest));
        }
    }
    fold(path)
}
