//! The other half of the reader: what its caller knows and does.

use super::command::{Command, Known, Word};
use std::cell::OnceCell;

/// How variables are had once one is asked for: name and value of each.
type Read = fn() -> Vec<(String, String)>;

/// Where a line starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Working directory, absolute.
    pub cwd: Known,
    /// `$HOME` and other variables of the hook's environment that may be looked up.
    pub variables: Variables,
    /// `variables` is the whole environment: a name not in it is unset, and expands to nothing.
    pub complete: bool,
    /// Aliases of the person's shell: name, text.
    pub aliases: Vec<(String, String)>,
}

/// Variables, name and value, read only when one of them is looked up: most lines name none.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: OnceCell<Vec<(String, String)>>,
    read: Option<Read>,
}

impl Variables {
    /// Those that `read` gives.
    #[must_use]
    pub fn read_by(read: fn() -> Vec<(String, String)>) -> Self {
        Self { all: OnceCell::new(), read: Some(read) }
    }

    pub(super) fn all(&self) -> &[(String, String)] {
        self.all.get_or_init(|| self.read.map(|read| read()).unwrap_or_default())
    }
}

impl From<Vec<(String, String)>> for Variables {
    fn from(all: Vec<(String, String)>) -> Self {
        Self { all: all.into(), read: None }
    }
}

/// What a caller knows and does: the other half of the abstract interpreter.
///
/// `State` is the caller's part of one possible world. The walker clones it where a step may succeed or fail.
pub trait Machine {
    /// The caller's part of a world.
    type State: Clone;

    /// One simple command runs in one world. Called in the order in which bash would run them.
    fn run(&mut self, command: &Command, state: Self::State) -> Step<Self::State>;

    /// Text of a file that the line runs (a script, a Makefile, `package.json`), at most 64 KiB; `None` if it cannot be read.
    /// Files that the line itself wrote with known text are answered by the walker and not asked for.
    fn file(&mut self, path: &str, state: &Self::State) -> Known {
        let _ = (path, state);
        None
    }

    /// Whether `path` is a directory in this world: `None` when it cannot be said.
    fn is_dir(&mut self, path: &str, state: &Self::State) -> Option<bool> {
        let _ = (path, state);
        None
    }

    /// Whether two worlds are the same, so that one of them need not be followed.
    fn same(&self, one: &Self::State, other: &Self::State) -> bool {
        let _ = (one, other);
        false
    }

    /// Two or more worlds must become one because there are too many: keep the worst of them.
    fn merge(&mut self, states: Vec<Self::State>) -> Self::State {
        states.into_iter().next().expect("the walker merges at least one world")
    }
}

/// What becomes of a command.
#[derive(Clone, Debug)]
pub enum Step<S> {
    /// It ran: one end, or one for success and one for failure.
    Done(Vec<End<S>>),
    /// It runs this shell text instead (a git alias with `!`, `git bisect run`, `submodule foreach`), then ends as that does.
    Shell {
        /// The text.
        text: String,
        /// `$1`, `$2`, ...
        args: Vec<Word>,
        /// The directory it runs in, when not the command's own.
        cwd: Known,
        /// What to add to [`Command::via`].
        via: String,
        /// The world to go on in.
        state: S,
    },
    /// It is this argument vector instead (a git alias, a wrapper the caller knows).
    Words {
        /// The argument vector.
        words: Vec<Word>,
        /// What to add to [`Command::via`].
        via: String,
        /// The world to go on in.
        state: S,
    },
}

/// One way in which a command may end.
#[derive(Clone, Debug)]
pub struct End<S> {
    /// The world after it.
    pub state: S,
    /// Exit status 0 or not; `None`: either, with the same world.
    pub ok: Option<bool>,
    /// What it prints, if that is known.
    pub output: Known,
}

/// A part of the line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Why: `too deep`, `too long`, `syntax`, `too many steps`.
    pub why: &'static str,
    /// The part, at most 80 characters.
    pub part: String,
}

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A POSIX or bash command line.
    Shell,
    /// PowerShell.
    PowerShell,
}

/// The end of a walk.
#[derive(Debug)]
pub struct Walked<S> {
    /// Every world the line can end in.
    pub worlds: Vec<S>,
    /// What could not be read; the rest was.
    pub unread: Vec<Unread>,
}
