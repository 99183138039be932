//! The small library that the `ah` executables share.
//!
//! Modules lie on floors, low to high; a module imports lower floors and, on its own floor, only what is listed
//! before it. `tests/it/floors.rs` reads this list and the `use` lines and fails on any other import.
//! ARCHITECTURE.md says what each floor is for.

#![forbid(unsafe_code)]

// Floor 0, ground: how a program ends, where things are, time, files.
pub mod clock;
pub mod exit;
pub mod fs;
pub mod math;
pub mod paths;

// Floor 1, text: no file, no process.
pub mod cli;
pub mod jsonc;
pub mod patch;
pub mod quote;
pub mod redact;
pub mod shell;
pub mod tokens;

// Floor 2, domain: what the programs speak of.
pub mod answer;
pub mod config;
pub mod event;
pub mod git;
pub mod lesson;
pub mod log;
pub mod off;
pub mod receipt;

// Floor 3, edge: what a tool call does, where it belongs, how each harness says it.
pub mod effect;
pub mod harness;
pub mod person;
pub mod route;

// Floor 4, memory.
pub mod mesh;
pub mod meter;
pub mod outcome;
pub mod session;
pub mod store;
// Over the store.
pub mod index;

// Floor 5, mind.
pub mod compat;
pub mod gate;
pub mod stop;
pub mod tally;

// Floor 6, face: one hook run from standard input to standard output.
pub mod hook;
