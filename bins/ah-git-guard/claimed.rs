//! What a commit takes along that another session holds: told, never stopped.

use crate::own::making::Making;
use crate::policy::Policies;
use crate::site;
use ah::clock::now_ms;
use ah::event::Event;
use ah::git::{Git, Paths, Repo, Untracked, Vars};
use ah::mesh::{Board, Claim, Files};
use ah::quote;
use ah::route::route;
use std::path::{Path, PathBuf};

/// Most files that are named.
const NAMED: usize = 5;

/// What to tell an agent whose line commits what others hold. What it holds itself is free once it is committed.
///
/// Where there is no mesh this is one look that finds none.
pub fn committed(event: &Event, makings: &[Making], policies: &Policies) -> Option<String> {
    let commits =
        |making: &&Making| making.acts.iter().any(|act| ["amend:", "commit:", "fixup:"].iter().any(|kind| act.starts_with(kind)));
    let taken: Vec<Claim> = makings.iter().filter(commits).filter_map(|making| take(event, making, policies)).flatten().collect();
    let first = taken.first()?;
    let mut text = "ah-git-guard: this commit takes along what another session works on:\n".to_owned();
    for claim in taken.iter().take(NAMED) {
        text += &format!("- {}: {}\n", quote::line(&claim.path, 200), quote::line(&claim.name, 64));
    }
    if taken.len() > NAMED {
        text += &format!("and {} more\n", taken.len() - NAMED);
    }
    let name = quote::line(&first.name, 64);
    Some(text + &format!("If that is not meant, commit by path, and tell them: ah-mesh tell {name} TEXT"))
}

/// The claims of others on what a commit takes.
fn take(event: &Event, making: &Making, policies: &Policies) -> Option<Vec<Claim>> {
    if !policies.paths?.data_home().join("collectives").exists() {
        return None;
    }
    let vars = Vars::of_process();
    let repo = Repo::discover(&making.dir, &vars).ok()??;
    let tree = repo.work_tree.clone()?;
    let scope = route(&policies.load(Some(&tree)).config, &tree).scope()?;
    let files = Files::at(policies.paths?.mesh(&scope.store));
    if !files.path("claims").exists() {
        return None;
    }
    let now = now_ms();
    let mut claims = files.claims().ok()?;
    claims.retain(|claim| Path::new(&claim.worktree) == tree && claim.holds(now));
    if claims.is_empty() {
        return None;
    }
    let paths: Vec<PathBuf> = claims.iter().map(|claim| PathBuf::from(&claim.path)).collect();
    let git = Git::new(&repo, &vars, site::deadline()).ok()?;
    let dirty = git.status(Paths::Exact(&paths), Untracked::All, false).ok()?;
    let staged = |path: &Path| making.stages.iter().any(|stage| tree.join(path).starts_with(stage));
    claims.retain(|claim| {
        let path = Path::new(&claim.path);
        dirty.iter().any(|entry| entry.path == path && (entry.in_index() || entry.in_tree() && staged(path)))
    });
    let (own, others): (Vec<Claim>, Vec<Claim>) = claims.into_iter().partition(|claim| claim.by == event.session_id);
    for claim in own.iter().filter(|claim| claim.until == 0) {
        // One that stays runs out by itself.
        let _ = files.release(&claim.by, Some(&claim.key));
    }
    Some(others.into_iter().filter(|claim| files.lives(&claim.by, now)).collect())
}
