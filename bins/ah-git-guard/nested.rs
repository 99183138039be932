//! Whole repositories: nested ones, linked trees, submodules, and what each of them holds that nothing else does.

use crate::call::Call;
use crate::hits::Hits;
use crate::judge::Judge;
use crate::removal::Act;
use crate::snapshot::Pin;
use crate::treasure::Kind;
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::{Head, SiteId, Tip, World};
use ah::git::{Oid, State, Trouble};
use std::collections::BTreeSet;
use std::path::Path;

impl Judge<'_> {
    /// Repositories below a directory that is removed: judged as what they hold.
    pub fn nested(&mut self, world: &mut World, act: &Act, dir: &Path) -> Result<(), Trouble> {
        for top in crate::glob::repositories_below(dir) {
            let (losses, pin) = self.holdings(&top)?;
            if !losses.is_empty() {
                let detail = format!("{} is a repository, and holds what exists nowhere else", top.display());
                let finding = Finding::new("repo.remove", Verdict::Deny, act.text, detail).with(losses);
                world.findings.push(Finding { pins: pin.into_iter().collect(), ..finding });
            }
        }
        Ok(())
    }

    /// The directory itself is a work tree.
    pub fn whole_repository(&mut self, world: &mut World, act: &Act, dir: &Path) -> Result<(), Trouble> {
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
        let (losses, pin) = self.holdings(&root)?;
        let pins = Vec::from_iter(pin);
        let temporary = self.temporary.has(dir);
        if !losses.is_empty() {
            let detail = "the whole repository would go, with what exists nowhere else";
            let finding = Finding::new("repo.remove", Verdict::Deny, act.text, detail).with(losses);
            world.findings.push(Finding { pins, ..finding });
        } else if act.cwd.starts_with(dir) {
            let finding = Finding::new("repo.remove", Verdict::Deny, act.text, "the repository of this session would go");
            world.findings.push(Finding { pins, ..finding.with([Loss::Other(root.display().to_string())]) });
        } else if !temporary && !world.created.contains(dir) {
            let detail = "a whole repository would go; its remote is known to have the commits";
            let finding = Finding::new("repo.remove", Verdict::Ask, act.text, detail);
            world.findings.push(Finding { pins, ..finding.with([Loss::Other(root.display().to_string())]) });
        }
        Ok(())
    }

    /// Commits that only a linked tree's detached HEAD names.
    pub fn tip_of_linked(&mut self, world: &World, id: SiteId, act: &Act) -> Result<Option<Finding>, Trouble> {
        let mut world = world.clone();
        let refs = self.refs(&mut world, id)?.clone();
        let Head::Detached(tip) = refs.head else { return Ok(None) };
        if let Some(refs) = world.refs.get_mut(&self.first(id)) {
            refs.head = Head::Branch("refs/heads/\u{0}gone".into());
        }
        let lost = self.commits_lost(&world, id, &tip, None)?;
        let pin = self.pin(&world, id, &world.real_tips([tip]));
        let finding = Finding::new("worktree.remove", Verdict::Deny, act.text, "only this tree's HEAD names these");
        Ok((!lost.is_empty()).then(|| finding.with(lost).pinned(pin)))
    }

    /// Everything a repository holds that no remote is known to have: edits, untracked files, stashes, commits. And the
    /// repository as a whole, for a snapshot.
    pub fn holdings(&mut self, top: &Path) -> Result<(Vec<Loss>, Option<Pin>), Trouble> {
        let Some(id) = self.site_at(top)? else { return Ok((Vec::new(), None)) };
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
        let (mut tips, mut remote) = (BTreeSet::new(), BTreeSet::new());
        tips.extend(site.resolve("HEAD"));
        for (name, oid) in refs {
            if name.starts_with("refs/remotes/") { &mut remote } else { &mut tips }.insert(oid);
        }
        losses.extend(site.commits_not_in(&tips, &remote)?);
        Ok((losses, Some(self.pin_whole(id)?)))
    }

    /// All that a repository has by name, to be kept so that it stands without the repository.
    pub fn pin_whole(&self, id: SiteId) -> Result<Pin, Trouble> {
        let site = &self.sites[id];
        let names = site.refs()?.0.into_iter().map(|(_, oid)| oid);
        let mut tips: BTreeSet<String> = names.chain(site.stashes()?.into_iter().map(|(oid, _)| oid)).collect();
        tips.extend(site.resolve("HEAD"));
        Ok(Pin { repo: site.repo.clone(), tips: tips.iter().filter_map(|o| Oid::parse(o)).collect(), held: Vec::new() })
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
            let (losses, pin) = self.holdings(&top)?;
            if !losses.is_empty() {
                let detail = format!("{} is a repository of its own", top.display());
                let finding = Finding::new("repo.remove", Verdict::Deny, act.text, detail).with(losses);
                world.findings.push(Finding { pins: pin.into_iter().collect(), ..finding });
            }
        }
        Ok(())
    }

    /// The submodules that are there, each with the commit that the repository around it records.
    fn submodules(&mut self, call: &Call) -> Result<Vec<(SiteId, Tip)>, Trouble> {
        let links = self.sites[call.site].git("submodules")?.gitlinks(ah::git::Paths::All)?;
        let root = self.sites[call.site].root.clone();
        let mut out = Vec::new();
        for (path, recorded) in links {
            if let Some(id) = self.site_at(&root.join(&path))?.filter(|id| *id != call.site) {
                out.push((id, Tip::Real(recorded.as_str().to_owned())));
            }
        }
        Ok(out)
    }

    /// Files of submodules are put back to what the repository around them says.
    pub fn discard_submodules(&mut self, world: &mut World, call: &Call) -> Result<(), Trouble> {
        for (id, _) in self.submodules(call)? {
            let top = self.sites[id].root.clone();
            let entries = self.sites[id].status(&top, &[], false)?;
            let tracked: Vec<ah::git::Entry> = entries.iter().filter(|e| e.state != State::Untracked).cloned().collect();
            self.learn(world, id, &tracked);
            world.drop_tracked(|t, p| p.starts_with(&top) && t.kind != Kind::Untracked);
            world.drop_index(|p| p.starts_with(&top));
        }
        Ok(())
    }

    /// `submodule deinit --force` empties their work trees.
    pub fn empty_submodules(&mut self, world: &mut World, call: &Call) -> Result<(), Trouble> {
        for (id, _) in self.submodules(call)? {
            let top = self.sites[id].root.clone();
            let entries = self.sites[id].status(&top, &[], false)?;
            self.learn(world, id, &entries);
            world.drop_tree(|_, p| p.starts_with(&top));
        }
        Ok(())
    }

    /// `git rm` takes the work trees of submodules away; false where one has changes, which git refuses without force.
    pub fn remove_submodules(&mut self, world: &mut World, call: &Call, hits: &Hits) -> Result<bool, Trouble> {
        let mut clean = true;
        for (id, _) in self.submodules(call)? {
            let top = self.sites[id].root.clone();
            if hits.contains(&top) {
                let entries = self.sites[id].status(&top, &[], false)?;
                clean &= entries.is_empty();
                self.learn(world, id, &entries);
                world.drop_tree(|_, p| p.starts_with(&top));
                world.drop_index(|p| p.starts_with(&top));
            }
        }
        Ok(clean)
    }

    /// `submodule update` puts HEADs back: commits that only a detached HEAD of a submodule names are left to its reflog.
    pub fn leave_submodules(&mut self, world: &mut World, call: &Call) -> Result<(), Trouble> {
        for (id, recorded) in self.submodules(call)? {
            let refs = self.refs(world, id)?.clone();
            let Head::Detached(tip) = refs.head.clone() else { continue };
            if tip == recorded {
                continue;
            }
            if let Some(refs) = world.refs.get_mut(&self.first(id)) {
                refs.head = Head::Detached(recorded);
            }
            let lost = self.commits_lost(world, id, &tip, None)?;
            if !lost.is_empty() {
                let pin = self.pin(world, id, &world.real_tips([tip]));
                world.findings.push(
                    call.finding("submodule.update", Verdict::Ask, "only the reflog of the submodule would still name these")
                        .with(lost)
                        .pinned(pin),
                );
            }
        }
        Ok(())
    }
}
