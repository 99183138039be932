//! Learning: an episode becomes a lesson, strengthens one, takes one's place, or is nothing.

mod draft;
