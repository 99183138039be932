//! Black-box tests, a file per behaviour.

mod cli;
