//! A merge, rebase or the like that waits to be finished.

use super::{Oid, Repo, read};

/// What kind of operation.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// `git am`.
    Am,
    /// `git bisect`.
    Bisect,
    /// `git cherry-pick`.
    CherryPick,
    /// `git merge`.
    Merge,
    /// `git rebase`.
    Rebase,
    /// `git revert`.
    Revert,
}

/// An operation in progress in this tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Operation {
    /// The stash that it made at its start and will apply at its end.
    pub autostash: Option<Oid>,
    /// The branch it works for (full name), where it says so.
    pub branch: Option<String>,
    /// What kind.
    pub kind: Kind,
    /// The commit that stood there before it began, where it says so.
    pub original: Option<Oid>,
}

impl Repo {
    /// Every operation in progress in this tree; more than one only with a bisection.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        let at = |name: &str| self.git_dir.join(name);
        let oid = |name: &str| read::line(&at(name)).and_then(|l| Oid::parse_bytes(&l));
        let text = |name: &str| read::line(&at(name)).map(|l| String::from_utf8_lossy(&l).into_owned());
        let mut all = Vec::new();
        let rebase = ["rebase-merge", "rebase-apply"].into_iter().find(|d| at(d).is_dir());
        if let Some(dir) = rebase {
            let am = dir == "rebase-apply" && at("rebase-apply/applying").exists();
            all.push(Operation {
                autostash: oid(&format!("{dir}/autostash")),
                branch: text(&format!("{dir}/head-name")).filter(|n| n.starts_with("refs/")),
                kind: if am { Kind::Am } else { Kind::Rebase },
                original: if am { oid("ORIG_HEAD") } else { oid(&format!("{dir}/orig-head")) },
            });
        } else {
            let pending = read::line(&at("sequencer/todo")).unwrap_or_default();
            let kind = if at("MERGE_HEAD").exists() {
                Some(Kind::Merge)
            } else if at("CHERRY_PICK_HEAD").exists() || pending.starts_with(b"pick ") || pending.starts_with(b"p ") {
                Some(Kind::CherryPick)
            } else if at("REVERT_HEAD").exists() || pending.starts_with(b"revert ") {
                Some(Kind::Revert)
            } else {
                None
            };
            if let Some(kind) = kind {
                let original = if kind == Kind::Merge { oid("ORIG_HEAD") } else { oid("sequencer/head") };
                all.push(Operation { autostash: oid("MERGE_AUTOSTASH"), branch: None, kind, original });
            }
        }
        if at("BISECT_LOG").exists() {
            let start = text("BISECT_START");
            let branch = start.as_ref().filter(|s| Oid::parse(s).is_none()).map(|s| format!("refs/heads/{s}"));
            let original = start.as_deref().and_then(Oid::parse);
            all.push(Operation { autostash: None, branch, kind: Kind::Bisect, original });
        }
        all
    }
}
