//! The git verbs that can lose something, each group in a file.

pub mod clean;
pub mod config;
pub mod history;
pub mod paths;
pub mod push;
pub mod refs;
pub mod remote;
pub mod stash;
pub mod store;
pub mod submodule;
pub mod tree;
pub mod worktree;
