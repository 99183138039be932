//! One place of a work tree: what is there now, and putting back what was, never through a link that leads out.

use super::super::manifest::{self, Body};
use ah::fs::{put, put_link, read_there};
use ah::session::hash_bytes;
use std::fs::{Metadata, symlink_metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A path, and the directory that it must not lead out of.
#[derive(Clone, Debug)]
pub struct Spot<'s> {
    /// The work tree; `None` for a file in no repository, whose parents must then be no links.
    pub root: Option<&'s Path>,
    /// The path.
    pub path: &'s Path,
}

/// What is at a spot.
#[derive(Debug)]
pub enum Now {
    /// A directory that is in the way.
    Directory,
    /// A file or link, as it was.
    Same,
    /// A file or link, but another; the time of its last change in milliseconds since the Unix epoch.
    Other(i64),
    /// A file as it was, with other permission bits.
    Mode,
    /// Nothing.
    Nothing,
    /// It cannot be reached, or is none of these: why.
    Closed(String),
}

impl Spot<'_> {
    /// What is there, beside what was.
    pub fn now(&self, body: &Body) -> Now {
        if let Err(why) = self.above() {
            return Now::Closed(why);
        }
        let meta = match symlink_metadata(self.path) {
            Ok(meta) => meta,
            Err(e) if e.kind() == ErrorKind::NotFound => return Now::Nothing,
            Err(e) => return Now::Closed(e.to_string()),
        };
        let other = Now::Other(meta.ctime().saturating_mul(1000) + meta.ctime_nsec() / 1_000_000);
        if meta.is_dir() {
            return Now::Directory;
        }
        if !meta.is_file() && !meta.is_symlink() {
            return Now::Closed("a socket, FIFO or device is there now".into());
        }
        match body {
            Body::Link { to } if meta.is_symlink() => {
                let same = std::fs::read_link(self.path).is_ok_and(|now| now == manifest::path(to));
                if same { Now::Same } else { other }
            }
            Body::File { size, mode, hash, .. } if meta.is_file() => {
                if meta.len() != *size || !self.holds(hash, *size) {
                    other
                } else if meta.mode() & 0o7777 != *mode {
                    Now::Mode
                } else {
                    Now::Same
                }
            }
            _ => other,
        }
    }

    fn holds(&self, hash: &str, size: u64) -> bool {
        read_there(self.path, size).is_ok_and(|(bytes, _)| hash_bytes(&bytes) == hash)
    }

    /// Whether what lies above it is directories, in the work tree; the deepest one that exists.
    fn above(&self) -> Result<PathBuf, String> {
        let parent = self.path.parent().ok_or("no directory")?;
        let mut there: Option<(&Path, Metadata)> = None;
        for dir in parent.ancestors() {
            match symlink_metadata(dir) {
                Ok(meta) => {
                    there = Some((dir, meta));
                    break;
                }
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
                Err(e) => return Err(e.to_string()),
            }
        }
        let (dir, _) = there.ok_or("no directory")?;
        if !dir.is_dir() {
            return Err(format!("{} is no directory now", ah::quote::path(self.short(dir))));
        }
        let real = std::fs::canonicalize(dir).map_err(|e| e.to_string())?;
        let inside = match self.root {
            // Roots are kept as they really are; of a missing one, what is above it has to be so still.
            Some(root) if !root.starts_with(dir) => {
                std::fs::canonicalize(root).is_ok_and(|now| now == root) && real.starts_with(root)
            }
            _ => real == dir,
        };
        if inside { Ok(dir.to_owned()) } else { Err("a link above it leads elsewhere now".into()) }
    }

    /// A path as seen from the work tree.
    fn short<'p>(&self, path: &'p Path) -> &'p Path {
        self.root.and_then(|root| path.strip_prefix(root).ok()).filter(|p| !p.as_os_str().is_empty()).unwrap_or(path)
    }

    /// Puts a file or link there; missing directories above it are made.
    pub fn put(&self, content: &Content) -> io::Result<()> {
        self.above().map_err(io::Error::other)?;
        if let Some(parent) = self.path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        if symlink_metadata(self.path).is_ok_and(|m| m.is_dir()) {
            return Err(io::Error::other("a directory is there now"));
        }
        match content {
            Content::File(bytes, mode) => put(self.path, bytes, *mode),
            Content::Link(to) => put_link(self.path, to),
        }
    }

    /// Gives a file that is as it was its permission bits.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.above().map_err(io::Error::other)?;
        std::fs::set_permissions(self.path, std::fs::Permissions::from_mode(mode))
    }

    /// Removes a file or link.
    pub fn remove(&self) -> io::Result<()> {
        self.above().map_err(io::Error::other)?;
        std::fs::remove_file(self.path)
    }
}

/// What is put at a spot.
pub enum Content {
    /// A file: its bytes and permission bits.
    File(Vec<u8>, u32),
    /// A link: where it leads.
    Link(PathBuf),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_written_out_of_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        let (root, out) = (top.join("root"), top.join("out"));
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(&out).unwrap();
        symlink(&out, root.join("leads-out")).unwrap();
        symlink("in", root.join("leads-in")).unwrap();
        let content = || Content::File(b"x".to_vec(), 0o644);
        let at = |path: &Path, root: Option<&Path>| Spot { root, path }.put(&content());
        assert!(at(&root.join("leads-out/f"), Some(&root)).is_err());
        assert!(at(&root.join("leads-out/deep/f"), Some(&root)).is_err());
        assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
        at(&root.join("leads-in/f"), Some(&root)).unwrap();
        assert!(root.join("in/f").is_file());
        at(&root.join("new/dir/f"), Some(&root)).unwrap();
        assert!(at(&root.join("new/dir/f/below"), Some(&root)).is_err());
        assert!(at(&root.join("leads-in/g"), None).is_err(), "in no repository no link at all");
        at(&top.join("gone/again/f"), Some(&top.join("gone"))).unwrap();
    }
}
