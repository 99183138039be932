//! The files that a job is about: each harness's settings, and the script of a project.

use crate::choice::Choice;
use crate::error::Error;
use crate::source::read_whole;
use ah::git::{Repo, Vars};
use ah::harness::wiring::{self, File, Form, Scope, Wiring};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A settings file, and whose it is.
#[derive(Clone, Debug)]
pub struct Target {
    /// The harness that reads it.
    pub wiring: &'static Wiring,
    /// Its form.
    pub form: Form,
    /// Where it is, as the harness knows it.
    pub path: PathBuf,
    /// Whose settings it holds.
    pub scope: Scope,
}

/// How a variable of the environment is looked up.
pub fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

impl Target {
    /// The person's own settings file of a harness.
    pub fn user(wiring: &'static Wiring) -> Result<Self, Error> {
        let top = wiring.home(&env).ok_or_else(|| Error::Missing("HOME is not set, or not absolute".into()))?;
        Ok(Self::below(wiring, wiring.user, &top, Scope::User))
    }

    fn below(wiring: &'static Wiring, files: &'static [File], top: &Path, scope: Scope) -> Self {
        let (file, path) = Wiring::file(files, top, &|file, path| {
            // Where hooks are already, ours go too; a file that is there and only ever holds hooks is one of those.
            let Ok(bytes) = read_whole(path, crate::source::MOST) else { return false };
            file == files[0] || wiring::found(file.form, &bytes).is_ok_and(|found| !found.is_empty())
        });
        Self { wiring, form: file.form, path, scope }
    }

    /// The settings files that a choice is about.
    pub fn of(choice: &Choice) -> Result<Vec<Self>, Error> {
        match choice.scope {
            Scope::Project => {
                let top = project()?;
                Ok(choice.harnesses.iter().map(|wiring| Self::below(wiring, wiring.project, &top, Scope::Project)).collect())
            }
            Scope::User | Scope::Managed => choice.harnesses.iter().map(|wiring| Self::user(wiring)).collect(),
        }
    }
}

/// The top of the repository in which this process runs.
pub fn project() -> Result<PathBuf, Error> {
    let here = std::env::current_dir().map_err(Error::io("cannot read", Path::new(".")))?;
    let found = Repo::discover(&here, &Vars::of_process()).ok().flatten();
    found
        .and_then(|repo| repo.work_tree)
        .ok_or_else(|| Error::Missing("no repository with files is here; start it in one".into()))
}

/// Whether a harness is on this machine: it has settings, or the shell finds it.
pub fn is_found(wiring: &Wiring) -> bool {
    let path = env("PATH").unwrap_or_default();
    let on_path = || std::env::split_paths(&path).any(|dir| crate::programs::runnable(&dir.join(wiring.client)));
    wiring.home(&env).is_some_and(|folder| folder.is_dir()) || on_path()
}
