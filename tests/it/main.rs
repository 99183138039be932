//! Black-box tests, a file per behaviour.

mod answers;
mod bad_input;
mod cli;
mod config;
mod events;
mod face;
mod filter;
mod floors;
mod git;
mod git_hostile;
mod ground;
mod guard_bad_input;
mod guard_commands;
mod guard_events;
mod guard_places;
mod guard_rules;
mod guard_run;
mod log;
mod manual;
mod redact;
mod route;
mod sample;
mod session;
mod size;
mod support;
mod tidy;
