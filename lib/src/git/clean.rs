//! What `git clean` would remove, answered by git itself.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::process::LISTING;
use super::{Git, Trouble, cquote, read};

/// What a clean does with ignored files.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum IgnoredFiles {
    /// Leaves them.
    #[default]
    Keep,
    /// `-X`: removes only them.
    Only,
    /// `-x`: removes them too.
    Too,
}

/// The flags of a clean that decide what it removes.
#[derive(Clone, Debug, Default)]
pub struct CleanFlags {
    /// `-d`: whole untracked directories.
    pub directories: bool,
    /// `-e PATTERN`, in order.
    pub exclude: Vec<OsString>,
    /// How many `-f`: two reach into nested repositories.
    pub force: u8,
    /// What becomes of ignored files.
    pub ignored: IgnoredFiles,
    /// Pathspecs, from the directory of the command.
    pub paths: Vec<OsString>,
}

impl Git<'_> {
    /// The paths that a clean in the command's directory would remove, from the top of the work tree; a whole
    /// directory with a slash at its end.
    ///
    /// # Errors
    /// `NotARepository` without a work tree; those of the process.
    pub fn clean_preview(&self, flags: &CleanFlags) -> Result<Vec<PathBuf>, Trouble> {
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        let from = self.repo().cwd.strip_prefix(top).map_err(|_| Trouble::NotARepository)?;
        let mut call = self.call(&["clean", "-n"]).limit(LISTING);
        if flags.directories {
            call = call.more(&["-d"]);
        }
        call = call.more(&["-f", "-f"][..usize::from(flags.force.min(2))]);
        call = match flags.ignored {
            IgnoredFiles::Keep => call,
            IgnoredFiles::Only => call.more(&["-X"]),
            IgnoredFiles::Too => call.more(&["-x"]),
        };
        for pattern in &flags.exclude {
            let mut flag = OsString::from("--exclude=");
            flag.push(pattern);
            call = call.more(&[flag]);
        }
        let reply = self.run(call.more(&["--"]).more(&flags.paths))?;
        let lines = reply.out.split(|b| *b == b'\n').filter_map(|l| l.strip_prefix(b"Would remove "));
        Ok(lines.filter_map(cquote::unquote).map(|p| from_top(from, &p)).collect())
    }
}

/// A path that counts from `dir`, from the top; its closing slash is kept.
fn from_top(dir: &Path, path: &[u8]) -> PathBuf {
    let mut out = dir.to_owned();
    for part in read::path(path).components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            _ => {}
        }
    }
    if path.ends_with(b"/") {
        out.push("");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_top() {
        assert_eq!(from_top(Path::new("a/b"), b"../c/").to_str(), Some("a/c/"));
        assert_eq!(from_top(Path::new(""), b"x y").to_str(), Some("x y"));
    }
}
