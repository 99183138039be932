//! To whom what happens at a path belongs; decided before anything is read or written of it.
//!
//! `Off` is the answer wherever it is not certain: an invalid config, an unknown directory, no repository. Nothing
//! here writes, and a hook that is told `Off` leaves no trace.

mod place;
mod repo;

pub use place::real;
pub use repo::{Repo, remote_id};

use crate::config::{Collective, Config, Share, repo_is_off};
use crate::paths::Paths;
use place::Place;
use std::path::Path;

/// Where something belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// Nothing of it is recorded or sent.
    Off(Off),
    /// It belongs there.
    Scope(Scope),
}

/// Why nothing is recorded, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Off {
    /// The config says that what belongs to no collective is off.
    Default,
    /// The config has a mistake, or names a collective that does not exist.
    Invalid,
    /// It lies in a path that is off, or its repository says so.
    Listed,
    /// It lies in no repository, or where is not known.
    Nowhere,
    /// `AH_OFF` is set.
    Silent,
}

/// A collective, or one repository on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The collective's name; `None`: this repository on this machine, never shared.
    pub collective: Option<String>,
    /// The repository's id ([`Repo::id`]).
    pub repo: String,
    /// The repository's name for people.
    pub name: String,
    /// The name of the folder in which it is kept.
    pub store: String,
}

impl Route {
    /// The scope, if there is one.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::Off(_) => None,
            Self::Scope(scope) => Some(scope),
        }
    }
}

/// Routes a directory: `off` wins, then the collective with the deepest path around it, then the default.
///
/// Paths are compared by whole parts, as written and with links resolved.
#[must_use]
pub fn route(config: &Config, dir: &Path) -> Route {
    if config.silent {
        return Route::Off(Off::Silent);
    }
    if config.invalid {
        return Route::Off(Off::Invalid);
    }
    let Some(place) = Place::of(dir) else {
        return Route::Off(Off::Nowhere);
    };
    if config.off.iter().any(|off| place.depth_in(off).is_some()) {
        return Route::Off(Off::Listed);
    }
    let Some(repo) = place.repo() else {
        return Route::Off(Off::Nowhere);
    };
    let owner = config
        .collectives
        .iter()
        .filter_map(|c| Some((c.paths.iter().filter_map(|p| place.depth_in(p)).max()?, c)))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, collective)| collective);
    let named = |name: &str| config.collectives.iter().find(|c| c.name == name);
    match (owner, config.default.as_deref()) {
        (Some(collective), _) => Route::Scope(scope(Some(collective), &repo)),
        (None, Some("off")) => Route::Off(Off::Default),
        (None, Some("repo")) => Route::Scope(scope(None, &repo)),
        (None, Some(name)) => named(name).map_or(Route::Off(Off::Invalid), |c| Route::Scope(scope(Some(c), &repo))),
        // Who lists collectives has said what is to be recorded; who wrote nothing about it gets what is private.
        (None, None) if config.collectives.is_empty() => Route::Scope(scope(None, &repo)),
        (None, None) => Route::Off(Off::Default),
    }
}

/// Routes the target of a tool call, which may lie in another repository than the session and need not exist.
///
/// That repository's own `.ah/config.json` is asked whether it is off.
#[must_use]
pub fn route_target(config: &Config, paths: &Paths, target: &Path) -> Route {
    let routed = route(config, target);
    let Route::Scope(_) = &routed else {
        return routed;
    };
    let repo = Place::of(target).and_then(|place| place.repo());
    match repo {
        Some(repo) if config.repo.as_deref() != Some(&*repo.root) && repo_is_off(paths, &repo.root) => Route::Off(Off::Listed),
        _ => routed,
    }
}

/// Whether anything of `scope` may leave this machine by the config as it is now. Whoever opens a connection asks
/// this first; there is no other gate.
#[must_use]
pub fn may_sync(config: &Config, scope: &Scope) -> bool {
    let Some(name) = &scope.collective else {
        return false;
    };
    let same = |c: &&Collective| c.name == *name || c.store.eq_ignore_ascii_case(&scope.store);
    let mut sharing = config.collectives.iter().filter(same).peekable();
    !config.invalid && !config.silent && sharing.peek().is_some() && sharing.all(|c| c.share == Share::Team)
}

fn scope(collective: Option<&Collective>, repo: &Repo) -> Scope {
    let (id, name) = repo.id_and_name();
    let store = match collective {
        Some(collective) => collective.store.clone(),
        // No collective's folder begins with a dot.
        None => format!(".repo-{}", &blake3::hash(id.as_bytes()).to_hex()[..16]),
    };
    Scope { collective: collective.map(|c| c.name.clone()), repo: id, name, store }
}
