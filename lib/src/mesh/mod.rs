//! Sessions that know of each other: who is there, what they tell each other, which files they hold, who is paused.
//!
//! Everything is data in files of the collective, below `mesh/`; a [`Board`] is where it is kept, so that a team's engine
//! can take the place of the files. Nothing here runs on its own.

mod board;
mod claim;
mod files;
mod frame;
mod inbox;
mod message;
mod name;
mod presence;
mod process;
mod steer;

pub use board::{Board, Cursor};
pub use claim::{Claim, Claimed, LEASE_MS, TENTATIVE_MS};
pub use files::Files;
pub use frame::{Framed, frame, quoted};
pub use inbox::{Inbox, Unread};
pub use message::{Kind, LONGEST, Message, To};
pub use name::name;
pub use presence::{Presence, State};
pub use process::{Harnessed, alive, harnessed};
pub use steer::{Pause, pause, paused, pauses, resume};

/// The name of a session's files: its id, or what is left of it and a hash.
#[must_use]
pub fn file_name(session: &str) -> String {
    crate::paths::file_name(session, "_-", None)
}
