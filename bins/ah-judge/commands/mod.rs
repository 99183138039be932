//! What a person runs by hand, a file for each command.

mod request;

pub use request::request;
//! What a person or a script runs by hand; one file for each command word.

mod strip;

pub use strip::strip;
