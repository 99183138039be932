//! Where a mesh is kept: the one set of operations that every back-end has.

use super::claim::{Claim, Claimed};
use super::message::Message;
use super::presence::Presence;
use std::io;

/// How far a reader has come in the order of messages: a back-end's own two numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cursor {
    /// Which log it is of.
    pub log: u64,
    /// Where in it.
    pub at: u64,
}

/// A back-end. All readers see messages in the same order; a claim has one winner.
pub trait Board {
    /// Puts a message at the end.
    ///
    /// # Errors
    /// It was not kept.
    fn append(&self, message: &Message) -> io::Result<()>;
    /// Takes a path for a session, unless another that `lives` holds it at `now_ms`.
    ///
    /// # Errors
    /// Nobody can tell who holds it.
    fn claim(&self, want: &Claim, now_ms: u64, lives: &dyn Fn(&str) -> bool) -> io::Result<Claimed>;
    /// Every claim, whether it still holds or not.
    ///
    /// # Errors
    /// They cannot be read.
    fn claims(&self) -> io::Result<Vec<Claim>>;
    /// A place near the end, for a reader that has read nothing: what was said lately is after it.
    ///
    /// # Errors
    /// They cannot be read.
    fn near_end(&self) -> io::Result<Cursor>;
    /// Who is there, the latest first.
    ///
    /// # Errors
    /// They cannot be read.
    fn presences(&self) -> io::Result<Vec<Presence>>;
    /// Puts a session's presence in the place of its last.
    ///
    /// # Errors
    /// It was not kept.
    fn put(&self, presence: &Presence) -> io::Result<()>;
    /// Gives back what a session holds: one path's claim, or all. Of others nothing.
    ///
    /// # Errors
    /// It may still be held.
    fn release(&self, session: &str, key: Option<&str>) -> io::Result<usize>;
    /// The messages after a place, in order, and the place after them.
    ///
    /// # Errors
    /// They cannot be read.
    fn since(&self, cursor: Cursor) -> io::Result<(Vec<Message>, Cursor)>;
    /// Whether anything is after a place; costs one look.
    fn news(&self, cursor: Cursor) -> bool;
}
