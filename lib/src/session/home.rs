//! To whom a session belongs, decided before anything of it is read or written.

use super::Session;
use crate::config::Config;
use crate::event::Event;
use crate::paths::Paths;
use crate::route::{Off, Repo, Route, Scope, real, route, route_target};
use std::cell::OnceCell;
use std::io;
use std::path::{Path, PathBuf};

/// Where a session works, and its log.
#[derive(Debug)]
pub struct Home<'p> {
    /// The settings there.
    pub config: Config,
    /// The repository's folder.
    pub root: PathBuf,
    /// To whom it belongs.
    pub scope: Scope,
    /// Its log.
    pub session: Session,
    paths: &'p Paths,
    /// The repository's folder, links resolved.
    tree: OnceCell<PathBuf>,
}

/// Whose a path is, seen from a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// To whom the session belongs: from the repository's folder where it lies there, else absolute.
    Here(String),
    /// To somebody else, or nothing of it may be recorded.
    Elsewhere,
    /// To nobody: it lies in no repository.
    Nowhere,
}

impl<'p> Home<'p> {
    /// `None` where nothing of the session may be recorded, or where it cannot be known to whom it belongs; `say` is
    /// told why.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn of(paths: &'p Paths, event: &Event, say: &dyn Fn(&str)) -> io::Result<Option<Self>> {
        let cwd = Path::new(&*event.cwd);
        if event.session_id.is_empty() {
            say("the event names no session");
            return Ok(None);
        }
        let Some(Repo { root, .. }) = Repo::around(cwd) else {
            say("the session works in no repository");
            return Ok(None);
        };
        let (config, _) = Config::load(paths, Some(&root));
        let Route::Scope(scope) = route(&config, cwd) else {
            say("nothing of this directory is recorded");
            return Ok(None);
        };
        let session = Session::open(paths, &event.session_id, &scope.store)?;
        // What was recorded for one collective is no other's business, wherever the session went since.
        if session.scope() != scope.store {
            say("the session belongs to another scope than this directory");
            return Ok(None);
        }
        Ok(Some(Self { config, root, scope, session, paths, tree: OnceCell::new() }))
    }

    /// Whose a path is that a tool call in `cwd` names.
    #[must_use]
    pub fn whose(&self, cwd: &Path, path: &str) -> Belongs {
        let full = cwd.join(path);
        // Where nothing is said of folders, all of a repository belongs to one; and that is quickly told.
        if self.config.off.is_empty() && self.config.collectives.is_empty() && full.is_absolute() && !path.contains('\0') {
            let at = real(&full);
            let tree = self.tree.get_or_init(|| real(&self.root));
            if let Ok(inside) = at.strip_prefix(tree)
                && Repo::around(&at).is_some_and(|repo| repo.root == *tree)
            {
                return Belongs::Here(inside.to_string_lossy().into_owned());
            }
        }
        match route_target(&self.config, self.paths, &full) {
            Route::Scope(scope) if scope.store == self.scope.store => {
                let inside = full.strip_prefix(&self.root).unwrap_or(&full);
                Belongs::Here(inside.to_string_lossy().into_owned())
            }
            Route::Off(Off::Nowhere) => Belongs::Nowhere,
            _ => Belongs::Elsewhere,
        }
    }
}
