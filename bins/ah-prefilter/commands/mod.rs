//! What a person or a script runs by hand.

mod changes;
mod eval;
mod index;
mod markers;
mod score;
mod skip;
mod tally;
mod threshold;

pub use changes::changes;
pub use eval::{calibrate, eval};
pub use index::index;
pub use markers::markers;
pub use score::{features, score, turn};
pub use skip::skip;
pub use tally::tally;
pub use threshold::threshold;
