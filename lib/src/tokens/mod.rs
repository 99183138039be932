//! The words of a text, as three readers see them: the reference, names of systems, and our own gate.

mod exact;
mod stem;
mod words;

pub use exact::{segments, tokens};
pub use stem::stem;
pub use words::{language, words};
