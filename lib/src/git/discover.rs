//! Which repository a command run in a directory meets, found as git finds it.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use super::config::{Config, layout, version};
use super::{Oid, Trouble, Vars, read};

/// A repository as met from one directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Repo {
    /// Whether it has no work tree by its own configuration.
    pub bare: bool,
    /// What all its work trees share: refs, objects, config. Equal to `git_dir` outside linked trees.
    pub common_dir: PathBuf,
    /// The directory the command runs in, links resolved.
    pub cwd: PathBuf,
    /// The format that only git itself can read: facts from files are refused with [`Trouble::Foreign`].
    pub foreign: Option<&'static str>,
    /// The directory with this tree's HEAD and index.
    pub git_dir: PathBuf,
    /// Whether this is a linked work tree (`git worktree add`).
    pub is_linked: bool,
    /// Whether its git directory lies in the `modules` of another repository.
    pub is_submodule: bool,
    /// The top of the work tree; `None` when bare, and inside a git directory.
    pub work_tree: Option<PathBuf>,
}

impl Repo {
    /// The repository that a git command meets in `cwd`; `None` when it meets none.
    ///
    /// # Errors
    /// `NotARepository` where git would give up (a broken `.git` file, a wrong `GIT_DIR`), `Io` when `cwd` cannot be
    /// resolved.
    pub fn discover(cwd: &Path, vars: &Vars) -> Result<Option<Self>, Trouble> {
        let cwd = fs::canonicalize(cwd).map_err(|source| Trouble::Io { path: cwd.to_owned(), source })?;
        let empty = |name: &str| vars.get(name).is_some_and(|v| v.is_empty());
        if empty("GIT_DIR") || empty("GIT_WORK_TREE") {
            return Err(Trouble::NotARepository);
        }
        if let Some(dir) = vars.get("GIT_DIR") {
            let dir = git_dir_at(&cwd.join(dir), vars).ok_or(Trouble::NotARepository)?;
            let mut repo = Self::at(cwd, dir, vars);
            repo.choose_tree(vars, |repo| Some(repo.cwd.clone()));
            return Ok(Some(repo));
        }
        let ceilings = ceilings(vars);
        let across = vars.flag("GIT_DISCOVERY_ACROSS_FILESYSTEM");
        let device = device(&cwd);
        for dir in cwd.ancestors() {
            if dir != cwd && (ceilings.iter().any(|c| c == dir) || (!across && self::device(dir) != device)) {
                break;
            }
            let dot_git = dir.join(".git");
            let found = match fs::metadata(&dot_git) {
                Ok(meta) if meta.is_file() => Some(git_dir_at(&dot_git, vars).ok_or(Trouble::NotARepository)?),
                Ok(meta) if meta.is_dir() && is_git_dir(&dot_git, vars) => Some(dot_git),
                _ => None,
            };
            if let Some(found) = found {
                let mut repo = Self::at(cwd.clone(), found, vars);
                repo.choose_tree(vars, |_| Some(dir.to_owned()));
                return Ok(Some(repo));
            }
            if is_git_dir(dir, vars) {
                let mut repo = Self::at(cwd.clone(), dir.to_owned(), vars);
                repo.choose_tree(vars, |_| None);
                return Ok(Some(repo));
            }
        }
        Ok(None)
    }

    /// The repository whose git directory this is (a submodule's, a linked tree's); `None` when it is none.
    #[must_use]
    pub fn open(git_dir: &Path, vars: &Vars) -> Option<Self> {
        let dir = git_dir_at(git_dir, vars)?;
        let parent = (dir.file_name()? == ".git").then(|| dir.parent().map(Path::to_owned)).flatten();
        let mut repo = Self::at(dir.clone(), dir, &Vars::default());
        repo.choose_tree(&Vars::default(), |_| parent);
        if let Some(tree) = &repo.work_tree {
            repo.cwd.clone_from(tree);
        }
        Some(repo)
    }

    /// The repository's own settings that decide its layout; includes are not followed there.
    fn layout(&self) -> (Config, Option<Config>) {
        let shared = layout(&self.common_dir.join("config"));
        let own = shared.bool("extensions.worktreeConfig") == Some(true);
        (shared, own.then(|| layout(&self.git_dir.join("config.worktree"))))
    }

    fn at(cwd: PathBuf, git_dir: PathBuf, vars: &Vars) -> Self {
        let common_dir = common_dir(&git_dir, vars, &cwd);
        let is_linked = common_dir != git_dir && git_dir.join("commondir").is_file();
        let is_submodule = common_dir.ancestors().skip(1).any(|dir| {
            dir.file_name().is_some_and(|n| n == "modules") && dir.parent().is_some_and(|p| is_git_dir(p, &Vars::default()))
        });
        let foreign = foreign(&layout(&common_dir.join("config")));
        Self { bare: false, common_dir, cwd, foreign, git_dir, is_linked, is_submodule, work_tree: None }
    }

    /// Decides the work tree: the environment, then the configuration, then what the place found suggests.
    fn choose_tree(&mut self, vars: &Vars, found: impl FnOnce(&Self) -> Option<PathBuf>) {
        let (shared, own) = self.layout();
        let setting = |key: &str| match &own {
            Some(own) if own.get(key).is_some() => own.get(key).map(str::to_owned),
            // A linked tree does not look at what the main tree set for itself.
            _ if self.is_linked => None,
            _ => shared.get(key).map(str::to_owned),
        };
        let bare = setting("core.bare").map(|v| super::config::truth(Some(&v)).unwrap_or(true));
        if let Some(tree) = vars.path("GIT_WORK_TREE") {
            self.work_tree = Some(normal(&self.cwd.join(tree)));
            return;
        }
        let tree = setting("core.worktree").filter(|_| bare != Some(true)).map(|t| normal(&self.git_dir.join(t)));
        if tree.is_some() {
            self.work_tree = tree;
            return;
        }
        let implicit = vars.text("GIT_IMPLICIT_WORK_TREE").is_none_or(|v| super::config::truth(Some(v)) != Some(false));
        self.work_tree = found(self).filter(|_| bare != Some(true) && implicit);
        self.bare = bare.unwrap_or(self.work_tree.is_none());
    }
}

/// The git directory that a directory or a `gitdir:` file stands for.
fn git_dir_at(path: &Path, vars: &Vars) -> Option<PathBuf> {
    let dir = if path.is_file() {
        let line = read::line(path)?;
        let target = read::path(line.strip_prefix(b"gitdir:")?.trim_ascii());
        path.parent()?.join(target)
    } else {
        path.to_owned()
    };
    let dir = fs::canonicalize(dir).ok()?;
    is_git_dir(&dir, vars).then_some(dir)
}

fn is_git_dir(dir: &Path, vars: &Vars) -> bool {
    let head = dir.join("HEAD");
    let good = match fs::read_link(&head) {
        Ok(target) => target.starts_with("refs"),
        Err(_) => read::line(&head).is_some_and(|line| {
            line.strip_prefix(b"ref:").is_some_and(|r| r.trim_ascii().starts_with(b"refs/")) || Oid::parse_bytes(&line).is_some()
        }),
    };
    if !good {
        return false;
    }
    let common = common_dir(dir, vars, dir);
    let objects = vars.path("GIT_OBJECT_DIRECTORY").unwrap_or_else(|| common.join("objects"));
    objects.is_dir() && common.join("refs").is_dir()
}

fn common_dir(git_dir: &Path, vars: &Vars, cwd: &Path) -> PathBuf {
    if let Some(dir) = vars.path("GIT_COMMON_DIR") {
        return normal(&cwd.join(dir));
    }
    match read::line(&git_dir.join("commondir")) {
        Some(line) if !line.is_empty() => {
            let dir = git_dir.join(read::path(&line));
            fs::canonicalize(&dir).unwrap_or_else(|_| normal(&dir))
        }
        _ => git_dir.to_owned(),
    }
}

/// The name of a format whose files these readers do not know.
fn foreign(config: &Config) -> Option<&'static str> {
    const KNOWN: [&str; 6] = ["noop", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig", "refstorage"];
    match version(config) {
        0 => return None,
        1 => {}
        _ => return Some("a newer repository version"),
    }
    for setting in config.settings() {
        let Some(name) = setting.key.strip_prefix("extensions.") else {
            continue;
        };
        let value = setting.value.as_deref().unwrap_or_default();
        match name {
            "objectformat" if value == "sha1" => {}
            "objectformat" | "compatobjectformat" => return Some("sha256"),
            "refstorage" if value != "files" => return Some("reftable"),
            name if KNOWN.contains(&name) => {}
            _ => return Some("an unknown extension"),
        }
    }
    None
}

fn ceilings(vars: &Vars) -> Vec<PathBuf> {
    let Some(list) = vars.get("GIT_CEILING_DIRECTORIES") else {
        return Vec::new();
    };
    // After an empty entry git takes the rest as they are, without resolving links.
    let mut resolve = true;
    let mut all = Vec::new();
    for dir in env::split_paths(list) {
        if dir.as_os_str().is_empty() {
            resolve = false;
        } else if dir.is_absolute() {
            all.push(if resolve { fs::canonicalize(&dir).unwrap_or(dir) } else { dir });
        }
    }
    all
}

fn device(dir: &Path) -> Option<u64> {
    fs::metadata(dir).ok().map(|m| m.dev())
}

/// The path with links resolved where it exists, else with `.` and `..` taken out by name.
fn normal(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
