//! Which commits a change of refs leaves without a name.

use crate::call::Call;
use crate::judge::Judge;
use crate::snapshot::Pin;
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::{Head, Refs, SiteId, Tip, World};
use ah::git::{Oid, RefClass, Trouble, ref_class};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

impl Judge<'_> {
    /// The refs of a repository in this world, read on first use.
    pub fn refs<'w>(&self, world: &'w mut World, id: SiteId) -> Result<&'w mut Refs, Trouble> {
        let id = self.first(id);
        match world.refs.entry(id) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let (names, head) = self.sites[id].refs()?;
                let head = match head {
                    ah::git::Head::Branch(name) | ah::git::Head::Unborn(name) => Head::Branch(name),
                    ah::git::Head::Detached(oid) => Head::Detached(Tip::Real(oid.as_str().to_owned())),
                };
                let refs = place.insert(Refs { names: BTreeMap::new(), head, squashed: Vec::new(), fetched: false });
                refs.names.extend(names.into_iter().map(|(n, o)| (n, Tip::Real(o))));
                Ok(refs)
            }
        }
    }

    /// The commit that a revision names in this world; `None` where it names none.
    pub fn rev(&self, world: &mut World, call: &Call, text: &str) -> Result<Option<Tip>, Trouble> {
        if text.contains(ah::shell::HOLE) {
            return Ok(Some(Tip::Unknown));
        }
        let refs = self.refs(world, call.site)?;
        let text = if text == "@" { "HEAD" } else { text };
        if text == "HEAD" {
            return Ok(refs.head_tip());
        }
        for prefix in ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
            if let Some(tip) = refs.names.get(&format!("{prefix}{text}")) {
                return Ok(Some(tip.clone()));
            }
        }
        // HEAD~1 of a commit that this line made: walk its first parents.
        let base = text.find(['~', '^']).map_or(text, |at| &text[..at]);
        if matches!(base, "HEAD" | "@") && !text.contains('{') {
            let steps = text[base.len()..]
                .strip_prefix('~')
                .map_or_else(|| text[base.len()..].matches('^').count(), |n| n.parse().unwrap_or(1));
            let mut tip = refs.head_tip();
            for done in 0..steps {
                match tip {
                    Some(Tip::Made(id)) => {
                        tip = world.made.get(id as usize).and_then(|m| m.parents.first().cloned()).or(Some(Tip::Unknown))
                    }
                    Some(Tip::Real(oid)) => return self.ask_rev(call, &format!("{oid}~{}", steps - done)),
                    other => return Ok(other),
                }
            }
            return Ok(tip);
        }
        let fetched = self.refs(world, call.site)?.fetched;
        // What was fetched just now can be any commit, and names may be new.
        if fetched && (text.starts_with("FETCH_HEAD") || text.contains("@{u")) {
            return Ok(Some(Tip::Unknown));
        }
        Ok(self
            .ask_rev(call, text)?
            .or(fetched.then_some(Tip::Unknown).filter(|_| text.contains('/') || base.starts_with("FETCH"))))
    }

    fn ask_rev(&self, call: &Call, text: &str) -> Result<Option<Tip>, Trouble> {
        // A range or an option is no single revision.
        if text.starts_with('-') || text.contains("..") {
            return Ok(None);
        }
        let oid = self.sites[call.site].git("rev-parse")?.rev_parse(&format!("{text}^{{commit}}"))?;
        Ok(oid.map(|o| Tip::Real(o.as_str().to_owned())))
    }

    /// HEAD (with its branch) moves to `rev`.
    pub fn move_head(&self, world: &mut World, call: &Call, rev: &str, rule: &'static str) -> Result<(), Trouble> {
        let Some(new) = self.rev(world, call, rev)? else { return Ok(()) };
        let refs = self.refs(world, call.site)?;
        let old = refs.head_tip();
        match refs.head.clone() {
            Head::Branch(name) => {
                refs.names.insert(name, new.clone());
            }
            Head::Detached(_) => refs.head = Head::Detached(new.clone()),
        }
        match old {
            // An unknown commit may be the very one that HEAD is on, or any other.
            Some(_) if new == Tip::Unknown => Ok(()),
            Some(old) if old != new => self.left(world, call, old, None, rule, true),
            _ => Ok(()),
        }
    }

    /// Commits of before that names in this world still reach. HEADs of all trees count; hidden refs only if `hidden`.
    fn held(&self, world: &World, id: SiteId, hidden: bool) -> BTreeSet<String> {
        let Some(refs) = world.refs.get(&self.first(id)) else { return BTreeSet::new() };
        let class = |name: &str| match ref_class(name) {
            RefClass::Visible => true,
            RefClass::Hidden => hidden,
            RefClass::Own => false,
        };
        let names = refs.names.iter().filter(|(n, _)| class(n)).map(|(_, t)| t.clone());
        // What waits in the index for the next commit keeps the content of the commits it came from.
        let mut out = world.real_tips(names.chain(refs.head_tip()).chain(refs.squashed.iter().cloned()));
        let site = &self.sites[id];
        let others = site
            .repo
            .linked_trees()
            .into_iter()
            .filter(|t| t.git_dir != site.repo.git_dir && t.path.as_ref().is_none_or(|p| !world.removed.contains(p)));
        out.extend(others.filter_map(|t| match t.head? {
            ah::git::Head::Detached(oid) => Some(oid.as_str().to_owned()),
            _ => None,
        }));
        if site.repo.is_linked
            && let Ok(ah::git::Head::Detached(oid)) = site.repo.main_head()
        {
            out.insert(oid.as_str().to_owned());
        }
        out
    }

    /// Judges a tip that a name was taken from. `without`: the ref whose own reflog goes with it. `logged`: HEAD stood on it.
    pub fn left(
        &self,
        world: &mut World,
        call: &Call,
        old: Tip,
        without: Option<&str>,
        rule: &'static str,
        logged: bool,
    ) -> Result<(), Trouble> {
        let olds = world.real_tips([old]);
        let held = self.held(world, call.site, false);
        let site = &self.sites[call.site];
        let lost = site.commits_not_in(&olds, &held)?;
        if lost.is_empty() {
            return Ok(());
        }
        let pin = self.pin(world, call.site, &olds);
        if site.commits_not_in(&olds, &self.held(world, call.site, true))?.is_empty() {
            let own = self.own_commits(call.site, &olds, &held);
            let finding = call.finding(rule, Verdict::Ask, "only hidden refs of another tool would hold these");
            world.findings.push(finding.own(own).with(lost).pinned(pin));
            return Ok(());
        }
        let head = world.refs.get(&self.first(call.site)).and_then(Refs::head_tip);
        let mut into = world.real_tips(head);
        into.extend(held.iter().cloned());
        match self.contained(call.site, &olds, &into)? {
            Some(true) => {
                world
                    .findings
                    .push(call.finding(rule, Verdict::Note, "the content was merged under other commits").with(lost).pinned(pin));
                return Ok(());
            }
            Some(false) => {}
            None => {
                let own = self.own_commits(call.site, &olds, &held);
                let finding = call.finding(rule, Verdict::Ask, "whether the content was merged could not be found out");
                world.findings.push(finding.own(own).with(lost).pinned(pin));
                return Ok(());
            }
        }
        let gone: Vec<String> = site
            .repo
            .linked_trees()
            .into_iter()
            .filter(|t| t.path.as_ref().is_some_and(|p| world.removed.contains(p) || !p.exists()))
            .map(|t| format!("worktrees/{}/HEAD", t.id))
            .collect();
        let own = self.own_commits(call.site, &olds, &held);
        let mut all = if logged && without.is_none() { olds.clone() } else { site.logged(without, &gone)? };
        all.extend(held);
        let gone = site.commits_not_in(&olds, &all)?;
        let finding = if gone.is_empty() {
            call.finding(rule, Verdict::Ask, "only the reflog would still name these").with(lost)
        } else {
            call.finding(rule, Verdict::Deny, "nothing would name these any more").with(gone)
        };
        let branch = match without {
            None if rule == "commit.drop" => world.refs.get(&self.first(call.site)).and_then(Refs::branch),
            name => name,
        };
        let protected = branch.and_then(|b| b.strip_prefix("refs/heads/")).is_some_and(|b| self.policy.protects(b));
        world.findings.push(Finding { protected, ..finding.own(own).pinned(pin) });
        Ok(())
    }

    /// Whether the session itself made what `tips` reach and `held` does not.
    fn own_commits(&self, id: SiteId, tips: &BTreeSet<String>, held: &BTreeSet<String>) -> bool {
        let site = &self.sites[id];
        site.ids_not_in(tips, held).is_ok_and(|lost| self.memory.own_commits(site, &lost))
    }

    /// Commits to be kept by a snapshot; what names of this world hold is not stored with them.
    pub fn pin(&self, world: &World, id: SiteId, tips: &BTreeSet<String>) -> Pin {
        let ids = |set: &BTreeSet<String>| set.iter().filter_map(|o| Oid::parse(o)).collect::<Vec<_>>();
        // The newest stash entry is a ref too, until it is dropped.
        let held = self.held(world, id, false).difference(tips).cloned().collect();
        Pin { repo: self.sites[id].repo.clone(), tips: ids(tips), held: ids(&held) }
    }

    /// The commit that HEAD is on, to be kept while its branch is rewritten: without what other names and `below` hold.
    pub fn pin_head(&self, world: &mut World, call: &Call, below: Option<Tip>) -> Result<Option<Pin>, Trouble> {
        let refs = self.refs(world, call.site)?;
        let Some(head) = refs.head_tip() else { return Ok(None) };
        let branch = refs.branch().map(str::to_owned);
        let mut rest = world.clone();
        if let Some(refs) = rest.refs.get_mut(&self.first(call.site)) {
            if let Some(name) = &branch {
                refs.names.remove(name);
            }
            refs.head = Head::Branch("refs/heads/\u{0}rewritten".into());
        }
        let mut pin = self.pin(&rest, call.site, &world.real_tips([head]));
        pin.held.extend(world.real_tips(below).iter().filter_map(|o| Oid::parse(o)));
        Ok(Some(pin))
    }

    /// Whether all content of the commits is in one of `into` (a squash merge): `None` when undecided.
    fn contained(&self, id: SiteId, olds: &BTreeSet<String>, into: &BTreeSet<String>) -> Result<Option<bool>, Trouble> {
        let git = self.sites[id].git("squash-merged")?;
        let mut undecided = false;
        for old in olds {
            let mut found = false;
            for new in into.iter().filter(|n| !olds.contains(*n)).take(8) {
                let (Some(old), Some(new)) = (Oid::parse(old), Oid::parse(new)) else { continue };
                if git.merge_base(&old, &new)?.is_none() {
                    continue;
                }
                match git.merged_by_content(&old, &new)? {
                    Some(true) => {
                        found = true;
                        break;
                    }
                    Some(false) => {}
                    None => undecided = true,
                }
            }
            if !found {
                return Ok(if undecided { None } else { Some(false) });
            }
        }
        Ok(Some(true))
    }

    /// Commits that no name holds once `without` is gone.
    pub fn commits_lost(&self, world: &World, id: SiteId, tip: &Tip, without: Option<&str>) -> Result<Vec<Loss>, Trouble> {
        let mut world = world.clone();
        if let (Some(name), Some(refs)) = (without, world.refs.get_mut(&self.first(id))) {
            refs.names.remove(name);
        }
        let held = self.held(&world, id, true);
        self.sites[id].commits_not_in(&world.real_tips([tip.clone()]), &held)
    }

    /// Whether HEAD going to `rev` takes more than one commit of before out of its branch.
    pub fn drops_several(&self, world: &mut World, call: &Call, rev: &str) -> Result<bool, Trouble> {
        let (Some(new), Some(old)) = (self.rev(world, call, rev)?, self.refs(world, call.site)?.head_tip()) else {
            return Ok(false);
        };
        let (olds, news) = (world.real_tips([old]), world.real_tips([new]));
        Ok(self.sites[call.site].commits_not_in(&olds, &news)?.len() > 1)
    }

    /// Commits of the old remote tip that the current branch does not have.
    pub fn commits_between(&self, world: &World, id: SiteId, old: &Tip) -> Result<Vec<Loss>, Trouble> {
        let head = world.refs.get(&self.first(id)).and_then(Refs::head_tip);
        self.sites[id].commits_not_in(&world.real_tips([old.clone()]), &world.real_tips(head))
    }

    /// Whether `new` has everything of `old`.
    pub fn grows(&self, world: &World, id: SiteId, old: Option<&Tip>, new: &Tip) -> Result<bool, Trouble> {
        let Some(old) = old else { return Ok(true) };
        if *new == Tip::Unknown {
            return Ok(false);
        }
        // A commit that covers another has its content, not its history.
        let mut tips = vec![new.clone()];
        let mut real = BTreeSet::new();
        while let Some(tip) = tips.pop() {
            match tip {
                Tip::Real(oid) => {
                    real.insert(oid);
                }
                Tip::Made(made) => tips.extend(world.made.get(made as usize).into_iter().flat_map(|m| m.parents.clone())),
                Tip::Unknown => {}
            }
            if tip_is(&tips, old) {
                return Ok(true);
            }
        }
        let olds = world.real_tips([old.clone()]);
        // A commit that this clone has never seen is in nothing here.
        let known = self.sites[id].has_commits(&olds)?;
        Ok(known && self.sites[id].commits_not_in(&olds, &real)?.is_empty())
    }

    /// Whether `git branch -d` would find the tip merged: into HEAD or its upstream.
    pub fn merged(&self, world: &World, id: SiteId, tip: &Tip, branch: &str) -> Result<bool, Trouble> {
        let Some(refs) = world.refs.get(&self.first(id)) else { return Ok(false) };
        let short = branch.strip_prefix("refs/heads/").unwrap_or(branch);
        let upstream = self.sites[id].config().upstream(short).and_then(|u| u.tracking).and_then(|t| refs.names.get(&t).cloned());
        let into = upstream.or_else(|| refs.head_tip());
        match into {
            Some(into) => self.grows(world, id, Some(tip), &into),
            None => Ok(false),
        }
    }

    /// Whether a remote-tracking branch has the commit.
    pub fn published(&self, world: &World, id: SiteId, tip: &Tip) -> Result<bool, Trouble> {
        let Some(refs) = world.refs.get(&self.first(id)) else { return Ok(false) };
        let remote = refs.names.iter().filter(|(n, _)| n.starts_with("refs/remotes/")).map(|(_, t)| t.clone());
        let held = world.real_tips(remote);
        let tips = world.real_tips([tip.clone()]);
        Ok(!tips.is_empty() && self.sites[id].commits_not_in(&tips, &held)?.is_empty())
    }

    /// Whether the rebase would find nothing to do or only move forward.
    pub fn nothing_to_rebase(&self, world: &mut World, call: &Call) -> Result<bool, Trouble> {
        let o = &call.options;
        if o.has("interactive")
            || o.has("root")
            || o.value("exec").is_some()
            || o.value("onto").is_some()
            || o.has("force-rebase")
        {
            return Ok(false);
        }
        let base = match o.operands.first() {
            Some(word) => self.rev(world, call, word.text())?,
            None => self.rev(world, call, "@{upstream}")?,
        };
        let head = self.refs(world, call.site)?.head_tip();
        match (base, head) {
            (Some(base), Some(head)) => {
                Ok(self.grows(world, call.site, Some(&base), &head)? || self.grows(world, call.site, Some(&head), &base)?)
            }
            _ => Ok(true),
        }
    }

    /// Commits that only reflogs hold (`logged`) or nothing (`loose`), as text.
    pub fn unreachable(&self, world: &mut World, id: SiteId, logged: bool, loose: bool) -> Result<Vec<String>, Trouble> {
        self.refs(world, id)?;
        let site = &self.sites[id];
        let mut out = Vec::new();
        let held = self.held(world, id, true);
        if logged {
            let commits = site.commits_not_in(&site.logged(None, &[])?, &held)?;
            out.extend(commits.into_iter().map(|l| if let Loss::Commit(text) = l { text } else { String::new() }));
        }
        // What the line itself dropped before is loose by now.
        let dropped = world.findings.iter().any(|f: &Finding| {
            f.verdict >= Verdict::Ask && f.losses.iter().any(|l| matches!(l, Loss::Commit(_) | Loss::Stash(_)))
        });
        if loose || dropped {
            let rescue = site.git("fsck")?.rescue()?;
            out.extend(rescue.dangling.iter().map(|o| format!("{} (dangling)", o.short())));
            if rescue.loose > 0 {
                out.push(format!("{} loose files and trees", rescue.loose));
            }
        }
        Ok(out)
    }

    /// One reflog entry is deleted: a commit that only it names has no name afterwards.
    pub fn entry_deleted(&self, world: &mut World, call: &Call, word: &ah::shell::Word) -> Result<(), Trouble> {
        let Some(tip) = self.rev(world, call, word.text())? else { return Ok(()) };
        let lost = self.commits_lost(world, call.site, &tip, None)?;
        if !lost.is_empty() {
            let pin = self.pin(world, call.site, &world.real_tips([tip]));
            world.findings.push(
                call.finding("reflog.expire", Verdict::Ask, "deletes the reflog entry that names these").with(lost).pinned(pin),
            );
        }
        Ok(())
    }
}

fn tip_is(tips: &[Tip], old: &Tip) -> bool {
    tips.contains(old)
}
