//! Which paths a question is about.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::process::Call;
use super::{Git, Trouble};

/// Which paths a question is about.
#[derive(Clone, Copy, Debug)]
pub enum Paths<'a> {
    /// Every path of the work tree.
    All,
    /// These files, or everything below these directories, from the top of the work tree, each byte as it is.
    Exact(&'a [PathBuf]),
    /// Pathspecs as the command gives them: from its directory, with git's patterns.
    Specs(&'a [OsString]),
}

/// Longer lists are not put on a command line; everything is asked for and the answer filtered.
const ARGUMENTS: usize = 64 << 10;

impl Paths<'_> {
    /// Whether they name nothing at all: then there is nothing to ask.
    pub(super) fn none(&self) -> bool {
        matches!(self, Self::Exact([]))
    }

    /// A filter for answers to a call that was given too many paths to name.
    pub(super) fn filter(&self) -> Option<Filter<'_>> {
        match self {
            Self::Exact(paths) if long(paths) => Some(Filter {
                above: paths.iter().flat_map(|p| p.ancestors().skip(1)).collect(),
                named: paths.iter().map(PathBuf::as_path).collect(),
            }),
            _ => None,
        }
    }
}

/// The paths that were asked about, and the directories above them.
pub(super) struct Filter<'a> {
    above: HashSet<&'a Path>,
    named: HashSet<&'a Path>,
}

/// Whether the filter names a path or a directory above it, or the path is a directory above a named one.
pub(super) fn within(filter: Option<&Filter<'_>>, path: &Path) -> bool {
    filter.is_none_or(|f| path.ancestors().any(|p| f.named.contains(p)) || f.above.contains(path))
}

fn long(paths: &[PathBuf]) -> bool {
    paths.iter().map(|p| p.as_os_str().len() + 1).sum::<usize>() > ARGUMENTS
}

impl Git<'_> {
    /// A call about paths: `args`, then `--` and the paths, in the directory they count from.
    pub(super) fn call_about(&self, args: &[&str], paths: Paths<'_>) -> Result<Call<'_>, Trouble> {
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        Ok(match paths {
            Paths::Specs(specs) => self.call(args).more(&["--"]).more(specs),
            Paths::Exact(list) if !long(list) => self.call(&["--literal-pathspecs"]).more(args).more(&["--"]).more(list).at(top),
            Paths::All | Paths::Exact(_) => self.call(args).at(top),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_become_filters() {
        let few = [PathBuf::from("a")];
        assert!(Paths::Exact(&few).filter().is_none());
        let many: Vec<PathBuf> = (0..10_000).map(|i| PathBuf::from(format!("dir{i}/file"))).collect();
        let paths = Paths::Exact(&many);
        let filter = paths.filter().expect("a filter");
        assert!(within(Some(&filter), Path::new("dir7/file/below")));
        assert!(within(Some(&filter), Path::new("dir7/")));
        assert!(!within(Some(&filter), Path::new("dir7/other")));
        assert!(within(None, Path::new("anything")));
    }
}
