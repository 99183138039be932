//! Whose work it is: what a session wrote, what its lines were about to make in git and whether they did.

pub mod making;
pub mod memory;
mod provenance;
mod transcript;
