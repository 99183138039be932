//! The process that a session runs in, and whether it still does.

use crate::fs;
use crate::person;
use std::path::Path;

/// More parents than a hook has between itself and its harness.
const MOST: usize = 16;

/// The process of a harness: its number, and when it began, so that a number used again is not mistaken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Harnessed {
    /// Its beginning, in the system's ticks; 0 where the system does not say.
    pub born: u64,
    /// Its number.
    pub pid: u32,
}

/// The harness that started this process, if one did.
#[must_use]
pub fn harnessed() -> Option<Harnessed> {
    let mut next = std::process::id();
    for _ in 0..MOST {
        let found = person::look(next)?;
        if person::of(&found.name, &found.argv).is_some() {
            return Some(Harnessed { born: born(next).unwrap_or(0), pid: next });
        }
        next = Some(found.parent).filter(|parent| *parent > 1)?;
    }
    None
}

/// Whether it still runs.
#[must_use]
pub fn alive(process: Harnessed) -> bool {
    match born(process.pid) {
        Some(born) => process.born == 0 || born == process.born,
        None => !Path::new("/proc/self").exists() && person::look(process.pid).is_some(),
    }
}

fn born(pid: u32) -> Option<u64> {
    let stat = fs::read(Path::new(&format!("/proc/{pid}/stat")), 8 << 10).ok()?;
    // The name stands in parentheses and may hold some itself.
    let close = stat.iter().rposition(|b| *b == b')')?;
    String::from_utf8_lossy(&stat[close + 1..]).split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b3_a_number_used_again_is_not_mistaken() {
        let own = Harnessed { born: born(std::process::id()).unwrap(), pid: std::process::id() };
        assert!(alive(own) && !alive(Harnessed { born: own.born + 1, ..own }));
        assert!(!alive(Harnessed { born: 1, pid: 4_194_304 }));
    }
}
