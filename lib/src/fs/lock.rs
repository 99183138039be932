//! An exclusive lock on a kept file, released by the kernel however its holder ends.

use super::{UNWAITING, regular};
use fd_lock::RwLock;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Held until it is dropped. The file stays.
#[derive(Debug)]
pub struct Lock {
    _file: RwLock<File>,
}

/// Takes the lock on `path`, a file made with 0600 if need be, waiting at most `wait`.
///
/// The lock is between processes and between calls in one process. The directory must exist.
///
/// # Errors
/// `WouldBlock` when another held it all the time; `InvalidInput` if the path is not a regular file; else the
/// system's.
pub fn lock(path: &Path, wait: Duration) -> io::Result<Lock> {
    take(path, wait, |file| file.try_write().map(std::mem::forget))
}

/// Takes the lock on a directory itself, which needs no file of its own and leaves none. Else as [`lock`].
///
/// # Errors
/// As [`lock`]; the system's where it locks no directories.
pub fn lock_dir(path: &Path, wait: Duration) -> io::Result<Lock> {
    hold(RwLock::new(File::open(path)?), wait, |file| file.try_write().map(std::mem::forget))
}

/// Takes a share of the lock on `path`: others may have one too, but nobody the whole. Else as [`lock`].
///
/// # Errors
/// As [`lock`].
pub fn share(path: &Path, wait: Duration) -> io::Result<Lock> {
    take(path, wait, |file| file.try_read().map(std::mem::forget))
}

/// The guard that `take` forgets borrows the file; closing the file gives the lock back just as well.
fn take(path: &Path, wait: Duration, take: impl Fn(&mut RwLock<File>) -> io::Result<()>) -> io::Result<Lock> {
    let file = regular(
        OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(UNWAITING).open(path)?,
    )?;
    hold(RwLock::new(file), wait, take)
}

fn hold(mut file: RwLock<File>, wait: Duration, take: impl Fn(&mut RwLock<File>) -> io::Result<()>) -> io::Result<Lock> {
    let begun = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match take(&mut file) {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                let left = wait.saturating_sub(begun.elapsed());
                if left.is_zero() {
                    return Err(e);
                }
                std::thread::sleep(pause.min(left));
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.lock");
        let held = lock(&path, Duration::ZERO).unwrap();
        let err = lock(&path, Duration::from_millis(5)).unwrap_err();
        assert_eq!(err.kind(), io::ErrorKind::WouldBlock);
        drop(held);
        lock(&path, Duration::ZERO).unwrap();
        assert!(path.exists());
    }

    #[test]
    fn shares_do_not_exclude_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.lock");
        let one = share(&path, Duration::ZERO).unwrap();
        let two = share(&path, Duration::ZERO).unwrap();
        drop(one);
        assert!(lock(&path, Duration::ZERO).is_err());
        drop(two);
        let _whole = lock(&path, Duration::ZERO).unwrap();
        assert!(share(&path, Duration::ZERO).is_err());
    }

    #[test]
    fn a_waiter_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.lock");
        let held = lock(&path, Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| lock(&path, Duration::from_secs(30)).is_ok());
            drop(held);
            assert!(waiter.join().unwrap());
        });
    }
}
