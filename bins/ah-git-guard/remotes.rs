//! Remotes, settings and hooks as the line has them by now.

use crate::call::Call;
use crate::judge::Judge;
use crate::verdict::Verdict;
use crate::world::{SiteId, Stash, Tip, World};
use ah::git::{Oid, Repo, Trouble, Vars, truth};
use ah::shell::{EnvValue, Word};
use std::path::{Path, PathBuf};

/// What a remote has under a name.
#[derive(Debug)]
pub struct There {
    /// The commit; `None`: nothing, as far as is known.
    pub tip: Option<Tip>,
    /// The remote itself was looked at.
    pub certain: bool,
}

impl Judge<'_> {
    /// A setting: from `-c`, from what the line changed, else from the configuration.
    pub fn setting(&self, world: &World, call: &Call, key: &str) -> Option<String> {
        self.settings(world, call, key).pop()
    }

    /// Every value of a setting.
    pub fn settings(&self, world: &World, call: &Call, key: &str) -> Vec<String> {
        let mut all: Vec<String> = self.sites[call.site].config().get_all(key).into_iter().map(str::to_owned).collect();
        for (_, _, value) in
            world.settings.iter().filter(|(site, k, _)| self.same_repo(*site, call.site) && crate::invocation::same_key(k, key))
        {
            match value {
                Some(value) => all.push(value.clone()),
                None => all.clear(),
            }
        }
        match call.invocation.override_of(key) {
            Some(Some(word)) => all.push(word.text().to_owned()),
            Some(None) => all.push("true".into()),
            None => {}
        }
        all
    }

    /// A setting that is a switch.
    pub fn switch(&self, world: &World, call: &Call, key: &str) -> Option<bool> {
        truth(Some(&self.setting(world, call, key)?))
    }

    fn same_repo(&self, a: SiteId, b: SiteId) -> bool {
        self.sites[a].repo.common_dir == self.sites[b].repo.common_dir
    }

    /// The remote that a push or fetch without one goes to.
    pub fn default_remote(&self, world: &mut World, call: &Call) -> Result<String, Trouble> {
        let branch = self.refs(world, call.site)?.branch().map(str::to_owned);
        let short = branch.as_deref().and_then(|b| b.strip_prefix("refs/heads/"));
        Ok(self.sites[call.site].config().push_remote(short))
    }

    /// The configured remote that a word means: by its name, or by where it is; else the word itself.
    pub fn remote_called(&self, call: &Call, word: &str) -> String {
        let config = self.sites[call.site].config();
        let remotes = config.remotes();
        if remotes.contains(&word) {
            return word.to_owned();
        }
        let at = |url: &str| std::fs::canonicalize(call.cwd.join(url.strip_prefix("file://").unwrap_or(url))).ok();
        let here = at(word);
        let same = |url: &&str| {
            **url == *word || (here.is_some() && std::fs::canonicalize(self.sites[call.site].root.join(url)).ok() == here)
        };
        remotes.into_iter().find(|r| config.push_urls(r).iter().any(same)).unwrap_or(word).to_owned()
    }

    /// The name on the remote that the current branch is pushed to.
    pub fn push_name(&self, world: &World, call: &Call, branch: &str) -> String {
        let short = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        match self.setting(world, call, "push.default").as_deref() {
            Some("upstream" | "tracking") => {
                self.sites[call.site].config().upstream(short).map_or(branch.to_owned(), |u| u.merge)
            }
            _ => branch.to_owned(),
        }
    }

    /// The full name of a ref on the remote.
    pub fn remote_name(&self, world: &mut World, call: &Call, name: &str) -> Result<String, Trouble> {
        if name.starts_with("refs/") {
            return Ok(name.to_owned());
        }
        let refs = self.refs(world, call.site)?;
        let tag = format!("refs/tags/{name}");
        let branch = format!("refs/heads/{name}");
        let tagged = refs.names.contains_key(&tag) && !refs.names.contains_key(&branch);
        Ok(if tagged { tag } else { branch })
    }

    /// The ref here that follows a ref there.
    pub fn tracking(&self, id: SiteId, remote: &str, name: &str) -> Option<String> {
        if name.starts_with("refs/tags/") {
            return Some(name.to_owned());
        }
        self.sites[id].config().tracking(remote, name)
    }

    /// Whether a branch of the remote is protected by the policy or is the remote's default.
    pub fn protected(&self, call: &Call, remote: &str, short: &str) -> bool {
        let default = self.sites[call.site].repo.target(&format!("refs/remotes/{remote}/HEAD"));
        let prefix = format!("refs/remotes/{remote}/");
        self.policy.protects(short) || default.as_deref().and_then(|d| d.strip_prefix(&prefix)) == Some(short)
    }

    /// Branches that exist on both sides, as full local names.
    pub fn matching(&self, world: &mut World, call: &Call, remote: &str) -> Result<Vec<String>, Trouble> {
        let refs = self.refs(world, call.site)?;
        let there = |name: &str| refs.names.contains_key(&format!("refs/remotes/{remote}/{}", &name["refs/heads/".len()..]));
        Ok(refs.names.keys().filter(|n| n.starts_with("refs/heads/") && there(n)).cloned().collect())
    }

    /// Remote-tracking branches that a prune might remove: those whose commits nothing else holds. Which of them the remote
    /// still has cannot be known without asking it, so names that a local branch follows are taken to be there.
    pub fn prunable(&self, world: &mut World, call: &Call, remote: &str) -> Result<Vec<String>, Trouble> {
        let prefix = format!("refs/remotes/{remote}/");
        let config = self.sites[call.site].config();
        let followed: Vec<String> = config.sections("branch").iter().filter_map(|b| config.upstream(b)?.tracking).collect();
        let names: Vec<String> = self
            .refs(world, call.site)?
            .names
            .keys()
            .filter(|n| n.starts_with(&prefix) && !n.ends_with("/HEAD") && !followed.contains(n))
            .cloned()
            .collect();
        let url = config.push_urls(remote).first().map(|u| (*u).to_owned());
        match url.and_then(|u| self.local_remote(call, &u)) {
            // The remote is a repository on this machine: it can be read.
            Some(there) => {
                let gone = |n: &String| matches!(there.resolve(&format!("refs/heads/{}", &n[prefix.len()..])), Ok(None));
                Ok(names.into_iter().filter(gone).collect())
            }
            None => Ok(names),
        }
    }

    /// What a remote has under a name: read from the remote where that is a directory of this machine, else as it was last
    /// seen. What this line pushed before counts.
    pub fn there(
        &self,
        world: &mut World,
        call: &Call,
        remote: &str,
        name: &str,
        tracking: Option<&str>,
    ) -> Result<There, Trouble> {
        let names = &self.refs(world, call.site)?.names;
        let seen = tracking.and_then(|t| names.get(t)).cloned();
        let before = tracking.and_then(|t| self.sites[call.site].resolve(t)).map(Tip::Real);
        let url = self.sites[call.site].config().push_urls(remote).first().map_or(remote, |u| u).to_owned();
        if seen == before
            && let Some(repo) = self.local_remote(call, &url)
            && let Ok(found) = repo.resolve(name)
        {
            return Ok(There { tip: found.map(|o| Tip::Real(o.as_str().to_owned())), certain: true });
        }
        Ok(There { tip: seen, certain: false })
    }

    /// A remote that is a directory of this machine.
    fn local_remote(&self, call: &Call, url: &str) -> Option<Repo> {
        let path = url.strip_prefix("file://").unwrap_or(url);
        if url.contains("://") && !url.starts_with("file://") {
            return None;
        }
        let open = |at: PathBuf| Repo::open(&at, &Vars::default()).or_else(|| Repo::open(&at.join(".git"), &Vars::default()));
        [&self.sites[call.site].root, &call.cwd].into_iter().find_map(|base| open(base.join(path)))
    }

    /// Whether `git checkout NAME` would make a local branch of a remote one.
    pub fn remote_branch(&self, call: &Call, word: &Word) -> bool {
        let Some(name) = word.literal() else { return false };
        let config = self.sites[call.site].config();
        config.remotes().iter().any(|r| self.sites[call.site].resolve(&format!("refs/remotes/{r}/{name}")).is_some())
    }

    /// Whether hooks of these names would run.
    pub fn hooks(&self, call: &Call, names: &[&str]) -> bool {
        let site = &self.sites[call.site];
        let stripped = self.bare_hooks(call.site);
        names.iter().any(|n| site.hooks().iter().any(|h| h == n) || stripped.iter().any(|h| h == n))
    }

    /// The hooks as they are without what the command itself sets (`-c core.hooksPath=`).
    fn bare_hooks(&self, id: SiteId) -> Vec<String> {
        let site = &self.sites[id];
        let config = ah::git::Config::load(Some(&site.repo), &self.vars);
        site.repo.hooks(&config, &self.vars)
    }

    /// Their names for a message.
    pub fn hook_names(&self, id: SiteId, names: &[&str]) -> String {
        let all = self.bare_hooks(id);
        names.iter().filter(|n| all.iter().any(|h| h == **n)).copied().collect::<Vec<_>>().join(", ")
    }

    /// Whether a hooks directory, as a setting names it, holds anything that runs.
    pub fn hooks_in(&self, call: &Call, dir: &str) -> bool {
        if dir.is_empty() {
            return false;
        }
        let dir = self.sites[call.site].root.join(dir);
        std::fs::read_dir(dir)
            .is_ok_and(|mut d| d.any(|e| e.is_ok_and(|e| !e.file_name().to_string_lossy().ends_with(".sample"))))
    }

    /// How the line switches hooks off for this command other than by its option, and how bad that is.
    pub fn hooks_off(&self, world: &World, call: &Call) -> Option<(&'static str, Verdict)> {
        let command = call.command;
        let set = |name: &str| match command.env.get(name) {
            Some(EnvValue::Set(text)) => Some(text.clone()),
            Some(EnvValue::Unknown) => Some(ah::shell::HOLE.to_string()),
            _ => None,
        };
        if let Some(Some(word)) = call.invocation.override_of("core.hooksPath")
            && !word.literal().is_some_and(|p| !p.is_empty() && self.hooks_in(call, p))
        {
            return Some(("core.hooksPath", Verdict::Deny));
        }
        let listed = ["GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"]
            .iter()
            .any(|n| set(n).is_some());
        let keyed = command.env.iter().any(|(n, v)| {
            n.starts_with("GIT_CONFIG_KEY_") && !matches!(v, EnvValue::Set(t) if !t.eq_ignore_ascii_case("core.hooksPath"))
        });
        if listed || keyed {
            let mut now = self.sites[call.site].hooks().to_vec();
            now.sort_unstable();
            if now != self.bare_hooks(call.site) || keyed {
                return Some(("a setting in the environment", Verdict::Deny));
            }
        }
        if world.settings.iter().any(|(_, key, value)| {
            key.eq_ignore_ascii_case("core.hooksPath") && !value.as_deref().is_some_and(|v| self.hooks_in(call, v))
        }) {
            return Some(("core.hooksPath", Verdict::Deny));
        }
        if set("HUSKY").as_deref() == Some("0")
            || set("HUSKY_SKIP_HOOKS").is_some()
            || set("LEFTHOOK").as_deref() == Some("0")
            || set("LEFTHOOK").as_deref() == Some("false")
        {
            return Some(("a switch of the hook manager", Verdict::Ask));
        }
        set("SKIP").filter(|v| !v.is_empty()).map(|_| ("SKIP", Verdict::Ask))
    }

    /// The stash entries in this world, read on first use.
    pub fn stashes<'w>(&self, world: &'w mut World, id: SiteId) -> Result<&'w mut Vec<Stash>, Trouble> {
        let id = self.first(id);
        if !world.stashes.contains_key(&id) {
            let all = self.sites[id].stashes()?;
            let list = all.into_iter().map(|(oid, _)| Stash { applied: false, id: world.serial(), oid: Some(oid) }).collect();
            world.stashes.insert(id, list);
        }
        Ok(world.stashes.entry(id).or_default())
    }

    /// The branch a stash entry was made on, if that is checked out in another work tree.
    pub fn foreign_stash(&self, id: SiteId, oid: &str) -> Option<String> {
        let message = self.sites[id].stashes().ok()?.into_iter().find(|(o, _)| o == oid)?.1;
        let rest = message.strip_prefix("WIP on ").or_else(|| message.strip_prefix("On "))?;
        let branch = rest.split(':').next()?.to_owned();
        let here = self.sites[id].repo.head().ok().and_then(|h| h.branch().map(str::to_owned));
        if here.as_deref() == Some(branch.as_str()) {
            return None;
        }
        let mut heads = self.sites[id].repo.linked_trees().into_iter().filter_map(|t| t.head);
        let main = self.sites[id].repo.main_head().ok();
        heads
            .find(|h| h.branch() == Some(branch.as_str()))
            .or(main.filter(|h| h.branch() == Some(branch.as_str())))
            .map(|_| branch)
    }

    /// Whether a pop applies cleanly: `None` when it may or may not.
    pub fn pop_is_clean(&self, world: &World, call: &Call, entry: &Stash) -> Result<Option<bool>, Trouble> {
        let Some(oid) = &entry.oid else { return Ok(Some(true)) };
        let site = &self.sites[call.site];
        let git = site.git("stash show")?;
        let (Some(stash), Some(head)) = (Oid::parse(oid), git.rev_parse("HEAD")?) else { return Ok(None) };
        let held = git.stash_paths(&stash)?;
        let paths: Vec<PathBuf> = held.changed.into_iter().chain(held.untracked).collect();
        let root = &site.root;
        let dirty = world
            .treasures
            .iter()
            .any(|t| t.tree().is_some_and(|p| p.strip_prefix(root).is_ok_and(|p| paths.iter().any(|q| q == p))));
        if dirty {
            return Ok(Some(false));
        }
        let entries = site.status(root, &[], false)?;
        if entries.iter().any(|e| paths.contains(&e.path))
            && world.stashes.get(&self.first(call.site)).is_none_or(|l| l.iter().all(|s| s.oid.is_some()))
        {
            return Ok(Some(false));
        }
        let Some(base) = held.base else { return Ok(None) };
        let moved = site.git("diff-tree")?.diff_paths(&base, &head)?;
        Ok(if moved.iter().any(|c| paths.contains(&c.path)) { None } else { Some(true) })
    }

    /// The linked tree that a word names: by its id or path.
    pub fn linked_tree(&self, call: &Call, name: &str) -> Option<std::path::PathBuf> {
        let path = crate::hits::absolute(&call.cwd, name);
        let trees = self.sites[call.site].repo.linked_trees();
        trees
            .iter()
            .find(|t| t.path.as_deref() == Some(path.as_path()))
            .or_else(|| trees.iter().find(|t| t.path.as_deref().is_some_and(|p| p.ends_with(Path::new(name)))))
            .and_then(|t| t.path.clone())
    }

    /// Whether a linked tree is locked.
    pub fn locked(&self, call: &Call, tree: &Path) -> bool {
        self.sites[call.site].repo.linked_trees().iter().any(|t| t.locked && t.path.as_deref() == Some(tree))
    }

    /// A linked tree is given up: what only its HEAD named.
    pub fn leave_tree(&self, world: &mut World, call: &Call, tree: &Path) -> Result<(), Trouble> {
        let trees = self.sites[call.site].repo.linked_trees();
        let Some(found) = trees.iter().find(|t| t.path.as_deref() == Some(tree)) else { return Ok(()) };
        if let Some(ah::git::Head::Detached(oid)) = &found.head {
            self.refs(world, call.site)?;
            world.removed.insert(tree.to_owned());
            self.left(world, call, Tip::Real(oid.as_str().to_owned()), None, "worktree.remove", false)?;
        }
        Ok(())
    }
}
