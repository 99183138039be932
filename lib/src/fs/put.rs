//! Putting a file or a link at a path: what is there is replaced at once, and never written through.

use super::replace::temporary;
use std::ffi::OsStr;
use std::fs::{Permissions, remove_file, rename};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Puts a regular file with these permission bits at `path` itself, in the place of a file or link that is there. Its
/// directory must exist.
///
/// # Errors
/// The system's, among them `IsADirectory`. What was there is then as it was and nothing is left behind.
pub fn put(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let (dir, name) = parts(path)?;
    let (mut file, temp) = temporary(dir, &name.to_string_lossy())?;
    let written = file.write_all(bytes).and_then(|()| file.set_permissions(Permissions::from_mode(mode & 0o7777)));
    settle(written.and_then(|()| file.sync_all()), &temp, path)
}

/// Puts a symbolic link at `path`, as [`put`] does a file.
///
/// # Errors
/// As [`put`].
pub fn put_link(path: &Path, to: &Path) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let (dir, _) = parts(path)?;
    for _ in 0..100 {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let temp = dir.join(format!(".link.{}-{count}.tmp", std::process::id()));
        match symlink(to, &temp) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.and_then(|()| settle(Ok(()), &temp, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn parts(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

fn settle(made: io::Result<()>, temp: &PathBuf, path: &Path) -> io::Result<()> {
    let done = made.and_then(|()| rename(temp, path));
    if done.is_err() {
        let _ = remove_file(temp);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_link_is_replaced_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("real"), "old").unwrap();
        symlink("real", at("link")).unwrap();
        put(&at("link"), b"new", 0o751).unwrap();
        assert_eq!(fs::read(at("real")).unwrap(), b"old");
        assert!(!at("link").is_symlink());
        assert_eq!(at("link").metadata().unwrap().permissions().mode() & 0o7777, 0o751);
        put_link(&at("real"), Path::new("nowhere")).unwrap();
        assert_eq!(fs::read_link(at("real")).unwrap(), Path::new("nowhere"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("d")).unwrap();
        assert!(put(&dir.path().join("d"), b"x", 0o644).is_err());
        assert!(put_link(&dir.path().join("d"), Path::new("x")).is_err());
        assert!(put(&dir.path().join("no/such"), b"x", 0o644).is_err());
        assert!(put(Path::new("/"), b"x", 0o644).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
