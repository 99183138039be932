//! The snapshot at the beginning of a turn: what the agent changes after it can be brought back, whatever did it.

use super::manifest::Kind;
use super::save::save;
use super::take::{About, Untaken, manifest, plan};
use super::{Taken, Want};
use ah::clock::Deadline;
use ah::config::{Profile, Snapshot};
use ah::event::{Event, Moment};
use ah::git::{Repo, Vars};
use ah::paths::Paths;
use ah::route;
use ah::session::hash_bytes;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::store::Store;
use crate::policy::Policies;

/// How long one may take; nobody waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Has one taken in the background, where the policy wants it: one process is started and not waited for.
pub fn spawn(event: &Event, policies: &Policies, cwd: &Path) {
    if event.moment != Moment::UserPromptSubmit || event.session_id.is_empty() {
        return;
    }
    let policy = policies.load(None);
    if !policy.guard().snapshot.turns || policy.config.profile == Profile::Ci {
        return;
    }
    // Where nothing is to be recorded, nothing is.
    if route::route(&policy.config, cwd).scope().is_none() {
        return;
    }
    let mut session = OsString::from("--session=");
    session.push(&*event.session_id);
    let mut dir = OsString::from("--cwd=");
    dir.push(cwd);
    detached(&["snapshot".as_ref(), "--turn".as_ref(), &session, &dir]);
}

/// Starts this program once more, on its own and unheard.
pub fn detached(args: &[&OsStr]) {
    // What runs a unit test is another program.
    let Some(own) = std::env::current_exe().ok().filter(|_| !cfg!(test)) else { return };
    let mut command = Command::new(own);
    command.args(args).current_dir("/").process_group(0);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

/// Takes it, if anything changed since this session's last; `None` where nothing did, or where there is no repository.
pub fn take(paths: &Paths, bounds: &Snapshot, session: &str, cwd: &Path) -> Result<Option<Taken>, Untaken> {
    let deadline = Deadline::after(PATIENCE);
    let found = Repo::discover(cwd, &Vars::of_process()).map_err(Untaken::Git)?;
    let Some((repo, tree)) = found.and_then(|repo| Some((repo.clone(), repo.work_tree?))) else { return Ok(None) };
    let want = Want { trees: vec![tree], ..Want::default() };
    let drafts = plan(&want, bounds, Kind::Turn, deadline);
    let print: String = drafts.iter().map(|draft| draft.print.as_str()).collect();
    let fingerprint = hash_bytes(print.as_bytes());
    let store = Store::at(paths, &repo.common_dir);
    if store.exists() {
        let list = store.list(deadline).map_err(Untaken::Git)?;
        let last = list.iter().rev().find(|s| s.kind == Kind::Turn && s.session == session);
        if last.is_some_and(|last| last.fingerprint == fingerprint) {
            return Ok(None);
        }
    }
    let about = About { kind: Kind::Turn, session: session.to_owned(), cwd: cwd.to_owned(), fingerprint, ..About::default() };
    save(paths, bounds, drafts, manifest(&about), deadline).map(Some)
}
