//! Which files make up the configuration, and in what order.

use std::path::{Path, PathBuf};

use super::super::{Head, Repo, Vars, read};
use super::include::{Include, Place};
use super::{Config, Setting, command, parse, truth};

/// The largest config file that is read.
const FILE: u64 = 4 << 20;
/// The most files, includes counted each time.
const FILES: usize = 256;
/// The most settings.
const SETTINGS: usize = 200_000;
/// git's own limit for includes within includes.
const DEPTH: usize = 10;

impl Config {
    /// The settings a command meets: system, person, repository, this tree, then the environment and `-c`.
    /// Without a repository, those of the system, the person and the environment. `-c` settings are part of `vars`
    /// ([`Vars::add_config`]).
    #[must_use]
    pub fn load(repo: Option<&Repo>, vars: &Vars) -> Self {
        Loader::new(repo, vars, false).load()
    }

    /// As [`Config::load`], with every conditional include taken as met: more settings than any one command sees.
    pub(in super::super) fn load_all(repo: &Repo, vars: &Vars) -> Self {
        Loader::new(Some(repo), vars, true).load()
    }
}

struct Loader<'a> {
    repo: Option<&'a Repo>,
    vars: &'a Vars,
    every: bool,
    files: usize,
    branch: Option<Option<String>>,
    config: Config,
}

impl<'a> Loader<'a> {
    fn new(repo: Option<&'a Repo>, vars: &'a Vars, every: bool) -> Self {
        Self { repo, vars, every, files: 0, branch: None, config: Config::default() }
    }

    fn load(mut self) -> Config {
        if !self.vars.flag("GIT_CONFIG_NOSYSTEM") {
            for file in system_files(self.vars) {
                self.file(&file, DEPTH);
            }
        }
        for file in person_files(self.vars) {
            self.file(&file, DEPTH);
        }
        if let Some(repo) = self.repo {
            self.file(&repo.common_dir.join("config"), DEPTH);
            if self.config.bool("extensions.worktreeConfig") == Some(true) {
                self.file(&repo.git_dir.join("config.worktree"), DEPTH);
            }
        }
        match command::settings(self.vars) {
            Some(settings) => self.take(settings, None, DEPTH),
            None => self.config.broken = self.config.broken.or(Some((PathBuf::from(super::super::vars::PARAMETERS), 0))),
        }
        self.config
    }

    fn file(&mut self, path: &Path, depth: usize) {
        self.files += 1;
        if self.files > FILES {
            self.config.incomplete = true;
            return;
        }
        match read::file(path, FILE) {
            Ok(Some(bytes)) => {
                let (settings, bad) = parse(&bytes);
                if let (Some(line), None) = (bad, &self.config.broken) {
                    self.config.broken = Some((path.to_owned(), line));
                }
                self.take(settings, Some(path), depth);
            }
            Ok(None) => {}
            Err(_) => self.config.incomplete = true,
        }
    }

    fn take(&mut self, settings: Vec<Setting>, from: Option<&Path>, depth: usize) {
        for setting in settings {
            if self.config.settings.len() >= SETTINGS {
                self.config.incomplete = true;
                return;
            }
            let include = Include::of(&setting);
            self.config.settings.push(setting);
            let Some(include) = include else { continue };
            let met = self.every || {
                let branch = match &self.branch {
                    Some(branch) => branch.clone(),
                    None => self.branch.insert(branch(self.repo)).clone(),
                };
                include.met(&Place { repo: self.repo, vars: self.vars, from, branch: branch.as_deref() })
            };
            let Some(path) = include.file(self.vars, from).filter(|_| met) else {
                continue;
            };
            if depth == 0 {
                self.config.incomplete = true;
                continue;
            }
            self.file(&path, depth - 1);
        }
    }
}

fn branch(repo: Option<&Repo>) -> Option<String> {
    match repo?.head().ok()? {
        Head::Branch(name) | Head::Unborn(name) => name.strip_prefix("refs/heads/").map(str::to_owned),
        Head::Detached(_) => None,
    }
}

/// The system file has no fixed place: where packages put it, and where Homebrew and Apple do.
fn system_files(vars: &Vars) -> Vec<PathBuf> {
    const PLACES: [&str; 5] = [
        "/etc/gitconfig",
        "/usr/local/etc/gitconfig",
        "/opt/homebrew/etc/gitconfig",
        "/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig",
        "/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig",
    ];
    match vars.get("GIT_CONFIG_SYSTEM") {
        Some(file) => vec![PathBuf::from(file)],
        None => PLACES.iter().map(PathBuf::from).collect(),
    }
}

fn person_files(vars: &Vars) -> Vec<PathBuf> {
    if let Some(file) = vars.get("GIT_CONFIG_GLOBAL") {
        return vec![PathBuf::from(file)];
    }
    let home = vars.get("HOME").map(PathBuf::from);
    let xdg = vars.path("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let files = [xdg.map(|d| d.join("git/config")), home.map(|d| d.join(".gitconfig"))];
    files.into_iter().flatten().collect()
}

/// The settings in a repository's own file, without includes: what decides how the repository is laid out.
pub(in super::super) fn layout(file: &Path) -> Config {
    let settings = match read::file(file, FILE) {
        Ok(Some(bytes)) => parse(&bytes).0,
        _ => Vec::new(),
    };
    Config { settings, ..Config::default() }
}

/// The version number of the repository's layout; 0 where none is written.
pub(in super::super) fn version(config: &Config) -> u64 {
    let text = config.get("core.repositoryformatversion").unwrap_or("0");
    text.trim().parse().unwrap_or_else(|_| u64::from(truth(Some(text)).unwrap_or(true)))
}
