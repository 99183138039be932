//! Black-box tests, a file per behaviour.

mod answers;
mod bad_input;
mod cli;
mod config;
mod effect;
mod events;
mod face;
mod filter;
mod floors;
mod git;
mod git_hostile;
mod ground;
mod log;
mod manual;
mod redact;
mod route;
mod sample;
mod session;
mod shell;
mod shell_bash;
mod size;
mod support;
mod tidy;
