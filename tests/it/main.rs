//! Black-box tests, a file per behaviour.

mod git;
mod git_hostile;
mod support;
