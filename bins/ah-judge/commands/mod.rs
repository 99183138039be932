//! What a person or a script runs by hand; one file for each command word.

mod strip;

pub use strip::strip;
