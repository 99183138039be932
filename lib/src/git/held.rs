//! Commits that no name would hold any more.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::{Git, Oid, RefClass, Trouble, read, ref_class};

/// The most commits that are counted.
const COUNTED: usize = 10_000;
/// The most reflog files that are read.
const LOGS: usize = 20_000;

/// Whether reflogs hold commits too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reflogs {
    /// They do, the logs of the refs named in `without` too: these refs only move.
    Moved,
    /// Only refs and HEADs hold.
    No,
    /// They do, but the logs of the refs named in `without` go with them.
    Removed,
}

/// What would become unheld.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Objects that will be held besides: where a ref moves to.
    pub also: &'a [Oid],
    /// Whether reflogs hold too.
    pub reflogs: Reflogs,
    /// How many commits are listed; more are only counted.
    pub show: usize,
    /// Where the commits in question begin.
    pub tips: &'a [Oid],
    /// Full names that will hold nothing: refs, everything below a name that ends in a slash, and detached HEADs as
    /// git names them (`HEAD`, `main-worktree/HEAD`, `worktrees/ID/HEAD`).
    pub without: &'a [&'a str],
}

/// A commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Commit {
    /// Whether a hidden ref, and nothing else, holds it ([`RefClass::Hidden`]).
    pub hidden: bool,
    /// Its name.
    pub oid: Oid,
    /// Its name as git shortens it.
    pub short: String,
    /// The first line of its message.
    pub subject: String,
}

/// Commits that nothing visible would hold.
#[derive(Clone, Debug, Default)]
pub struct Unheld {
    /// The newest of them, at most as many as asked for.
    pub commits: Vec<Commit>,
    /// Whether there are more than `total` says.
    pub more: bool,
    /// How many there are (counted up to 10,000).
    pub total: usize,
    /// How many of `total` a hidden ref still holds.
    pub hidden: usize,
}

/// What holds commits.
struct Holders {
    hidden: Vec<Oid>,
    visible: Vec<Oid>,
}

impl Git<'_> {
    /// The commits reachable from `tips` that no ref, no HEAD of any tree, and on request no reflog would hold.
    ///
    /// # Errors
    /// Those of the readers and the process.
    pub fn unheld(&self, question: &Question<'_>) -> Result<Unheld, Trouble> {
        if question.tips.is_empty() {
            return Ok(Unheld::default());
        }
        let holders = self.holders(question)?;
        let found = self.outside(question.tips, &holders.visible, COUNTED + 1, true)?;
        let more = found.len() > COUNTED;
        let mut all: Vec<Commit> = found.into_iter().take(COUNTED).collect();
        if !all.is_empty() && !holders.hidden.is_empty() {
            let every: Vec<Oid> = holders.visible.iter().chain(&holders.hidden).cloned().collect();
            let gone: HashSet<Oid> =
                self.outside(question.tips, &every, COUNTED + 1, false)?.into_iter().map(|c| c.oid).collect();
            for commit in &mut all {
                commit.hidden = !gone.contains(&commit.oid);
            }
        }
        let (total, hidden) = (all.len(), all.iter().filter(|c| c.hidden).count());
        all.truncate(question.show);
        Ok(Unheld { commits: all, more, total, hidden })
    }

    /// Commits reachable from `tips` and not from `held`, newest first, at most `limit`. What is missing is passed over.
    ///
    /// # Errors
    /// Those of the process.
    pub fn commits(&self, tips: &[Oid], held: &[Oid], limit: usize) -> Result<Vec<Commit>, Trouble> {
        self.outside(tips, held, limit, true)
    }

    fn outside(&self, tips: &[Oid], held: &[Oid], limit: usize, subjects: bool) -> Result<Vec<Commit>, Trouble> {
        let mut input = String::new();
        for oid in tips {
            input.extend([oid.as_str(), "\n"]);
        }
        let mut once = BTreeSet::new();
        once.extend(held);
        for oid in once {
            input.extend(["^", oid.as_str(), "\n"]);
        }
        let limit = format!("--max-count={limit}");
        let call = self.call(&["rev-list", "--ignore-missing", &limit]);
        let call = if subjects { call.more(&["--format=%h %s"]) } else { call };
        let reply = self.run(call.more(&["--stdin"]).input(input.into_bytes()))?;
        let text = String::from_utf8_lossy(&reply.out);
        let mut lines = text.lines();
        let mut all = Vec::new();
        while let Some(line) = lines.next() {
            let Some(oid) = Oid::parse(line.strip_prefix("commit ").unwrap_or(line)) else {
                continue;
            };
            let shown = if subjects { lines.next().unwrap_or_default() } else { "" };
            let (short, subject) = shown.split_once(' ').unwrap_or((shown, ""));
            all.push(Commit { hidden: false, oid, short: short.to_owned(), subject: subject.to_owned() });
        }
        Ok(all)
    }

    fn holders(&self, question: &Question<'_>) -> Result<Holders, Trouble> {
        let gone = |name: &str| question.without.iter().any(|w| *w == name || (w.ends_with('/') && name.starts_with(w)));
        let mut holders = Holders { hidden: Vec::new(), visible: question.also.to_vec() };
        // A symbolic ref adds nothing to the ref it names, and must not hold what that ref lets go.
        for held in self.refs("refs/")?.into_iter().filter(|r| r.target.is_none() && !gone(&r.name)) {
            match ref_class(&held.name) {
                RefClass::Hidden => holders.hidden.push(held.oid),
                RefClass::Own => {}
                RefClass::Visible => holders.visible.push(held.oid),
            }
        }
        holders.visible.extend(self.detached_heads()?.into_iter().filter(|(name, _)| !gone(name)).map(|(_, oid)| oid));
        match question.reflogs {
            Reflogs::Moved => holders.visible.extend(self.logged(&|_| false)?),
            Reflogs::No => {}
            Reflogs::Removed => holders.visible.extend(self.logged(&gone)?),
        }
        Ok(holders)
    }

    /// Everything that a reflog names, except the logs of some refs.
    ///
    /// # Errors
    /// Those of the readers and the process.
    pub fn logged(&self, except: &dyn Fn(&str) -> bool) -> Result<Vec<Oid>, Trouble> {
        let repo = self.repo();
        let mut all = BTreeSet::new();
        if repo.foreign.is_some() {
            let reply = self.run(self.call(&["log", "-g", "--all", "--format=%H %gD"]).good(&[0, 128]))?;
            for line in String::from_utf8_lossy(&reply.out).lines() {
                let (oid, name) = line.split_once(' ').unwrap_or((line, ""));
                let name = name.split_once("@{").map_or(name, |(n, _)| n);
                all.extend(Oid::parse(oid).filter(|_| !except(name)));
            }
            return Ok(all.into_iter().collect());
        }
        let mut names = Vec::new();
        logs(&repo.common_dir.join("logs/refs"), "refs", 0, &mut names);
        for name in names.iter().map(String::as_str).chain(["HEAD"]).filter(|n| *n == "HEAD" || !except(n)) {
            for entry in repo.reflog(name)?.unwrap_or_default() {
                all.extend([entry.old, entry.new]);
            }
        }
        let linked = repo.linked_trees().into_iter().map(|t| (format!("worktrees/{}/HEAD", t.id), t.git_dir));
        let main = ("main-worktree/HEAD".to_owned(), repo.common_dir.clone());
        for (name, git_dir) in linked.chain([main]) {
            if git_dir == repo.git_dir || except(&name) {
                continue;
            }
            let tree = super::Repo { git_dir, ..repo.clone() };
            for entry in tree.reflog("HEAD")?.unwrap_or_default() {
                all.extend([entry.old, entry.new]);
            }
        }
        Ok(all.into_iter().filter(|o| !o.is_zero()).collect())
    }
}

/// The names of all refs that have a log.
fn logs(dir: &Path, name: &str, depth: usize, all: &mut Vec<String>) {
    if depth > 32 || all.len() >= LOGS {
        return;
    }
    for file in read::names(dir, LOGS) {
        let name = format!("{name}/{}", file.to_string_lossy());
        let path = dir.join(&file);
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => logs(&path, &name, depth + 1, all),
            Ok(_) => all.push(name),
            Err(_) => {}
        }
    }
}
