//! The settings in force: built-in values, the person's file, the environment, the organisation's floor, the repository.
//!
//! A person's file and variables may loosen what is built in; the floor (`/etc/ah/config.json`) and then a repository
//! (`<repo>/.ah/config.json`) may only make stricter. A mistake never removes the guard: the part of the file in which
//! it is counts as not written.

mod guard;
mod layer;
mod policy;
mod problem;
mod reader;
mod variables;

pub use guard::{Allow, Fail, GitGuard, Hooks, NoPrompt, OnLoss, OwnRule, Snapshot, Verdict};
pub use problem::{Problem, Severity};
pub use variables::{VARIABLES, is_off};

use crate::paths::{Paths, repo_config};
use guard::Origins;
use layer::Layer;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `ah` itself.
    BuiltIn,
    /// A variable of the environment.
    Environment,
    /// The person's `config.json`.
    Person,
    /// The repository's `.ah/config.json`.
    Repo,
    /// `/etc/ah/config.json`.
    System,
}

/// For whom the guard works, from loose to strict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// A machine whose work tree nobody misses: local losses are silent, there are no snapshots.
    Ci,
    /// A person's machine.
    #[default]
    Person,
}

/// Whether a collective's store may leave this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Never.
    Local,
    /// To the team's engine.
    Team,
}

/// A named group of repositories with a store of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collective {
    /// As written.
    pub name: String,
    /// Absolute; what lies in them belongs to it.
    pub paths: Vec<PathBuf>,
    /// Whether it may leave this machine.
    pub share: Share,
    /// The name of its folder; no two have one folder, on file systems that ignore case neither.
    pub store: String,
}

/// A person, and the addresses that mean the same person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engineer {
    /// In small letters.
    pub emails: Vec<String>,
    /// As written.
    pub name: String,
}

/// The settings in force.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The person's and the organisation's collectives.
    pub collectives: Vec<Collective>,
    /// Where repositories of no collective go: `off`, `repo` (this repository on this machine) or a collective;
    /// `None` when nobody said.
    pub default: Option<String>,
    /// Who is who.
    pub engineers: Vec<Engineer>,
    /// The guard's policy; usable whatever was wrong.
    pub git_guard: GitGuard,
    /// Something was wrong: gate, judge and mesh are off.
    pub invalid: bool,
    judge: Vec<String>,
    mesh: Vec<String>,
    /// `borg`: the reference system's variables are honoured.
    pub migrate: Option<String>,
    /// Where nothing is recorded; absolute.
    pub off: Vec<PathBuf>,
    origins: Origins,
    /// For whom the guard works.
    pub profile: Profile,
    /// The repository whose file was read.
    pub repo: Option<PathBuf>,
    /// `AH_OFF` is set.
    pub silent: bool,
}

impl Config {
    /// The settings for work in the repository at `repo_root`, and everything that was wrong. Where there is no file
    /// it costs one failed open.
    #[must_use]
    pub fn load(paths: &Paths, repo_root: Option<&Path>) -> (Self, Vec<Problem>) {
        Self::load_with(paths, repo_root, &|name| std::env::var_os(name))
    }

    /// The same with any environment: `look` answers a variable's value.
    pub fn load_with(paths: &Paths, repo_root: Option<&Path>, look: &dyn Fn(&str) -> Option<OsString>) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut config = Self { repo: repo_root.map(Path::to_path_buf), silent: is_off(look), ..Self::default() };
        if let Some(layer) = layer::read(paths, &paths.config_file(), Origin::Person, &mut problems) {
            config.take(layer, Origin::Person, &mut problems);
        }
        let (guard, profile) = variables::read(look, &mut problems);
        let layer = Layer { guard, judge: variables::judge(look), profile, ..Layer::default() };
        config.take(layer, Origin::Environment, &mut problems);
        let floor = paths.system_config();
        if let Some(layer) = layer::read(paths, &floor, Origin::System, &mut problems) {
            config.take(layer, Origin::System, &mut problems);
        }
        if let Some(root) = repo_root {
            let file = repo_config(root);
            if let Some(layer) = layer::read(paths, &file, Origin::Repo, &mut problems) {
                config.take_repo(layer, root, &file, &mut problems);
            }
        }
        config.check(paths, &mut problems);
        config.invalid = problems.iter().any(|p| p.severity == Severity::Error);
        (config, problems)
    }

    /// Where the value of `key` (as `git_guard.on_loss`, `git_guard.protected[4]`, `default`) came from.
    #[must_use]
    pub fn origin(&self, key: &str) -> Origin {
        self.origins.get(key).copied().unwrap_or(Origin::BuiltIn)
    }

    /// The judge's section, the floor's values over the person's; an object. Read only now: the guard never asks.
    #[must_use]
    pub fn judge(&self) -> Option<serde_json::Value> {
        section(&self.judge)
    }

    /// The mesh's section, likewise.
    #[must_use]
    pub fn mesh(&self) -> Option<serde_json::Value> {
        section(&self.mesh)
    }

    /// The engineer's name for an address, whatever its case; the address itself when it is nobody's.
    #[must_use]
    pub fn engineer<'a>(&'a self, email: &'a str) -> &'a str {
        let lower = email.trim().to_lowercase();
        let known = self.engineers.iter().find(|e| e.emails.contains(&lower));
        known.map_or(email, |e| &e.name)
    }

    fn take(&mut self, layer: Layer, from: Origin, problems: &mut Vec<Problem>) {
        self.collectives.extend(layer.collectives);
        self.engineers.extend(layer.engineers);
        self.off.extend(layer.off);
        if layer.default.is_some() {
            self.default = layer.default;
            self.origins.insert("default".to_owned(), from);
        }
        if layer.migrate.is_some() {
            self.migrate = layer.migrate;
            self.origins.insert("migrate".to_owned(), from);
        }
        self.judge.extend(layer.judge);
        self.mesh.extend(layer.mesh);
        if let Some(profile) = layer.profile.filter(|p| from != Origin::System || *p > self.profile) {
            self.profile = profile;
            self.origins.insert("profile".to_owned(), from);
        }
        if from != Origin::System {
            self.git_guard.set(layer.guard, from, &mut self.origins);
            return;
        }
        let floored = |allow: &Allow| layer.guard.verdicts.contains_key(&allow.rule);
        for allow in self.git_guard.allow.iter().filter(|a| floored(a)) {
            problems.push(Problem {
                key: "git_guard.allow".to_owned(),
                severity: Severity::Warning,
                ..Problem::whole(Path::new("config.json"), format!("the organisation decides {}; left out", allow.rule))
            });
        }
        self.git_guard.allow.retain(|a| !floored(a));
        self.git_guard.tighten(layer.guard, from, &mut self.origins);
    }

    fn take_repo(&mut self, layer: Layer, root: &Path, file: &Path, problems: &mut Vec<Problem>) {
        if layer.off_here {
            self.off.push(root.to_path_buf());
        }
        let mine = env!("CARGO_PKG_VERSION");
        if let Some(least) = layer.min_version.filter(|least| version(least) > version(mine)) {
            problems.push(Problem {
                key: "min_version".to_owned(),
                severity: Severity::Warning,
                ..Problem::whole(file, format!("this repository expects ah {least} or newer; this is {mine}"))
            });
        }
        self.git_guard.tighten(layer.guard, Origin::Repo, &mut self.origins);
    }

    /// What only shows when all layers are together.
    fn check(&self, paths: &Paths, problems: &mut Vec<Problem>) {
        let stores = self.collectives.iter().map(|c| c.store.to_ascii_lowercase());
        let mut stores: Vec<String> = stores.collect();
        stores.sort_unstable();
        if let Some(twice) = stores.windows(2).find(|w| w[0] == w[1]) {
            let what = format!("expected no collective of the organisation's; folder {:?} is one", twice[0]);
            problems.push(Problem { key: "collectives".to_owned(), ..Problem::whole(&paths.config_file(), what) });
        }
        if let Some(name) = &self.default
            && !["off", "repo"].contains(&name.as_str())
            && self.collectives.iter().all(|c| c.name != *name)
        {
            let what = format!("expected \"off\", \"repo\" or a collective's name; {name:?} is none, so it is off");
            problems.push(Problem {
                key: "default".to_owned(),
                severity: Severity::Warning,
                ..Problem::whole(&paths.config_file(), what)
            });
        }
    }
}

/// Whether the repository at `root` says that nothing of it is recorded; also when its file has a mistake.
#[must_use]
pub fn repo_is_off(paths: &Paths, root: &Path) -> bool {
    let mut problems = Vec::new();
    let layer = layer::read(paths, &repo_config(root), Origin::Repo, &mut problems);
    layer.is_some_and(|layer| layer.off_here) || problems.iter().any(|p| p.severity == Severity::Error)
}

/// One section as its layers write it, the later over the earlier.
fn section(layers: &[String]) -> Option<serde_json::Value> {
    let mut whole = None;
    for text in layers {
        let layer = jsonc_parser::parse_to_serde_value(text, &crate::jsonc::OPTIONS).ok()?;
        overlay(whole.get_or_insert_default(), layer, 0);
    }
    whole
}

/// Lays the values of `over` over those of `under`, objects within objects as deep as people write them.
fn overlay(under: &mut serde_json::Value, over: serde_json::Value, depth: u32) {
    match (under, over) {
        (serde_json::Value::Object(under), serde_json::Value::Object(over)) if depth < 8 => {
            for (key, value) in over {
                overlay(under.entry(key).or_insert(serde_json::Value::Null), value, depth + 1);
            }
        }
        (under, over) => *under = over,
    }
}

/// The numbers of a version; what follows a `-` or `+` is left out.
fn version(text: &str) -> Option<Vec<u32>> {
    let numbers = text.split(['-', '+']).next()?;
    numbers.split('.').map(|n| n.parse().ok()).collect()
}
