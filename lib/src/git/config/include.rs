//! `include` and `includeIf`: which file, and whether it counts.

use std::fs;
use std::path::{Path, PathBuf};

use std::os::unix::ffi::OsStrExt;

use super::super::{Repo, Vars, pattern};
use super::Setting;

/// A request to read another file.
pub(super) struct Include {
    condition: Option<String>,
    path: String,
}

/// What a condition is judged by.
pub(super) struct Place<'a> {
    pub repo: Option<&'a Repo>,
    pub vars: &'a Vars,
    /// The file the request stands in; `None` for the command line.
    pub from: Option<&'a Path>,
    pub branch: Option<&'a str>,
}

impl Include {
    /// The request a setting makes, if it is one.
    pub fn of(setting: &Setting) -> Option<Self> {
        let path = setting.value.clone()?;
        if setting.key == "include.path" {
            return Some(Self { condition: None, path });
        }
        let condition = setting.key.strip_prefix("includeif.")?.strip_suffix(".path")?;
        Some(Self { condition: Some(condition.to_owned()), path })
    }

    /// The file; `None` for a relative one on the command line, which git refuses.
    pub fn file(&self, vars: &Vars, from: Option<&Path>) -> Option<PathBuf> {
        let path = expand(&self.path, vars)?;
        if path.is_absolute() {
            return Some(path);
        }
        Some(from?.parent()?.join(path))
    }

    /// Whether the condition is met. `hasconfig` counts as not met.
    pub fn met(&self, place: &Place<'_>) -> bool {
        let Some(condition) = &self.condition else {
            return true;
        };
        if let Some(text) = condition.strip_prefix("gitdir:") {
            git_dir(text, place, false)
        } else if let Some(text) = condition.strip_prefix("gitdir/i:") {
            git_dir(text, place, true)
        } else if let Some(text) = condition.strip_prefix("onbranch:") {
            let mut text = text.to_owned();
            if text.ends_with('/') {
                text.push_str("**");
            }
            place.branch.is_some_and(|b| pattern::matches(text.as_bytes(), b.as_bytes(), false))
        } else {
            false
        }
    }
}

fn git_dir(text: &str, place: &Place<'_>, fold: bool) -> bool {
    let Some(repo) = place.repo else { return false };
    let Some(glob) = glob(text, place) else {
        return false;
    };
    let real = fs::canonicalize(&repo.git_dir).unwrap_or_else(|_| repo.git_dir.clone());
    [&real, &repo.git_dir].iter().any(|dir| pattern::matches(&glob, dir.as_os_str().as_bytes(), fold))
}

/// The pattern with the places git lets people leave out.
fn glob(text: &str, place: &Place<'_>) -> Option<Vec<u8>> {
    let mut glob = if let Some(rest) = text.strip_prefix("./") {
        let dir = fs::canonicalize(place.from?.parent()?).ok()?;
        let mut glob = escaped(dir.as_os_str().as_bytes());
        glob.push(b'/');
        glob.extend_from_slice(rest.as_bytes());
        glob
    } else if let Some(rest) = text.strip_prefix("~/") {
        let home = place.vars.path("HOME")?;
        let home = fs::canonicalize(&home).unwrap_or(home);
        let mut glob = home.as_os_str().as_bytes().to_vec();
        glob.push(b'/');
        glob.extend_from_slice(rest.as_bytes());
        glob
    } else if text.starts_with('/') {
        text.as_bytes().to_vec()
    } else {
        [b"**/", text.as_bytes()].concat()
    };
    if glob.ends_with(b"/") {
        glob.extend_from_slice(b"**");
    }
    Some(glob)
}

/// A directory's own characters stand for themselves.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// A path value with `~/` put in full; other persons' homes (`~name/`) and `%(prefix)` are not known here.
pub(in super::super) fn expand(path: &str, vars: &Vars) -> Option<PathBuf> {
    match path.strip_prefix('~') {
        Some("") => vars.path("HOME"),
        Some(rest) => Some(vars.path("HOME")?.join(rest.strip_prefix('/')?.trim_start_matches('/'))),
        None if path.starts_with("%(prefix)/") => None,
        None => Some(PathBuf::from(path)),
    }
}
