//! What goes back into a person's repository: objects, refs, entries of the index and of the stash, whole work trees.
//!
//! Hooks never run. Filter drivers run only in a `Git` made by [`Git::with_filters`]: for checking files out.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::diff::changes;
use super::process::LISTING;
use super::status::zeros;
use super::{Change, Git, Oid, Repo, Trouble, Vars, read};
use crate::clock::Deadline;

/// An entry for the index; without an object: none is to be there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entered {
    /// The mode, as octal digits.
    pub mode: String,
    /// The blob, or a submodule's commit.
    pub oid: Option<Oid>,
    /// From the top of the work tree.
    pub path: PathBuf,
    /// 0, or 1 to 3 in a conflict.
    pub stage: u8,
}

impl Git<'_> {
    /// Makes an empty repository, without templates.
    ///
    /// # Errors
    /// Those of the process.
    pub fn begin(repo: &Repo, vars: &Vars, sha256: bool, reftable: bool, deadline: Deadline) -> Result<(), Trouble> {
        let git = Git::new(repo, vars, deadline)?;
        let mut args = vec!["init", "--quiet", "--template="];
        args.extend(repo.bare.then_some("--bare"));
        args.extend(sha256.then_some("--object-format=sha256"));
        args.extend(reftable.then_some("--ref-format=reftable"));
        git.run(git.call(&args)).map(drop)
    }

    /// Takes the objects of a pack in.
    ///
    /// # Errors
    /// `Io` where the pack cannot be read; those of the process.
    pub fn take_in(&self, pack: &Path) -> Result<(), Trouble> {
        let mut file = File::open(pack).map_err(|source| Trouble::Io { path: pack.to_owned(), source })?;
        let call = self.call(&["index-pack", "--stdin", "--fix-thin"]);
        self.run(call.feed(Box::new(move |pipe| drop(io::copy(&mut file, pipe))))).map(drop)
    }

    /// Whether these objects are there, with all that they reach and no ref does.
    ///
    /// # Errors
    /// Those of the readers.
    pub fn complete(&self, oids: &[Oid]) -> Result<bool, Trouble> {
        if oids.is_empty() {
            return Ok(true);
        }
        if self.known(oids.iter())?.len() < oids.iter().collect::<HashSet<_>>().len() {
            return Ok(false);
        }
        let input: String = oids.iter().flat_map(|oid| [oid.as_str(), "\n"]).collect();
        let args = ["rev-list", "--objects", "--quiet", "--missing=allow-promisor", "--stdin", "--not", "--all"];
        match self.run(self.call(&args).input(input.into_bytes())) {
            Ok(_) => Ok(true),
            Err(Trouble::Failed { .. }) => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    /// The commit that an object is or names; `None` where it is none, or not there.
    ///
    /// # Errors
    /// Those of the process.
    pub fn commit_of(&self, oid: &Oid) -> Result<Option<Oid>, Trouble> {
        match self.rev_parse(&format!("{oid}^{{commit}}")) {
            Err(Trouble::Failed { .. }) => Ok(None),
            other => other,
        }
    }

    /// Those of the commits that no other of them is made on.
    ///
    /// # Errors
    /// Those of the process; `Failed` where one is no commit here.
    pub fn independent(&self, commits: &[Oid]) -> Result<Vec<Oid>, Trouble> {
        if commits.len() < 2 {
            return Ok(commits.to_vec());
        }
        let call = self.call(&["merge-base", "--independent"]).more(&commits.iter().map(Oid::as_str).collect::<Vec<_>>());
        Ok(self.run(call)?.out.split(|b| *b == b'\n').filter_map(Oid::parse_bytes).collect())
    }

    /// Makes a ref, or moves it from `old`; `why` goes to its reflog.
    ///
    /// # Errors
    /// `Failed` where the ref is not at `old` any more, or another name is in its way; those of the process.
    pub fn set_ref(&self, name: &str, new: &Oid, old: Option<&Oid>, why: &str) -> Result<(), Trouble> {
        let none = "0".repeat(new.as_str().len());
        let old = old.map_or(none.as_str(), Oid::as_str);
        self.run(self.call(&["update-ref", "--no-deref", "-m", why, name, new.as_str(), old])).map(drop)
    }

    /// Makes refs of a new repository; one whose object is not there is left out.
    ///
    /// # Errors
    /// Those of the process.
    pub fn set_refs(&self, refs: &[(String, Oid)]) -> Result<(), Trouble> {
        let known = self.known(refs.iter().map(|(_, oid)| oid))?;
        let there = refs.iter().filter(|(_, oid)| known.contains(oid));
        let input: String = there.flat_map(|(name, oid)| ["create ", name, " ", oid.as_str(), "\n"]).collect();
        self.run(self.call(&["update-ref", "--no-deref", "--stdin"]).input(input.into_bytes())).map(drop)
    }

    /// Sets where the work tree is.
    ///
    /// # Errors
    /// Those of the process.
    pub fn set_work_tree(&self, path: &Path) -> Result<(), Trouble> {
        self.run(self.call(&["config", "core.worktree"]).more(&[path])).map(drop)
    }

    /// Puts HEAD on a branch, whatever the work tree holds.
    ///
    /// # Errors
    /// Those of the process.
    pub fn set_head(&self, branch: &str) -> Result<(), Trouble> {
        self.run(self.call(&["symbolic-ref", "HEAD", branch])).map(drop)
    }

    /// Moves the branch that is checked out here forward to a commit, with its files. Where the index is as HEAD, or as
    /// that commit already, files that are not as HEAD has them are left alone: they were not moved back with it.
    ///
    /// # Errors
    /// `Failed` where something staged is in the way; those of the process.
    pub fn forward(&self, to: &Oid) -> Result<(), Trouble> {
        if self.staged_as(to)? {
            return self.run(self.call(&["update-ref", "-m", "forward", "HEAD", to.as_str()])).map(drop);
        }
        let head = self.rev_parse("HEAD^{commit}")?;
        let Some(head) = head.map_or(Ok(None), |head| Ok(self.staged_as(&head)?.then_some(head)))? else {
            let args = ["-c", "merge.verifySignatures=false", "-c", "merge.autoStash=false", "merge", "--quiet", "--ff-only"];
            let call = self.call(&args).more(&[to.as_str()]);
            return self.run(self.in_tree(call)?).map(drop);
        };
        let top = self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?;
        self.run(self.in_tree(self.call(&["update-index", "-q", "--refresh"]).good(&[0, 1]))?)?;
        let changed = self.run(self.in_tree(self.call(&["diff-files", "--name-only", "-z"]).limit(LISTING))?)?.out;
        let changed: HashSet<PathBuf> = changed.split(|b| *b == 0).map(read::path).collect();
        let moved = self.diff_paths(&head, to)?;
        // What HEAD has not and the work tree has came from somewhere else.
        let own = |c: &Change| changed.contains(&c.path) || c.old.is_none() && top.join(&c.path).symlink_metadata().is_ok();
        let (gone, come): (Vec<Change>, Vec<Change>) = moved.into_iter().filter(|c| !own(c)).partition(|c| c.new.is_none());
        self.read_tree(to)?;
        self.run(self.call(&["update-ref", "-m", "forward", "HEAD", to.as_str()]))?;
        for change in gone {
            let _ = std::fs::remove_file(top.join(change.path));
        }
        let come: Vec<PathBuf> = come.into_iter().map(|c| c.path).collect();
        let call = self.call(&["checkout-index", "--force", "--index", "--quiet", "-z", "--stdin"]).input(zeros(&come));
        self.run(self.in_tree(call)?).map(drop)
    }

    /// Whether the index is as a commit.
    fn staged_as(&self, commit: &Oid) -> Result<bool, Trouble> {
        let call = self.call(&["diff-index", "--cached", "--quiet", "--ignore-submodules=dirty", commit.as_str(), "--"]);
        Ok(self.run(call.good(&[0, 1]))?.code == 0)
    }

    /// Whether no tracked file differs from HEAD, in the index or in the work tree.
    ///
    /// # Errors
    /// Those of the process.
    pub fn unchanged(&self) -> Result<bool, Trouble> {
        let call = self.call(&["status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=dirty"]);
        Ok(self.run(self.in_tree(call)?)?.out.is_empty())
    }

    /// Goes to a branch (its short name) with the files; what is in the way stays, and nothing happens.
    ///
    /// # Errors
    /// `Failed` where files are in the way; those of the process.
    pub fn switch(&self, branch: &str) -> Result<(), Trouble> {
        let call = self.call(&["checkout", "--quiet", "--no-guess", branch, "--"]);
        self.run(self.in_tree(call)?).map(drop)
    }

    /// Makes the index as a commit or tree is; files are left alone.
    ///
    /// # Errors
    /// Those of the process.
    pub fn read_tree(&self, tree: &Oid) -> Result<(), Trouble> {
        self.run(self.call(&["read-tree", tree.as_str()])).map(drop)
    }

    /// Writes files that the index has and the work tree has not.
    ///
    /// # Errors
    /// Those of the process.
    pub fn fill(&self) -> Result<(), Trouble> {
        let call = self.call(&["checkout-index", "--all", "--quiet", "--index"]).good(&[0, 1]);
        self.run(self.in_tree(call)?).map(drop)
    }

    /// Puts entries into the index, in the place of whatever it has at their paths.
    ///
    /// # Errors
    /// Those of the process.
    pub fn enter(&self, entries: &[Entered]) -> Result<(), Trouble> {
        let call = self.call(&["update-index", "-z", "--index-info"]).input(lines(entries));
        self.run(self.in_tree(call)?).map(drop)
    }

    /// A commit of what was staged: `base` (nothing, where there is none) with these entries. Index and files are left
    /// alone; `scratch` takes an index for it.
    ///
    /// # Errors
    /// Those of the process.
    pub fn staging(&self, base: Option<&Oid>, entries: &[Entered], why: &str, scratch: &Path) -> Result<Oid, Trouble> {
        let index = scratch.join("index");
        let base = base.map_or("--empty", Oid::as_str);
        self.run(self.call(&["read-tree", base]).with("GIT_INDEX_FILE", &index))?;
        let call = self.call(&["update-index", "-z", "--index-info"]).input(lines(entries)).with("GIT_INDEX_FILE", &index);
        self.run(self.in_tree(call)?)?;
        let tree = self.run(self.call(&["write-tree"]).with("GIT_INDEX_FILE", &index))?.out;
        let tree = String::from_utf8_lossy(tree.trim_ascii()).into_owned();
        let mut args = vec!["-c", "user.name=ah-git-guard", "-c", "user.email=ah", "commit-tree", "-m", why, &tree];
        args.extend((base != "--empty").then_some(["-p", base]).into_iter().flatten());
        let out = self.run(self.call(&args))?.out;
        let none = || Trouble::Failed { args: "commit-tree".into(), line: "no commit".into() };
        Oid::parse_bytes(out.trim_ascii()).ok_or_else(none)
    }

    /// Makes a commit an entry of the stash again, the newest one.
    ///
    /// # Errors
    /// Those of the process.
    pub fn store_stash(&self, stash: &Oid, message: &str) -> Result<(), Trouble> {
        self.run(self.call(&["stash", "store", "--quiet", "-m", message, stash.as_str()])).map(drop)
    }

    /// Makes a linked work tree at `path` (again), on a branch by its short name or on a commit.
    ///
    /// # Errors
    /// `Failed` where the branch is checked out elsewhere or something is at `path`; those of the process.
    pub fn add_tree(&self, path: &Path, on: &str, detached: bool) -> Result<(), Trouble> {
        let mut args = vec!["worktree", "add", "--quiet", "--force", "--force"];
        args.extend(detached.then_some("--detach"));
        let call = self.call(&args).more(&[path.as_os_str(), OsStr::new(on)]);
        self.run(call).map(drop)
    }

    /// The tracked paths whose content in the work tree is not that of a commit: those the commit has, and those the
    /// index has besides. The index stays as it is: a copy of it in `scratch` is refreshed.
    ///
    /// # Errors
    /// `Io` where the copy cannot be made; those of the process.
    pub fn changed_since(&self, commit: &Oid, scratch: &Path) -> Result<Vec<Change>, Trouble> {
        let (own, index) = (self.repo().git_dir.join("index"), scratch.join("index"));
        let copied = if own.exists() { std::fs::copy(&own, &index).map(drop) } else { Ok(()) };
        copied.map_err(|source| Trouble::Io { path: index.clone(), source })?;
        let refresh = self.call(&["update-index", "-q", "--refresh"]).with("GIT_INDEX_FILE", &index).good(&[0, 1]);
        self.run(self.in_tree(refresh)?)?;
        let args = ["diff-index", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=all", commit.as_str(), "--"];
        let call = self.call(&args).with("GIT_INDEX_FILE", &index).limit(LISTING);
        Ok(changes(&self.run(self.in_tree(call)?)?.out))
    }

    /// Writes files of a commit, as a checkout would, below `into`; `scratch` takes the index for it.
    ///
    /// # Errors
    /// Those of the process.
    pub fn extract(&self, commit: &Oid, paths: &[PathBuf], into: &Path, scratch: &Path) -> Result<(), Trouble> {
        let index = scratch.join("index");
        self.run(self.call(&["read-tree", commit.as_str()]).with("GIT_INDEX_FILE", &index))?;
        let mut prefix = into.as_os_str().to_owned();
        prefix.push("/");
        let mut option = std::ffi::OsString::from("--prefix=");
        option.push(prefix);
        let call = self.call(&["checkout-index", "--force", "--quiet", "-z", "--stdin"]).more(&[option]);
        let call = call.with("GIT_INDEX_FILE", &index).input(zeros(paths));
        self.run(self.in_tree(call)?).map(drop)
    }

    fn in_tree<'c>(&'c self, call: super::process::Call<'c>) -> Result<super::process::Call<'c>, Trouble> {
        Ok(call.at(self.repo().work_tree.as_deref().ok_or(Trouble::NotARepository)?))
    }
}

/// Entries as `update-index --index-info` reads them.
fn lines(entries: &[Entered]) -> Vec<u8> {
    let length = entries.iter().find_map(|e| e.oid.as_ref()).map_or(40, |oid| oid.as_str().len());
    let mut input = Vec::new();
    let mut line = |mode: &str, oid: &str, stage: u8, path: &Path| {
        input.extend(format!("{mode} {oid} {stage}\t").as_bytes());
        input.extend(path.as_os_str().as_bytes());
        input.push(0);
    };
    let none = "0".repeat(length);
    for entry in entries.iter().filter(|e| e.oid.is_none() || e.stage > 0) {
        line("0", &none, 0, &entry.path);
    }
    for entry in entries {
        if let Some(oid) = &entry.oid {
            line(&entry.mode, oid.as_str(), entry.stage, &entry.path);
        }
    }
    input
}
