//! A compiled index beside a lesson store: what of which lesson each word would match, so that a turn costs the lookups of
//! its own words, whatever the store's size.
//!
//! It is never needed for a right answer: without it the same bytes are made in memory. It is keyed by what the file of
//! lessons is, extended by the lines that came since, and made anew when in doubt.

mod build;
mod common;
mod fresh;
mod impact;
mod layout;
mod lookup;
mod source;

pub use impact::{PER_ONE, hash, language_bit, languages};
pub use lookup::{Hit, Index, Posting};
