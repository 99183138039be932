//! One possible state of things while a line runs: what holds which content, where refs point, what was found wrong.

use crate::treasure::{Holder, Level, Treasure};
use crate::verdict::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A repository by its number in the machine's list.
pub type SiteId = usize;

/// Which content of a path: the file's or the index's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The file.
    Tree,
    /// The index entry.
    Index,
}

/// A commit: one of before, or one that the line makes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tip {
    /// An object id.
    Real(String),
    /// The serial number of a commit made in this line.
    Made(u32),
    /// Not known.
    Unknown,
}

/// Where HEAD points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch, by full ref name, born or not.
    Branch(String),
    /// A commit.
    Detached(Tip),
}

/// A commit that the line makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its parents.
    pub parents: Vec<Tip>,
    /// Commits whose whole content it takes over (squash merge, amend, rebase).
    pub covers: Vec<Tip>,
}

/// The refs of one repository as the line changes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refs {
    /// Full name and tip.
    pub names: BTreeMap<String, Tip>,
    /// HEAD of the work tree that the line works in.
    pub head: Head,
    /// Content merged with `--squash`, waiting for the commit.
    pub squashed: Vec<Tip>,
    /// Remote branches fetched in this line: a bare lease protects nothing after it.
    pub fetched: bool,
}

impl Refs {
    /// The commit HEAD stands on.
    pub fn head_tip(&self) -> Option<Tip> {
        match &self.head {
            Head::Branch(name) => self.names.get(name).cloned(),
            Head::Detached(tip) => Some(tip.clone()),
        }
    }

    /// The current branch's full ref name.
    pub fn branch(&self) -> Option<&str> {
        match &self.head {
            Head::Branch(name) => Some(name),
            Head::Detached(_) => None,
        }
    }
}

/// A stash entry, newest first in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stash {
    /// The line has put its content back into the files.
    pub applied: bool,
    /// Serial number; content it took from this line has the holder of that number.
    pub id: u32,
    /// Object id of an entry of before.
    pub oid: Option<String>,
}

/// One possible state. Boxed, because it goes from hand to hand at every step and is large.
pub type World = Box<Facts>;

/// What is so in one possible state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// All content looked at so far.
    pub treasures: Vec<Treasure>,
    /// Content already among them.
    pub known: BTreeSet<(PathBuf, Side)>,
    /// Refs of the repositories looked at.
    pub refs: BTreeMap<SiteId, Refs>,
    /// Stash entries of the repositories looked at.
    pub stashes: BTreeMap<SiteId, Vec<Stash>>,
    /// Commits this line made.
    pub made: Vec<Made>,
    /// Files and directories that the line made.
    pub created: BTreeSet<PathBuf>,
    /// Files and directories that the line removed.
    pub removed: BTreeSet<PathBuf>,
    /// Settings the line changed: repository, key, value (`None`: removed).
    pub settings: Vec<(SiteId, String, Option<String>)>,
    /// What was found wrong.
    pub findings: Vec<Finding>,
    serial: u32,
}

impl Facts {
    /// A number not used before in this line.
    pub fn serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    /// Adds content unless it is there already.
    pub fn add(&mut self, side: Side, treasure: Treasure) {
        if self.known.insert((treasure.path.clone(), side)) {
            self.treasures.push(treasure);
        }
    }

    /// Files matched by `hit` no longer hold their content.
    pub fn drop_tree(&mut self, hit: impl Fn(&Treasure, &Path) -> bool) {
        for treasure in &mut self.treasures {
            let kept = |h: &Holder| !matches!(h, Holder::Tree(p) if hit(treasure, p));
            treasure.holders = treasure.holders.iter().filter(|h| kept(h)).cloned().collect();
        }
    }

    /// The same for files that git tracks: a file that the line made and did not stage is none.
    pub fn drop_tracked(&mut self, hit: impl Fn(&Treasure, &Path) -> bool) {
        let made = std::mem::take(&mut self.created);
        let loose =
            |t: &Treasure, p: &Path| made.contains(p) && !t.holders.iter().any(|h| matches!(h, Holder::Index(q) if q == p));
        self.drop_tree(|t, p| hit(t, p) && !loose(t, p));
        self.created = made;
    }

    /// Index entries matched by `hit` no longer hold their content.
    pub fn drop_index(&mut self, hit: impl Fn(&Path) -> bool) {
        for treasure in &mut self.treasures {
            treasure.listed &= !hit(&treasure.path);
            treasure.release(|h| matches!(h, Holder::Index(p) if hit(p)));
        }
    }

    /// A program that is not read has run: what the line had put into a stash may be back in its files.
    pub fn forget_stashes(&mut self) {
        let ours: Vec<u32> = self.stashes.values().flatten().filter(|s| s.oid.is_none()).map(|s| s.id).collect();
        for treasure in &mut self.treasures {
            if treasure.holders.iter().any(|h| matches!(h, Holder::Stash(id) if ours.contains(id))) {
                let path = treasure.path.clone();
                treasure.release(|h| matches!(h, Holder::Stash(id) if ours.contains(id)));
                treasure.hold(Holder::Tree(path));
            }
        }
    }

    /// What the file at `from` (or below it) held is at `to` now.
    pub fn move_tree(&mut self, from: &Path, to: &Path) {
        self.spread(from, to, true);
    }

    /// What the file at `from` (or below it) holds is also at `to`.
    pub fn copy_tree(&mut self, from: &Path, to: &Path) {
        self.spread(from, to, false);
    }

    fn spread(&mut self, from: &Path, to: &Path, take: bool) {
        for treasure in &mut self.treasures {
            let found: Vec<PathBuf> = treasure
                .holders
                .iter()
                .filter_map(|h| if let Holder::Tree(p) = h { Some(p.clone()) } else { None })
                .filter(|p| p.starts_with(from))
                .collect();
            for path in found {
                let tail = path.strip_prefix(from).unwrap_or(Path::new(""));
                let new = if tail.as_os_str().is_empty() { to.to_owned() } else { to.join(tail) };
                if take {
                    treasure.release(|h| matches!(h, Holder::Tree(p) if *p == path));
                }
                treasure.hold(Holder::Tree(new));
            }
        }
    }

    /// Commits of before that the tips stand on, through commits of this line.
    pub fn real_tips(&self, tips: impl IntoIterator<Item = Tip>) -> BTreeSet<String> {
        self.follow(tips.into_iter().collect()).0
    }

    /// What the tips stand on: commits of before, and by number which commits of this line.
    fn follow(&self, mut todo: Vec<Tip>) -> (BTreeSet<String>, Vec<bool>) {
        let (mut real, mut made) = (BTreeSet::new(), vec![false; self.made.len()]);
        while let Some(tip) = todo.pop() {
            match tip {
                Tip::Real(oid) => {
                    real.insert(oid);
                }
                Tip::Made(id) if made.get(id as usize) == Some(&false) => {
                    made[id as usize] = true;
                    let commit = &self.made[id as usize];
                    todo.extend(commit.parents.iter().chain(&commit.covers).cloned());
                }
                _ => {}
            }
        }
        (real, made)
    }

    /// Makes a commit and returns its tip.
    pub fn commit(&mut self, parents: Vec<Tip>, covers: Vec<Tip>) -> Tip {
        self.made.push(Made { parents, covers });
        Tip::Made(u32::try_from(self.made.len() - 1).unwrap_or(u32::MAX))
    }

    /// Looks at what holds each piece of content now; returns those that are held worse than before, with the new level.
    pub fn worsened(&mut self) -> Vec<(Treasure, Level)> {
        let mut tips: Vec<Tip> = Vec::new();
        for refs in self.refs.values() {
            // Only commits of this line matter here; those of before are many.
            tips.extend(refs.names.values().cloned().chain(refs.head_tip()).filter(|t| matches!(t, Tip::Made(_))));
        }
        let (_, reached) = self.follow(tips);
        let mut stashed = vec![false; self.serial as usize + 1];
        for stash in self.stashes.values().flatten() {
            stashed[stash.id as usize] = true;
        }
        let on = |all: &[bool], id: u32| all.get(id as usize) == Some(&true);
        let mut out = Vec::new();
        for treasure in &mut self.treasures {
            let level = treasure.holders.iter().map(|h| match h {
                Holder::Tree(_) | Holder::Index(_) => Level::Held,
                Holder::Stash(id) if on(&stashed, *id) => Level::Held,
                Holder::Commit(id) if on(&reached, *id) => Level::Held,
                Holder::Commit(_) => Level::Logged,
                Holder::Stash(_) => Level::Gone,
            });
            let level = level.max().unwrap_or(Level::Gone);
            if level < treasure.level {
                out.push((treasure.clone(), level));
            }
            treasure.level = level.min(treasure.level);
            if level == Level::Held {
                treasure.level = Level::Held;
            }
        }
        out
    }

    /// How bad this world is: the worst verdict, then how little still holds content.
    pub fn badness(&self) -> (crate::verdict::Verdict, usize) {
        let worst = self.findings.iter().map(|f| f.verdict).max().unwrap_or(crate::verdict::Verdict::Allow);
        (worst, usize::MAX - self.treasures.iter().map(|t| t.holders.len()).sum::<usize>())
    }
}
