//! What a person runs by hand, a file for each command.

mod request;

pub use request::request;
