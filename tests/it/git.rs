//! Repository facts against the real git.

mod config;
mod contents;
mod damaged;
mod found;
mod held;
mod layout;
mod paths;
mod refs;
