//! One possible course of a line.

use super::command::Known;
use super::state::Shell;
use std::cell::Cell;
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

/// Files that the line wrote, by absolute path: what may be in them, several where worlds that became one differed.
pub(super) type Files = BTreeMap<String, Vec<Written>>;

/// What may be in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// What was there before the line.
    Before,
    /// This text, or one that is not known.
    Text(Known),
}

/// Contents of one file that are kept.
const CONTENTS: usize = 8;

/// A world: the caller's state, the shell's, and how the last command ended.
#[derive(Clone, Debug)]
pub(super) struct World<S> {
    pub state: S,
    pub shell: Rc<Shell>,
    pub files: Rc<Files>,
    /// Exit status 0 or not; `None`: either.
    pub ok: Option<bool>,
    pub flow: Flow,
    /// What was printed since a substitution or pipe began; may have holes.
    pub out: Option<String>,
    /// Results of the substitutions of the command being expanded, by the address of their tree.
    pub results: Vec<(usize, String)>,
    /// Process substitutions whose names the commands that run now can use; named from /dev/fd/63 downwards.
    pub pipes: usize,
    /// Entries of shells and files copied so far, in all worlds of the walk.
    pub copied: Rc<Cell<usize>>,
}

/// Worlds of one moment.
pub(super) type Worlds<S> = Vec<World<S>>;

/// Text kept of one output or value, in bytes.
pub(super) const LONGEST: usize = 1 << 16;

/// Text that costs about as much to copy as one entry of a table, in bytes.
pub(super) const ENTRY: usize = 256;

/// Results of substitutions kept for one command.
const RESULTS: usize = 64;

impl<S> World<S> {
    pub fn shell(&mut self) -> &mut Shell {
        if Rc::strong_count(&self.shell) > 1 {
            self.copied.set(self.copied.get() + 1 + self.shell.weight());
        }
        Rc::make_mut(&mut self.shell)
    }

    /// How much copying the texts of this moment costs, in entries.
    pub fn text_weight(&self) -> usize {
        let results: usize = self.results.iter().map(|(_, text)| 1 + text.len() / ENTRY).sum();
        results + self.out.as_ref().map_or(0, |out| out.len() / ENTRY)
    }

    /// The files, to be changed.
    pub fn files(&mut self) -> &mut Files {
        if Rc::strong_count(&self.files) > 1 {
            let weight = |written: &Written| match written {
                Written::Text(Some(text)) => 1 + text.len() / ENTRY,
                _ => 1,
            };
            let texts: usize = self.files.values().flatten().map(weight).sum();
            self.copied.set(self.copied.get() + 2 * self.files.len() + texts);
        }
        Rc::make_mut(&mut self.files)
    }

    /// Takes in what the line may have written in another world.
    pub fn merge_files(&mut self, other: &Files) {
        if *self.files == *other {
            return;
        }
        let files = self.files();
        for (path, texts) in other {
            let mine = match files.get_mut(path) {
                Some(mine) => mine,
                None => files.entry(path.clone()).or_insert_with(|| vec![Written::Before]),
            };
            for text in texts {
                if !mine.contains(text) {
                    mine.push(text.clone());
                }
            }
        }
        for (path, mine) in files {
            if !other.contains_key(path) && !mine.contains(&Written::Before) {
                mine.push(Written::Before);
            }
            if mine.len() > CONTENTS {
                *mine = vec![Written::Text(None)];
            }
        }
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

    /// Whether what the shell of `other` meets next is among what this one's does.
    pub fn covers(&self, other: &Self) -> bool {
        (Rc::ptr_eq(&self.shell, &other.shell) || self.shell.covers(&other.shell))
            && (Rc::ptr_eq(&self.files, &other.files)
                || other
                    .files
                    .iter()
                    .all(|(path, texts)| self.files.get(path).is_some_and(|mine| texts.iter().all(|text| mine.contains(text))))
                    && self.files.iter().all(|(path, mine)| other.files.contains_key(path) || mine.contains(&Written::Before)))
    }

    /// The command ended with this status.
    pub fn ends(mut self, ok: Option<bool>) -> Self {
        self.ok = ok;
        self
    }
}
