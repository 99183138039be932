//! What a command took from content, as findings: whose it was, whether history has it all the same.

use crate::judge::Judge;
use crate::own::memory::Whose;
use crate::treasure::{Kind, Level, Treasure};
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::World;
use ah::config::OnLoss;
use ah::git::{Kept, Oid};
use ah::session::hash_file;
use std::collections::BTreeSet;
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
        let lost: Vec<&Treasure> = worse.iter().map(|(t, _)| t).collect();
        let on_loss = self.policy.guard().on_loss;
        let mut kept = self.in_history(&lost);
        kept.extend(self.twins(&lost, world).into_iter().map(|p| (p, false)));
        if lost.iter().any(|t| t.kind == Kind::Resolution) {
            kept.extend(self.untouched().into_iter().map(|p| (p, false)));
        }
        let mut groups: Vec<Finding> = Vec::new();
        for (treasure, level) in &worse {
            if empty(treasure) || kept.contains(&(treasure.path.clone(), treasure.kind == Kind::Staged)) {
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
                _ if own && on_loss != OnLoss::Deny => (rule, Verdict::Ask, ""),
                _ => (rule, Verdict::Deny, ""),
            };
            let finding = Finding::new(rule, verdict, text, detail).own(own);
            let at = groups.iter().position(|g| g.rule == rule && g.verdict == verdict && g.own == own).unwrap_or_else(|| {
                groups.push(finding);
                groups.len() - 1
            });
            groups[at].add(self.loss(treasure));
        }
        world.findings.extend(groups);
    }

    /// Untracked files of which a work tree has the same under the tail of their path: unpacked, exported, copied aside.
    fn twins(&self, lost: &[&Treasure], world: &World) -> Vec<PathBuf> {
        let loose = lost.iter().filter(|t| matches!(t.kind, Kind::Untracked | Kind::Secret) && t.path.is_file());
        let stays = |twin: &Path| {
            twin.is_file()
                && !lost.iter().any(|t| t.path == twin)
                && !twin.ancestors().any(|p| world.removed.contains(p))
                && !world.created.contains(twin)
        };
        let twin = |path: &Path| {
            let site = self.sites.iter().filter(|s| path.starts_with(&s.root)).max_by_key(|s| s.root.as_os_str().len())?;
            let mut tail = path.strip_prefix(&site.root).ok()?.components();
            tail.next()?;
            let now = hash_file(path)?;
            while !tail.as_path().as_os_str().is_empty() {
                let other = site.root.join(tail.as_path());
                if stays(&other) && hash_file(&other).as_ref() == Some(&now) {
                    return Some(other);
                }
                tail.next();
            }
            None
        };
        loose.take(CHECKED).filter(|t| twin(&t.path).is_some()).map(|t| t.path.clone()).collect()
    }

    /// Conflicts that nobody has worked on: git's own markers are no resolution.
    fn untouched(&self) -> Vec<PathBuf> {
        let ask = |site: &crate::site::Site| site.git("merge-file")?.untouched(&site.status(&site.root, &[], false)?);
        let trees = self.sites.iter().filter(|s| s.repo.work_tree.is_some());
        trees.flat_map(|site| ask(site).unwrap_or_default().into_iter().map(|p| site.root.join(p))).collect()
    }

    /// A treasure as it stands in a message.
    pub fn loss(&self, treasure: &Treasure) -> Loss {
        Loss::File { path: treasure.path.clone(), what: treasure.kind.word(), own: self.own(&treasure.path) }
    }

    /// Whether this session made what is at a path.
    fn own(&self, path: &Path) -> bool {
        let around = self.sites.iter().filter(|s| path.starts_with(&s.root)).max_by_key(|s| s.root.as_os_str().len());
        let tree = around.filter(|site| site.repo.work_tree.is_some()).map_or(Path::new(""), |site| &site.root);
        self.memory.whose(tree, path) == Whose::Own
    }

    /// Lost content that commits hold anyway: path, and whether it is the staged content of it.
    fn in_history(&self, lost: &[&Treasure]) -> BTreeSet<(PathBuf, bool)> {
        let mut out = BTreeSet::new();
        if lost.len() > CHECKED {
            return out;
        }
        let held = |kept: &Kept| !matches!(kept, Kept::Absent | Kept::Nowhere | Kept::Index);
        for site in self.sites.iter().filter(|s| s.repo.work_tree.is_some()) {
            let here = |t: &&&Treasure| t.path.starts_with(&site.root);
            let tail = |t: &Treasure| t.path.strip_prefix(&site.root).map(PathBuf::from).unwrap_or_default();
            let staged = lost.iter().filter(here).filter_map(|t| Some((tail(t), Oid::parse(t.blob.as_ref()?)?)));
            let staged: Vec<(PathBuf, Oid)> = staged.collect();
            let files = lost.iter().filter(here).filter(|t| t.blob.is_none() && t.path.is_file()).map(|t| tail(t));
            let files: Vec<PathBuf> = files.collect();
            if staged.is_empty() && files.is_empty() {
                continue;
            }
            let Ok(git) = site.git("hash-object") else { continue };
            let of_files = if files.is_empty() { Vec::new() } else { git.kept(&files, false).unwrap_or_default() };
            let of_index = if staged.is_empty() { Vec::new() } else { git.blobs_kept(&staged).unwrap_or_default() };
            out.extend(files.iter().zip(of_files).filter(|(_, k)| held(k)).map(|(p, _)| (site.root.join(p), false)));
            out.extend(staged.iter().zip(of_index).filter(|(_, k)| held(k)).map(|((p, _), _)| (site.root.join(p), true)));
        }
        out
    }
}

/// An empty file holds nothing that could be lost.
fn empty(treasure: &Treasure) -> bool {
    matches!(treasure.kind, Kind::Untracked | Kind::Secret | Kind::Ignored)
        && std::fs::symlink_metadata(&treasure.path).is_ok_and(|m| m.is_file() && m.len() == 0)
}
