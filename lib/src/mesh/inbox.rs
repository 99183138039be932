//! What a session has read and what waits for it.

use super::board::{Board, Cursor};
use super::file_name;
use super::files::Files;
use super::message::{Kind, Message};
use serde::{Deserialize, Serialize};
use std::io;

/// Shown ids that are remembered, the latest.
const SHOWN: usize = 512;
/// How much of the log is read again rather than the place written down, in bytes: a receipt to others is no news.
const AGAIN: u64 = 8 << 10;
/// Messages that wait, at most; the latest stay.
const WAITING: usize = 200;

/// A message that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    /// The message.
    pub message: Message,
    /// It was taken to be shown at this moment, and nobody knows whether it was; 0 for not taken.
    #[serde(default)]
    pub taken: u64,
}

/// A session's inbox; read and written under its lock.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Inbox {
    /// 1.
    pub v: u32,
    /// How far the log was read.
    pub cursor: Cursor,
    /// Conflicts that the session was told of: path's key and holder.
    pub told: Vec<String>,
    /// Ids that were shown.
    pub shown: Vec<String>,
    /// What waits, oldest first.
    pub unread: Vec<Unread>,
}

impl Inbox {
    /// The inbox of a session; a new one begins near the end of what was said.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn of(files: &Files, session: &str) -> io::Result<Self> {
        match files.record::<Self>("inbox", &file_name(session)) {
            Some(inbox) if inbox.v == 1 => Ok(inbox),
            _ => Ok(Self { v: 1, cursor: files.near_end()?, ..Self::default() }),
        }
    }

    /// Reads what is new in the log. Whether that is worth writing down.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn read(&mut self, board: &dyn Board, session: &str, repo: &str, started: u64, now_ms: u64) -> io::Result<bool> {
        if !board.news(self.cursor) {
            return Ok(false);
        }
        let (messages, cursor) = board.since(self.cursor)?;
        let far = cursor.log != self.cursor.log || cursor.at.abs_diff(self.cursor.at) > AGAIN;
        self.cursor = cursor;
        let before = self.unread.clone();
        for message in messages {
            if message.kind == Kind::Seen {
                continue;
            }
            // A message that takes the place of the sender's own unread ones.
            self.unread.retain(|old| old.message.by != message.by || !message.ids.contains(&old.message.id));
            let known = self.shown.contains(&message.id) || self.unread.iter().any(|old| old.message.id == message.id);
            if !known && message.is_for(session, repo, started) && message.is_fresh(now_ms) {
                self.unread.push(Unread { message, taken: 0 });
            }
        }
        self.unread.retain(|unread| unread.message.is_fresh(now_ms));
        let surplus = self.unread.len().saturating_sub(WAITING);
        self.unread.drain(..surplus);
        Ok(far || self.unread != before)
    }

    /// Notes that these were shown.
    pub fn showed(&mut self, ids: &[String]) {
        self.unread.retain(|unread| !ids.contains(&unread.message.id));
        self.shown.extend(ids.iter().cloned());
        let surplus = self.shown.len().saturating_sub(SHOWN);
        self.shown.drain(..surplus);
    }

    /// Writes it.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, files: &Files, session: &str) -> io::Result<()> {
        files.put_record("inbox", &file_name(session), self)
    }
}
