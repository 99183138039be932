//! To come in this change.
