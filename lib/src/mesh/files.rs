//! The back-end of one machine: files of the collective, and locks that the kernel releases.

use super::board::{Board, Cursor};
use super::claim::{Claim, Claimed};
use super::file_name;
use super::message::Message;
use super::presence::{KEPT, Presence, State};
use crate::clock::now_ms;
use crate::fs;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The largest record, in bytes: an inbox holds what waits, 200 of the longest messages at most.
const MAX: u64 = 8 << 20;
/// A log that grew beyond this is written anew, in bytes.
const LOG: u64 = 4 << 20;
/// How much of it is kept then, the newest, in bytes.
const KEEP: usize = 2 << 20;
/// Most of a log that is read at once, in bytes.
const AT_ONCE: u64 = 16 << 20;
/// How far back a new reader begins, in bytes.
const BACK: u64 = 64 << 10;
/// How long another writer is waited for; an append goes on without, anything else does not.
const WAIT: Duration = Duration::from_millis(200);

/// The folder of a mesh.
#[derive(Clone, Debug)]
pub struct Files {
    dir: PathBuf,
}

impl Files {
    /// The mesh in this folder, which need not exist.
    #[must_use]
    pub fn at(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// A file of it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn log(&self) -> PathBuf {
        self.path("messages.jsonl")
    }

    /// A record, as it is now.
    pub fn record<T: DeserializeOwned>(&self, folder: &str, name: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(&self.path(folder).join(format!("{name}.json")), MAX).ok()?).ok()
    }

    /// Puts a record in the place of another, in one step. It need not survive the machine, so it is not waited for.
    ///
    /// # Errors
    /// The system's.
    pub fn put_record(&self, folder: &str, name: &str, record: &impl Serialize) -> io::Result<()> {
        let dir = self.path(folder);
        fs::ensure_dir(&dir)?;
        let text = serde_json::to_vec(record).map_err(io::Error::other)?;
        let temp = dir.join(format!(".{name}.{}.tmp", std::process::id()));
        let written = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temp)
            .and_then(|mut file| file.write_all(&text));
        let done = written.and_then(|()| std::fs::rename(&temp, dir.join(format!("{name}.json"))));
        if done.is_err() {
            let _ = std::fs::remove_file(&temp);
        }
        done
    }

    fn records<T: DeserializeOwned>(&self, folder: &str) -> io::Result<Vec<(PathBuf, T)>> {
        let files = match std::fs::read_dir(self.path(folder)) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let files = files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
        Ok(files.filter_map(|path| Some((path.clone(), serde_json::from_slice(&fs::read(&path, MAX).ok()?).ok()?))).collect())
    }

    /// Removes presences that nobody renews any more.
    pub fn prune(&self, now_ms: u64) {
        for (path, presence) in self.records::<Presence>("presence").unwrap_or_default() {
            if now_ms.saturating_sub(presence.t) > KEPT {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Whether a session is not known to have ended.
    #[must_use]
    pub fn lives(&self, session: &str, now_ms: u64) -> bool {
        let presence: Option<Presence> = self.record("presence", &file_name(session));
        presence.is_none_or(|presence| presence.state(now_ms) != State::Ended)
    }

    /// A lock of this mesh.
    ///
    /// # Errors
    /// Another held it all the time; else the system's.
    pub fn lock(&self, name: &str, wait: Duration) -> io::Result<fs::Lock> {
        fs::ensure_dir(&self.dir)?;
        fs::lock(&self.path(name), wait)
    }

    /// Writes the log anew without what is old; only under its lock.
    fn shorten(&self) -> io::Result<()> {
        let bytes = fs::read(&self.log(), AT_ONCE)?;
        let now = now_ms();
        let mut kept: Vec<&[u8]> = Vec::new();
        let mut size = 0;
        for line in bytes.split(|b| *b == b'\n').rev() {
            // What is not understood is a newer program's, and stays.
            let old = Message::read(line).is_some_and(|message| !message.is_fresh(now));
            if line.is_empty() || old || size + line.len() > KEEP {
                continue;
            }
            size += line.len() + 1;
            kept.push(line);
        }
        let text: Vec<u8> = kept.iter().rev().flat_map(|line| line.iter().copied().chain([b'\n'])).collect();
        fs::replace(&self.log(), &text)
    }
}

impl Board for Files {
    fn append(&self, message: &Message) -> io::Result<()> {
        fs::ensure_dir(&self.dir)?;
        let lock = fs::lock(&self.path("messages.lock"), WAIT);
        if lock.is_ok() && self.log().metadata().is_ok_and(|meta| meta.len() > LOG) {
            // A log that stays long is no reason to lose a message.
            let _ = self.shorten();
        }
        fs::append(&self.log(), message.line().as_bytes())
    }

    fn claim(&self, want: &Claim, now_ms: u64, lives: &dyn Fn(&str) -> bool) -> io::Result<Claimed> {
        let _lock = self.lock("claims.lock", WAIT)?;
        let held: Option<Claim> = self.record("claims", &want.key);
        let claimed = match held {
            Some(held) if held.by == want.by => {
                let now = Claim {
                    t: held.t,
                    tentative: held.tentative && want.tentative,
                    until: want.until.max(held.until),
                    why: if want.why.is_empty() { held.why.clone() } else { want.why.clone() },
                    ..want.clone()
                };
                let renewed = now.touched.abs_diff(held.touched) > 10_000;
                if renewed || (Claim { touched: held.touched, ..now.clone() }) != held {
                    self.put_record("claims", &want.key, &now)?;
                }
                return Ok(Claimed::Mine);
            }
            Some(held) if held.holds(now_ms) && lives(&held.by) => return Ok(Claimed::Lost(held)),
            held => Claimed::Won(held),
        };
        self.put_record("claims", &want.key, want)?;
        Ok(claimed)
    }

    fn claims(&self) -> io::Result<Vec<Claim>> {
        let mut claims: Vec<Claim> = self.records("claims")?.into_iter().map(|(_, claim)| claim).collect();
        claims.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(claims)
    }

    fn near_end(&self) -> io::Result<Cursor> {
        let Ok(meta) = self.log().metadata() else { return Ok(Cursor::default()) };
        if meta.len() <= BACK {
            return Ok(Cursor { log: meta.ino(), at: 0 });
        }
        let mut file = File::open(self.log())?;
        let start = meta.len() - BACK;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(BACK).read_to_end(&mut bytes)?;
        let line = bytes.iter().position(|b| *b == b'\n').map_or(BACK, |end| end as u64 + 1);
        Ok(Cursor { log: meta.ino(), at: start + line })
    }

    fn presences(&self) -> io::Result<Vec<Presence>> {
        let mut all: Vec<Presence> = self.records("presence")?.into_iter().map(|(_, presence)| presence).collect();
        all.retain(|presence: &Presence| presence.v == 1);
        all.sort_by_key(|one| std::cmp::Reverse(one.t));
        Ok(all)
    }

    fn put(&self, presence: &Presence) -> io::Result<()> {
        self.put_record("presence", &file_name(&presence.session), presence)
    }

    fn release(&self, session: &str, key: Option<&str>) -> io::Result<usize> {
        if !self.path("claims").exists() {
            return Ok(0);
        }
        let _lock = self.lock("claims.lock", WAIT)?;
        let mut count = 0;
        for (path, claim) in self.records::<Claim>("claims")? {
            if claim.by == session && key.is_none_or(|key| claim.key == key) {
                std::fs::remove_file(path)?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn since(&self, cursor: Cursor) -> io::Result<(Vec<Message>, Cursor)> {
        let mut file = match File::open(self.log()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), Cursor::default())),
            Err(error) => return Err(error),
        };
        let meta = file.metadata()?;
        // Another file, or a shorter one, is read from its beginning.
        let at = if meta.ino() == cursor.log && meta.len() >= cursor.at { cursor.at } else { 0 };
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.take(AT_ONCE).read_to_end(&mut bytes)?;
        // A line without its end is still being written, or never will be.
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        let messages = bytes[..whole].split(|b| *b == b'\n').filter_map(Message::read).collect();
        Ok((messages, Cursor { log: meta.ino(), at: at + whole as u64 }))
    }

    fn news(&self, cursor: Cursor) -> bool {
        Path::new(&self.log()).metadata().is_ok_and(|meta| meta.ino() != cursor.log || meta.len() != cursor.at)
    }
}
