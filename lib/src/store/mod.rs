//! A lesson store: a folder with `lessons.jsonl`, appended to and never rewritten.

mod supersede;

pub use supersede::{Claim, hidden};

use crate::fs;
use crate::lesson::{Lesson, Why};
use crate::paths::Paths;
use crate::route::Scope;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Largest file that is read whole, in bytes.
const MAX: u64 = 256 << 20;

/// How long another writer is waited for.
const WAIT: Duration = Duration::from_secs(2);

/// A store. Opening makes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    dir: PathBuf,
    lessons: PathBuf,
}

/// What a store holds.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    /// Ids whose later line has the lower version, which counts for nothing.
    pub conflicts: Vec<String>,
    /// Lessons whose place another has taken, each with the one at the end of the chain.
    pub hidden: BTreeMap<String, String>,
    /// Lines that are no lessons, by their number from 1.
    pub invalid: Vec<(usize, Why)>,
    /// All lessons, tombstones and hidden ones too, in the order in which their first lines came.
    pub live: Vec<Lesson>,
}

impl Store {
    /// The store of a scope.
    #[must_use]
    pub fn of(paths: &Paths, scope: &Scope) -> Self {
        Self::at(paths.collective(&scope.store))
    }

    /// The store in a folder.
    #[must_use]
    pub fn at(dir: PathBuf) -> Self {
        Self { lessons: dir.join("lessons.jsonl"), dir }
    }

    /// The store of one file of lessons, wherever its name.
    #[must_use]
    pub fn file(lessons: PathBuf) -> Self {
        Self { dir: lessons.parent().map(Path::to_path_buf).unwrap_or_default(), lessons }
    }

    /// Its folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of lessons.
    #[must_use]
    pub fn lessons_file(&self) -> &Path {
        &self.lessons
    }

    /// What came of them.
    #[must_use]
    pub fn outcomes_file(&self) -> PathBuf {
        self.dir.join("outcomes.jsonl")
    }

    /// What the gate learned of this store's turns.
    #[must_use]
    pub fn calibration_file(&self) -> PathBuf {
        self.dir.join("calibration.json")
    }

    /// All lessons: of each id the line of the greatest version, of these the last. A store that does not exist is empty.
    ///
    /// # Errors
    /// The system's, and `FileTooLarge` beyond 256 MiB.
    pub fn read(&self) -> io::Result<Lessons> {
        let bytes = match fs::read(&self.lessons, MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lessons::default()),
            Err(error) => return Err(error),
        };
        let mut all = Lessons::default();
        let mut place: BTreeMap<String, usize> = BTreeMap::new();
        let last = bytes.ends_with(b"\n");
        let mut lines = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
        while let Some((n, line)) = lines.next() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match Lesson::read(line) {
                Ok(lesson) => match place.get(&lesson.id) {
                    Some(at) if all.live[*at].version > lesson.version => all.conflicts.push(lesson.id),
                    Some(at) => all.live[*at] = lesson,
                    None => {
                        place.insert(lesson.id.clone(), all.live.len());
                        all.live.push(lesson);
                    }
                },
                // One that is just being written has no end yet.
                Err(_) if lines.peek().is_none() && !last => {}
                Err(why) => all.invalid.push((n + 1, why)),
            }
        }
        if all.live.iter().any(|lesson| !lesson.supersedes.is_empty()) {
            let claims: Vec<Claim> = all.live.iter().map(Claim::of).collect();
            all.hidden = hidden(claims.iter());
        }
        Ok(all)
    }

    /// Appends lessons in one write, making the folder.
    ///
    /// # Errors
    /// `WouldBlock` when another writer held the store all the time, else the system's.
    pub fn append(&self, lessons: &[Lesson]) -> io::Result<()> {
        if lessons.is_empty() {
            return Ok(());
        }
        fs::ensure_dir(&self.dir)?;
        let _lock = fs::lock(&self.lessons.with_extension("lock"), WAIT)?;
        let lines: String = lessons.iter().map(|lesson| lesson.to_line() + "\n").collect();
        fs::append(&self.lessons, lines.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_id_the_greatest_version_counts() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().join("s"));
        assert!(store.read().unwrap().live.is_empty() && !store.dir().exists());
        fs::ensure_dir(store.dir()).unwrap();
        std::fs::write(store.lessons_file(), include_str!("../../../tests/data/golden/inputs/store_format.jsonl")).unwrap();
        let lessons = store.read().unwrap();
        let ids: Vec<(&str, u64)> = lessons.live.iter().map(|l| (l.id.as_str(), l.version)).collect();
        // The reference takes the last line of L-x, whatever version it says.
        assert_eq!(ids, [("L-lock-await", 1), ("L-x", 2), ("L-y", 3), ("L-z", 0)]);
        assert_eq!(
            (lessons.conflicts.as_slice(), lessons.invalid.iter().map(|(n, _)| *n).collect::<Vec<_>>()),
            (["L-x".to_owned()].as_slice(), vec![3, 4])
        );
        let new = Lesson {
            id: "L-new".into(),
            question: "Is it?".into(),
            supersedes: vec!["L-z".into()],
            source: "queen".into(),
            ..Lesson::default()
        };
        store.append(std::slice::from_ref(&new)).unwrap();
        let lessons = store.read().unwrap();
        assert_eq!((lessons.live.last(), lessons.hidden["L-z"].as_str()), (Some(&new), "L-new"));
    }

    #[test]
    fn a_line_that_is_being_written_is_no_fault() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path().to_path_buf());
        std::fs::write(store.lessons_file(), "{\"id\":\"a\",\"origin_ms\":1,\"question\":\"q\"}\n{\"id\":\"b\",").unwrap();
        let lessons = store.read().unwrap();
        assert_eq!((lessons.live.len(), lessons.invalid.len()), (1, 0));
    }
}
