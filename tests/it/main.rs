//! Black-box tests, a file per behaviour.
