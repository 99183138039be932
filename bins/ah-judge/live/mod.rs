//! The live check: what a stop would ask, asked while the agent still works.

pub mod decide;
pub mod mode;
