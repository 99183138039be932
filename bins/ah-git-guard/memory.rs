//! Whose work something is: what the session's log says of the paths it found and wrote.

use std::path::Path;

/// Whose work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// This session made it.
    Own,
    /// Somebody else did, or nobody knows.
    Other,
}

/// What is remembered of a session.
#[derive(Debug, Default)]
pub struct Memory {}

impl Memory {
    /// Whose the content at a path is.
    pub fn whose(&self, _path: &Path) -> Whose {
        Whose::Other
    }
}
