//! Files as `ah` keeps them: private, replaced whole, appended in one write, read with a bound.
//!
//! Nothing here waits on a FIFO, a terminal or a device: a path that is not a regular file is an error.

mod append;
mod back;
mod lock;
mod put;
mod replace;
mod rotate;

pub use append::append;
pub use back::{lines_back, placed_back};
pub use lock::{Lock, lock, lock_dir, share};
pub use put::{put, put_link};
pub use replace::{replace, replace_by, replace_soon, replace_unchanged, target};
pub use rotate::{old, rotate};

use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Makes a directory and its missing parents, each 0700. One that exists is left as it is.
///
/// # Errors
/// The system's, among them `NotADirectory` when a file is in the way.
pub fn ensure_dir(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Reads a regular file of at most `max` bytes.
///
/// # Errors
/// `FileTooLarge` beyond the bound (decided by its size, before reading), `InvalidInput` if it is not a regular
/// file, else the system's.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    bounded(open(path)?, max).map(|(bytes, _)| bytes)
}

fn bounded(file: File, max: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let meta = file.metadata()?;
    if meta.len() > max {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    // It may grow while it is read, and files of /proc have no size.
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok((bytes, meta)) }
}

/// Reads a regular file of at most `max` bytes that lies at `path` itself: a link there is not followed. With what is
/// known of it.
///
/// # Errors
/// As [`read`]; `FilesystemLoop` for a link.
pub fn read_there(path: &Path, max: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let flags = UNWAITING | OFlags::NOFOLLOW.bits() as i32;
    bounded(regular(OpenOptions::new().read(true).custom_flags(flags).open(path)?)?, max)
}

/// Writes a new file, 0600, on the disk when it returns. What is there already is an error.
///
/// # Errors
/// The system's, among them `AlreadyExists`; a part may then be there.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create_file(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes an empty new file, 0600, to be written.
///
/// # Errors
/// The system's, among them `AlreadyExists`.
pub fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Opens a regular file for reading, never waiting for a writer.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true).custom_flags(UNWAITING).open(path)?)
}

/// Opening does not wait for the other end of a FIFO, and a terminal does not become this process's own.
const UNWAITING: i32 = OFlags::NONBLOCK.union(OFlags::NOCTTY).bits() as i32;

/// Refuses what is not a regular file.
fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_read_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 30).unwrap();
        let err = read(&path, 1 << 20).unwrap_err();
        assert_eq!(err.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(Path::new("/proc/self/stat"), 1 << 20).unwrap().last(), Some(&b'\n'));
        assert!(read(Path::new("/dev/zero"), 1 << 20).is_err());
        assert!(read(dir.path(), 1 << 20).is_err());
    }

    #[test]
    fn a_fifo_hangs_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        assert!(read(&path, 10).is_err());
        assert!(append(&path, b"x\n").is_err());
        assert!(replace(&path, b"x").is_err());
        assert!(lock(&path, Duration::ZERO).is_err());
        assert!(lines_back(&path, 100, |_| true).is_err());
    }

    #[test]
    fn directories_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        ensure_dir(&path).unwrap();
        ensure_dir(&path).unwrap();
        let mode = |p: &Path| p.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o700, 0o700));
        std::fs::write(dir.path().join("f"), "").unwrap();
        assert!(ensure_dir(&dir.path().join("f/g")).is_err());
    }
}
