//! The switch of a person: a flag file per program, looked at first by every hook.
//!
//! An empty file switches off until it is removed; one that holds a moment, in milliseconds since the Unix epoch, until
//! then. `all` is every program.

use crate::clock::now_ms;
use crate::fs;
use crate::paths::Paths;
use std::io;

/// The name that stands for every program.
pub const ALL: &str = "all";

/// Longest flag file, in bytes: a moment has at most twenty digits.
const MAX: u64 = 64;

/// How long a program is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until a person switches it on again.
    Removed,
    /// Until then, in milliseconds since the Unix epoch.
    Moment(u64),
}

/// Whether a person has switched `program`, or everything, off.
#[must_use]
pub fn is_off(paths: &Paths, program: &str) -> bool {
    // One look suffices where nothing ever was switched off.
    paths.off().exists() && (until(paths, program).is_some() || until(paths, ALL).is_some())
}

/// How long the flag of `program` alone says that it is off; `None` where it does not.
#[must_use]
pub fn until(paths: &Paths, program: &str) -> Option<Until> {
    let bytes = match fs::read(&paths.off_flag(program), MAX) {
        Ok(bytes) => bytes,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return None,
        // A flag that cannot be read is still one.
        Err(_) => return Some(Until::Removed),
    };
    match std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok()) {
        None => Some(Until::Removed),
        Some(moment) if moment > now_ms() => Some(Until::Moment(moment)),
        Some(_) => None,
    }
}

/// Switches `program` off.
///
/// # Errors
/// The system's.
pub fn switch_off(paths: &Paths, program: &str, until: Until) -> io::Result<()> {
    fs::ensure_dir(&paths.off())?;
    let text = match until {
        Until::Removed => String::new(),
        Until::Moment(moment) => format!("{moment}\n"),
    };
    fs::replace(&paths.off_flag(program), text.as_bytes())
}

/// Switches `program` on again; whether its flag was there.
///
/// # Errors
/// The system's.
pub fn switch_on(paths: &Paths, program: &str) -> io::Result<bool> {
    match std::fs::remove_file(paths.off_flag(program)) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn a_flag_holds_as_long_as_it_says() {
        let dir = tempfile::tempdir().unwrap();
        let home = OsString::from(dir.path());
        let paths = Paths::new(&|name| (name == "AH_HOME").then(|| home.clone())).unwrap();
        assert!(!is_off(&paths, "ah-judge"));
        switch_off(&paths, "ah-judge", Until::Removed).unwrap();
        assert!(is_off(&paths, "ah-judge") && !is_off(&paths, "ah-mesh"));
        switch_off(&paths, "ah-judge", Until::Moment(now_ms() - 1)).unwrap();
        assert!(!is_off(&paths, "ah-judge"));
        let later = now_ms() + 60_000;
        switch_off(&paths, ALL, Until::Moment(later)).unwrap();
        assert!(is_off(&paths, "ah-judge") && is_off(&paths, "ah-mesh"));
        assert_eq!(until(&paths, ALL), Some(Until::Moment(later)));
        assert!(switch_on(&paths, ALL).unwrap() && !switch_on(&paths, ALL).unwrap());
        assert!(!is_off(&paths, "ah-mesh"));
    }

    #[test]
    fn a_flag_that_cannot_be_read_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let home = OsString::from(dir.path());
        let paths = Paths::new(&|name| (name == "AH_HOME").then(|| home.clone())).unwrap();
        std::fs::create_dir_all(paths.off_flag("ah-mesh")).unwrap();
        assert!(is_off(&paths, "ah-mesh"));
        std::fs::write(paths.off_flag(ALL), "x".repeat(1000)).unwrap();
        assert!(is_off(&paths, "ah-judge"));
    }
}
