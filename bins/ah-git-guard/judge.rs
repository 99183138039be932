//! The judge: finds repositories, loads what they hold into a world, and keeps what was learned for the whole line.

use crate::call::Call;
use crate::hits::{Hits, absolute};
use crate::invocation::Invocation;
use crate::own::memory::Memory;
use crate::place::Temporary;
use crate::policy::Policy;
use crate::site::Site;
use crate::treasure::{Holder, Kind, Treasure, secret_name};
use crate::verdict::{Finding, Loss};
use crate::world::{Side, SiteId, World};
use ah::clock::Deadline;
use ah::git::{Entry, Repo, State, Trouble, Vars};
use ah::shell::{Command, EnvValue, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Everything that stays the same in all worlds of one line.
pub struct Judge<'a> {
    /// Repositories met so far.
    pub sites: Vec<Site>,
    /// The policy in force.
    pub policy: &'a Policy,
    /// What this session did before.
    pub memory: &'a Memory,
    /// Where nothing is meant to stay.
    pub temporary: Temporary,
    /// The hook's own environment.
    pub vars: Vars,
    /// When the verdict must be there.
    pub deadline: Deadline,
    /// The command before in the same pipe: its words and where it ran.
    pub before: Option<(Vec<Word>, PathBuf)>,
    /// What `find` last listed, for its own `-exec`.
    pub found: Option<Vec<PathBuf>>,
}

/// Files that tools make anew by themselves, ignored or not.
fn made_again(path: &Path) -> bool {
    let part = |c: std::path::Component| {
        matches!(
            c.as_os_str().to_str(),
            Some("__pycache__" | ".pytest_cache" | ".mypy_cache" | ".ruff_cache" | "node_modules" | ".DS_Store")
        )
    };
    path.components().any(part) || path.extension().is_some_and(|e| e == "pyc")
}

/// A patch that comes through a pipe from `git diff`.
pub struct PatchSource {
    /// It is the difference of the work tree itself.
    pub own_diff: bool,
    /// It was printed with `-R`.
    pub reversed: bool,
    /// It is the index's difference.
    pub cached: bool,
    /// Which paths it is limited to; empty: all.
    pub paths: Vec<Word>,
}

impl<'a> Judge<'a> {
    /// A judge for one line.
    pub fn new(cwd: &Path, policy: &'a Policy, memory: &'a Memory, vars: Vars, deadline: Deadline) -> Self {
        let temporary = Temporary::new(cwd, vars.path("TMPDIR"));
        Self { temporary, sites: Vec::new(), policy, memory, vars, deadline, before: None, found: None }
    }

    /// The repository that a git command meets; `None` when git would find none.
    pub fn site_of(&mut self, cwd: &Path, invocation: &Invocation, command: &Command) -> Result<Option<SiteId>, Trouble> {
        let mut vars = self.vars.clone();
        for (name, value) in command.env.iter() {
            match value {
                EnvValue::Set(text) => vars.set(name, text),
                EnvValue::Unset => vars.unset(name),
                EnvValue::Unknown => {}
            }
        }
        for (name, word) in [("GIT_DIR", &invocation.git_dir), ("GIT_WORK_TREE", &invocation.work_tree)] {
            if let Some(text) = word.as_ref().and_then(Word::literal) {
                vars.set(name, text);
            }
        }
        for (key, value) in &invocation.overrides {
            if let Some(text) = value.as_ref().map_or(Some("true"), Word::literal) {
                vars.add_config(key, Some(text));
            }
        }
        let plain = command.env.is_empty()
            && invocation.overrides.is_empty()
            && invocation.git_dir.is_none()
            && invocation.work_tree.is_none();
        self.find(cwd, vars, plain)
    }

    /// The repository around a directory.
    pub fn site_at(&mut self, dir: &Path) -> Result<Option<SiteId>, Trouble> {
        let Some(dir) = dir.ancestors().find(|d| d.is_dir()).map(Path::to_owned) else { return Ok(None) };
        self.find(&dir, self.vars.clone(), true)
    }

    fn find(&mut self, cwd: &Path, vars: Vars, plain: bool) -> Result<Option<SiteId>, Trouble> {
        if !cwd.is_dir() {
            return Ok(None);
        }
        let Some(repo) = Repo::discover(cwd, &vars)? else { return Ok(None) };
        if plain
            && let Some(id) = self.sites.iter().position(|s| s.repo.git_dir == repo.git_dir && s.repo.work_tree == repo.work_tree)
        {
            return Ok(Some(id));
        }
        self.sites.push(Site::new(repo, vars, self.deadline));
        Ok(Some(self.sites.len() - 1))
    }

    /// What a world knows of a repository is kept under the first site of it: `git -c k=v` asks with other settings, and
    /// is a site of its own, but meets the same refs and the same stash.
    pub fn first(&self, id: SiteId) -> SiteId {
        self.sites.iter().position(|s| s.repo.git_dir == self.sites[id].repo.git_dir).unwrap_or(id)
    }

    /// Whether something is at `path` in this world.
    pub fn exists(&self, world: &World, path: &Path) -> bool {
        if world.created.contains(path) {
            return true;
        }
        if path.ancestors().any(|p| world.removed.contains(p)) {
            return false;
        }
        std::fs::symlink_metadata(path).is_ok()
    }

    /// Whether a directory is at `path` in this world.
    pub fn is_dir(&self, world: &World, path: &Path) -> bool {
        self.exists(world, path) && (path.is_dir() || world.created.iter().any(|c| c.starts_with(path) && c != path))
    }

    /// Everything that git does not hold in the work tree and the index of `call`'s repository.
    pub fn load_all(&mut self, world: &mut World, call: &Call) -> Result<Hits, Trouble> {
        let site = &self.sites[call.site];
        if site.repo.work_tree.is_some() {
            let root = site.root.clone();
            let entries = site.status(&root, &[], false)?;
            self.learn(world, call.site, &entries);
        }
        Ok(Hits::all())
    }

    /// Untracked files, with `ignored` also ignored secrets.
    pub fn load_untracked(&mut self, world: &mut World, call: &Call, ignored: bool) -> Result<(), Trouble> {
        let root = self.sites[call.site].root.clone();
        let entries = self.sites[call.site].status(&root, &[], ignored)?;
        self.learn(world, call.site, &entries);
        Ok(())
    }

    /// What pathspecs match, loaded; an unknown one matches everything.
    pub fn hits(&mut self, world: &mut World, call: &Call, words: &[Word]) -> Result<Hits, Trouble> {
        let listed = call.listed_paths();
        let words = match &listed {
            Some(None) => return self.load_all(world, call),
            Some(Some(list)) => list.as_slice(),
            None => words,
        };
        if words.iter().any(|w| matches!(w, Word::Unknown(_))) {
            return self.load_all(world, call);
        }
        if words.is_empty() {
            return Ok(Hits::default());
        }
        let specs: Vec<OsString> = words.iter().map(|w| OsString::from(w.text())).collect();
        let site = &self.sites[call.site];
        let ignored = matches!(call.invocation.verb(), Some("add" | "stage")) && call.options.has("force");
        let entries = match site.status(&call.cwd, &specs, ignored) {
            Ok(entries) => entries,
            // A path outside the repository, or a pattern git cannot read: git refuses the command too.
            Err(Trouble::Failed { .. }) => return Ok(Hits::default()),
            Err(trouble) => return Err(trouble),
        };
        let root = site.root.clone();
        self.learn(world, call.site, &entries);
        let mut hits = Hits::default();
        hits.paths.extend(entries.iter().map(|e| root.join(&e.path)));
        hits.under = words
            .iter()
            .filter(|w| !w.text().starts_with(':') && !w.text().contains(['*', '?', '[']))
            .map(|w| absolute(&call.cwd, w.text()))
            .collect();
        Ok(hits)
    }

    /// Whether a plain path among the words names nothing: then git refuses the whole command.
    pub fn unmatched(&self, world: &World, call: &Call, words: &[Word], hits: &Hits) -> bool {
        let plain = |w: &&Word| w.literal().is_some_and(|t| !t.starts_with(':') && !t.contains(['*', '?', '[']));
        words.iter().filter(plain).any(|w| {
            let path = absolute(&call.cwd, w.text());
            !self.exists(world, &path) && !hits.paths.iter().any(|p| p.starts_with(&path)) && !world.removed.contains(&path)
        })
    }

    /// What a file or directory holds that nothing else does, loaded from the repository it lies in.
    pub fn load_path(&mut self, world: &mut World, path: &Path) -> Result<Option<SiteId>, Trouble> {
        let around = if path.is_dir() && !path.is_symlink() { path } else { path.parent().unwrap_or(path) };
        let Some(id) = self.site_at(around)? else { return Ok(None) };
        let site = &self.sites[id];
        if site.repo.work_tree.is_none() || !path.starts_with(&site.root) {
            return Ok(Some(id));
        }
        let entries = site.status_below(path, true)?;
        let root = site.root.clone();
        let shown = entries.iter().any(|e| root.join(&e.path) == path);
        let hidden = if shown { Vec::new() } else { site.hidden_below(path)? };
        self.learn(world, id, &entries);
        for path in hidden {
            world.add(Side::Tree, Treasure::new(Kind::Edit, &path, vec![Holder::Tree(path.clone())]));
        }
        Ok(Some(id))
    }

    /// Turns the entries of a status into content with its holders.
    pub fn learn(&self, world: &mut World, id: SiteId, entries: &[Entry]) {
        let site = &self.sites[id];
        for entry in entries {
            let path = site.root.join(&entry.path);
            if entry.path.as_os_str().as_encoded_bytes().ends_with(b"/") {
                if entry.state == State::Ignored {
                    for secret in site.secrets_below(&path) {
                        world.add(Side::Tree, Treasure::new(Kind::Secret, &secret, vec![Holder::Tree(secret.clone())]));
                    }
                }
                continue;
            }
            let tree = || Holder::Tree(path.clone());
            let index = || Holder::Index(path.clone());
            match &entry.state {
                State::Changed { submodule: true, .. } => {}
                State::Changed { index: i, tree: t, staged, head, .. } => {
                    let fresh = staged != head;
                    let mut add = |side, kind, holders| {
                        let mut treasure = Treasure::new(kind, &path, holders);
                        treasure.fresh = head.is_none();
                        treasure.listed = *t == 'A' || (*i == 'A' && staged.as_ref().is_none_or(|o| o.is_zero()));
                        treasure.blob = staged.as_ref().filter(|_| side == Side::Index).map(|o| o.as_str().to_owned());
                        world.add(side, treasure);
                    };
                    match (*i, *t) {
                        ('.', 'D') | ('D', '.') => {}
                        ('.', _) => add(Side::Tree, Kind::Edit, vec![tree()]),
                        // Intent to add: the index holds an empty place, the file its content.
                        ('A', _) if staged.as_ref().is_none_or(|o| o.is_zero()) => add(Side::Tree, Kind::Edit, vec![tree()]),
                        ('D', _) => add(Side::Tree, Kind::Untracked, vec![tree()]),
                        (_, '.') if fresh => add(Side::Index, Kind::Staged, vec![index(), tree()]),
                        (_, '.') => {}
                        (_, 'D') => add(Side::Index, Kind::Staged, vec![index()]),
                        _ => {
                            add(Side::Index, Kind::Staged, vec![index()]);
                            add(Side::Tree, Kind::Edit, vec![tree()]);
                        }
                    }
                }
                State::Unmerged { .. } => world.add(Side::Tree, Treasure::new(Kind::Resolution, &path, vec![tree()])),
                State::Untracked if made_again(&entry.path) => {}
                State::Untracked => world.add(Side::Tree, Treasure::new(Kind::Untracked, &path, vec![tree()])),
                State::Ignored if secret_name(&path) => world.add(Side::Tree, Treasure::new(Kind::Secret, &path, vec![tree()])),
                State::Ignored => {}
            }
        }
    }

    /// Edits that the index hides from a status.
    pub fn load_hidden(&mut self, world: &mut World, id: SiteId) -> Result<(), Trouble> {
        if self.sites[id].repo.work_tree.is_some() {
            for path in self.sites[id].assumed()? {
                world.add(Side::Tree, Treasure::new(Kind::Edit, &path, vec![Holder::Tree(path.clone())]));
            }
        }
        Ok(())
    }

    /// Ignored files that a tree holding `paths` would take the place of.
    pub fn load_ignored(&mut self, world: &mut World, id: SiteId, paths: &BTreeSet<PathBuf>) -> Result<(), Trouble> {
        let root = self.sites[id].root.clone();
        let entries = self.sites[id].status(&root, &[], true)?;
        self.learn(world, id, &entries);
        for entry in entries.iter().filter(|e| e.state == State::Ignored) {
            let path = root.join(&entry.path);
            if paths.contains(&path) && path.is_file() {
                world.add(Side::Tree, Treasure::new(Kind::Ignored, &path, vec![Holder::Tree(path.clone())]));
            }
        }
        Ok(())
    }

    /// The index entry moves with its file.
    pub fn move_index(&self, world: &mut World, from: &Path, to: &Path) {
        for treasure in &mut world.treasures {
            let moved: Vec<PathBuf> = treasure
                .holders
                .iter()
                .filter_map(|h| if let Holder::Index(p) = h { p.strip_prefix(from).ok().map(Path::to_owned) } else { None })
                .collect();
            for tail in moved {
                let old = if tail.as_os_str().is_empty() { from.to_owned() } else { from.join(&tail) };
                let new = if tail.as_os_str().is_empty() { to.to_owned() } else { to.join(&tail) };
                treasure.release(|h| matches!(h, Holder::Index(p) if *p == old));
                treasure.hold(Holder::Index(new));
            }
        }
    }

    /// What `git apply` reads, when the command before in the pipe is `git diff`.
    pub fn patch_source(&self) -> Option<PatchSource> {
        let (words, _) = self.before.clone()?;
        let earlier = Command { words, ..Command::default() };
        if earlier.program() != Some("git") {
            return None;
        }
        let invocation = Invocation::read(&earlier);
        if invocation.verb() != Some("diff") {
            return None;
        }
        let options = crate::options::Options::read("R: :cached :staged", &invocation.args);
        // Operands are paths where they exist; a diff of two commits is not the work tree's own.
        let own_diff = options.operands.iter().all(|w| w.literal().is_none_or(|t| !t.contains("..")));
        let paths = match options.before_dashes {
            Some(_) => options.after_dashes().to_vec(),
            None => options.operands.iter().filter(|w| !matches!(w.literal(), Some("HEAD" | "@"))).cloned().collect(),
        };
        Some(PatchSource { own_diff, reversed: options.has("R"), cached: options.has("cached") || options.has("staged"), paths })
    }

    /// Whether a word names something in the directory that git runs in.
    pub fn path_exists(&self, call: &Call, word: &Word) -> bool {
        word.literal().is_some_and(|t| std::fs::symlink_metadata(absolute(&call.cwd, t)).is_ok())
    }

    /// Whether a repository holds anything that an unknown command could lose: changes, stashes, unpushed commits.
    pub fn at_stake(&self, id: SiteId) -> bool {
        let site = &self.sites[id];
        let changed = site.repo.work_tree.is_some() && site.status(&site.root, &[], false).is_ok_and(|all| !all.is_empty());
        changed || site.stashes().is_ok_and(|all| !all.is_empty()) || site.unpushed().unwrap_or(true)
    }

    /// Lines added and removed in the files that would be lost, asked of git in one go.
    pub fn line_counts(&self, findings: &[Finding]) -> BTreeMap<PathBuf, (u64, u64)> {
        let mut out = BTreeMap::new();
        let paths = findings
            .iter()
            .flat_map(|f| &f.losses)
            .filter_map(|l| if let Loss::File { path, .. } = l { Some(path) } else { None });
        let paths: Vec<&PathBuf> = paths.take(Finding::MOST).collect();
        for site in self.sites.iter().filter(|s| s.repo.work_tree.is_some()) {
            let here: Vec<PathBuf> = paths.iter().filter_map(|p| p.strip_prefix(&site.root).ok().map(Path::to_owned)).collect();
            if here.is_empty() {
                continue;
            }
            let counted = site
                .git("diff --numstat")
                .and_then(|git| git.numstat(ah::git::Paths::Exact(&here), ah::git::Against::HeadToTree));
            out.extend(
                counted.unwrap_or_default().into_iter().filter_map(|l| Some((site.root.join(l.path), (l.added?, l.removed?)))),
            );
        }
        out
    }

    /// Every path of a tree; of a revision that cannot be known: every path of HEAD.
    pub fn tree_paths(&self, id: SiteId, rev: &str) -> Result<Rc<BTreeSet<PathBuf>>, Trouble> {
        let rev = if rev.contains(ah::shell::HOLE) || rev == "-" { "HEAD" } else { rev };
        match self.sites[id].tree_paths(rev) {
            Err(Trouble::Failed { .. }) => Ok(Rc::default()),
            other => other,
        }
    }
}
