//! The session log: one append-only JSON-lines file per session, from which all state is folded.
//!
//! Line 1 holds the version and the session's scope. Every record after it is a whole line, appended in one write;
//! records that belong together go in one write. Lines that cannot be read are skipped, so a newer program may add
//! kinds.

mod clip;
mod close;
mod entry;
mod fold;
mod home;
mod judging;
mod line;
mod memory;
mod newest;
mod origin;
mod own;
mod plain;
mod record;
mod state;
mod sweep;
mod turn;

pub use close::{Decision, close};
pub use entry::{Entry, Logged};
pub use fold::Fold;
pub use home::{Belongs, Home};
pub use judging::{Applied, Asked, Check, Judged, Mark, Queue, Shown};
pub use line::{Line, Prompt, Record};
pub use memory::{Committed, Memory, Present, Whose};
pub use newest::newest;
pub use own::{MAX_HASHED, MAX_PATHS, Made, Own, Seen, hash_bytes, hash_file, mark, path_text};
pub use record::record;
pub use state::{Question, State, TRIES, Waiting};
pub use sweep::{Kept, sweep};
pub use turn::{Closer, Edit, STOP, Touch, Turn};

use crate::clock::now_ms;
use crate::fs;
use crate::paths::{Paths, file_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How much of a log is read from its end at most, in bytes.
const MAX_READ: u64 = 8 << 20;

/// How much of a log lies between two summaries of the guard's memory, in bytes.
const SUMMARY_EVERY: u64 = 4 << 20;

/// What parallel hooks recorded so shortly before a summary may not be in it, in milliseconds.
const SUMMARY_MISSES: u64 = 60_000;

/// Longest line, in bytes.
const MAX_LINE: usize = 2 << 20;

/// Longest line 1, in bytes.
const MAX_FIRST: u64 = 64 << 10;

/// How much is read at a time to find its end, in bytes.
const FIRST_READ: usize = 512;

/// How long the first line waits for its writer.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Line 1.
#[derive(Debug, Deserialize, Serialize)]
struct First {
    v: u32,
    #[serde(default)]
    t: u64,
    #[serde(default)]
    session: String,
    #[serde(default)]
    scope: String,
}

/// A session's log. Opening makes nothing; the first record does.
#[derive(Clone, Debug)]
pub struct Session {
    file: PathBuf,
    id: String,
    scope: String,
}

impl Session {
    /// The log of the session `id`, whose scope is `scope` (a store's name or the like) unless its file says another.
    ///
    /// # Errors
    /// `InvalidInput` for an empty id, `InvalidData` for a log of a newer version, else the system's.
    pub fn open(paths: &Paths, id: &str, scope: &str) -> io::Result<Self> {
        if id.is_empty() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut session = Self { file: Self::place(paths, id), id: id.to_owned(), scope: scope.to_owned() };
        if let Some(first) = session.first()? {
            session.scope = first.scope;
        }
        Ok(session)
    }

    /// Where the log of a session lies, whether there is one or not.
    #[must_use]
    pub fn place(paths: &Paths, id: &str) -> PathBuf {
        paths.sessions().join(format!("{}.jsonl", file_name(id, "-", None)))
    }

    /// Where the log is.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Where the session belongs: what line 1 says, else what it was opened with.
    #[must_use]
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Line 1, if the log exists and it can be read.
    fn first(&self) -> io::Result<Option<First>> {
        use std::io::{BufRead, BufReader, Read};
        let mut line = Vec::new();
        match fs::open(&self.file) {
            // It is short, and what comes after it is not needed here.
            Ok(file) => BufReader::with_capacity(FIRST_READ, file.take(MAX_FIRST)).read_until(b'\n', &mut line).map(drop)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e),
        };
        let first: Option<First> = serde_json::from_slice(&line).ok();
        if first.as_ref().is_some_and(|first| first.v > 1) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the log is of a newer version"));
        }
        Ok(first)
    }

    /// Takes the session's lock, waiting at most `wait`.
    ///
    /// # Errors
    /// As [`fs::lock`].
    pub fn lock(&self, wait: Duration) -> io::Result<fs::Lock> {
        if let Some(dir) = self.file.parent() {
            fs::ensure_dir(dir)?;
        }
        fs::lock(&self.file.with_extension("lock"), wait)
    }

    /// Appends records in one write.
    ///
    /// # Errors
    /// `InvalidInput` for a record longer than 2 MiB; `WouldBlock` if another process began the log and did not
    /// finish its first line; else the system's.
    pub fn append(&self, lines: &[Line]) -> io::Result<()> {
        self.append_holding(lines, None)
    }

    /// The same for a caller that already holds the session's lock.
    ///
    /// # Errors
    /// As [`Session::append`].
    pub fn append_locked(&self, lines: &[Line], lock: &fs::Lock) -> io::Result<()> {
        self.append_holding(lines, Some(lock))
    }

    /// Appends records of the recorder or the judge in one write; `held` is the session's lock, if the caller has it.
    ///
    /// # Errors
    /// As [`Session::append`].
    pub fn log(&self, entries: Vec<Logged>, held: Option<&fs::Lock>) -> io::Result<()> {
        self.log_sized(entries, held).map(drop)
    }

    /// The same; gives how large the log was, and how much was added.
    fn log_sized(&self, entries: Vec<Logged>, held: Option<&fs::Lock>) -> io::Result<(u64, usize)> {
        let mut bytes = Vec::new();
        for entry in entries {
            let before = bytes.len();
            entry.write(&mut bytes);
            if bytes.len() - before > MAX_LINE {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
        Ok((self.write(&bytes, held)?, bytes.len()))
    }

    /// Gives the records of the recorder and the judge from the last to the first until `visit` returns false; else as
    /// [`Session::back`].
    ///
    /// # Errors
    /// The system's.
    pub fn entries_back(&self, mut visit: impl FnMut(Logged) -> bool) -> io::Result<bool> {
        let whole = fs::lines_back(&self.file, MAX_READ, |bytes| Logged::read(bytes).is_none_or(&mut visit));
        match whole {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
            whole => whole,
        }
    }

    /// The same for records of these kinds only; of the others no more than the beginning is looked at.
    ///
    /// # Errors
    /// The system's.
    pub fn entries_of(&self, kinds: &[&str], mut visit: impl FnMut(Logged) -> bool) -> io::Result<bool> {
        let wanted = |bytes: &[u8]| entry::kind_of(bytes).is_some_and(|kind| kinds.iter().any(|k| k.as_bytes() == kind));
        let mut visit = |bytes: &[u8]| !wanted(bytes) || Logged::read(bytes).is_none_or(&mut visit);
        match fs::lines_back(&self.file, MAX_READ, &mut visit) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
            whole => whole,
        }
    }

    fn append_holding(&self, lines: &[Line], held: Option<&fs::Lock>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            let before = bytes.len();
            line.write(&mut bytes);
            if bytes.len() - before > MAX_LINE {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
        self.write(&bytes, held).map(drop)
    }

    /// Gives how large the log was.
    fn write(&self, bytes: &[u8], held: Option<&fs::Lock>) -> io::Result<u64> {
        let size = self.size();
        if bytes.is_empty() || size > 0 {
            return fs::append(&self.file, bytes).map(|()| size);
        }
        let _lock = match held {
            Some(_) => None,
            None => Some(self.lock(FIRST_WAIT)?),
        };
        match self.size() {
            0 => self.begin(bytes)?,
            _ => fs::append(&self.file, bytes)?,
        }
        Ok(size)
    }

    fn size(&self) -> u64 {
        self.file.metadata().map_or(0, |meta| meta.len())
    }

    /// Writes line 1 and `bytes`, under the lock.
    fn begin(&self, bytes: &[u8]) -> io::Result<()> {
        let first = First { v: 1, t: now_ms(), session: self.id.chars().take(200).collect(), scope: self.scope.clone() };
        let mut all = serde_json::to_vec(&first)?;
        all.push(b'\n');
        all.extend_from_slice(bytes);
        fs::append(&self.file, &all)
    }

    /// Gives records from the last to the first until `visit` returns false; at most 8 MiB are read. A kind and key
    /// may come twice. Returns whether the beginning of the log was reached; a log that does not exist has nothing to
    /// give.
    ///
    /// # Errors
    /// The system's.
    pub fn back(&self, mut visit: impl FnMut(Line) -> bool) -> io::Result<bool> {
        let whole = fs::lines_back(&self.file, MAX_READ, |bytes| Line::read(bytes).is_none_or(&mut visit));
        match whole {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(true),
            whole => whole,
        }
    }

    /// The present turn: the records after the last closing one, oldest first, each kind and key once (as it was
    /// first recorded).
    ///
    /// # Errors
    /// The system's.
    pub fn turn(&self) -> io::Result<Vec<Line>> {
        let mut lines = Vec::new();
        self.back(|line| {
            let closes = line.record.closes();
            if !closes {
                lines.push(line);
            }
            !closes
        })?;
        lines.reverse();
        let mut seen = BTreeSet::new();
        lines.retain(|line| line.key.is_empty() || seen.insert((line.record.kind().to_owned(), line.key.clone())));
        Ok(lines)
    }

    /// What the guard remembers of the session.
    ///
    /// Read back to the last summary or the beginning, at most 8 MiB; where neither is within reach, what is not
    /// remembered is [`Whose::Unknown`].
    ///
    /// # Errors
    /// The system's.
    pub fn memory(&self) -> io::Result<Memory> {
        let mut memory = Memory::default();
        let mut until = None;
        let whole = self.back(|line| {
            if until.is_some_and(|until| line.t < until) {
                return false;
            }
            if let Record::Own(own) = &line.record {
                if matches!(own, Own::Summary(_)) && until.is_none() {
                    until = Some(line.t.saturating_sub(SUMMARY_MISSES));
                }
                memory.add(line.t, &line.key, own);
            }
            true
        })?;
        memory.cut |= !whole && until.is_none();
        Ok(memory)
    }

    /// Appends a record of the guard. In a long log a summary of its memory is kept within 4 MiB of the end.
    ///
    /// # Errors
    /// As [`Session::append`].
    pub fn remember(&self, t: u64, key: &str, own: Own) -> io::Result<()> {
        let line = Line { t, key: key.to_owned(), record: Record::Own(own) };
        let mut lines = vec![line];
        let size = self.size();
        if size > SUMMARY_EVERY && !self.summed()? {
            let memory = self.memory()?;
            lines.push(Line { t, key: format!("summary:{size}"), record: Record::Own(Own::Summary(memory)) });
        }
        self.append(&lines[..1])?;
        // It may have become too long for a line; the memory is then out of reach some day, and says so.
        let _ = lines.get(1).map(|summary| self.append(std::slice::from_ref(summary)));
        Ok(())
    }

    fn summed(&self) -> io::Result<bool> {
        let mut found = false;
        fs::lines_back(&self.file, SUMMARY_EVERY, |line| {
            let part = &line[..line.len().min(200)];
            found = part.windows(14).any(|w| w == b"\"is\":\"summary\"");
            !found
        })?;
        Ok(found)
    }
}
