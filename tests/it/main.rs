//! Black-box tests, a file per behaviour.

mod answers;
mod cli;
mod events;
