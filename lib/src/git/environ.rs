//! The environment in which git is asked: what selects a repository stays, whatever could run or write does not.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Config, Repo, Trouble, Vars};

/// Variables handed on: they decide which repository, which settings and which paths a command meets.
const KEPT: [&str; 31] = [
    "DEVELOPER_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_NOSYSTEM",
    "GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_REPLACE_REF_BASE",
    "GIT_TEST_ASSUME_DIFFERENT_OWNER",
    "GIT_WORK_TREE",
    "HOME",
    "SUDO_UID",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CONFIG_HOME",
];

/// Variables set for every call.
const SET: [(&str, &str); 12] = [
    // An allow list of one transport that does not exist: older git knows no GIT_NO_LAZY_FETCH.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", ""),
    ("GIT_EDITOR", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    // A person's trace2 settings are read before `-c`; these win over them.
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
    ("LC_ALL", "C"),
];

/// Settings of every call: nothing runs, and answers have one form.
const SETTINGS: [(&str, &str); 13] = [
    ("core.askPass", ""),
    ("core.editor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.safecrlf", "false"),
    ("credential.helper", ""),
    // Else `git diff` writes the index, optional or not.
    ("diff.autoRefreshIndex", "false"),
    ("diff.relative", "false"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.showSignature", "false"),
    ("protocol.ext.allow", "never"),
    ("submodule.recurse", "false"),
];

/// The most filter drivers that are made harmless one by one.
const DRIVERS: usize = 300;

/// The environment of a call.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// A person's own attributes may hold for any file.
    pub attributes: bool,
    /// Objects may lie elsewhere than in the repository's own store.
    pub elsewhere: bool,
    pub variables: Vec<(OsString, OsString)>,
}

/// Whether filter drivers run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Filters {
    /// None: facts are asked for.
    Off,
    /// The person's: files are checked out.
    On,
}

/// Prepares the environment of calls about a repository.
pub(super) fn environment(repo: &Repo, vars: &Vars, filters: Filters) -> Result<Environment, Trouble> {
    let mut vars = vars.clone();
    let attributes = disarm(repo, &mut vars, filters)? || vars.get("GIT_ATTR_SOURCE").is_some() || own_attributes(&vars);
    let elsewhere = ["GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY"].iter().any(|name| vars.get(name).is_some());
    let kept = |name: &OsStr| {
        name.to_str().is_some_and(|n| KEPT.contains(&n) || n.starts_with("GIT_CONFIG_KEY_") || n.starts_with("GIT_CONFIG_VALUE_"))
    };
    let mut all: Vec<(OsString, OsString)> =
        vars.iter().filter(|(n, _)| kept(n)).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    // Calls run at the top of the work tree too, where a relative path would mean another place.
    for (name, value) in &mut all {
        match name.to_str() {
            Some("GIT_DIR") => *value = repo.git_dir.clone().into(),
            Some("GIT_WORK_TREE") => *value = repo.work_tree.clone().unwrap_or_else(|| value.clone().into()).into(),
            Some("GIT_COMMON_DIR") => *value = repo.common_dir.clone().into(),
            _ => {}
        }
    }
    all.extend(SET.iter().map(|(n, v)| (OsString::from(n), OsString::from(v))));
    let search = env::join_paths(places(vars.search())).unwrap_or_default();
    all.push(("PATH".into(), search));
    Ok(Environment { attributes, elsewhere, variables: all })
}

/// Whether the person has an attributes file at the usual place.
fn own_attributes(vars: &Vars) -> bool {
    let config = vars.path("XDG_CONFIG_HOME").or_else(|| Some(vars.path("HOME")?.join(".config")));
    config.is_some_and(|dir| dir.join("git/attributes").exists())
}

/// Adds settings that win over those of the repository and the command. Says whether they name an attributes file.
fn disarm(repo: &Repo, vars: &mut Vars, filters: Filters) -> Result<bool, Trouble> {
    let config = Config::load_all(repo, vars);
    if config.incomplete {
        return Err(Trouble::Unsafe { what: "configuration that cannot be read to its end".into() });
    }
    for (key, value) in SETTINGS {
        vars.add_config(key, Some(value));
    }
    // The built-in daemon is git's own code; any other value is a program.
    if config.get("core.fsmonitor").is_some() && config.bool("core.fsmonitor") != Some(true) {
        vars.add_config("core.fsmonitor", Some("false"));
    }
    if filters == Filters::On {
        return Ok(config.get("core.attributesFile").is_some());
    }
    let mut drivers = config.sections("filter");
    // The usual one, also where it is set in a place that is not read here.
    if !drivers.contains(&"lfs") {
        drivers.push("lfs");
    }
    if drivers.len() > DRIVERS {
        return Err(Trouble::TooMuch { step: "filter drivers".into() });
    }
    if config.settings().iter().any(|s| !s.exact && s.key.starts_with("filter.")) {
        return Err(Trouble::Unsafe { what: "a filter whose name is not UTF-8".into() });
    }
    for driver in drivers {
        for (name, value) in [("clean", ""), ("process", ""), ("required", "false"), ("smudge", "")] {
            vars.add_config(&format!("filter.{driver}.{name}"), Some(value));
        }
    }
    Ok(config.get("core.attributesFile").is_some())
}

/// The absolute `git` on the `PATH` these variables began with; never one kept in one of these repositories, or in one
/// around it.
pub(super) fn program(repos: &[&Repo], vars: &Vars) -> Option<PathBuf> {
    let mut closed: Vec<PathBuf> = Vec::new();
    for repo in repos {
        let tree = repo.work_tree.as_deref().unwrap_or(&repo.common_dir);
        let around = tree.ancestors().filter(|dir| dir.parent().is_some() && dir.join(".git").exists()).last();
        // A linked tree may lie far from the one it belongs to.
        let main = repo.common_dir.parent().filter(|_| repo.common_dir.ends_with(".git"));
        closed.extend([around, main, Some(tree), Some(&*repo.common_dir)].into_iter().flatten().map(Path::to_owned));
    }
    closed.retain(|dir| dir.parent().is_some());
    places(vars.search()).map(|dir| dir.join("git")).find(|file| {
        let runs = fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
        runs && fs::canonicalize(file).is_ok_and(|real| !closed.iter().any(|dir| real.starts_with(dir)))
    })
}

/// The absolute directories of a search path.
fn places(search: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(search).filter(|p| p.is_absolute())
}
