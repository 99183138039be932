//! What a person or a script runs by hand.

mod calibrate;
mod changes;
mod eval;
mod index;
mod markers;
mod score;
mod skip;
mod tally;
mod threshold;
mod turn;

pub use calibrate::calibrate;
pub use changes::changes;
pub use eval::eval;
pub use index::index;
pub use markers::markers;
pub use score::{features, score};
pub use skip::skip;
pub use tally::tally;
pub use threshold::threshold;
pub use turn::turn;
