//! What a command took from content, as findings: whose it was, whether history has it all the same.

use crate::judge::Judge;
use crate::memory::Whose;
use crate::treasure::{Kind, Level, Treasure};
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::World;
use ah::config::OnLoss;
use ah::git::Kept;
use std::path::{Path, PathBuf};

/// So many lost files are looked for in history; more are taken to be lost.
const CHECKED: usize = 200;

impl Judge<'_> {
    /// After a command: everything that is held worse than before becomes a finding of `rule`.
    pub fn settle(&mut self, world: &mut World, rule: &'static str, text: &str) {
        let worse = world.worsened();
        if worse.is_empty() {
            return;
        }
        let lost: Vec<&Treasure> = worse.iter().map(|(t, _)| t).filter(|t| t.kind != Kind::Stashed).collect();
        let mut kept = self.in_history(&lost);
        if lost.iter().any(|t| t.kind == Kind::Resolution) {
            kept.extend(self.untouched());
        }
        let on_loss = self.policy.guard().on_loss;
        let mut groups: Vec<(&'static str, Verdict, &'static str, Vec<Loss>)> = Vec::new();
        for (treasure, level) in &worse {
            if empty(treasure) || kept.contains(&treasure.path) && treasure.kind != Kind::Staged {
                continue;
            }
            let own = self.own(&treasure.path);
            let (rule, verdict, detail) = match (treasure.kind, level) {
                (_, Level::Held) => continue,
                (_, Level::Logged) => ("commit.drop", Verdict::Ask, "only the reflog would still hold this"),
                (Kind::Secret, _) => {
                    ("secret.remove", Verdict::Ask, "an ignored file that may hold secrets and exists nowhere else")
                }
                (Kind::Ignored, _) => ("tree.overwrite", Verdict::Ask, "an ignored file is replaced by one of the same name"),
                (Kind::Resolution, _) => ("merge.abort", Verdict::Deny, "a conflict that was resolved by hand"),
                _ if own && on_loss != OnLoss::Deny => (rule, Verdict::Ask, "this session made it; there is no snapshot of it"),
                _ if on_loss == OnLoss::Snapshot => (rule, Verdict::Ask, "there is no snapshot of it"),
                _ => (rule, Verdict::Deny, ""),
            };
            let loss = self.loss(treasure);
            match groups.iter_mut().find(|g| g.0 == rule && g.1 == verdict) {
                Some(group) => group.3.push(loss),
                None => groups.push((rule, verdict, detail, vec![loss])),
            }
        }
        for (rule, verdict, detail, losses) in groups {
            world.findings.push(Finding::new(rule, verdict, text, detail).with(losses));
        }
    }

    /// Conflicts that nobody has worked on: git's own markers are no resolution.
    fn untouched(&self) -> Vec<PathBuf> {
        let ask = |site: &crate::site::Site| site.git("merge-file")?.untouched(&site.status(&site.root, &[], false)?);
        let trees = self.sites.iter().filter(|s| s.repo.work_tree.is_some());
        trees.flat_map(|site| ask(site).unwrap_or_default().into_iter().map(|p| site.root.join(p))).collect()
    }

    /// A treasure as it stands in a message.
    pub fn loss(&self, treasure: &Treasure) -> Loss {
        if treasure.kind == Kind::Stashed {
            return Loss::Stash(treasure.label.clone());
        }
        Loss::File { path: treasure.path.clone(), what: treasure.kind.word(), own: self.own(&treasure.path) }
    }

    /// Whether this session made what is at a path.
    fn own(&self, path: &Path) -> bool {
        let around = self.sites.iter().filter(|s| path.starts_with(&s.root)).max_by_key(|s| s.root.as_os_str().len());
        around.is_some_and(|site| self.memory.whose(&site.root, path) == Whose::Own)
    }

    /// Files whose present content is a blob of HEAD or the index anyway.
    fn in_history(&self, lost: &[&Treasure]) -> Vec<PathBuf> {
        let mut out = Vec::new();
        if lost.len() > CHECKED {
            return out;
        }
        for site in &self.sites {
            let here: Vec<PathBuf> = lost
                .iter()
                .filter(|t| t.path.is_file())
                .filter_map(|t| t.path.strip_prefix(&site.root).ok().map(PathBuf::from))
                .collect();
            if here.is_empty() || site.repo.work_tree.is_none() {
                continue;
            }
            let kept = site.git("hash-object").and_then(|git| git.kept(&here, false)).unwrap_or_default();
            let known = here.into_iter().zip(kept).filter(|(_, k)| !matches!(k, Kept::Absent | Kept::Nowhere | Kept::Index));
            out.extend(known.map(|(p, _)| site.root.join(p)));
        }
        out
    }
}

/// An empty file holds nothing that could be lost.
fn empty(treasure: &Treasure) -> bool {
    matches!(treasure.kind, Kind::Untracked | Kind::Secret | Kind::Ignored)
        && std::fs::symlink_metadata(&treasure.path).is_ok_and(|m| m.is_file() && m.len() == 0)
}
