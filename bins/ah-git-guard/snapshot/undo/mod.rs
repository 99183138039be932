//! Bringing back what a snapshot holds: first the plan, then how it is now is kept, then the plan is carried out.

mod choice;
mod commands;
mod files;
mod ground;
mod index;
mod into;
mod plan;
mod refs;
mod spot;
mod table;
mod turn;

pub use commands::{restore, undo};

use super::manifest::{self, Kind, Manifest, Part};
use super::store::Store;
use super::take::{About, Untaken, take};
use super::{Pin, Taken, Want};
use ah::clock::Deadline;
use ah::config::Snapshot;
use ah::git::{Git, Oid, Trouble};
use ah::paths::Paths;
use choice::Chosen;
use files::{Rule, Source};
use ground::{Ground, State};
use plan::{Does, Row, What};
use std::path::{Path, PathBuf};

/// A snapshot that is to be brought back.
struct Undo {
    store: Store,
    manifest: Manifest,
    deadline: Deadline,
    /// A folder of its own, for indexes and files on their way; gone when dropped.
    scratch: Scratch,
}

/// A folder that is removed with its owner.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Undo {
    fn new(chosen: &Chosen, deadline: Deadline) -> Result<Option<Self>, String> {
        let store = chosen.store.clone();
        let manifest = store.read(&chosen.summary.id, deadline).map_err(|t| t.to_string())?;
        // One undo at a time has it; what a killed one left goes first.
        let scratch = store.dir.join("ah/undo.tmp");
        let _ = std::fs::remove_dir_all(&scratch);
        ah::fs::ensure_dir(&scratch).map_err(|e| e.to_string())?;
        Ok(manifest.map(|manifest| Self { store, manifest, deadline, scratch: Scratch(scratch) }))
    }

    fn parts(&self) -> impl DoubleEndedIterator<Item = (usize, &Part)> {
        let mut order: Vec<(usize, &Part)> = self.manifest.parts.iter().enumerate().collect();
        // A repository before those in it.
        order.sort_by_key(|(_, part)| part.root.len());
        order.into_iter()
    }

    /// What would be done.
    fn plan(&self, rule: &Rule<'_>) -> Result<Vec<Row>, Trouble> {
        let mut rows = Vec::new();
        for (at, part) in self.parts() {
            let ground = Ground::of(part);
            let always = !matches!(rule, Rule::Undo { .. });
            let Some((repo, vars)) = ground.repo().filter(|_| ground.state == State::Stands) else {
                rows.extend(ground.row(at, part));
                let again = !matches!(ground.state, State::Files(_));
                let stashes = part.stashes.iter().filter(|_| ground.state == State::Repository);
                let stashes = stashes.filter_map(|(oid, message)| Some(What::Stash(Oid::parse(oid)?, message.clone())));
                rows.extend(stashes.map(|what| Row::new(at, what, Does::BringBack)));
                rows.extend(files::plan(at, part, None, rule)?);
                rows.extend(index::all(at, part).into_iter().filter(|_| again));
                continue;
            };
            let git = Git::new(&repo, &vars, self.deadline)?;
            let refs = refs::plan(at, part, &git, &self.manifest.id)?;
            if repo.work_tree.is_none() {
                rows.extend(refs);
                continue;
            }
            let planned = |name: &str| refs.iter().any(|row| matches!(&row.what, What::Ref(n, ..) if n == name));
            let head = refs::plan_head(at, part, &git)?.filter(|row| !matches!(&row.what, What::Ref(n, ..) if planned(n)));
            let back = head.as_ref().is_some_and(|row| row.does == Does::BringBack);
            let forward = refs.iter().chain(&head).find_map(|row| match &row.what {
                What::Ref(_, oid, plan::Way::Forward { here: true, .. }) => Some(oid.clone()),
                _ => None,
            });
            let will = match forward {
                Some(oid) => Some(oid),
                None if back => Oid::parse(&part.tip),
                None => git.rev_parse("HEAD^{commit}").ok().flatten(),
            };
            rows.extend(refs);
            rows.extend(head);
            rows.extend(files::plan(at, part, Some(&git), rule)?);
            if matches!(rule, Rule::Turn) {
                let own = Git::with_filters(&repo, &vars, self.deadline)?;
                rows.extend(turn::plan(at, part, &own, &self.scratch.0)?);
            }
            rows.extend(index::plan(at, part, &git, will.as_ref(), always)?);
        }
        Ok(rows)
    }

    /// Takes a snapshot of what the rows change. What it cannot hold is not changed.
    fn keep_now(&self, rows: &mut [Row], paths: &Paths, bounds: &Snapshot, cwd: &Path, session: &str) -> Result<Taken, Untaken> {
        let mut want = Want::default();
        for row in rows.iter().filter(|row| row.changes()) {
            want.paths.extend(row.file());
            match &row.what {
                What::Index(path, _) => want.paths.push(path.clone()),
                What::Ref(..) | What::Head(_) | What::Stash(..) => {
                    let part = &self.manifest.parts[row.part];
                    let Some((repo, _)) = Ground::of(part).repo().filter(|_| want.pins.iter().all(|p| !is_of(p, part))) else {
                        continue;
                    };
                    // Nothing is at stake; where every ref is is noted.
                    let tip: Vec<Oid> = repo.resolve("HEAD").ok().flatten().into_iter().collect();
                    want.pins.push(Pin { repo, tips: tip.clone(), held: tip });
                }
                _ => {}
            }
        }
        want.paths.sort_unstable();
        want.paths.dedup();
        let about = About {
            kind: Kind::Undo,
            session: session.to_owned(),
            cwd: cwd.to_owned(),
            command: format!("ah-git-guard restore {}", self.manifest.id),
            ..About::default()
        };
        let taken = take(paths, bounds, &want, &about, self.deadline)?;
        for row in rows.iter_mut().filter(|row| row.changes()) {
            let Some(path) = row.file() else { continue };
            let lost =
                taken.uncovered.iter().find(|u| u.why != super::EMPTY_DIRECTORY && path.starts_with(manifest::path(&u.what)));
            if let Some(lost) = lost.filter(|_| std::fs::symlink_metadata(&path).is_ok()) {
                row.leave(format!("cannot be kept as it is now: {}", lost.why));
            }
        }
        Ok(taken)
    }

    /// Carries the plan out; what fails says so in its row, and the rest goes on.
    fn apply(&self, rows: &mut Vec<Row>) {
        let id = &self.manifest.id;
        for (at, part) in self.parts() {
            let mut changed = rows.iter().filter(|row| row.part == at && row.changes()).peekable();
            if part.root.is_empty() || changed.peek().is_none() {
                continue;
            }
            let git_rows = changed.any(|row| !matches!(row.what, What::File(_)));
            if git_rows && let Err(why) = self.apply_git(at, part, rows) {
                let open = |row: &&mut Row| row.part == at && row.changes() && !matches!(row.what, What::File(_));
                rows.iter_mut().filter(open).for_each(|row| row.fail(why.clone()));
            }
        }
        files::apply(rows, &self.manifest.parts, &Source { store: &self.store, id, deadline: self.deadline });
        // Last, for it looks at the files.
        for (at, part) in self.parts().filter(|(_, part)| !part.root.is_empty()) {
            let Some((repo, vars)) = Ground::of(part).repo() else { continue };
            let Ok(git) = Git::new(&repo, &vars, self.deadline) else { continue };
            index::apply(rows, at, part, &git, id, &self.scratch.0);
        }
    }

    fn apply_git(&self, at: usize, part: &Part, rows: &mut Vec<Row>) -> Result<(), String> {
        let words = |trouble: Trouble| trouble.to_string();
        let ground = Ground::of(part);
        let pack = self.store.pack(&self.manifest.id, at);
        ground.make(part, &pack, self.deadline)?;
        let (repo, vars) = ground.repo().ok_or("its repository is no more")?;
        let git = Git::new(&repo, &vars, self.deadline).map_err(words)?;
        let own = Git::with_filters(&repo, &vars, self.deadline).map_err(words)?;
        if ground.state == State::Repository {
            rows.extend(refs::plan_rest(at, part, &git, &self.manifest.id).map_err(words)?);
        }
        let mine = || rows.iter().filter(|row| row.part == at && row.changes());
        let mut needed: Vec<Oid> = Vec::new();
        for row in mine() {
            match &row.what {
                What::Ref(_, oid, _) | What::Stash(oid, _) => needed.push(oid.clone()),
                What::Index(_, staged) | What::Staging(staged) => {
                    needed.extend(staged.iter().filter(|s| s.mode != "160000").filter_map(|s| Oid::parse(&s.oid)));
                }
                _ => {}
            }
        }
        if pack.exists() && !git.complete(&needed).map_err(words)? {
            git.take_in(&pack).map_err(words)?;
        }
        for row in rows.iter_mut().filter(|row| row.part == at && row.does == Does::BringBack) {
            if let What::Head(branch) = &row.what
                && own.switch(refs::short(branch)).is_err()
            {
                row.leave("files are in the way");
            }
        }
        refs::apply(rows, at, &self.manifest.id, &git, &own);
        turn::apply(rows, at, part, &own, &self.scratch.0);
        Ok(())
    }
}

fn is_of(pin: &Pin, part: &Part) -> bool {
    manifest::text(&pin.repo.git_dir) == part.git_dir
}
