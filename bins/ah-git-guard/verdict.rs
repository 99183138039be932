//! What the guard says of a line, and why.

use crate::snapshot::Pin;
pub use ah::config::Verdict;
use std::path::PathBuf;

/// The word used in answers, in the policy and on the command line.
pub fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Note => "note",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

/// One thing that would be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Content of a file in a work tree or an index.
    File {
        /// Absolute path.
        path: PathBuf,
        /// What it is: `unsaved edit`, `untracked`, `staged only`, `secret`, `resolution`.
        what: &'static str,
        /// This session made it.
        own: bool,
    },
    /// Commits: short id and subject.
    Commit(String),
    /// A stash entry: its name and message.
    Stash(String),
    /// Anything else, named in words: a branch, a hook, a setting.
    Other(String),
}

/// One rule that applies to one command of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable rule id; see `rule`.
    pub rule: &'static str,
    /// How bad it is.
    pub verdict: Verdict,
    /// What would be lost, at most [`Finding::MOST`]; `more` counts the rest.
    pub losses: Vec<Loss>,
    /// Losses beyond those listed.
    pub more: usize,
    /// The command as words, for the message.
    pub command: String,
    /// Everything that would be lost is this session's own work.
    pub own: bool,
    /// Commits among what would be lost.
    pub pins: Vec<Pin>,
    /// The commits are on a branch that the policy protects.
    pub protected: bool,
    /// A file tool puts a whole new text in the place of the old one, on purpose.
    pub rewrite: bool,
    /// The loss is beyond this machine: no snapshot here can bring it back.
    pub remote: bool,
    /// A sentence of its own where the losses do not say it.
    pub detail: String,
}

impl Finding {
    /// Losses kept by name.
    pub const MOST: usize = 50;

    /// A finding without losses listed.
    pub fn new(rule: &'static str, verdict: Verdict, command: &str, detail: impl Into<String>) -> Self {
        Self {
            rule,
            verdict,
            losses: Vec::new(),
            more: 0,
            command: command.to_owned(),
            own: false,
            pins: Vec::new(),
            protected: false,
            rewrite: false,
            remote: false,
            detail: detail.into(),
        }
    }

    /// Says whether all of it is this session's own work.
    pub fn own(mut self, own: bool) -> Self {
        self.own = own;
        self
    }

    /// Adds commits that would be lost.
    pub fn pinned(mut self, pin: Pin) -> Self {
        self.pins.push(pin);
        self
    }

    /// Marks a loss beyond this machine.
    pub fn remote(mut self) -> Self {
        self.remote = true;
        self
    }

    /// Whether another finding is of the same rule and command, and as bad.
    pub fn like(&self, other: &Self) -> bool {
        self.rule == other.rule && self.command == other.command && self.verdict == other.verdict
    }

    /// Takes in a finding of the same rule and command: of another world of the line, or of one more thing that is lost.
    pub fn join(self, other: Self) -> Self {
        let same = other.losses.iter().all(|loss| self.losses.contains(loss));
        let more = if same { self.more.max(other.more) } else { self.more + other.more };
        let mut joined = Self {
            own: self.own && other.own,
            protected: self.protected || other.protected,
            rewrite: self.rewrite && other.rewrite,
            remote: self.remote || other.remote,
            more,
            ..self
        };
        for pin in other.pins {
            if !joined.pins.contains(&pin) {
                joined.pins.push(pin);
            }
        }
        joined.with(other.losses)
    }

    /// Adds losses, the first of them by name.
    pub fn with(mut self, losses: impl IntoIterator<Item = Loss>) -> Self {
        losses.into_iter().for_each(|loss| self.add(loss));
        self
    }

    /// Adds one loss, once.
    pub fn add(&mut self, loss: Loss) {
        if self.losses.contains(&loss) {
            return;
        }
        if self.losses.len() < Self::MOST { self.losses.push(loss) } else { self.more += 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_findings_name_all_and_are_own_only_together() {
        let stash =
            |n: usize, own| Finding::new("stash.drop", Verdict::Deny, "c", "").own(own).with([Loss::Stash(n.to_string())]);
        let joined = stash(0, true).join(stash(1, false)).join(stash(0, true));
        assert_eq!((joined.losses.len(), joined.more, joined.own), (2, 0, false));
        let many = |from: usize| stash(from, true).with((from..from + 60).map(|n| Loss::Stash(n.to_string())));
        assert_eq!(many(0).join(many(0)).more, 10, "the same of another world");
        assert_eq!(many(0).join(many(60)).more, 70);
    }
}
