//! Refs and logs asked of git, where the files are not ours to read.

use std::path::Path;

use super::{Git, Head, LogEntry, Oid, Ref, Trouble, refs};

impl Git<'_> {
    /// As [`super::Repo::head`], for foreign repositories too.
    ///
    /// # Errors
    /// Those of the reader, or of the process.
    pub fn head(&self) -> Result<Head, Trouble> {
        match self.repo().head() {
            Err(Trouble::Foreign(_)) => {}
            known => return known,
        }
        let reply = self.run(self.call(&["symbolic-ref", "-q", "HEAD"]).good(&[0, 1]))?;
        let oid = self.rev_parse("HEAD")?;
        if reply.code == 1 {
            return oid.map(Head::Detached).ok_or(Trouble::NotARepository);
        }
        let name = String::from_utf8_lossy(reply.out.trim_ascii()).into_owned();
        Ok(if oid.is_some() { Head::Branch(name) } else { Head::Unborn(name) })
    }

    /// As [`super::Repo::refs`], for foreign repositories too.
    ///
    /// # Errors
    /// Those of the reader, or of the process.
    pub fn refs(&self, prefix: &str) -> Result<Vec<Ref>, Trouble> {
        match self.repo().refs(prefix) {
            Err(Trouble::Foreign(_)) => {}
            known => return known,
        }
        let reply = self.run(self.call(&["for-each-ref", "--format=%(objectname) %(refname) %(symref)"]))?;
        let text = String::from_utf8_lossy(&reply.out);
        let refs = text.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let (oid, name) = (Oid::parse(words.next()?)?, words.next()?.to_owned());
            let target = words.next().filter(|t| !t.is_empty()).map(str::to_owned);
            name.starts_with(prefix).then_some(Ref { name, oid, target })
        });
        Ok(refs.collect())
    }

    /// As [`super::Repo::find`], for foreign repositories too.
    ///
    /// # Errors
    /// Those of the reader, or of the process.
    pub fn find(&self, short: &str) -> Result<Option<Ref>, Trouble> {
        match self.repo().find(short) {
            Err(Trouble::Foreign(_)) => {}
            known => return known,
        }
        if short == "HEAD" {
            let oid = self.rev_parse("HEAD")?;
            return Ok(oid.map(|oid| Ref { name: short.to_owned(), oid, target: None }));
        }
        let all = self.refs("refs/")?;
        Ok(refs::spellings(short).iter().find_map(|name| all.iter().find(|r| r.name == *name).cloned()))
    }

    /// What the HEADs of all trees name that stand on no branch, each with git's name for that HEAD: `HEAD` this
    /// tree's, `main-worktree/HEAD`, `worktrees/ID/HEAD`.
    pub(super) fn detached_heads(&self) -> Result<Vec<(String, Oid)>, Trouble> {
        let repo = self.repo();
        let mut all = Vec::new();
        if let Head::Detached(oid) = self.head()? {
            all.push(("HEAD".to_owned(), oid));
        }
        if repo.foreign.is_some() {
            let reply = self.run(self.call(&["worktree", "list", "--porcelain"]))?;
            let text = String::from_utf8_lossy(&reply.out);
            let linked = repo.linked_trees();
            for block in text.split("\n\n").filter(|b| b.lines().any(|l| l == "detached")) {
                let field = |name: &str| block.lines().find_map(|l| l.strip_prefix(name));
                let (Some(path), Some(oid)) = (field("worktree ").map(Path::new), field("HEAD ").and_then(Oid::parse)) else {
                    continue;
                };
                let tree = linked.iter().find(|t| t.path.as_deref() == Some(path));
                if repo.work_tree.as_deref() != Some(path) {
                    let name = tree.map_or("main-worktree/HEAD".to_owned(), |t| format!("worktrees/{}/HEAD", t.id));
                    all.push((name, oid));
                }
            }
            return Ok(all);
        }
        if repo.is_linked
            && let Ok(Head::Detached(oid)) = repo.main_head()
        {
            all.push(("main-worktree/HEAD".to_owned(), oid));
        }
        for tree in repo.linked_trees() {
            if let (Some(Head::Detached(oid)), true) = (tree.head, tree.git_dir != repo.git_dir) {
                all.push((format!("worktrees/{}/HEAD", tree.id), oid));
            }
        }
        Ok(all)
    }

    pub(super) fn asked_reflog(&self, name: &str) -> Result<Option<Vec<LogEntry>>, Trouble> {
        if name.starts_with('-') || name != "HEAD" && !self.refs("refs/")?.iter().any(|r| r.name == name) {
            return Ok(None);
        }
        let reply = self.run(self.call(&["reflog", "show", "--format=%H %gs", name, "--"]))?;
        let text = String::from_utf8_lossy(&reply.out);
        let entries = text.lines().filter_map(|line| {
            let (oid, message) = line.split_once(' ')?;
            let new = Oid::parse(oid)?;
            let old = Oid::parse(&"0".repeat(oid.len()))?;
            Some(LogEntry { new, old, message: message.to_owned(), time: 0 })
        });
        let all: Vec<LogEntry> = entries.collect();
        Ok((!all.is_empty()).then_some(all))
    }
}
