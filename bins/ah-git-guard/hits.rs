//! Which paths a command touches: what git's own pathspec matched, and what lies below a named path.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A set of absolute paths.
#[derive(Clone, Debug, Default)]
pub struct Hits {
    /// Everything in the work tree.
    pub all: bool,
    /// Exactly these.
    pub paths: BTreeSet<PathBuf>,
    /// These and all below them.
    pub under: Vec<PathBuf>,
}

impl Hits {
    /// Everything.
    pub fn all() -> Self {
        Self { all: true, ..Self::default() }
    }

    /// Whether a path is among them.
    pub fn contains(&self, path: &Path) -> bool {
        self.all || self.paths.contains(path) || self.under.iter().any(|u| path.starts_with(u))
    }
}

/// `path` seen from `cwd`, `.` and `..` folded as text.
pub fn absolute(cwd: &Path, path: &str) -> PathBuf {
    let mut out = if path.starts_with('/') { PathBuf::new() } else { cwd.to_owned() };
    for part in Path::new(path).components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    if out.as_os_str().is_empty() { PathBuf::from("/") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fold_as_text() {
        let cwd = Path::new("/a/b");
        assert_eq!(absolute(cwd, "../c/./d"), Path::new("/a/c/d"));
        assert_eq!(absolute(cwd, "/x/../y"), Path::new("/y"));
        assert_eq!(absolute(cwd, "../../../.."), Path::new("/"));
    }

    #[test]
    fn below_a_named_path() {
        let hits = Hits { under: vec![PathBuf::from("/a/b")], ..Hits::default() };
        assert!(hits.contains(Path::new("/a/b/c")) && hits.contains(Path::new("/a/b")) && !hits.contains(Path::new("/a/bc")));
    }
}
