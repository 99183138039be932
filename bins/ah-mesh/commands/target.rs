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
    let (found, live) = sessions(place, word, now)?;
    let shown = quote::line(word, 64);
    match (live.as_slice(), found.as_slice()) {
        ([one], _) => Ok((To::Session(one.session.clone()), Some(one.clone()))),
        ([], []) => Err(format!("no such session: {shown}: ah-mesh top lists them")),
        ([], _) => Err(format!("{shown} has ended")),
        (many, _) => Err(format!("{shown} means {} sessions: give more of its id", many.len())),
    }
}

/// The one session that a word means, running or not: one that ended may go on later.
///
/// # Errors
/// Why it is none, in a line.
pub fn session(place: &Place, word: &str, now: u64) -> Result<Presence, String> {
    let (found, live) = sessions(place, word, now)?;
    let shown = quote::line(word, 64);
    match (live.as_slice(), found.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one.clone()),
        ([], []) => Err(format!("no such session: {shown}: ah-mesh top lists them")),
        _ => Err(format!("{shown} means {} sessions: give more of its id", found.len())),
    }
}

/// The sessions that a word means, and those of them that run.
fn sessions(place: &Place, word: &str, now: u64) -> Result<(Vec<Presence>, Vec<Presence>), String> {
    let all = place.files.presences().map_err(|error| format!("cannot see who is there: {error}"))?;
    let named = |presence: &&Presence| {
        presence.name == word || presence.session == word || word.len() >= LEAST && presence.session.starts_with(word)
    };
    let found: Vec<Presence> = all.into_iter().filter(|presence| named(&presence)).collect();
    let live = found.iter().filter(|presence| presence.state(now) != State::Ended).cloned().collect();
    Ok((found, live))
}
