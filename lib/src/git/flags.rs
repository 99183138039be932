//! Whether the index hides anything from a status: its file is scanned for two flags, and nothing else of it is read.
//!
//! The format is git's `index-format`: a header of 12 bytes, then entries of 62 fixed bytes (64 in an extended one) with
//! the path behind; versions 2 and 3 pad with NULs to a multiple of eight, version 4 cuts what the path before had.

use super::{Repo, read};

/// Bytes of an entry up to its flags, with a SHA-1.
const FIXED: usize = 60;
/// "Assume unchanged".
const ASSUMED: u16 = 0x8000;
/// Two more bytes of flags follow.
const EXTENDED: u16 = 0x4000;
/// "Skip work tree", in the further flags.
const SKIPPED: u16 = 0x4000;

impl Repo {
    /// Whether an entry of the index is marked "assume unchanged" or "skip work tree"; `None` where the file cannot tell
    /// (another format, a split or sparse index, damage): then git has to be asked.
    #[must_use]
    pub fn hides(&self) -> Option<bool> {
        self.foreign.is_none().then_some(())?;
        match read::file(&self.git_dir.join("index"), read::LIST).ok()? {
            Some(bytes) => scan(&bytes),
            None => Some(false),
        }
    }
}

fn scan(bytes: &[u8]) -> Option<bool> {
    let long = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let short = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let version = long(4)?;
    if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    for _ in 0..long(8)? {
        let flags = short(at + FIXED)?;
        let extended = flags & EXTENDED != 0;
        if flags & ASSUMED != 0 || (extended && short(at + FIXED + 2)? & SKIPPED != 0) {
            return Some(true);
        }
        let path = at + FIXED + if extended { 4 } else { 2 };
        let path = if version == 4 { path + bytes.get(path..)?.iter().position(|b| b & 0x80 == 0)? + 1 } else { path };
        let end = path + bytes.get(path..)?.iter().position(|b| *b == 0)?;
        at = if version == 4 { end + 1 } else { at + ((end - at) / 8 + 1) * 8 };
    }
    // Extensions: "link" keeps entries in another file, "sdir" stands for whole directories.
    let end = bytes.len().checked_sub(20)?;
    while at + 8 <= end {
        if matches!(bytes.get(at..at + 4)?, b"link" | b"sdir") {
            return None;
        }
        at = at.checked_add(8)?.checked_add(long(at + 4)? as usize)?;
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::scan;

    fn entry(flags: u16, path: &str) -> Vec<u8> {
        let mut out = vec![0; 60];
        out.extend(flags.to_be_bytes());
        out.extend(path.as_bytes());
        out.resize((out.len() / 8 + 1) * 8, 0);
        out
    }

    fn index(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut out = b"DIRC\0\0\0\x02".to_vec();
        out.extend((entries.len() as u32).to_be_bytes());
        out.extend(entries.concat());
        out.extend([0; 20]);
        out
    }

    #[test]
    fn the_flag_is_found_behind_any_path() {
        for length in 1..20 {
            let path = "x".repeat(length);
            assert_eq!(scan(&index(&[entry(0, &path), entry(0, "b")])), Some(false));
            assert_eq!(scan(&index(&[entry(0, &path), entry(0x8000, "b")])), Some(true), "{length}");
        }
    }

    #[test]
    fn damage_is_not_an_answer() {
        let good = index(&[entry(0, "a"), entry(0, "b")]);
        for cut in 0..good.len() - 20 {
            assert_eq!(scan(&good[..cut]), None, "{cut}");
        }
        assert_eq!(scan(b"not an index at all, but long enough to be one"), None);
    }
}
