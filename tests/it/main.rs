//! Black-box tests, a file per behaviour.

mod answers;
mod bad_input;
mod cli;
mod events;
mod face;
mod filter;
mod floors;
mod git;
mod git_hostile;
mod manual;
mod sample;
mod size;
mod support;
mod tidy;
