//! The live check: what a stop would ask, asked while the agent still works.

mod bar;
mod decide;
mod hook;
mod mode;
mod run;
mod state;

pub use hook::{after_tool, at_stop, possible};
pub use mode::Live;
pub use run::check;
