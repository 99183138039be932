//! What happens to content when a file, a directory or a whole repository is removed, moved or replaced.

use crate::call::Call;
use crate::files::Change;
use crate::hits::{Hits, absolute};
use crate::judge::Judge;
use crate::place::{self, Inside};
use crate::treasure::{Holder, Kind, Treasure};
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::{Side, SiteId, World};
use ah::git::{CleanFlags, IgnoredFiles, State, Trouble};
use ah::shell::{HOLE, Word};
use std::path::{Path, PathBuf};

/// A command that changes files: where it runs and how it reads.
pub struct Act<'a> {
    /// Its directory.
    pub cwd: &'a Path,
    /// The command as a person would write it.
    pub text: &'a str,
}

impl Judge<'_> {
    /// One change of files, in one world.
    pub fn change(&mut self, world: &mut World, act: &Act, change: &Change) -> Result<(), Trouble> {
        match change {
            Change::Remove(word) => {
                for path in self.targets(world, act, word) {
                    self.remove(world, act, &path, word)?;
                }
            }
            Change::Replace(word) => {
                for path in self.targets(world, act, word) {
                    self.replace(world, act, &path, None, "file.replace")?;
                }
            }
            Change::Write(word) => {
                for path in self.targets(world, act, word) {
                    self.replace(world, act, &path, None, "file.replace")?;
                }
            }
            Change::Edit(word) => {
                for path in self.targets(world, act, word) {
                    self.guarded(world, act, &path, "file.edit")?;
                }
            }
            Change::Move { from, to } => self.transfer(world, act, from, to, true)?,
            Change::Copy { from, to } => self.transfer(world, act, from, to, false)?,
            Change::Disarm(word) => {
                for path in self.targets(world, act, word) {
                    self.guarded(world, act, &path, "hooks.disarm")?;
                }
            }
            Change::Mirror { from, to } => {
                for path in self.targets(world, act, to) {
                    self.load_path(world, &path)?;
                    let sources = self.targets(world, act, from);
                    let kept = |p: &Path| {
                        p.strip_prefix(&path).is_ok_and(|tail| sources.iter().any(|s| s.join(tail).exists() && s.join(tail) == p))
                    };
                    world.drop_tree(|_, p| p.starts_with(&path) && !kept(p));
                }
            }
            Change::Make(word) => world.created.extend(self.targets(world, act, word).into_iter().filter(|p| !p.exists())),
        }
        Ok(())
    }

    /// The paths a word stands for: one, those a pattern matches, or (unknown) everything that could be meant.
    pub fn targets(&self, world: &World, act: &Act, word: &Word) -> Vec<PathBuf> {
        match word {
            Word::Literal(text) if text.is_empty() => Vec::new(),
            Word::Literal(text) => vec![real(&absolute(act.cwd, text))],
            Word::Glob(text) => {
                let found = crate::glob::expand(act.cwd, text, &world.created, &world.removed);
                if found.is_empty() {
                    vec![real(&absolute(act.cwd, &crate::glob::unescape(text)))]
                } else {
                    found.into_iter().map(|p| real(&p)).collect()
                }
            }
            Word::Unknown(text) => {
                if let (Some(found), true) = (&self.found, text.chars().all(|c| c == HOLE)) {
                    return found.clone();
                }
                // What is known before the hole bounds it; a hole at the start may be anything below the directory.
                let known = text.split(HOLE).next().unwrap_or_default();
                match known.rfind('/') {
                    Some(at) => vec![real(&absolute(act.cwd, &known[..=at]))],
                    None => vec![act.cwd.to_owned()],
                }
            }
        }
    }

    fn remove(&mut self, world: &mut World, act: &Act, path: &Path, word: &Word) -> Result<(), Trouble> {
        let unknown = matches!(word, Word::Unknown(_)) && self.found.is_none();
        if !self.exists(world, path) {
            return Ok(());
        }
        if unknown {
            return self.remove_unknown(world, act, path, word);
        }
        if self.guarded(world, act, path, "file.remove")? {
            return Ok(());
        }
        let site = self.load_path(world, path)?;
        if path.is_dir() && !path.is_symlink() {
            self.nested(world, act, path)?;
            self.whole_repository(world, act, path)?;
        } else if site.is_none() || self.outside(site, path) {
            self.loose_file(world, path);
        }
        world.drop_tree(|_, p| p.starts_with(path));
        self.settle(world, "file.remove", act.text);
        world.created.retain(|c| !c.starts_with(path));
        world.removed.insert(path.to_owned());
        Ok(())
    }

    /// A removal whose target cannot be read: asked about where something at that place could be lost.
    fn remove_unknown(&mut self, world: &mut World, act: &Act, below: &Path, word: &Word) -> Result<(), Trouble> {
        if self.temporary.has(below) || below == Path::new("/") {
            return Ok(());
        }
        self.load_path(world, below)?;
        let tail = word.text().rsplit(HOLE).next().unwrap_or_default();
        let at_stake: Vec<Loss> = world
            .treasures
            .iter()
            .filter(|t| t.tree().is_some_and(|p| p.starts_with(below) && p.to_string_lossy().ends_with(tail)))
            .map(|t| self.loss(t))
            .collect();
        if !at_stake.is_empty() {
            world
                .findings
                .push(Finding::new("line.unread", Verdict::Ask, act.text, "what would be removed cannot be read").with(at_stake));
        }
        Ok(())
    }

    /// New content in the place of what `path` held; `source` is where it comes from, `rule` what a loss is told by.
    fn replace(
        &mut self,
        world: &mut World,
        act: &Act,
        path: &Path,
        source: Option<&Path>,
        rule: &'static str,
    ) -> Result<(), Trouble> {
        if !self.exists(world, path) {
            if let Some((_, tail)) = place::split_git_dir(path)
                && matches!(place::inside(&tail), Inside::Ref | Inside::Core)
            {
                self.guarded(world, act, path, "repo.write")?;
            }
            world.created.insert(path.to_owned());
            world.removed.remove(path);
            return Ok(());
        }
        if path.is_dir() || self.guarded(world, act, path, "file.replace")? {
            return Ok(());
        }
        let site = self.load_path(world, path)?;
        if self.outside(site, path) {
            self.loose_file(world, path);
        }
        world.drop_tree(|t, p| p == path && !source.is_some_and(|s| t.holders.contains(&Holder::Tree(s.to_owned()))));
        self.settle(world, rule, act.text);
        Ok(())
    }

    fn transfer(&mut self, world: &mut World, act: &Act, from: &Word, to: &Word, take: bool) -> Result<(), Trouble> {
        let rule = if take { "file.move" } else { "file.replace" };
        let targets = self.targets(world, act, to);
        let [to] = targets.as_slice() else { return Ok(()) };
        if matches!(from, Word::Unknown(_)) && self.found.is_none() {
            return Ok(());
        }
        for from in self.targets(world, act, from) {
            let target = if self.is_dir(world, to) { to.join(from.file_name().unwrap_or_default()) } else { to.clone() };
            if from == target || !(self.exists(world, &from) || from.starts_with("/dev")) {
                continue;
            }
            let site = self.load_path(world, &from)?;
            if self.outside(site, &from) {
                self.loose_file(world, &from);
            }
            if take && self.moved_repository(world, act, &from)? {
                continue;
            }
            if from.is_dir() && self.exists(world, &target) {
                self.overlay(world, act, &from, &target, rule)?;
            } else {
                self.replace(world, act, &target, Some(&from), rule)?;
            }
            let kept = !self.nowhere(&target);
            match (take, kept) {
                (true, true) => world.move_tree(&from, &target),
                (true, false) => world.drop_tree(|_, p| p.starts_with(&from)),
                (false, true) => world.copy_tree(&from, &target),
                (false, false) => {}
            }
            self.settle(world, rule, act.text);
            if take {
                world.removed.insert(from.clone());
            }
            world.created.insert(target.clone());
            world.removed.remove(&target);
        }
        Ok(())
    }

    /// A directory copied or moved over another: files of the same name are replaced.
    fn overlay(&mut self, world: &mut World, act: &Act, from: &Path, to: &Path, rule: &'static str) -> Result<(), Trouble> {
        self.load_path(world, to)?;
        let same: Vec<PathBuf> = world
            .treasures
            .iter()
            .filter_map(|t| t.tree())
            .filter(|p| p.strip_prefix(to).is_ok_and(|tail| from.join(tail).is_file()))
            .map(Path::to_owned)
            .collect();
        for path in same {
            self.replace(world, act, &path, None, rule)?;
        }
        Ok(())
    }

    /// A place that keeps nothing: a device, or where temporary files go.
    fn nowhere(&self, path: &Path) -> bool {
        path.starts_with("/dev") || self.temporary.has(path)
    }

    /// Whether a file lies in no repository's work tree.
    fn outside(&self, site: Option<SiteId>, path: &Path) -> bool {
        site.is_none_or(|id| self.sites[id].repo.work_tree.is_none() || !path.starts_with(&self.sites[id].root))
    }

    /// A file that no repository knows, in a directory where a person keeps things.
    fn loose_file(&self, world: &mut World, path: &Path) {
        let home = self.vars.path("HOME");
        let kept = path.is_file()
            && !self.temporary.has(path)
            && !["/usr", "/etc", "/var", "/opt", "/lib", "/bin", "/sbin", "/boot", "/nix"].iter().any(|d| path.starts_with(d))
            && !path.parent().is_some_and(|p| Some(p) == home.as_deref() && hidden(path));
        if kept {
            world.add(Side::Tree, Treasure::new(Kind::Untracked, path, vec![Holder::Tree(path.to_owned())]));
        }
    }

    /// Places that no call may take away or write into; true where the rule has spoken.
    fn guarded(&mut self, world: &mut World, act: &Act, path: &Path, rule: &'static str) -> Result<bool, Trouble> {
        let home = self.vars.path("HOME");
        if path == Path::new("/") || Some(path) == home.as_deref() {
            if rule != "file.replace" {
                world.findings.push(
                    Finding::new("repo.remove", Verdict::Deny, act.text, "everything below it would go")
                        .with([Loss::Other(path.display().to_string())]),
                );
            }
            return Ok(true);
        }
        if place::disarms(path) && rule != "hooks.disarm" && path.exists() {
            let ours = !path.is_file()
                || std::fs::read(path).is_ok_and(|b| String::from_utf8_lossy(&b[..b.len().min(1 << 20)]).contains("ah-"))
                || path.components().any(|c| c.as_os_str() == "ah" || c.as_os_str() == ".ah");
            if ours {
                world.findings.push(
                    Finding::new("ah.disarm", Verdict::Ask, act.text, "changes what ah itself is set to")
                        .with([Loss::Other(path.display().to_string())]),
                );
                return Ok(true);
            }
        }
        let Some((git_dir, tail)) = place::split_git_dir(path).or_else(|| self.in_git_dir(path)) else { return Ok(false) };
        if !git_dir.join("HEAD").exists() && !git_dir.is_file() {
            return Ok(false);
        }
        let what = place::inside(&tail);
        let verdict = match what {
            Inside::Scratch => return Ok(true),
            Inside::Hook => {
                let live = path.is_dir()
                    || std::fs::metadata(path)
                        .is_ok_and(|m| std::os::unix::fs::PermissionsExt::mode(&m.permissions()) & 0o111 != 0);
                let any = if path.is_dir() {
                    std::fs::read_dir(path)
                        .is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| !e.file_name().to_string_lossy().ends_with(".sample"))))
                } else {
                    live
                };
                if any {
                    world.findings.push(
                        Finding::new("hooks.disarm", Verdict::Deny, act.text, "a hook of this repository would no longer run")
                            .with([Loss::Other(tail.display().to_string())]),
                    );
                }
                return Ok(true);
            }
            Inside::Whole if rule == "hooks.disarm" => return Ok(true),
            Inside::Whole if git_dir.is_file() => return Ok(false),
            Inside::Ref if rule == "file.remove" => Verdict::Ask,
            _ if rule == "hooks.disarm" => return Ok(true),
            _ => Verdict::Deny,
        };
        let id = if what == Inside::Whole { "repo.remove" } else { "repo.write" };
        world.findings.push(
            Finding::new(id, verdict, act.text, "the repository keeps its history there")
                .with([Loss::Other(format!(".git/{}", tail.display()))]),
        );
        Ok(true)
    }

    /// A path inside of a git directory that is not called `.git` (bare, linked, submodule).
    fn in_git_dir(&mut self, path: &Path) -> Option<(PathBuf, PathBuf)> {
        let id = self.site_at(path.parent()?).ok().flatten()?;
        let dir = &self.sites[id].repo.git_dir;
        Some((dir.clone(), path.strip_prefix(dir).ok()?.to_owned()))
    }

    /// `mv .git elsewhere`: recoverable, but the work tree stands without its history.
    fn moved_repository(&mut self, world: &mut World, act: &Act, from: &Path) -> Result<bool, Trouble> {
        match place::split_git_dir(from) {
            Some((dir, tail)) if dir.is_dir() && tail.as_os_str().is_empty() => {
                world.findings.push(Finding::new(
                    "repo.remove",
                    Verdict::Ask,
                    act.text,
                    "the repository is moved away from its work tree",
                ));
                Ok(true)
            }
            Some(_) => self.guarded(world, act, from, "file.remove"),
            None => Ok(false),
        }
    }

    /// Repositories below a directory that is removed: judged as what they hold.
    fn nested(&mut self, world: &mut World, act: &Act, dir: &Path) -> Result<(), Trouble> {
        for top in crate::glob::repositories_below(dir) {
            let losses = self.holdings(&top)?;
            if !losses.is_empty() {
                world.findings.push(
                    Finding::new(
                        "repo.remove",
                        Verdict::Deny,
                        act.text,
                        format!("{} is a repository, and holds what exists nowhere else", top.display()),
                    )
                    .with(losses),
                );
            }
        }
        Ok(())
    }

    /// The directory itself is a work tree.
    fn whole_repository(&mut self, world: &mut World, act: &Act, dir: &Path) -> Result<(), Trouble> {
        let dot_git = dir.join(".git");
        let Some(id) = self.site_at(dir)? else { return Ok(()) };
        let site = &self.sites[id];
        if site.root != dir && !site.root.starts_with(dir) {
            return Ok(());
        }
        if dot_git.is_file() {
            let tip = self.tip_of_linked(world, id, act)?;
            let root = self.sites[id].root.clone();
            let entries = self.sites[id].status(&root, &[], false)?;
            self.learn(world, id, &entries);
            if let Some(finding) = tip {
                world.findings.push(finding);
            }
            return Ok(());
        }
        let root = self.sites[id].root.clone();
        let losses = self.holdings(&root)?;
        let temporary = self.temporary.has(dir);
        if !losses.is_empty() {
            world.findings.push(
                Finding::new(
                    "repo.remove",
                    Verdict::Deny,
                    act.text,
                    "the whole repository would go, with what exists nowhere else",
                )
                .with(losses),
            );
        } else if act.cwd.starts_with(dir) {
            world.findings.push(
                Finding::new("repo.remove", Verdict::Deny, act.text, "the repository of this session would go")
                    .with([Loss::Other(root.display().to_string())]),
            );
        } else if !temporary && !world.created.contains(dir) {
            world.findings.push(
                Finding::new(
                    "repo.remove",
                    Verdict::Ask,
                    act.text,
                    "a whole repository would go; its remote is known to have the commits",
                )
                .with([Loss::Other(root.display().to_string())]),
            );
        }
        Ok(())
    }

    /// Commits that only a linked tree's detached HEAD names.
    fn tip_of_linked(&mut self, world: &World, id: SiteId, act: &Act) -> Result<Option<Finding>, Trouble> {
        let mut world = world.clone();
        let refs = self.refs(&mut world, id)?.clone();
        let crate::world::Head::Detached(tip) = refs.head else { return Ok(None) };
        if let Some(refs) = world.refs.get_mut(&id) {
            refs.head = crate::world::Head::Branch("refs/heads/\u{0}gone".into());
        }
        let lost = self.commits_lost(&world, id, &tip, None)?;
        Ok((!lost.is_empty())
            .then(|| Finding::new("worktree.remove", Verdict::Deny, act.text, "only this tree's HEAD names these").with(lost)))
    }

    /// Everything a repository holds that no remote is known to have: edits, untracked files, stashes, commits.
    fn holdings(&mut self, top: &Path) -> Result<Vec<Loss>, Trouble> {
        let Some(id) = self.site_at(top)? else { return Ok(Vec::new()) };
        let site = &self.sites[id];
        let mut losses = Vec::new();
        if site.repo.work_tree.is_some() {
            let mut world = World::default();
            let entries = site.status(&site.root.clone(), &[], true)?;
            self.learn(&mut world, id, &entries);
            losses.extend(world.treasures.iter().map(|t| self.loss(t)));
        }
        let site = &self.sites[id];
        losses.extend(site.stashes()?.into_iter().map(|(oid, _)| Loss::Stash(site.stash_label(&oid))));
        let (refs, _) = site.refs()?;
        let pick = |remote: bool| {
            refs.iter().filter(|(n, _)| n.starts_with("refs/remotes/") == remote).map(|(_, o)| o.clone()).collect()
        };
        let mut tips: std::collections::BTreeSet<String> = pick(false);
        tips.extend(site.resolve("HEAD"));
        losses.extend(site.commits_not_in(&tips, &pick(true))?);
        Ok(losses)
    }

    /// A linked tree is removed with its files: true where something is lost.
    pub fn remove_tree(&mut self, world: &mut World, call: &Call, tree: &Path) -> Result<bool, Trouble> {
        let act = Act { cwd: &call.cwd, text: &call.text };
        let before = world.findings.len();
        if tree.is_dir() {
            if let Some(id) = self.site_at(tree)? {
                let root = self.sites[id].root.clone();
                let entries = self.sites[id].status(&root, &[], false)?;
                self.learn(world, id, &entries);
            }
            self.nested(world, &act, tree)?;
        }
        world.drop_tree(|_, p| p.starts_with(tree));
        world.drop_index(|p| p.starts_with(tree));
        self.settle(world, "worktree.remove", &call.text);
        Ok(world.findings.len() > before)
    }

    /// Nested repositories among what `clean -ff` removes.
    pub fn remove_nested(&mut self, world: &mut World, call: &Call, hits: &Hits) -> Result<(), Trouble> {
        let root = self.sites[call.site].root.clone();
        let act = Act { cwd: &call.cwd, text: &call.text };
        for top in crate::glob::repositories_below(&root).into_iter().filter(|t| *t != root && hits.contains(t)) {
            let losses = self.holdings(&top)?;
            if !losses.is_empty() {
                world.findings.push(
                    Finding::new("repo.remove", Verdict::Deny, act.text, format!("{} is a repository of its own", top.display()))
                        .with(losses),
                );
            }
        }
        Ok(())
    }

    /// Files of submodules are put back to what the repository around them says.
    pub fn discard_submodules(&mut self, world: &mut World, call: &Call) -> Result<(), Trouble> {
        let links = self.sites[call.site].git("submodules")?.gitlinks(ah::git::Paths::All)?;
        let root = self.sites[call.site].root.clone();
        for (path, _) in links {
            let Some(id) = self.site_at(&root.join(&path))?.filter(|id| *id != call.site) else { continue };
            let top = self.sites[id].root.clone();
            let entries = self.sites[id].status(&top, &[], false)?;
            let tracked: Vec<ah::git::Entry> = entries.iter().filter(|e| e.state != State::Untracked).cloned().collect();
            self.learn(world, id, &tracked);
            world.drop_tree(|t, p| p.starts_with(&top) && t.kind != Kind::Untracked);
            world.drop_index(|p| p.starts_with(&top));
        }
        Ok(())
    }

    /// `submodule update` puts HEADs back: commits that only a detached HEAD of a submodule names are left to its reflog.
    pub fn leave_submodules(&mut self, world: &mut World, call: &Call) -> Result<(), Trouble> {
        let links = self.sites[call.site].git("submodules")?.gitlinks(ah::git::Paths::All)?;
        let root = self.sites[call.site].root.clone();
        for (path, recorded) in links {
            let Some(id) = self.site_at(&root.join(&path))?.filter(|id| *id != call.site) else { continue };
            let refs = self.refs(world, id)?.clone();
            let crate::world::Head::Detached(tip) = refs.head.clone() else { continue };
            let recorded = crate::world::Tip::Real(recorded.as_str().to_owned());
            if tip == recorded {
                continue;
            }
            if let Some(refs) = world.refs.get_mut(&id) {
                refs.head = crate::world::Head::Detached(recorded);
            }
            let lost = self.commits_lost(world, id, &tip, None)?;
            if !lost.is_empty() {
                world.findings.push(
                    call.finding("submodule.update", Verdict::Ask, "only the reflog of the submodule would still name these")
                        .with(lost),
                );
            }
        }
        Ok(())
    }

    /// What git itself says that this clean would remove.
    pub fn clean_hits(&mut self, call: &Call, ignored: bool) -> Result<Hits, Trouble> {
        let o = &call.options;
        let flags = CleanFlags {
            directories: o.has("d"),
            exclude: o.values("exclude").map(|w| w.text().into()).collect(),
            force: u8::try_from(o.count("force")).unwrap_or(u8::MAX),
            ignored: if o.has("X") {
                IgnoredFiles::Only
            } else if o.has("x") || ignored {
                IgnoredFiles::Too
            } else {
                IgnoredFiles::Keep
            },
            paths: o.operands.iter().map(|w| w.text().into()).collect(),
        };
        let mut repo = self.sites[call.site].repo.clone();
        repo.cwd.clone_from(&call.cwd);
        let root = self.sites[call.site].root.clone();
        let paths = self.sites[call.site].git_in(&repo, "clean -n")?.clean_preview(&flags)?;
        Ok(Hits { under: paths.into_iter().map(|p| root.join(p)).collect(), ..Hits::default() })
    }

    /// Every path of a tree; of a revision that cannot be known: every path of HEAD.
    pub fn tree_paths(&self, id: SiteId, rev: &str) -> Result<std::rc::Rc<std::collections::BTreeSet<PathBuf>>, Trouble> {
        let rev = if rev.contains(HOLE) || rev == "-" { "HEAD" } else { rev };
        match self.sites[id].tree_paths(rev) {
            Err(Trouble::Failed { .. }) => Ok(std::rc::Rc::default()),
            other => other,
        }
    }
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'))
}

/// A path with the links of its directory resolved, as far as that exists.
pub fn real(path: &Path) -> PathBuf {
    match (path.parent().and_then(|p| std::fs::canonicalize(p).ok()), path.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}
