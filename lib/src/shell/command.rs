//! One simple command as the reader hands it on: argument vector, redirections, directory, environment.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A text that is known, or not.
pub type Known = Option<String>;

/// Stands in a word for a part whose text is not known.
pub const HOLE: char = '\u{0}';

/// One word of an argument vector after every expansion that could be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Exactly this text.
    Literal(String),
    /// A pattern for file names, with quoted special characters escaped by a backslash; stands for itself where no file matches.
    Glob(String),
    /// Not known; any number of words. What is known of it stands around [`HOLE`]s.
    Unknown(String),
}

impl Word {
    /// The text of a literal word.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// The text as far as it is known, with [`HOLE`]s.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Glob(text) | Self::Unknown(text) => text,
        }
    }
}

/// What a redirection does to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`: the target is emptied first.
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A redirection to or from a file. Duplications (`2>&1`) and here-documents are not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The file descriptor.
    pub fd: u32,
    /// What happens to the target.
    pub kind: RedirectKind,
    /// The file's name.
    pub target: Word,
}

/// What a command reads on standard input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// The line's own input: nobody types into a hook's command.
    #[default]
    Inherited,
    /// This text: a here-document, a here-string, the known output of the command before.
    Text(String),
    /// Something that is not known: a pipe or a file.
    Unknown,
}

/// On which machine a command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// In this shell's world.
    #[default]
    Here,
    /// In a container, on another host, typed into another terminal: this file system's facts may not hold there.
    Elsewhere,
}

/// One simple command that could run, wrappers taken off.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// The argument vector: the program first. Never empty.
    pub words: Vec<Word>,
    /// Redirections in force, outermost first, those of enclosing groups and wrappers included.
    pub redirects: Vec<Redirect>,
    /// The working directory: absolute where [`Start::cwd`](super::Start) was, folded as text; `None` when not known.
    pub cwd: Known,
    /// Exported variables that differ from the hook's own environment.
    pub env: Rc<BTreeMap<String, EnvValue>>,
    /// What it reads.
    pub stdin: Stdin,
    /// Whether its output goes into a pipe or a substitution (so nobody sees it).
    pub piped: bool,
    /// Where it runs.
    pub place: Place,
    /// Wrappers, interpreters and scripts passed on the way, outermost first: `sudo`, `sh -c`, `reset.sh`, `alias x`.
    pub via: Vec<String>,
    /// Byte range in the line as typed that this command came from.
    pub span: (usize, usize),
}

/// What the line did to one exported variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvValue {
    /// Set to this text.
    Set(String),
    /// Set to something not known.
    Unknown,
    /// Removed.
    Unset,
}

impl Command {
    /// The program's name without its directories; `None` when it is not known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        let text = self.words.first()?.literal()?;
        Some(text.rsplit('/').next().unwrap_or(text))
    }
}
