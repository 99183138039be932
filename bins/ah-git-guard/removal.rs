//! What happens to content when a file, a directory or a whole repository is removed, moved or replaced.

use crate::files::Change;
use crate::hits::absolute;
use crate::judge::Judge;
use crate::place::{self, Inside};
use crate::treasure::{Holder, Kind, Treasure, secret_name};
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::{Side, SiteId, World};
use ah::git::Trouble;
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
            Change::Unlink(word) => {
                for path in self.targets(world, act, word) {
                    if matches!(word, Word::Unknown(_)) || path.is_symlink() || !self.is_dir(world, &path) {
                        self.remove(world, act, &path, word)?;
                    }
                }
            }
            Change::Move { from, to, over } => self.transfer(world, act, from, to, Some(*over))?,
            Change::Copy { from, to } => self.transfer(world, act, from, to, None)?,
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
            Change::Make(word) => {
                for path in self.targets(world, act, word).into_iter().filter(|p| !p.exists()) {
                    self.disarmed(world, act, &path, "file.replace");
                    world.created.insert(path);
                }
            }
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
            if self.outside(site, path) {
                self.load_loose(world, path, self.made_by_tools(path));
            }
        } else if site.is_none() || self.outside(site, path) {
            self.loose_file(world, path, Kind::Untracked);
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
            let inner = place::split_git_dir(path).is_some_and(|(_, t)| matches!(place::inside(&t), Inside::Ref | Inside::Core));
            if inner || place::disarms(path) {
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
            self.loose_file(world, path, Kind::Untracked);
        }
        world.drop_tree(|t, p| p == path && !source.is_some_and(|s| t.holders.contains(&Holder::Tree(s.to_owned()))));
        self.settle(world, rule, act.text);
        Ok(())
    }

    /// A copy, or a move (`moves`: whether it goes over what is there).
    fn transfer(&mut self, world: &mut World, act: &Act, from: &Word, to: &Word, moves: Option<bool>) -> Result<(), Trouble> {
        let take = moves.is_some();
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
                self.loose_file(world, &from, Kind::Untracked);
            }
            let fresh = !self.exists(world, &target);
            if take && (self.moved_repository(world, act, &from)? || self.disarmed(world, act, &from, rule)) {
                continue;
            }
            if moves == Some(false) {
                // What is there is kept.
            } else if from.is_dir() && self.exists(world, &target) {
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
            if fresh {
                world.created.insert(target.clone());
            }
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
            .flat_map(|t| t.trees())
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

    /// Everything below a directory that nothing else holds, whether a repository is around it or not.
    pub fn load_below(&mut self, world: &mut World, dir: &Path) -> Result<(), Trouble> {
        let site = self.load_path(world, dir)?;
        if self.outside(site, dir) {
            self.load_loose(world, dir, false);
        }
        Ok(())
    }

    /// A directory where tools keep what they can make again, by its name: in HOME a hidden one, else one of a build.
    fn made_by_tools(&self, dir: &Path) -> bool {
        let below = self.vars.path("HOME").and_then(|home| dir.strip_prefix(home).ok().map(Path::to_owned));
        let top = below.as_deref().and_then(|tail| tail.components().next()).map(|part| PathBuf::from(part.as_os_str()));
        let built = |part: &std::ffi::OsStr| matches!(part.to_str(), Some("build" | "dist" | "out" | "target" | "venv"));
        top.is_some_and(|top| hidden(&top)) || dir.file_name().is_some_and(built)
    }

    /// Files below a directory that is in no repository; only the secrets among them where so little is known of the rest.
    fn load_loose(&self, world: &mut World, dir: &Path, secrets: bool) {
        let mut todo = vec![(dir.to_owned(), 0)];
        let mut left = LOOSE.0;
        while let Some((dir, depth)) = todo.pop() {
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten().take(left) {
                left -= 1;
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && depth < LOOSE.1 => todo.push((entry.path(), depth + 1)),
                    Ok(_) if !secrets => self.loose_file(world, &entry.path(), Kind::Untracked),
                    Ok(_) if secret_name(&entry.path()) => self.loose_file(world, &entry.path(), Kind::Secret),
                    _ => {}
                }
            }
        }
    }

    /// A file that no repository knows, in a directory where a person keeps things.
    fn loose_file(&self, world: &mut World, path: &Path, kind: Kind) {
        let home = self.vars.path("HOME");
        let kept = path.is_file()
            && !self.temporary.has(path)
            && !["/usr", "/etc", "/var", "/opt", "/lib", "/bin", "/sbin", "/boot", "/nix"].iter().any(|d| path.starts_with(d))
            && !path.parent().is_some_and(|p| Some(p) == home.as_deref() && hidden(path));
        if kept {
            world.add(Side::Tree, Treasure::new(kind, path, vec![Holder::Tree(path.to_owned())]));
        }
    }
}

/// Files of a directory that no repository holds: so many names are looked at, so many levels deep.
const LOOSE: (usize, usize) = (2_000, 8);

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
