//! Reads a shell command line into every simple command that could run, in order.
//!
//! Three steps: [`parse`] makes a syntax tree in linear time; [`walk()`] goes through the tree as bash would, with what
//! is known of variables and directories; a [`Machine`] of the caller is told of each simple command with all wrappers
//! (`sudo`, `env`, `xargs`, `sh -c`, ...) taken off, and says what may become of it. What cannot be known stays
//! [`Word::Unknown`]; where reading had to stop, [`Walked::unread`] says so. Nothing here panics, loops for ever or looks at the clock.

mod alias;
mod ansi;
mod arith;
mod assignment;
mod brace;
mod builtin;
mod call;
mod command;
mod compound;
mod declare;
mod directory;
mod dispatch;
mod environment;
mod expand;
mod feed;
mod flow;
mod format;
mod frame;
mod heredoc;
mod interpreter;
mod join;
mod launcher;
mod lookup;
mod loops;
mod machine;
mod output;
mod param;
mod parse;
mod pattern;
mod read;
mod recipe;
mod redirect;
mod remote;
mod run;
mod script;
mod sed;
mod simple;
mod source;
mod state;
mod status;
mod substitution;
mod tree;
mod value;
mod walk;
mod window;
mod word;
mod world;
mod wrapper;

pub use command::{Command, EnvValue, HOLE, Known, Place, Redirect, RedirectKind, Stdin, Word};
pub use machine::{End, Machine, Source, Start, Step, Unread, Variables, Walked};
pub use output::prints;
pub use pattern::matches;
pub use walk::walk;

/// Joins a path to an absolute directory and folds `.` and `..` as text.
#[must_use]
pub fn join(cwd: &str, path: &str) -> String {
    state::join(Some(cwd), path).unwrap_or_else(|| path.to_owned())
}
