//! The live check: what a stop would ask, asked while the agent still works.

mod decide;
mod hook;
mod mode;
mod state;

pub use hook::{AtStop, after_tool, at_stop};
pub use mode::Live;
