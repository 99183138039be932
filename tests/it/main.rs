//! Black-box tests, a file per behaviour.

mod answers;
mod bad_input;
mod cli;
mod events;
mod face;
mod filter;
mod git;
mod git_hostile;
mod sample;
mod support;
