//! Replacing a file whole: readers see the old bytes or the new ones.

use super::ensure_dir;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Symbolic links followed from one name; Linux stops at as many.
const MAX_LINKS: usize = 40;

/// Puts `bytes` at `path` by a temporary file beside it and a rename, both on the disk when it returns.
///
/// A symbolic link stays one: the file it leads to is replaced. An existing file keeps its mode and, where this
/// user may give it, its owner; a new one is 0600, in a directory made 0700 if need be.
///
/// # Errors
/// `InvalidInput` if something other than a regular file is there or links go in a circle, else the system's. The
/// old file is then as it was and nothing is left behind.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(bytes))
}

/// As [`replace`], for what is no loss: not known to be on the disk when it returns.
///
/// # Errors
/// As [`replace`].
pub fn replace_soon(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let (mut file, temp) = temporary(dir, &path.file_name().unwrap_or_default().to_string_lossy())?;
    let done = file.write_all(bytes).and_then(|()| std::fs::rename(&temp, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&temp);
    }
    done
}

/// As [`replace`], with what `write` writes.
///
/// # Errors
/// As [`replace`], and those of `write`.
pub fn replace_by(path: &Path, mut write: impl FnMut(&mut File) -> io::Result<()>) -> io::Result<()> {
    swap(path, &mut write, 0o600, &|_, _| Ok(()))
}

/// As [`replace`], but only if the file still has the bytes that were read (`None`: is not there), looked at last thing
/// before the rename. A new file gets `mode`.
///
/// # Errors
/// As [`replace`]; `ResourceBusy` if it is another by now.
pub fn replace_unchanged(path: &Path, as_read: Option<&[u8]>, bytes: &[u8], mode: u32) -> io::Result<()> {
    swap(path, &mut |file| file.write_all(bytes), mode, &|path, there| {
        let now = if there { Some(std::fs::read(path)?) } else { None };
        let same = now.as_deref() == as_read && (there || std::fs::symlink_metadata(path).is_err());
        if same { Ok(()) } else { Err(io::Error::new(io::ErrorKind::ResourceBusy, "changed meanwhile")) }
    })
}

/// Replaces a file if `ready`, told the path behind links and whether a file is there, agrees at the last moment.
fn swap(
    path: &Path,
    write: &mut dyn FnMut(&mut File) -> io::Result<()>,
    mode: u32,
    ready: &dyn Fn(&Path, bool) -> io::Result<()>,
) -> io::Result<()> {
    let (path, old) = target(path)?;
    let dir = match path.parent() {
        Some(dir) if dir != Path::new("") => dir,
        _ => Path::new("."),
    };
    ensure_dir(dir)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let (mut file, temp) = temporary(dir, &name.to_string_lossy())?;
    let filled = fill(&mut file, write, old.as_ref(), mode).and_then(|()| ready(&path, old.is_some()));
    let done = filled.and_then(|()| std::fs::rename(&temp, &path));
    if let Err(e) = done {
        let _ = std::fs::remove_file(&temp);
        return Err(e);
    }
    // Some file systems cannot sync a directory; the rename itself is done.
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
    Ok(())
}

/// The file that `path` leads to through links, and what is there now.
///
/// # Errors
/// `InvalidInput` if something other than a regular file is there or links go in a circle, else the system's.
pub fn target(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => {
                let to = std::fs::read_link(&path)?;
                path.pop();
                path.push(to);
            }
            Ok(meta) if meta.is_file() => return Ok((path, Some(meta))),
            Ok(_) => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok((path, None)),
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many symbolic links"))
}

/// A new file in `dir` that no other process and no other thread of this one uses.
pub(super) fn temporary(dir: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    // A name may have 255 bytes; the ending needs up to 30.
    let name: String = name.chars().take(50).collect();
    for _ in 0..100 {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!(".{name}.{}-{count}.tmp", std::process::id()));
        let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        match made {
            Ok(file) => return Ok((file, path)),
            // Left by a process of the same id that was killed.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn fill(
    file: &mut File,
    write: &mut dyn FnMut(&mut File) -> io::Result<()>,
    old: Option<&Metadata>,
    mode: u32,
) -> io::Result<()> {
    write(file)?;
    if old.is_none() && mode != 0o600 {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    if let Some(old) = old {
        let new = file.metadata()?;
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            let _ = fchown(&*file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(Permissions::from_mode(old.mode() & 0o7777))?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn new_files_are_private_and_old_ones_keep_their_mode() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/file");
        replace(&path, b"one").unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(mode(&path), 0o644);
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn links_stay_links() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        std::fs::create_dir(dir.path().join("sub")).unwrap();
        symlink("../real", dir.path().join("sub/link")).unwrap();
        replace(&dir.path().join("sub/link"), b"x").unwrap();
        assert_eq!(std::fs::read(&real).unwrap(), b"x");
        assert!(dir.path().join("sub/link").is_symlink());
        symlink("loop", dir.path().join("loop")).unwrap();
        assert!(replace(&dir.path().join("loop"), b"x").is_err());
    }

    #[test]
    fn what_was_changed_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        replace_unchanged(&path, None, b"one", 0o644).unwrap();
        assert_eq!(mode(&path), 0o644);
        for stale in [None, Some(&b"other"[..])] {
            let error = replace_unchanged(&path, stale, b"two", 0o644).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        }
        replace_unchanged(&path, Some(b"one"), b"two", 0o600).unwrap();
        assert_eq!((std::fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o644));
        assert!(replace_unchanged(&dir.path().join("gone"), Some(b""), b"x", 0o600).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(replace(dir.path(), b"x").is_err());
        assert!(replace(Path::new("/"), b"x").is_err());
        assert!(replace(&dir.path().join("a\0b"), b"x").is_err());
        assert!(replace(&dir.path().join("n".repeat(300)), b"x").is_err());
        std::fs::write(dir.path().join("f"), "").unwrap();
        assert!(replace(&dir.path().join("f/g"), b"x").is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
