//! What a person or a script runs by hand; one file for each command word.

mod request;
mod strip;

pub use request::request;
pub use strip::strip;
