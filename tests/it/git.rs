//! Repository facts against the real git.

mod config;
mod held;
mod layout;
mod paths;
mod refs;
