//! Black-box tests, a file per behaviour.

mod floors;
mod manual;
mod size;
mod tidy;
