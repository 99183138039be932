//! Appending whole lines to a log that several processes write.

use super::{UNWAITING, regular};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// Appends `lines` (each ended by a newline) in one write, to a file made with 0600 if need be.
///
/// The kernel serialises such writes, so lines of several processes never mix. A last line that an earlier writer
/// could not finish is closed first, so it spoils no line but itself. The directory must exist.
///
/// # Errors
/// `InvalidInput` if the path is not a regular file; `StorageFull` when only a part could be written (the next
/// append closes it); else the system's.
pub fn append(path: &Path, lines: &[u8]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let mut file =
        regular(OpenOptions::new().read(true).append(true).create(true).mode(0o600).custom_flags(UNWAITING).open(path)?)?;
    let torn = is_torn(&file)?;
    let healed;
    let bytes = if torn {
        healed = [b"\n", lines].concat();
        &healed
    } else {
        lines
    };
    loop {
        match file.write(bytes) {
            Ok(n) if n == bytes.len() => return Ok(()),
            Ok(_) => return Err(io::ErrorKind::StorageFull.into()),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Whether the last line has no end and no writer who is about to end it.
fn is_torn(file: &File) -> io::Result<bool> {
    let mut before = None;
    loop {
        let size = file.metadata()?.len();
        if size == 0 {
            return Ok(false);
        }
        let mut last = [b'\n'];
        // Where it was cut short since, nothing is read and nothing is torn.
        let _ = file.read_at(&mut last, size - 1)?;
        if last == [b'\n'] {
            return Ok(false);
        }
        // A write that crosses a page is seen half done for a moment; one that stands still is torn.
        if before == Some(size) {
            return Ok(true);
        }
        before = Some(size);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn heals_a_torn_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        append(&path, b"").unwrap();
        assert!(!path.exists());
        append(&path, b"one\n").unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(&path, "one\ntor").unwrap();
        append(&path, b"two\n").unwrap();
        append(&path, b"three\nfour\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntor\ntwo\nthree\nfour\n");
    }

    #[test]
    fn threads_never_mix_lines() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::thread::scope(|scope| {
            for n in 0..8u8 {
                let path = &path;
                scope.spawn(move || {
                    let line = [vec![b'a' + n; 5000], vec![b'\n']].concat();
                    for _ in 0..50 {
                        append(path, &line).unwrap();
                    }
                });
            }
        });
        let bytes = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()).collect();
        assert_eq!(lines.len(), 400);
        assert!(lines.iter().all(|l| l.len() == 5000 && l.iter().all(|b| *b == l[0])));
    }

    #[test]
    fn refuses_what_is_no_file() {
        let dir = tempfile::tempdir().unwrap();
        assert!(append(dir.path(), b"x\n").is_err());
        assert!(append(Path::new("/dev/full"), b"x\n").is_err());
        assert!(append(&dir.path().join("no/such"), b"x\n").is_err());
        assert!(append(Path::new("a\0b"), b"x\n").is_err());
    }
}
