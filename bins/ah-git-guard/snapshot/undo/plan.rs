//! What an undo would do, as data: one row for each thing.

use super::super::manifest::{File, Staged};
use ah::git::Oid;
use std::path::PathBuf;

/// What is done about a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It is as it was; nothing to do.
    AsItWas,
    /// It is made as it was.
    BringBack,
    /// It was not brought back; `why` says what failed.
    Failed,
    /// It stays as it is; `why` says why.
    LeaveAlone,
    /// It was not there, and goes.
    Remove,
}

impl Does {
    /// The word for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::AsItWas => "as it was",
            Self::BringBack => "bring back",
            Self::Failed => "failed",
            Self::LeaveAlone => "left alone",
            Self::Remove => "remove",
        }
    }
}

/// How a ref comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is made.
    Create,
    /// The branch moves forward from here; checked out in this tree or in none.
    Forward {
        /// Where it is now.
        from: Oid,
        /// It is checked out in the part's work tree.
        here: bool,
    },
}

/// A thing that an undo is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A file of the snapshot.
    File(File),
    /// HEAD goes back to a branch (full name).
    Head(String),
    /// An entry of the index, or the stages of a conflict.
    Index(PathBuf, Vec<Staged>),
    /// A ref, and the object that it is to name.
    Ref(String, Oid, Way),
    /// The repository or its work tree, which is no more.
    Repository,
    /// What was staged on another commit, under a name of its own.
    Staging(Vec<Staged>),
    /// An entry of the stash, and its message.
    Stash(Oid, String),
    /// A file as the tip has it: it was clean.
    Tracked(PathBuf),
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The part of the snapshot.
    pub part: usize,
    /// The thing.
    pub what: What,
    /// What is done about it.
    pub does: Does,
    /// Why, or as what; may be empty.
    pub why: String,
}

impl Row {
    /// A row without a reason.
    pub fn new(part: usize, what: What, does: Does) -> Self {
        Self { part, what, does, why: String::new() }
    }

    /// With a reason.
    pub fn why(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// Whether it changes anything.
    pub fn changes(&self) -> bool {
        matches!(self.does, Does::BringBack | Does::Remove)
    }

    /// It could not be done.
    pub fn fail(&mut self, why: impl Into<String>) {
        self.does = Does::Failed;
        self.why = why.into();
    }

    /// It is not to be done.
    pub fn leave(&mut self, why: impl Into<String>) {
        self.does = Does::LeaveAlone;
        self.why = why.into();
    }

    /// The file of the work tree that it is about.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.what {
            What::File(file) => Some(super::super::manifest::path(&file.path)),
            What::Tracked(path) => Some(path.clone()),
            _ => None,
        }
    }
}
