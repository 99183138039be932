//! One possible course of a line.

use super::command::Known;
use super::state::Shell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Whether the next command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flow {
    #[default]
    Go,
    Break(u32),
    Continue(u32),
    Return,
    Exit,
}

/// A world: the caller's state, the shell's, and how the last command ended.
#[derive(Clone, Debug)]
pub(super) struct World<S> {
    pub state: S,
    pub shell: Rc<Shell>,
    /// Files that the line wrote, by absolute path; `None`: with a text that is not known.
    pub files: Rc<BTreeMap<String, Known>>,
    /// Exit status 0 or not; `None`: either.
    pub ok: Option<bool>,
    pub flow: Flow,
    /// What was printed since a substitution or pipe began; may have holes.
    pub out: Option<String>,
    /// Results of the substitutions of the command being expanded, by the address of their tree.
    pub results: Vec<(usize, String)>,
}

/// Worlds of one moment.
pub(super) type Worlds<S> = Vec<World<S>>;

/// Text kept of one output or value, in bytes.
pub(super) const LONGEST: usize = 1 << 16;

/// Results of substitutions kept for one command.
const RESULTS: usize = 128;

impl<S> World<S> {
    pub fn shell(&mut self) -> &mut Shell {
        Rc::make_mut(&mut self.shell)
    }

    /// Adds to the output, if anyone reads it; `None`: something not known.
    pub fn print(&mut self, text: Option<&str>) {
        if let Some(out) = &mut self.out {
            match text {
                Some(text) if out.len() + text.len() <= LONGEST => out.push_str(text),
                _ if !out.ends_with(super::HOLE) => out.push(super::HOLE),
                _ => {}
            }
        }
    }

    /// Keeps the result of a substitution; of too many in one command none is kept, and each is not known.
    pub fn result(&mut self, key: usize, text: String) {
        if self.results.len() < RESULTS {
            self.results.push((key, text));
        }
    }

    /// The command ended with this status.
    pub fn ends(mut self, ok: Option<bool>) -> Self {
        self.ok = ok;
        self
    }
}
