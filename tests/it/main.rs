//! Black-box tests, a file per behaviour.

mod ground;
mod log;
mod redact;
