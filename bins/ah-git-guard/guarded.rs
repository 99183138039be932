//! Places that no call may take away or write into: the root and HOME, the inside of git directories, ah's own settings.

use crate::judge::Judge;
use crate::place::{self, Inside};
use crate::removal::Act;
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::World;
use ah::git::Trouble;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

impl Judge<'_> {
    /// Places that no call may take away or write into; true where the rule has spoken.
    pub fn guarded(&mut self, world: &mut World, act: &Act, path: &Path, rule: &'static str) -> Result<bool, Trouble> {
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
        if self.disarmed(world, act, path, rule) {
            return Ok(true);
        }
        if rule != "file.edit" && rule != "file.replace" && self.is_hooks_place(path) {
            self.hook(world, act, path, &path.display().to_string());
            return Ok(rule == "hooks.disarm");
        }
        let Some((git_dir, tail)) = place::split_git_dir(path).or_else(|| self.in_git_dir(path)) else { return Ok(false) };
        if !git_dir.join("HEAD").exists() && !git_dir.is_file() {
            return Ok(false);
        }
        let what = place::inside(&tail);
        let verdict = match what {
            Inside::Scratch => return Ok(true),
            Inside::Hook if rule == "file.edit" => return Ok(true),
            Inside::Hook => {
                self.hook(world, act, path, &tail.display().to_string());
                return Ok(true);
            }
            Inside::Whole if rule == "hooks.disarm" => return Ok(true),
            Inside::Whole if git_dir.is_file() => return Ok(false),
            Inside::Ref if rule == "file.remove" => Verdict::Ask,
            _ if rule == "hooks.disarm" => return Ok(true),
            _ => Verdict::Deny,
        };
        let id = if what == Inside::Whole { "repo.remove" } else { "repo.write" };
        let finding = Finding::new(id, verdict, act.text, "the repository keeps its history there");
        let site =
            (what == Inside::Whole).then(|| git_dir.parent().map(|top| self.site_at(top))).flatten().transpose()?.flatten();
        let pins = site.map(|id| self.pin_whole(id)).transpose()?.into_iter().collect();
        world.findings.push(Finding { pins, ..finding.with([Loss::Other(format!(".git/{}", tail.display()))]) });
        Ok(true)
    }

    /// A hook, or a directory of hooks, that runs today would not any more.
    fn hook(&self, world: &mut World, act: &Act, path: &Path, name: &str) {
        let runs = |p: &Path| {
            std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
                && !p.to_string_lossy().ends_with(".sample")
        };
        let inside = || std::fs::read_dir(path).is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| runs(&e.path()))));
        if runs(path) || inside() {
            world.findings.push(
                Finding::new("hooks.disarm", Verdict::Deny, act.text, "a hook of this repository would no longer run")
                    .with([Loss::Other(name.to_owned())]),
            );
        }
    }

    /// Whether a path is, or is in, the directory that `core.hooksPath` names.
    fn is_hooks_place(&mut self, path: &Path) -> bool {
        let Some(id) = path.parent().and_then(|p| self.site_at(p).ok().flatten()) else { return false };
        let site = &self.sites[id];
        let dir = site.config().get("core.hooksPath").filter(|d| !d.is_empty()).map(|d| site.root.join(d));
        dir.is_some_and(|d| path.starts_with(&d) || d.starts_with(path))
    }

    /// ah's own settings, state and programs, and a harness's file that registers it.
    pub fn disarmed(&self, world: &mut World, act: &Act, path: &Path, rule: &'static str) -> bool {
        let removes = matches!(rule, "file.remove" | "file.move");
        let inner = ["ah", "config.json", "settings.json", "settings.local.json", "hooks.json"];
        let at: Vec<PathBuf> = match () {
            () if place::disarms(path) => vec![path.to_owned()],
            () if removes && path.is_dir() => {
                let named = inner.iter().map(|n| path.join(n)).filter(|p| place::disarms(p));
                named.chain(place::homes().map(Path::to_owned).filter(|h| h.starts_with(path))).collect()
            }
            () => Vec::new(),
        };
        let program = |p: &Path| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ah-"));
        let names_us = |p: &Path| ah::fs::read(p, 1 << 20).is_ok_and(|b| String::from_utf8_lossy(&b).contains("ah-"));
        let own = |p: &Path| place::own_home(p) || p.components().any(|c| c.as_os_str() == "ah" || c.as_os_str() == ".ah");
        // A file that is not there yet can grant, switch off or loosen.
        let made = |p: &Path| rule != "hooks.disarm" && !removes && place::own_home(p);
        let ours = |p: &PathBuf| made(p) || p.exists() && (program(p) || (rule != "hooks.disarm" && (own(p) || names_us(p))));
        // A settings file that is not there yet can switch all hooks off.
        let switched = place::disarms(path) && act.text.contains("disableAllHooks");
        let Some(found) = at.iter().find(|p| ours(p)).or(switched.then_some(&path.to_owned())).cloned() else { return false };
        world.findings.push(
            Finding::new("ah.disarm", Verdict::Ask, act.text, "changes what ah itself is set to")
                .with([Loss::Other(found.display().to_string())]),
        );
        true
    }

    /// A path inside of a git directory that is not called `.git` (bare, linked, submodule).
    pub fn in_git_dir(&mut self, path: &Path) -> Option<(PathBuf, PathBuf)> {
        let id = self.site_at(path.parent()?).ok().flatten()?;
        let dir = &self.sites[id].repo.git_dir;
        Some((dir.clone(), path.strip_prefix(dir).ok()?.to_owned()))
    }

    /// `mv .git elsewhere`: recoverable, but the work tree stands without its history.
    pub fn moved_repository(&mut self, world: &mut World, act: &Act, from: &Path) -> Result<bool, Trouble> {
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
}
