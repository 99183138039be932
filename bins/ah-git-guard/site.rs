//! One repository as the judge asks about it: facts from files at once, answers of git kept for the rest of the line.

use crate::treasure::secret_name;
use crate::verdict::Loss;
use ah::clock::Deadline;
use ah::git::{Config, Entry, Git, Head, Oid, Paths, Repo, Trouble, Untracked, Vars};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Duration;

/// The longest a verdict may take (spec: 4 s of the 10 s that are registered).
const PATIENCE: Duration = Duration::from_secs(4);
/// The most commits that are listed for a finding.
const MOST: usize = 50;

/// The entries of a status, shared by all worlds.
pub type Entries = Rc<Vec<Entry>>;

/// What a status was asked for: the directory, the pathspecs, whether ignored files too.
type Asked = (PathBuf, Vec<OsString>, bool);

/// When the verdict must be there, counted from the first time that this is asked.
pub fn deadline() -> Deadline {
    static AT: OnceLock<Deadline> = OnceLock::new();
    *AT.get_or_init(|| Deadline::after(PATIENCE))
}

/// A repository and what is known of it.
pub struct Site {
    /// The repository, as found from where the command stands.
    pub repo: Repo,
    /// Top of the work tree; the git directory where there is none.
    pub root: PathBuf,
    vars: Vars,
    deadline: Deadline,
    config: OnceCell<Config>,
    hooks: OnceCell<Vec<String>>,
    status: RefCell<BTreeMap<Asked, Entries>>,
    trees: RefCell<BTreeMap<String, Rc<BTreeSet<PathBuf>>>>,
    /// Names of the questions that were put to git, for `explain`.
    pub asked: RefCell<Vec<String>>,
}

impl Site {
    /// A repository found with the variables that the command sees.
    pub fn new(repo: Repo, vars: Vars, deadline: Deadline) -> Self {
        let root = repo.work_tree.clone().unwrap_or_else(|| repo.git_dir.clone());
        Self {
            repo,
            root,
            vars,
            deadline,
            config: OnceCell::new(),
            hooks: OnceCell::new(),
            status: RefCell::default(),
            trees: RefCell::default(),
            asked: RefCell::default(),
        }
    }

    /// git, to be asked; `what` is for `explain`.
    pub fn git(&self, what: &str) -> Result<Git<'_>, Trouble> {
        self.asked.borrow_mut().push(what.to_owned());
        Git::new(&self.repo, &self.vars, self.deadline)
    }

    /// The configuration in force.
    pub fn config(&self) -> &Config {
        self.config.get_or_init(|| Config::load(Some(&self.repo), &self.vars))
    }

    /// A setting that says yes.
    pub fn flag(&self, key: &str) -> bool {
        self.config().bool(key).unwrap_or(false)
    }

    /// What a status says of the paths that `specs` match from `cwd`, every untracked file by itself.
    pub fn status(&self, cwd: &Path, specs: &[OsString], ignored: bool) -> Result<Entries, Trouble> {
        let key = (cwd.to_owned(), specs.to_vec(), ignored);
        if let Some(known) = self.status.borrow().get(&key) {
            return Ok(known.clone());
        }
        let mut repo = self.repo.clone();
        repo.cwd = if cwd.is_dir() { cwd.to_owned() } else { self.root.clone() };
        self.asked.borrow_mut().push("status".into());
        let git = Git::new(&repo, &self.vars, self.deadline)?;
        let paths = if specs.is_empty() { Paths::All } else { Paths::Specs(specs) };
        let entries = Rc::new(git.status(paths, Untracked::All, ignored)?);
        self.status.borrow_mut().insert(key, entries.clone());
        Ok(entries)
    }

    /// The status of one absolute path and everything below it; nothing of ignored directories is listed.
    pub fn status_below(&self, path: &Path, ignored: bool) -> Result<Entries, Trouble> {
        let Ok(tail) = path.strip_prefix(&self.root) else { return Ok(Entries::default()) };
        if tail.as_os_str().is_empty() {
            return self.status(&self.root, &[], ignored);
        }
        let mut spec = OsString::from(":(top,literal)");
        spec.push(tail);
        self.status(&self.root, &[spec], ignored)
    }

    /// git, standing in another directory of the same repository.
    pub fn git_in<'r>(&self, repo: &'r Repo, what: &str) -> Result<Git<'r>, Trouble> {
        self.asked.borrow_mut().push(what.to_owned());
        Git::new(repo, &self.vars, self.deadline)
    }

    /// Whether HEAD has commits that no remote-tracking branch has.
    pub fn unpushed(&self) -> Result<bool, Trouble> {
        let (refs, _) = self.refs()?;
        let (mut head, mut remote) = (BTreeSet::new(), BTreeSet::new());
        head.extend(self.resolve("HEAD"));
        remote.extend(refs.into_iter().filter(|(n, _)| n.starts_with("refs/remotes/")).map(|(_, o)| o));
        Ok(!self.commits_not_in(&head, &remote)?.is_empty())
    }

    /// Every path of a revision's tree, absolute.
    pub fn tree_paths(&self, rev: &str) -> Result<Rc<BTreeSet<PathBuf>>, Trouble> {
        if let Some(known) = self.trees.borrow().get(rev) {
            return Ok(known.clone());
        }
        let git = self.git("ls-tree")?;
        let Some(tree) = git.rev_parse(&format!("{rev}^{{tree}}"))? else { return Ok(Rc::default()) };
        let mut all = BTreeSet::new();
        all.extend(git.tree_paths(&tree, &[])?.into_iter().map(|(p, _)| self.root.join(p)));
        let all = Rc::new(all);
        self.trees.borrow_mut().insert(rev.to_owned(), all.clone());
        Ok(all)
    }

    /// Paths whose change the index hides from a status ("assume unchanged"), absolute.
    pub fn assumed(&self) -> Result<Vec<PathBuf>, Trouble> {
        if self.repo.hides() == Some(false) {
            return Ok(Vec::new());
        }
        Ok(self.git("ls-files -v")?.hidden(Paths::All)?.assumed.into_iter().map(|p| self.root.join(p)).collect())
    }

    /// Paths at or below one whose changes a status does not show, by either of the index's flags; absolute.
    pub fn hidden_below(&self, path: &Path) -> Result<Vec<PathBuf>, Trouble> {
        let Ok(tail) = path.strip_prefix(&self.root) else { return Ok(Vec::new()) };
        if self.repo.hides() == Some(false) {
            return Ok(Vec::new());
        }
        let exact = [tail.to_owned()];
        let paths = if tail.as_os_str().is_empty() { Paths::All } else { Paths::Exact(&exact) };
        let hidden = self.git("ls-files -v")?.hidden(paths)?;
        Ok(hidden.assumed.into_iter().chain(hidden.skipped).map(|p| self.root.join(p)).filter(|p| p.exists()).collect())
    }

    /// Whether a path of HEAD is no longer in the index, though its file may still be there.
    pub fn taken_out(&self) -> bool {
        let gone = |e: &Entry| matches!(e.state, ah::git::State::Changed { index: 'D', .. });
        self.status(&self.root, &[], false).is_ok_and(|all| all.iter().any(gone))
    }

    /// The hooks that would run.
    pub fn hooks(&self) -> &[String] {
        self.hooks.get_or_init(|| self.repo.hooks(self.config(), &self.vars))
    }

    /// The id of a full ref name.
    pub fn resolve(&self, name: &str) -> Option<String> {
        self.repo.resolve(name).ok().flatten().map(|o| o.as_str().to_owned())
    }

    /// Every ref and where HEAD stands, from files, or from git where only git can read them.
    pub fn refs(&self) -> Result<(Vec<(String, String)>, Head), Trouble> {
        let git = self.git("refs")?;
        let refs = git.refs("refs/")?.into_iter().filter(|r| r.target.is_none() || !r.name.starts_with("refs/remotes/"));
        Ok((refs.map(|r| (r.name, r.oid.as_str().to_owned())).collect(), git.head()?))
    }

    /// The stash entries, newest first: object id and message.
    pub fn stashes(&self) -> Result<Vec<(String, String)>, Trouble> {
        let all = self.git("stash list")?.stashes()?;
        Ok(all.into_iter().map(|e| (e.oid.as_str().to_owned(), e.message)).collect())
    }

    /// A stash entry for a message: `stash@{0}: WIP on main: ...`.
    pub fn stash_label(&self, oid: &str) -> String {
        let all = self.stashes().unwrap_or_default();
        match all.iter().position(|(o, _)| o == oid) {
            Some(at) => format!("stash@{{{at}}}: {}", all[at].1),
            None => oid.to_owned(),
        }
    }

    /// The operation in progress that `--abort` would end, by its name.
    pub fn operation(&self) -> Option<String> {
        let all = self.repo.operations();
        all.iter().find(|o| o.kind != ah::git::Kind::Bisect).map(|o| format!("{:?}", o.kind).to_lowercase())
    }

    /// Tops of the linked trees.
    pub fn linked_trees(&self) -> Vec<PathBuf> {
        self.repo.linked_trees().into_iter().filter_map(|t| t.path).collect()
    }

    /// Whether any ignored file lies about that is worth a look: cheap, so that a switch of branches costs nothing extra.
    pub fn has_ignored(&self) -> bool {
        self.status(&self.root, &[], true).is_ok_and(|all| all.iter().any(|e| e.state == ah::git::State::Ignored))
    }

    /// Secret-like files among ignored ones that lie in `dir` (not deeper than a few levels, a few thousand names).
    pub fn secrets_below(&self, dir: &Path) -> Vec<PathBuf> {
        let mut out = Vec::new();
        let mut todo = vec![(dir.to_owned(), 0)];
        let mut budget = 4_000;
        while let Some((dir, depth)) = todo.pop() {
            let heavy = dir
                .file_name()
                .and_then(|n| n.to_str())
                .is_some_and(|n| matches!(n, "node_modules" | "target" | ".venv" | "venv" | "dist" | "vendor" | "__pycache__"));
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
                budget -= 1;
                if budget == 0 {
                    return out;
                }
                match entry.file_type() {
                    Ok(t) if t.is_dir() && depth < 4 && !heavy => todo.push((entry.path(), depth + 1)),
                    Ok(t) if t.is_file() && secret_name(&entry.path()) && !heavy => out.push(entry.path()),
                    _ => {}
                }
            }
        }
        out
    }

    /// Commits reachable from `tips` and from none of `held`, as losses.
    pub fn commits_not_in(&self, tips: &BTreeSet<String>, held: &BTreeSet<String>) -> Result<Vec<Loss>, Trouble> {
        if tips.is_empty() || tips.is_subset(held) {
            return Ok(Vec::new());
        }
        let ids = |set: &BTreeSet<String>| set.iter().filter_map(|o| Oid::parse(o)).collect::<Vec<_>>();
        let commits = self.git("rev-list")?.commits(&ids(tips), &ids(held), MOST)?;
        Ok(commits.into_iter().map(|c| Loss::Commit(format!("{} {}", c.short, c.subject))).collect())
    }

    /// The same as ids; one more than are listed at the most.
    pub fn ids_not_in(&self, tips: &BTreeSet<String>, held: &BTreeSet<String>) -> Result<Vec<Oid>, Trouble> {
        let ids = |set: &BTreeSet<String>| set.iter().filter_map(|o| Oid::parse(o)).collect::<Vec<_>>();
        let commits = self.git("rev-list")?.commits(&ids(tips), &ids(held), MOST + 1)?;
        Ok(commits.into_iter().map(|c| c.oid).collect())
    }

    /// Whether all of these commits are in the object store.
    pub fn has_commits(&self, oids: &BTreeSet<String>) -> Result<bool, Trouble> {
        let git = self.git("rev-parse")?;
        for oid in oids {
            if git.rev_parse(&format!("{oid}^{{commit}}"))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Object ids that reflogs name: HEAD's and every ref's but `without`'s, and those of `trees` (`worktrees/ID/HEAD`).
    pub fn logged(&self, without: Option<&str>, trees: &[String]) -> Result<BTreeSet<String>, Trouble> {
        let except = |name: &str| Some(name) == without || name == "refs/stash" || trees.iter().any(|t| t == name);
        let all = self.git("reflog")?.logged(&except)?;
        let mut ids = BTreeSet::new();
        ids.extend(all.into_iter().map(|o| o.as_str().to_owned()));
        Ok(ids)
    }
}
