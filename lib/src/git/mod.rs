//! Facts about a repository: read from its files where that is enough, asked of a `git` process where it is not.
//!
//! `Repo`, `Config` and the readers on them start no process. `Git` asks the installed git, in an environment where
//! no code of the repository can run, with a bound on output and one deadline.
//!
//! A path inside a repository is a `PathBuf` relative to the top of the work tree, its bytes exactly those git keeps
//! (on Unix a `PathBuf` holds any bytes, so nothing is lost); `to_str` gives the text where it is UTF-8. A path that
//! git shows with a closing slash (a whole directory) keeps it.

mod blob;
mod branch;
mod clean;
mod config;
mod conflict;
mod cquote;
mod diff;
mod discover;
mod environ;
mod flags;
mod foreign;
mod held;
mod history;
mod hooks;
mod index;
mod introduced;
mod keep;
mod merged;
mod object;
mod oid;
mod operation;
mod pack;
mod pathspec;
mod pattern;
mod process;
mod read;
mod recovery;
mod reflog;
mod refs;
mod rescue;
mod stash;
mod status;
mod tree;
mod trouble;
mod vars;

pub use blob::Kept;
pub use branch::Upstream;
pub use clean::{CleanFlags, IgnoredFiles};
pub use config::{Config, Setting, truth};
pub use diff::{Against, Change, Lines};
pub use discover::Repo;
pub use held::{Commit, Question, Reflogs, Unheld};
pub use index::{Hidden, IndexEntry};
pub use keep::{Keep, Named, Saving};
pub use oid::Oid;
pub use operation::{Kind, Operation};
pub use pathspec::Paths;
pub use process::Git;
pub use recovery::Entered;
pub use reflog::LogEntry;
pub use refs::{Head, Ref, RefClass, ref_class};
pub use rescue::Rescue;
pub use stash::{Stash, StashPaths};
pub use status::{Entry, State, Untracked};
pub use tree::{LinkedTree, Submodule};
pub use trouble::Trouble;
pub use vars::Vars;
