//! The repository that a part goes back to: as it stands, or made again where it is no more.

use super::super::manifest::{self, Body, Part};
use super::super::take::plain;
use super::plan::{Does, Row, What};
use ah::clock::Deadline;
use ah::git::{Git, Oid, Repo, Trouble, Vars};
use std::fs;
use std::path::{Path, PathBuf};

/// What is left of a part's repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Only files can go back: why.
    Files(&'static str),
    /// A linked work tree that is no more; its repository stands.
    Linked,
    /// A work tree whose `.git` file is no more; its repository stands.
    Loose,
    /// It is no more, and the snapshot holds it whole.
    Repository,
    /// It stands.
    Stands,
}

/// A part's ground.
pub struct Ground {
    /// What is left of it.
    pub state: State,
    root: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Ground {
    /// Looks at what is left.
    pub fn of(part: &Part) -> Self {
        let (root, git_dir, common_dir) =
            (manifest::path(&part.root), manifest::path(&part.git_dir), manifest::path(&part.common_dir));
        let none = Vars::default();
        let linked = git_dir != common_dir;
        let dot_git = root.join(".git");
        let here = || Repo::discover(&root, &none).ok().flatten().map(|repo| repo.git_dir);
        let state = if part.git_dir.is_empty() {
            State::Files("")
        } else if root.is_dir() && here().as_ref() == Some(&git_dir) {
            State::Stands
        } else if root != git_dir && fs::symlink_metadata(&dot_git).is_ok() && here().is_some_and(|d| d.starts_with(&root)) {
            State::Files("another repository is there now")
        } else if linked && Repo::open(&common_dir, &none).is_some() {
            let free = fs::read_dir(&root).map_or(true, |mut entries| entries.next().is_none());
            match Repo::open(&git_dir, &none) {
                _ if free => State::Linked,
                Some(_) if fs::symlink_metadata(&dot_git).is_err() => State::Loose,
                _ => State::Files("its work tree is another one now"),
            }
        } else if let Some(repo) = Repo::open(&git_dir, &none) {
            // Else it is one that a variable or a setting names.
            if repo.is_submodule && !dot_git.exists() { State::Loose } else { State::Stands }
        } else if part.whole && !linked {
            State::Repository
        } else {
            State::Files("its repository is no more, and was not kept")
        };
        Self { state, root, git_dir, common_dir }
    }

    /// The row that says what is made again, or why nothing of git is.
    pub fn row(&self, at: usize, part: &Part) -> Option<Row> {
        let row = |does: Does, why: String| Some(Row::new(at, What::Repository, does).why(why));
        match self.state {
            State::Stands => None,
            State::Files("") => None,
            State::Files(why) if part.files.is_empty() => row(Does::LeaveAlone, why.into()),
            State::Files(why) => row(Does::LeaveAlone, format!("{why}: files only")),
            State::Linked => row(Does::BringBack, "its work tree".into()),
            State::Loose => row(Does::BringBack, "its work tree".into()),
            State::Repository => {
                let heads = part.refs.iter().filter(|(name, _)| name.starts_with("refs/heads/")).count();
                row(
                    Does::BringBack,
                    format!(
                        "{heads} {}",
                        if heads == 1 { "branch and all that it holds" } else { "branches and all that they hold" }
                    ),
                )
            }
        }
    }

    /// The repository, which stands (by now).
    pub fn repo(&self) -> Option<(Repo, Vars)> {
        let mut repo = Repo::open(&self.git_dir, &Vars::default())?;
        repo.bare = self.root == self.git_dir;
        repo.work_tree = (!repo.bare).then(|| self.root.clone());
        repo.cwd.clone_from(if self.root.is_dir() { &self.root } else { &self.git_dir });
        let vars = self.vars(repo.bare);
        Some((repo, vars))
    }

    fn vars(&self, bare: bool) -> Vars {
        let mut vars = plain(&Vars::of_process());
        vars.set("GIT_DIR", &self.git_dir);
        if !bare {
            vars.set("GIT_WORK_TREE", &self.root);
        }
        vars
    }

    /// Makes again what is no more. `pack`: where the part's objects are.
    ///
    /// # Errors
    /// In words.
    pub fn make(&self, part: &Part, pack: &Path, deadline: Deadline) -> Result<(), String> {
        let words = |trouble: Trouble| trouble.to_string();
        match self.state {
            State::Files(_) | State::Stands => Ok(()),
            State::Linked => {
                let main = Repo::open(&self.common_dir, &Vars::default()).ok_or("its repository is no more")?;
                let vars = plain(&Vars::of_process());
                let own = Git::with_filters(&main, &vars, deadline).map_err(words)?;
                // A record without its work tree may still say that it is locked.
                let on =
                    part.head.strip_prefix("refs/heads/").filter(|_| main.resolve(&part.head).is_ok_and(|tip| tip.is_some()));
                match on.map(|branch| own.add_tree(&self.root, branch, false)) {
                    Some(Ok(())) => Ok(()),
                    _ if part.tip.is_empty() => Err("it had no commit".into()),
                    _ => own.add_tree(&self.root, &part.tip, true).map_err(words),
                }
            }
            State::Loose => {
                fs::create_dir_all(&self.root).map_err(|e| e.to_string())?;
                let line = [b"gitdir: ", self.git_dir.as_os_str().as_encoded_bytes(), b"\n"].concat();
                fs::write(self.root.join(".git"), line).map_err(|e| e.to_string())?;
                let (repo, vars) = self.repo().ok_or("its repository is no more")?;
                let own = Git::with_filters(&repo, &vars, deadline).map_err(words)?;
                if self.git_dir == self.common_dir {
                    own.set_work_tree(&self.root).map_err(words)?;
                }
                own.fill().map_err(words)
            }
            State::Repository => self.begin(part, pack, deadline),
        }
    }

    fn begin(&self, part: &Part, pack: &Path, deadline: Deadline) -> Result<(), String> {
        let io = |e: std::io::Error| e.to_string();
        let words = |trouble: Trouble| trouble.to_string();
        let bare = self.root == self.git_dir;
        fs::create_dir_all(&self.root).map_err(io)?;
        fs::create_dir_all(&self.git_dir).map_err(io)?;
        let vars = self.vars(bare);
        let repo = Repo {
            bare,
            common_dir: self.git_dir.clone(),
            cwd: self.root.clone(),
            foreign: None,
            git_dir: self.git_dir.clone(),
            is_linked: false,
            is_submodule: false,
            work_tree: (!bare).then(|| self.root.clone()),
        };
        let config = part.config.as_deref().map(manifest::bytes);
        let lower = config.as_deref().map(|c| String::from_utf8_lossy(c).to_lowercase()).unwrap_or_default();
        let sha256 = part.tips.first().is_some_and(|oid| oid.len() == 64);
        Git::begin(&repo, &vars, sha256, lower.contains("refstorage") && lower.contains("reftable"), deadline).map_err(words)?;
        if let Some(config) = &config {
            fs::write(self.git_dir.join("config"), config).map_err(io)?;
        }
        if !part.shallow.is_empty() {
            fs::write(self.git_dir.join("shallow"), part.shallow.join("\n") + "\n").map_err(io)?;
        }
        // A submodule's or a separate one is named by a file.
        let dot_git = self.root.join(".git");
        if !bare && self.git_dir != dot_git && fs::symlink_metadata(&dot_git).is_err() {
            let line = [b"gitdir: ", self.git_dir.as_os_str().as_encoded_bytes(), b"\n"].concat();
            fs::write(dot_git, line).map_err(io)?;
        }
        let (repo, vars) = self.repo().ok_or("it could not be made again")?;
        let git = Git::new(&repo, &vars, deadline).map_err(words)?;
        git.take_in(pack).map_err(words)?;
        let refs = part.refs.iter().filter(|(name, _)| name != "refs/stash");
        let refs: Vec<(String, Oid)> = refs.filter_map(|(name, oid)| Some((name.clone(), Oid::parse(oid)?))).collect();
        git.set_refs(&refs).map_err(words)?;
        match Oid::parse(&part.head) {
            Some(tip) => git.set_ref("HEAD", &tip, None, "recovered").map_err(words)?,
            None => git.set_head(&part.head).map_err(words)?,
        }
        let Some(tip) = Oid::parse(&part.tip).filter(|_| !bare) else { return Ok(()) };
        let own = Git::with_filters(&repo, &vars, deadline).map_err(words)?;
        // What was deleted then does not come with the tip's other files.
        let held = |path: &str| part.files.iter().any(|f| f.path == path && f.body != Body::Absent);
        let deleted = part.files.iter().filter(|f| f.body == Body::Absent).map(|f| &f.path);
        let deleted = deleted.chain(part.staged.iter().filter(|s| s.oid.is_empty()).map(|s| &s.path).filter(|p| !held(p)));
        let deleted: Vec<PathBuf> = deleted.map(|p| manifest::path(p)).filter(|p| fs::symlink_metadata(p).is_err()).collect();
        own.read_tree(&tip).and_then(|()| own.fill()).map_err(words)?;
        deleted.iter().for_each(|path| drop(fs::remove_file(path)));
        Ok(())
    }
}
