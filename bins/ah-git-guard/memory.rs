//! Whose work something is: what a session found when it began, and what it wrote since (the `own` lines of its log).

use crate::site::{Site, deadline};
use ah::clock::now_ms;
use ah::config::Config;
use ah::event::Event;
use ah::git::{Entry, Repo, State, Vars};
use ah::paths::Paths;
use ah::route;
use ah::session::{self, Own, Seen, Session, hash_bytes, hash_file, path_text};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

pub use ah::session::Whose;

/// What is remembered of a session; of none: nothing.
#[derive(Default)]
pub struct Memory {
    session: Option<Session>,
    folded: OnceCell<session::Memory>,
}

/// How the memory is had once it is needed.
pub type Recall<'l> = &'l dyn Fn() -> Memory;

/// A path that a call writes, with its text where that is known beforehand.
pub type Written = (PathBuf, Option<String>);

impl Memory {
    /// The memory of the session that sent `event`; none where nothing may be recorded.
    pub fn of(event: &Event, config: &Config, paths: Option<&Paths>, cwd: &Path) -> Self {
        let open = || {
            let scope = route::route(config, cwd).scope()?;
            Session::open(paths?, &event.session_id, &scope.repo).ok()
        };
        Self { session: (!event.session_id.is_empty()).then(open).flatten(), folded: OnceCell::new() }
    }

    /// Whose the present content of a path in a work tree is.
    pub fn whose(&self, tree: &Path, path: &Path) -> Whose {
        let Some(session) = &self.session else { return Whose::Unknown };
        let folded = self.folded.get_or_init(|| session.memory().unwrap_or_default());
        folded.whose(&path_text(tree), path, hash_file(path).as_deref())
    }

    /// Notes what is dirty and untracked in the work tree around `cwd`, once per session and tree.
    pub fn begin(&self, cwd: &Path) {
        let Some(session) = &self.session else { return };
        let vars = Vars::of_process();
        let Ok(Some(repo)) = Repo::discover(cwd, &vars) else { return };
        let Some(tree) = repo.work_tree.clone() else { return };
        let known = session.file().exists() && session.memory().is_ok_and(|m| m.knows(&path_text(&tree)));
        if known {
            return;
        }
        let site = Site::new(repo, vars, deadline());
        // Where git cannot say, everything that is there counts as a person's.
        let entries = site.status(&tree, &[], false);
        let seen = entries
            .as_ref()
            .map(|all| all.iter().filter(|e| e.state != State::Ignored).map(|e| seen(&tree, e)).collect())
            .unwrap_or_default();
        let name = path_text(&tree);
        let _ = session.remember(now_ms(), &format!("start:{name}"), Own::start(&name, seen, entries.is_err()));
    }

    /// Notes what a call that goes on writes.
    pub fn wrote(&self, event: &Event, written: &[Written]) {
        let Some(session) = self.session.as_ref().filter(|_| !written.is_empty()) else { return };
        let seen = written
            .iter()
            .map(|(path, text)| Seen { path: path_text(path), hash: text.as_ref().map(|t| hash_bytes(t.as_bytes())) });
        let _ = session.remember(now_ms(), &event.tool_use_id, Own::wrote(seen.collect(), &event.tool_name));
    }
}

fn seen(tree: &Path, entry: &Entry) -> Seen {
    let path = tree.join(&entry.path);
    Seen { hash: hash_file(&path), path: path_text(&path) }
}
