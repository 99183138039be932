//! Learning: an episode becomes a lesson, strengthens one, takes one's place, or is nothing.

mod apply;
mod draft;
mod near;
mod run;
mod show;

pub use apply::episodes as came_from;
pub use draft::Texts;
pub use run::learn;
pub use show::episode as episode_text;
