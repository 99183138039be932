//! Whom a word of the command line means.

use crate::place::Place;
use ah::mesh::{Board, Presence, State, To};
use ah::quote;

/// The least of an id that names a session.
const LEAST: usize = 4;

/// Whom a word means: `repo`, `local`, `collective`, `engineer`, a session's name, or the beginning of its id.
///
/// # Errors
/// Why it is nobody, in a line.
pub fn target(place: &Place, word: &str, now: u64) -> Result<(To, Option<Presence>), String> {
    match word {
        "repo" => return Ok((To::Repo(place.scope.repo.clone()), None)),
        // These files are of one machine, so all that is in them is local.
        "all" | "collective" | "local" => return Ok((To::Collective, None)),
        "engineer" => return Ok((To::Engineer, None)),
        _ => {}
    }
    let all = place.files.presences().map_err(|error| format!("cannot see who is there: {error}"))?;
    let named = |presence: &&Presence| {
        presence.name == word || presence.session == word || word.len() >= LEAST && presence.session.starts_with(word)
    };
    let found: Vec<&Presence> = all.iter().filter(named).collect();
    let live: Vec<&Presence> = found.iter().copied().filter(|presence| presence.state(now) != State::Ended).collect();
    let shown = quote::line(word, 64);
    match (live.as_slice(), found.as_slice()) {
        ([one], _) => Ok((To::Session(one.session.clone()), Some((*one).clone()))),
        ([], []) => Err(format!("no such session: {shown}: ah-mesh top lists them")),
        ([], _) => Err(format!("{shown} has ended")),
        (many, _) => Err(format!("{shown} means {} sessions: give more of its id", many.len())),
    }
}
