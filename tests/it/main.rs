//! Black-box tests, a file per behaviour.

mod shell_bash;
