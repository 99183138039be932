//! Black-box tests, a file per behaviour.

mod config;
mod ground;
mod log;
mod redact;
mod route;
mod session;
