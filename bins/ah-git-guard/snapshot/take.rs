//! Taking a snapshot: which repositories it is about, and the way from what is wanted to what is stored.

use super::manifest::{Kind, Manifest, Uncovered, path, text};
use super::part::{Asked, Draft, Planned};
use super::save::save;
use super::{Taken, Want};
use ah::clock::{Deadline, now_ms};
use ah::config::Snapshot;
use ah::git::{Repo, Trouble, Vars};
use ah::paths::Paths;
use ah::quote::cut;
use ah::redact::redact;
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The most of a command or a note that is kept, in bytes.
const TEXT: usize = 4_000;
/// The most repositories of one snapshot.
const PARTS: usize = 1_000;

/// What a snapshot is taken for.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// In a word.
    pub kind: Kind,
    /// The session; empty when a person takes it.
    pub session: String,
    /// The harness; empty when a person takes it.
    pub harness: String,
    /// The command that follows it; it is redacted here.
    pub command: String,
    /// Where that command runs.
    pub cwd: PathBuf,
    /// Of a turn: what tells whether anything changed since.
    pub fingerprint: String,
    /// What a person says of it.
    pub note: String,
}

/// Why there is no snapshot.
#[derive(Debug)]
pub enum Untaken {
    /// The store is being tidied.
    Busy,
    /// A process of git's.
    Git(Trouble),
    /// There is nothing that one could hold.
    Nothing,
    /// The store cannot be written.
    Store {
        /// Where.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl fmt::Display for Untaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the store of snapshots is busy"),
            Self::Git(trouble) => trouble.fmt(f),
            Self::Nothing => f.write_str("there is nothing that a snapshot could hold"),
            Self::Store { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

/// Takes a snapshot of what is wanted, in the store of the outermost repository that it is about.
///
/// # Errors
/// No snapshot is there then, and nothing of it is left but files that `prune` sweeps away.
pub fn take(paths: &Paths, bounds: &Snapshot, want: &Want, about: &About, deadline: Deadline) -> Result<Taken, Untaken> {
    save(paths, bounds, plan(want, bounds, about.kind, deadline), manifest(about), deadline)
}

/// A manifest without parts.
pub fn manifest(about: &About) -> Manifest {
    Manifest {
        v: 1,
        t: now_ms(),
        kind: about.kind,
        note: cut(&redact(&about.note), TEXT).into_owned(),
        session: about.session.clone(),
        harness: about.harness.clone(),
        command: cut(&redact(&about.command), TEXT).into_owned(),
        cwd: text(&about.cwd),
        fingerprint: about.fingerprint.clone(),
        ..Manifest::default()
    }
}

/// Finds out what goes in, repository by repository, those met on the way included.
pub fn plan(want: &Want, bounds: &Snapshot, kind: Kind, deadline: Deadline) -> Vec<Draft> {
    let mut plan = Plan { asked: Vec::new(), outside: Vec::new(), vars: Vars::of_process() };
    let unpushed = matches!(kind, Kind::Manual | Kind::Turn);
    for tree in &want.trees {
        match plan.at(tree) {
            Some(asked) => {
                asked.all = true;
                asked.unpushed |= unpushed;
            }
            None => plan.path(tree.clone()),
        }
    }
    for pin in &want.pins {
        let asked = plan.of(&pin.repo);
        asked.whole |= pin.held.is_empty() && !pin.tips.is_empty();
        asked.all |= asked.whole && asked.repo.work_tree.is_some();
        // What only one of two pins takes for held is not.
        asked.held = if asked.tips.is_empty() { pin.held.clone() } else { common(&asked.held, &pin.held) };
        asked.tips.extend(pin.tips.iter().cloned());
        // The name that goes is no reason to leave out what it names.
        asked.held.retain(|oid| !asked.tips.contains(oid));
    }
    let mut given = Vec::new();
    for path in &want.paths {
        let real = settled(path);
        if real != *path {
            given.push((real.clone(), path.clone()));
        }
        plan.path(real);
    }
    let mut drafts = plan.drafts(bounds, unpushed, deadline);
    if kind == Kind::Undo {
        want.paths.iter().map(|path| settled(path)).for_each(|path| absent(&mut drafts, path));
    }
    if let Some(first) = drafts.first_mut() {
        first.given = given;
    }
    drafts
}

/// Notes that nothing is at a path that an undo is going to fill: on the way back it goes again.
fn absent(drafts: &mut [Draft], path: PathBuf) {
    if std::fs::symlink_metadata(&path).is_ok() {
        return;
    }
    let around = drafts.iter_mut().filter(|d| path.starts_with(self::path(&d.part.root)) || d.part.root.is_empty());
    if let Some(draft) = around.max_by_key(|d| d.part.root.len()) {
        let known = draft.files.iter().any(|planned| planned.path == path);
        let planned = Planned { path, what: "", side: false, tracked: true };
        draft.files.extend((!known).then_some(planned));
    }
}

/// Uncovered paths once more as they were given, where a link lies above them.
pub fn as_given(uncovered: &mut Vec<Uncovered>, given: &[(PathBuf, PathBuf)]) {
    for (real, given) in given {
        let about = |u: &&Uncovered| path(&u.what).starts_with(real) || real.starts_with(path(&u.what));
        if let Some(why) = uncovered.iter().find(about).map(|u| u.why.clone()) {
            uncovered.push(Uncovered { what: text(given), why });
        }
    }
}

struct Plan {
    asked: Vec<Asked>,
    outside: Vec<PathBuf>,
    vars: Vars,
}

impl Plan {
    /// What is asked of the repository around a directory; `None` where there is none with a work tree.
    fn at(&mut self, dir: &Path) -> Option<&mut Asked> {
        let dir = dir.ancestors().find(|d| d.is_dir())?;
        // What selects a repository for a command does so for every directory, rightly for those of its work tree.
        let chosen = Repo::discover(dir, &self.vars).ok().flatten().filter(|r| holds(r, dir));
        let (repo, vars) = match chosen {
            Some(repo) => (repo, self.vars.clone()),
            None => {
                let vars = plain(&self.vars);
                (Repo::discover(dir, &vars).ok().flatten().filter(|r| holds(r, dir))?, vars)
            }
        };
        Some(self.asked(repo, vars))
    }

    /// What is asked of a repository that a command has met.
    fn of(&mut self, repo: &Repo) -> &mut Asked {
        let mut vars = plain(&self.vars);
        vars.set("GIT_DIR", &repo.git_dir);
        if let Some(tree) = &repo.work_tree {
            vars.set("GIT_WORK_TREE", tree);
        }
        self.asked(repo.clone(), vars)
    }

    fn asked(&mut self, mut repo: Repo, vars: Vars) -> &mut Asked {
        let same = |a: &Asked| a.repo.git_dir == repo.git_dir && a.repo.work_tree == repo.work_tree;
        let at = self.asked.iter().position(same).unwrap_or_else(|| {
            // The directory of the command may not be there any more.
            repo.cwd = repo.work_tree.clone().filter(|tree| tree.is_dir()).unwrap_or_else(|| repo.git_dir.clone());
            let (paths, tips, held) = Default::default();
            self.asked.push(Asked { repo, vars, all: false, paths, tips, held, unpushed: false, whole: false });
            self.asked.len() - 1
        });
        &mut self.asked[at]
    }

    /// A path at stake: of the repository that it is the top of, else of the one it lies in.
    fn path(&mut self, path: PathBuf) {
        let is_dir = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        // A git directory, and a directory with one in it, stand for the repository.
        let git_dir =
            [path.clone(), path.join(".git")].into_iter().find(|dir| is_dir && dir.is_dir() && dir.join("HEAD").exists());
        if let Some(repo) = git_dir.and_then(|dir| Repo::open(&dir, &Vars::default())) {
            let asked = self.of(&repo);
            asked.whole = true;
            asked.all |= asked.repo.work_tree.is_some();
            return;
        }
        let dir = if is_dir { &path } else { path.parent().unwrap_or(&path) }.to_owned();
        match self.at(&dir) {
            Some(asked) => asked.paths.push(path),
            None => self.outside.push(path),
        }
    }

    fn drafts(mut self, bounds: &Snapshot, unpushed: bool, deadline: Deadline) -> Vec<Draft> {
        let mut drafts = Vec::new();
        if !self.outside.is_empty() {
            let most = usize::try_from(bounds.max_files).unwrap_or(usize::MAX);
            drafts.push(Draft::outside(&self.outside, most));
        }
        let mut next = 0;
        let mut met: BTreeSet<PathBuf> = BTreeSet::new();
        loop {
            for draft in &mut drafts {
                for (tree, whole) in draft.nested.drain(..).filter(|(tree, _)| met.insert(tree.clone())) {
                    match self.at(&tree) {
                        Some(asked) if holds_top(asked, &tree) => {
                            asked.all = true;
                            // A linked tree's repository lies elsewhere.
                            let inside = asked.repo.is_submodule || asked.repo.common_dir.starts_with(&tree);
                            asked.whole |= whole && inside;
                            asked.unpushed |= unpushed;
                        }
                        // `.git` is there, and is no repository: its files are all there is.
                        _ => {
                            draft.uncovered.push(Uncovered { what: text(&tree), why: "a repository that cannot be read".into() })
                        }
                    }
                }
            }
            let Some(asked) = self.asked.get(next).filter(|_| next < PARTS) else { break };
            drafts.push(Draft::of(asked, deadline));
            next += 1;
        }
        for asked in self.asked.iter().skip(next) {
            let what = text(asked.repo.work_tree.as_ref().unwrap_or(&asked.repo.git_dir));
            drafts[0].uncovered.push(Uncovered { what, why: format!("more than {PARTS} repositories") });
        }
        drafts
    }
}

fn holds_top(asked: &Asked, tree: &Path) -> bool {
    std::fs::canonicalize(tree).is_ok_and(|tree| asked.repo.work_tree.as_ref() == Some(&tree))
}

/// Whether a directory lies in the work tree.
fn holds(repo: &Repo, dir: &Path) -> bool {
    let real = std::fs::canonicalize(dir);
    repo.work_tree.as_ref().is_some_and(|tree| real.is_ok_and(|dir| dir.starts_with(tree)))
}

/// The variables without those that select a repository or read paths in another way.
pub fn plain(vars: &Vars) -> Vars {
    let mut vars = vars.clone();
    for name in [
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_ATTR_SOURCE",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
    ] {
        vars.unset(name);
    }
    vars
}

/// A path with the links above its last part resolved.
fn settled(path: &Path) -> PathBuf {
    let above = path.parent().and_then(|dir| std::fs::canonicalize(dir).ok());
    match (above, path.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => path.to_owned(),
    }
}

fn common<T: PartialEq + Clone>(a: &[T], b: &[T]) -> Vec<T> {
    a.iter().filter(|x| b.contains(x)).cloned().collect()
}
