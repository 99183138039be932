//! Bounded reads of the small files that git keeps; a pipe or device in their place is never opened.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::Trouble;

/// A file of git's that holds one line.
pub(super) const LINE: u64 = 64 << 10;
/// A list: packed refs, a reflog.
pub(super) const LIST: u64 = 64 << 20;

/// The bytes of a regular file; `None` when there is none.
pub(super) fn file(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Trouble> {
    let trouble = |source| Trouble::Io { path: path.to_owned(), source };
    match fs::metadata(path) {
        Ok(meta) if !meta.is_file() => return Ok(None),
        Ok(meta) if meta.len() > limit => {
            return Err(Trouble::TooMuch { step: path.display().to_string() });
        }
        Ok(_) => {}
        Err(e) if absent(&e) => return Ok(None),
        Err(e) => return Err(trouble(e)),
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|f| f.take(limit).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(e) if absent(&e) => Ok(None),
        Err(e) => Err(trouble(e)),
    }
}

/// The first line of a small file, without white space around it; `None` when there is no such file or it is too big.
pub(super) fn line(path: &Path) -> Option<Vec<u8>> {
    let bytes = file(path, LINE).ok()??;
    let first = bytes.split(|b| *b == b'\n').next()?;
    Some(first.trim_ascii().to_vec())
}

/// The names in a directory, sorted, at most `limit`; empty when there is none.
pub(super) fn names(dir: &Path, limit: usize) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut names: Vec<OsString> = entries.flatten().take(limit).map(|e| e.file_name()).collect();
    names.sort_unstable();
    names
}

/// A path from the bytes git keeps.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}

fn absent(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
