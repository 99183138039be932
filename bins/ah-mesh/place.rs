//! To whom a directory belongs, the mesh of that, and what its settings say.

use ah::config::Config;
use ah::mesh::Files;
use ah::paths::Paths;
use ah::route::{Off, Repo, Route, Scope, route};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What becomes of an edit of what another session holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflict {
    /// It goes on, and the agent is told.
    #[default]
    Advise,
    /// A person is asked.
    Ask,
    /// It is stopped.
    Deny,
    /// Nothing is claimed.
    Off,
}

/// Where something happens.
pub struct Place {
    /// The settings there.
    pub config: Config,
    /// What claims do.
    pub conflict: Conflict,
    /// The mesh.
    pub files: Files,
    /// ah's own places.
    pub paths: &'static Paths,
    /// The repository.
    pub repo: Repo,
    /// To whom it belongs.
    pub scope: Scope,
    /// Whether others see what a session was asked.
    pub share_prompt: bool,
}

impl Place {
    /// The place of a directory.
    ///
    /// # Errors
    /// Why nothing of it is recorded.
    pub fn of(dir: &Path) -> Result<Self, Option<Off>> {
        let paths = Paths::from_env().ok_or(None)?;
        let repo = Repo::around(dir).ok_or(Some(Off::Nowhere))?;
        let (config, _) = Config::load(paths, Some(&repo.root));
        let scope = match route(&config, dir) {
            Route::Scope(scope) => scope,
            Route::Off(why) => return Err(Some(why)),
        };
        let section = config.mesh().unwrap_or_default();
        let conflict = match section["claims"].as_str() {
            Some("ask") => Conflict::Ask,
            Some("deny") => Conflict::Deny,
            Some("off") => Conflict::Off,
            _ => Conflict::Advise,
        };
        let share_prompt = section["share_prompt"] == Value::Bool(true);
        let files = Files::at(paths.mesh(&scope.store));
        Ok(Self { config, conflict, files, paths, repo, scope, share_prompt })
    }

    /// The branch that is checked out, without a process; empty where none is.
    pub fn branch(&self) -> String {
        let dot = self.repo.root.join(".git");
        let own = match dot.is_dir() {
            true => Some(dot),
            false => ah::fs::read(&dot, 4 << 10).ok().and_then(|bytes| {
                String::from_utf8(bytes).ok()?.trim().strip_prefix("gitdir:").map(|dir| self.repo.root.join(dir.trim()))
            }),
        };
        let head = own.and_then(|dir: PathBuf| ah::fs::read(&dir.join("HEAD"), 4 << 10).ok()).unwrap_or_default();
        let head = String::from_utf8_lossy(&head);
        ah::quote::line(head.trim().strip_prefix("ref: refs/heads/").unwrap_or_default(), 100)
    }
}
