//! What a person or a script runs by hand.

mod changes;
mod markers;
mod skip;
mod tally;

pub use changes::changes;
pub use markers::markers;
pub use skip::skip;
pub use tally::tally;
