//! A settings file as it is on the disk, and whether it may be written.

use crate::error::Error;
use ah::fs;
use ah::git::{Repo, Vars};
use ah::quote;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The largest settings file that is edited, in bytes. (Claude Code takes any; a hundred times what people have.)
pub const MOST: u64 = 64 << 20;

/// The largest program that is looked at, in bytes: one with everything that a debugger wants.
pub const MOST_PROGRAM: u64 = 1 << 30;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its bytes; none where it is not there.
    pub bytes: Option<Vec<u8>>,
    /// Where it really lies, behind links.
    pub real: PathBuf,
    /// Whether its name is a link, or leads through one.
    pub linked: bool,
    meta: Option<std::fs::Metadata>,
}

/// Reads a file of at most `max` bytes.
pub fn read_whole(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    fs::read(path, max)
}

impl Source {
    /// Reads what is at `path`.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (real, meta) = fs::target(path).map_err(Error::io("cannot read", path))?;
        let bytes = match &meta {
            Some(_) => Some(read_whole(&real, MOST).map_err(Error::io("cannot read", path))?),
            None => None,
        };
        let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let linked = is_link(path) || path.parent().is_some_and(is_link);
        Ok(Self { bytes, real, linked, meta })
    }

    /// Why it should not be written, if anything speaks against it: its mode or its owner, or, unless the person
    /// agreed, that it is a link into a repository, where others would get the change.
    pub fn refusal(&self, agreed: bool) -> Option<String> {
        if let Some(meta) = &self.meta {
            if meta.permissions().mode() & 0o222 == 0 {
                return Some("it is read-only; if you want it changed: chmod u+w".to_owned());
            }
            let me = rustix::process::geteuid();
            if meta.uid() != me.as_raw() && !me.is_root() {
                return Some(format!("it belongs to another user (uid {})", meta.uid()));
            }
        }
        let repository = (self.linked && !agreed).then(|| self.repository()).flatten()?;
        Some(format!(
            "it is a link into the repository {}, which would be changed; if that is meant: --yes",
            quote::path(repository)
        ))
    }

    /// The repository in which the file really lies.
    pub fn repository(&self) -> Option<PathBuf> {
        let folder = std::fs::canonicalize(self.real.parent()?).ok()?;
        let found = Repo::discover(&folder, &Vars::of_process()).ok()??;
        found.work_tree.clone()
    }
}
