//! What goes into a snapshot for one repository: found out here, read and stored later.

use super::EMPTY_DIRECTORY;
use super::manifest::{self, Part, Staged, Uncovered};
use crate::treasure::secret_name;
use ah::clock::Deadline;
use ah::git::{Entry, Git, Head, Oid, Paths, Repo, State, Trouble, Untracked, Vars};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What is asked of one repository.
pub struct Asked {
    /// The repository, its directory one that exists.
    pub repo: Repo,
    /// The variables by which git meets it.
    pub vars: Vars,
    /// Everything that is changed in its work tree.
    pub all: bool,
    /// Files at stake, absolute, in its work tree.
    pub paths: Vec<PathBuf>,
    /// Commits and stash entries at stake.
    pub tips: Vec<Oid>,
    /// What holds what lies below them.
    pub held: Vec<Oid>,
    /// Commits that no remote is known to have are at stake.
    pub unpushed: bool,
    /// The repository itself is at stake.
    pub whole: bool,
}

/// A file to be read.
#[derive(Debug)]
pub struct Planned {
    /// Absolute.
    pub path: PathBuf,
    /// Why, in a word.
    pub what: &'static str,
    /// It becomes a side file.
    pub side: bool,
    /// That nothing is there is worth a note.
    pub tracked: bool,
}

/// A part before its files are read and its pack is written.
#[derive(Default)]
pub struct Draft {
    /// Without files.
    pub part: Part,
    /// The repository, and how git meets it.
    pub repo: Option<(Repo, Vars)>,
    /// By path.
    pub files: Vec<Planned>,
    /// Objects for the pack besides the part's tips.
    pub blobs: Vec<Oid>,
    /// What the pack leaves out.
    pub held: Vec<Oid>,
    /// What cannot be held.
    pub uncovered: Vec<Uncovered>,
    /// Of files in no repository: the first path.
    pub first: PathBuf,
    /// Paths at stake as they were given, where a link lies above them: the real path first.
    pub given: Vec<(PathBuf, PathBuf)>,
    /// Work trees of other repositories that were met, and whether those repositories are at stake themselves.
    pub nested: Vec<(PathBuf, bool)>,
    /// What tells whether anything changed.
    pub print: String,
}

impl Draft {
    /// Finds out what goes in. What git does not tell is named as not covered.
    pub fn of(asked: &Asked, deadline: Deadline) -> Self {
        let root = asked.repo.work_tree.as_ref().unwrap_or(&asked.repo.git_dir).clone();
        let part = Part {
            root: manifest::text(&root),
            git_dir: manifest::text(&asked.repo.git_dir),
            common_dir: manifest::text(&asked.repo.common_dir),
            ..Part::default()
        };
        let mut draft = Self { part, ..Self::default() };
        let mut files = BTreeMap::new();
        if let Err(trouble) = draft.ask(asked, &root, &mut files, deadline) {
            let why = format!("git does not tell what is there: {trouble}");
            let broad = asked.all || asked.whole || !asked.tips.is_empty();
            // The files are held all the same; what the index has of them may not be.
            let left = if broad { std::slice::from_ref(&root) } else { asked.paths.as_slice() };
            left.iter().for_each(|path| draft.leave(path.clone(), why.clone()));
        }
        // At stake by name: kept whatever git thinks of them.
        for path in &asked.paths {
            draft.named(path, &mut files);
        }
        draft.files = files.into_values().collect();
        draft
    }

    fn ask(
        &mut self,
        asked: &Asked,
        root: &Path,
        files: &mut BTreeMap<PathBuf, Planned>,
        deadline: Deadline,
    ) -> Result<(), Trouble> {
        let git = Git::new(&asked.repo, &asked.vars, deadline)?;
        self.repo = Some((asked.repo.clone(), asked.vars.clone()));
        self.heads(&git)?;
        if asked.all || asked.whole || !asked.tips.is_empty() {
            self.commits(&git, asked)?;
        }
        if asked.repo.work_tree.is_none() {
            return Ok(());
        }
        let inside = |path: &PathBuf| path.strip_prefix(root).ok().map(Path::to_owned);
        let tails: Vec<PathBuf> = asked.paths.iter().filter_map(inside).collect();
        let all = asked.all || tails.iter().any(|tail| tail.as_os_str().is_empty());
        let paths = if all { Paths::All } else { Paths::Exact(&tails) };
        let ignored = all || asked.paths.iter().any(|path| is_dir(path));
        let entries = git.status(paths, Untracked::All, ignored)?;
        self.look(&git, asked, root, &entries, files)?;
        if all {
            self.hidden(&git, root, files)?;
            let kept = asked.repo.submodules().into_iter().filter_map(|m| m.work_tree);
            let named = asked.repo.module_paths().into_iter().map(|path| root.join(path));
            let trees = kept.chain(named).filter(|tree| tree.starts_with(root) && tree.join(".git").exists());
            self.nested.extend(trees.map(|tree| (tree, asked.whole)));
        }
        let tails: Vec<PathBuf> = files.keys().filter_map(inside).collect();
        for tail in git.filtered(&tails)? {
            if let Some(planned) = files.get_mut(&root.join(tail)) {
                planned.side = true;
            }
        }
        Ok(())
    }

    fn heads(&mut self, git: &Git<'_>) -> Result<(), Trouble> {
        let head = git.head()?;
        let (head, tip) = match head {
            Head::Branch(name) => {
                let tip = git.find("HEAD")?.map(|r| r.oid);
                (name, tip)
            }
            Head::Detached(oid) => (oid.to_string(), Some(oid)),
            Head::Unborn(name) => (name, None),
        };
        self.part.tip = tip.map(|oid| oid.to_string()).unwrap_or_default();
        let _ = writeln!(self.print, "{}\n{head}\n{}", self.part.root, self.part.tip);
        self.part.head = head;
        Ok(())
    }

    /// Refs, and the commits that the pack is to hold.
    fn commits(&mut self, git: &Git<'_>, asked: &Asked) -> Result<(), Trouble> {
        let refs: Vec<_> = git.refs("refs/")?.into_iter().filter(|r| r.target.is_none()).collect();
        let stashes = git.stashes()?;
        let (mut tips, mut held) = (asked.tips.clone(), asked.held.clone());
        if asked.unpushed || asked.whole {
            let remote = |name: &str| name.starts_with("refs/remotes/");
            let mine = refs.iter().filter(|r| asked.whole || !remote(&r.name)).map(|r| r.oid.clone());
            tips.extend(mine.chain(stashes.iter().map(|s| s.oid.clone())).chain(Oid::parse(&self.part.tip)));
            held = Vec::new();
            if asked.whole {
                // Reflogs go with the repository.
                tips.extend(git.only_reflog()?.into_iter().map(|commit| commit.oid));
            } else {
                held.extend(refs.iter().filter(|r| remote(&r.name)).map(|r| r.oid.clone()));
            }
        }
        let none: BTreeSet<&Oid> = held.iter().collect();
        let tips: BTreeSet<&Oid> = tips.iter().filter(|oid| !none.contains(oid)).collect();
        let at_stake = stashes.iter().rev().filter(|s| tips.contains(&s.oid));
        self.part.stashes = at_stake.map(|s| (s.oid.to_string(), s.message.clone())).collect();
        self.part.tips = tips.iter().map(|oid| oid.to_string()).collect();
        self.part.whole = held.is_empty() && (asked.whole || !tips.is_empty());
        self.part.refs = refs.into_iter().map(|r| (r.name, r.oid.to_string())).collect();
        for (name, oid) in self.part.refs.iter().chain(&self.part.stashes) {
            let _ = writeln!(self.print, "{name} {oid}");
        }
        if asked.whole || self.part.whole {
            self.part.config = asked.repo.config_text().map(manifest::bytes_text);
            self.part.shallow = asked.repo.shallow().iter().map(Oid::to_string).collect();
            if asked.whole && asked.repo.is_partial() {
                let root = self.part.root.clone();
                self.uncovered.push(Uncovered {
                    what: format!("the repository of {root}"),
                    why: "a partial clone, and what it has not fetched only its remote has".into(),
                });
            }
        }
        self.held = held;
        Ok(())
    }

    /// Turns a status into files, entries of the index and repositories.
    fn look(
        &mut self,
        git: &Git<'_>,
        asked: &Asked,
        root: &Path,
        entries: &[Entry],
        files: &mut BTreeMap<PathBuf, Planned>,
    ) -> Result<(), Trouble> {
        let mut unmerged = Vec::new();
        for entry in entries {
            let path = root.join(&entry.path);
            if entry.path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                if path.join(".git").exists() {
                    self.nested.push((path, asked.whole));
                }
                continue;
            }
            let (what, tracked) = match &entry.state {
                State::Changed { index, tree, modes, staged, submodule, .. } => {
                    if *index != '.' {
                        self.staged(&path, modes[1], staged.as_ref(), 0);
                    }
                    if *submodule {
                        self.nested.extend(path.join(".git").exists().then_some((path, asked.whole)));
                        continue;
                    }
                    // Taken out of the index while the file stays: it is listed once more, as untracked.
                    if *index == 'D' && path.symlink_metadata().is_ok() {
                        continue;
                    }
                    (if *tree == '.' { "staged" } else { "unsaved edit" }, true)
                }
                State::Unmerged { .. } => {
                    unmerged.push(entry.path.clone());
                    ("resolution", true)
                }
                State::Untracked => ("untracked", false),
                State::Ignored if secret_name(&path) => ("secret", false),
                State::Ignored => continue,
            };
            let meta = std::fs::symlink_metadata(&path).ok();
            let seen = meta.map(|m| (m.size(), m.mtime(), m.mtime_nsec(), m.mode()));
            let _ = writeln!(self.print, "{:?} {:?} {seen:?}", entry.path, entry.state);
            plan(files, path, what, tracked);
        }
        if !unmerged.is_empty() {
            for entry in git.index_entries(Paths::Exact(&unmerged))? {
                self.staged(&root.join(entry.path), entry.mode, Some(&entry.oid), entry.stage);
            }
        }
        for dir in asked.paths.iter().filter(|path| is_dir(path)) {
            let inner = crate::glob::repositories_below(dir);
            self.odd(dir, &inner, &mut 20_000);
            self.nested.extend(inner.into_iter().map(|tree| (tree, true)));
        }
        Ok(())
    }

    fn staged(&mut self, path: &Path, mode: u32, oid: Option<&Oid>, stage: u8) {
        let path = manifest::text(path);
        let (mode, oid) = match oid {
            Some(oid) if mode != 0 => (format!("{mode:o}"), oid),
            _ => return self.part.staged.push(Staged { path, mode: "0".into(), oid: String::new(), stage }),
        };
        // A submodule's commit lies in its own repository.
        if mode != "160000" {
            self.blobs.push(oid.clone());
        }
        self.part.staged.push(Staged { path, mode, oid: oid.to_string(), stage });
    }

    /// Edits that the index's own flags hide from a status.
    fn hidden(&mut self, git: &Git<'_>, root: &Path, files: &mut BTreeMap<PathBuf, Planned>) -> Result<(), Trouble> {
        if git.repo().hides() == Some(false) {
            return Ok(());
        }
        let hidden = git.hidden(Paths::All)?;
        // Of a sparse tree, what is there all the same.
        let there = hidden.skipped.into_iter().filter(|path| root.join(path).symlink_metadata().is_ok());
        for path in hidden.assumed.into_iter().chain(there) {
            plan(files, root.join(path), "unsaved edit", true);
        }
        Ok(())
    }

    /// A path that is at stake by its name.
    fn named(&mut self, path: &Path, files: &mut BTreeMap<PathBuf, Planned>) {
        let Ok(meta) = std::fs::symlink_metadata(path) else { return };
        if meta.is_dir() {
            if std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none()) {
                self.leave(path.to_owned(), EMPTY_DIRECTORY.into());
            }
        } else if !files.contains_key(path) {
            plan(files, path.to_owned(), "at stake", false);
        }
    }

    /// What a status does not list below a directory: empty directories and what is no file.
    fn odd(&mut self, dir: &Path, apart: &[PathBuf], budget: &mut u32) {
        let mut entries = std::fs::read_dir(dir).into_iter().flatten().flatten().peekable();
        if entries.peek().is_none() {
            self.leave(dir.to_owned(), EMPTY_DIRECTORY.into());
        }
        for entry in entries {
            *budget = budget.saturating_sub(1);
            let (path, kind) = (entry.path(), entry.file_type());
            match kind {
                _ if *budget == 0 => return,
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" && !apart.contains(&path) => {
                    self.odd(&path, apart, budget);
                }
                Ok(kind) if !kind.is_dir() && !kind.is_file() && !kind.is_symlink() => self.leave(path, NO_FILE.into()),
                _ => {}
            }
        }
    }

    /// Files that lie in no repository; a directory stands for all in it.
    pub fn outside(paths: &[PathBuf], most: usize) -> Self {
        let mut draft = Self { first: paths.first().cloned().unwrap_or_default(), ..Self::default() };
        let mut files = BTreeMap::new();
        let mut todo: Vec<PathBuf> = paths.iter().rev().cloned().collect();
        while let Some(path) = todo.pop() {
            if files.len() > most {
                draft.leave(path, format!("more than {most} files"));
                continue;
            }
            if !is_dir(&path) {
                draft.named(&path, &mut files);
                continue;
            }
            match std::fs::read_dir(&path) {
                Ok(entries) => {
                    let mut inner: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
                    inner.sort_unstable();
                    if inner.is_empty() {
                        draft.leave(path.clone(), EMPTY_DIRECTORY.into());
                    }
                    if inner.iter().any(|p| p.ends_with(".git")) && !paths.contains(&path) {
                        draft.nested.push((path, true));
                    } else {
                        todo.extend(inner.into_iter().rev());
                    }
                }
                Err(e) => draft.leave(path, e.to_string()),
            }
        }
        draft.files = files.into_values().collect();
        draft
    }

    /// Names what is not held.
    pub fn leave(&mut self, path: PathBuf, why: String) {
        self.uncovered.push(Uncovered { what: manifest::text(&path), why });
    }
}

/// What is no file and no link.
pub const NO_FILE: &str = "a socket, FIFO or device";

fn plan(files: &mut BTreeMap<PathBuf, Planned>, path: PathBuf, what: &'static str, tracked: bool) {
    let secret = secret_name(&path);
    let what = if secret && what == "at stake" { "secret" } else { what };
    files.entry(path.clone()).or_insert(Planned { path, what, side: secret, tracked });
}

fn is_dir(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}
