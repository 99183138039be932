//! Reflogs: what a ref named before.

use super::{Git, Oid, Repo, Trouble, read};

/// One line of a reflog.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LogEntry {
    /// What the ref named afterwards.
    pub new: Oid,
    /// What it named before; all zeros at its birth.
    pub old: Oid,
    /// Why it moved.
    pub message: String,
    /// Seconds since the Unix epoch.
    pub time: i64,
}

impl Repo {
    /// The reflog of a ref (`HEAD`, `refs/heads/x`, `refs/stash`), newest first; `None` when it has none.
    ///
    /// # Errors
    /// `Foreign`, `Io`, `TooMuch`.
    pub fn reflog(&self, name: &str) -> Result<Option<Vec<LogEntry>>, Trouble> {
        self.readable()?;
        if name.contains("..") || name.contains('\0') {
            return Ok(None);
        }
        let base = if name.starts_with("refs/") { &self.common_dir } else { &self.git_dir };
        let Some(bytes) = read::file(&base.join("logs").join(name), read::LIST)? else {
            return Ok(None);
        };
        let mut all: Vec<LogEntry> = bytes.split(|b| *b == b'\n').filter_map(entry).collect();
        all.reverse();
        Ok(Some(all))
    }

    /// Whether a ref has a reflog with at least one entry. Foreign repositories: false.
    #[must_use]
    pub fn has_reflog(&self, name: &str) -> bool {
        self.reflog(name).is_ok_and(|log| log.is_some_and(|l| !l.is_empty()))
    }
}

impl Git<'_> {
    /// As [`Repo::reflog`], for foreign repositories too (where `old` is all zeros and `time` 0).
    ///
    /// # Errors
    /// Those of the reader, or of the process.
    pub fn reflog(&self, name: &str) -> Result<Option<Vec<LogEntry>>, Trouble> {
        match self.repo().reflog(name) {
            Err(Trouble::Foreign(_)) => self.asked_reflog(name),
            known => known,
        }
    }
}

/// `<old> <new> <name> <<mail>> <seconds> <zone>\t<message>`
fn entry(line: &[u8]) -> Option<LogEntry> {
    let line = String::from_utf8_lossy(line);
    let (head, message) = line.split_once('\t').unwrap_or((&line, ""));
    let mut words = head.split(' ');
    let (old, new) = (Oid::parse(words.next()?)?, Oid::parse(words.next()?)?);
    let time = head.rsplit(' ').nth(1).and_then(|t| t.parse().ok()).unwrap_or(0);
    Some(LogEntry { new, old, message: message.to_owned(), time })
}

#[cfg(test)]
mod tests {
    use super::entry;

    #[test]
    fn lines() {
        let (a, b) = ("0".repeat(40), "1".repeat(40));
        let e = entry(format!("{a} {b} A B <a@b> 17 +0100\tcommit: x\ty").as_bytes()).expect("an entry");
        assert!(e.old.is_zero());
        assert_eq!((e.new.as_str(), e.time, e.message.as_str()), (b.as_str(), 17, "commit: x\ty"));
        assert_eq!(entry(format!("{a} {b}").as_bytes()).map(|e| e.time), Some(0));
        assert_eq!(entry(b"junk"), None);
        assert_eq!(entry(b""), None);
    }
}
