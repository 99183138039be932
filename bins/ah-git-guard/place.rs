//! Places that are more than files: inside a git directory, whole repositories, the root and HOME, ah's own settings.

use ah::paths::Paths;
use std::path::{Component, Path, PathBuf};

/// What a path inside of a git directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A hook that can run.
    Hook,
    /// A lock, a log of gc, a message file, the excludes: nothing is lost with it.
    Scratch,
    /// A branch, tag or stash as a file.
    Ref,
    /// Everything else: objects, index, config, HEAD, reflogs, state of an operation.
    Core,
    /// The git directory itself, or a directory above it.
    Whole,
}

/// Splits a path at its `.git` component: the git directory and what lies below it.
pub fn split_git_dir(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut dir = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        dir.push(part);
        if part == Component::Normal(".git".as_ref()) {
            return Some((dir, parts.as_path().to_owned()));
        }
    }
    None
}

/// What the part of a path below the git directory is.
pub fn inside(tail: &Path) -> Inside {
    let text = tail.to_string_lossy();
    let name = tail.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    if text.is_empty() {
        Inside::Whole
    } else if text == "hooks" || text.starts_with("hooks/") {
        if name.ends_with(".sample") { Inside::Scratch } else { Inside::Hook }
    } else if name.ends_with(".lock")
        || text.starts_with("info/exclude")
        || text.starts_with("info/attributes")
        || text.starts_with("info/sparse-checkout")
        || matches!(
            text.as_ref(),
            "gc.log"
                | "gc.pid"
                | "COMMIT_EDITMSG"
                | "description"
                | "FETCH_HEAD"
                | "MERGE_MSG"
                | "SQUASH_MSG"
                | "TAG_EDITMSG"
                | "branches"
                | "opencode"
                | "fsmonitor--daemon.ipc"
        )
    {
        Inside::Scratch
    } else if text.starts_with("refs/") && text != "refs/" && tail.components().count() > 1 {
        Inside::Ref
    } else {
        Inside::Core
    }
}

/// Whether a path is one of ah's folders of settings, data and state, or in one; there, a file that is not yet can loosen it.
pub fn own_home(path: &Path) -> bool {
    let usual = |parent: &str| matches!(parent, ".config" | "share" | "state");
    let parts = || path.components().map(|c| c.as_os_str().to_str().unwrap_or_default());
    let named = parts().zip(parts().skip(1)).any(|(parent, name)| name == "ah" && usual(parent));
    named || path.is_absolute() && homes().any(|home| path.starts_with(home))
}

/// ah's folders of settings, data and state, as the environment has them.
pub fn homes() -> impl Iterator<Item = &'static Path> {
    Paths::from_env().into_iter().flat_map(|p| [p.config_home(), p.data_home(), p.state_home()])
}

/// Whether a file is one of ah's own: settings, state, programs, or a harness's hooks file.
pub fn disarms(path: &Path) -> bool {
    let parts: Vec<String> = path.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
    let tail = |n: usize| parts.iter().rev().take(n).rev().map(String::as_str).collect::<Vec<_>>().join("/");
    let name = parts.last().map(String::as_str).unwrap_or_default();
    let hooks = ["settings.json", "settings.local.json", "hooks.json", "config.toml"];
    let harness = [".claude", ".codex", ".gemini", ".qwen", ".cursor", ".github"];
    own_home(path)
        || parts.iter().any(|p| p == ".ah")
        || (name.starts_with("ah-")
            && matches!(name, "ah-git-guard" | "ah-prefilter" | "ah-judge" | "ah-mesh" | "ah-bootstrap" | "ah-doctor"))
        || (hooks.contains(&name) && parts.len() > 1 && harness.iter().any(|h| tail(2).starts_with(h)))
}

/// Whether a path may need more than a look at its content: inside a git directory, or ah's own.
pub fn touchy(path: &str) -> bool {
    path.contains(".git") || disarms(Path::new(path))
}

/// Where nothing is meant to stay: temporary directories and caches. A session that itself works below one keeps its part of it.
#[derive(Clone, Debug, Default)]
pub struct Temporary {
    roots: Vec<PathBuf>,
    kept: Option<PathBuf>,
}

impl Temporary {
    /// As seen by a session in `cwd`.
    pub fn new(cwd: &Path, tmpdir: Option<PathBuf>) -> Self {
        let roots: Vec<PathBuf> = ["/tmp", "/var/tmp", "/private/tmp", "/dev", "/proc", "/run"]
            .into_iter()
            .map(PathBuf::from)
            .chain(tmpdir.filter(|t| t.is_absolute()))
            .collect();
        let part = |root: &PathBuf| cwd.strip_prefix(root).ok()?.components().next().map(|first| root.join(first));
        let kept = roots.iter().filter_map(part).next();
        Self { roots, kept }
    }

    /// Whether a path lies there.
    pub fn has(&self, path: &Path) -> bool {
        let cache = path
            .components()
            .any(|c| matches!(c.as_os_str().to_str(), Some(".cache" | "node_modules" | "__pycache__" | ".venv")));
        let kept = self.kept.as_ref().is_some_and(|k| path.starts_with(k));
        cache || (!kept && self.roots.iter().any(|r| path.starts_with(r) && path != r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_git_directory() {
        let at = |p: &str| split_git_dir(Path::new(p)).map(|(_, tail)| inside(&tail));
        assert_eq!(at("/w/.git"), Some(Inside::Whole));
        assert_eq!(at("/w/.git/index.lock"), Some(Inside::Scratch));
        assert_eq!(at("/w/.git/hooks/pre-commit"), Some(Inside::Hook));
        assert_eq!(at("/w/.git/hooks/pre-commit.sample"), Some(Inside::Scratch));
        assert_eq!(at("/w/.git/refs/heads/main"), Some(Inside::Ref));
        assert_eq!(at("/w/.git/refs"), Some(Inside::Core));
        assert_eq!(at("/w/.git/index"), Some(Inside::Core));
        assert_eq!(at("/w/.gitignore"), None);
    }

    #[test]
    fn a_session_below_a_temporary_directory_keeps_its_part() {
        let outside = Temporary::new(Path::new("/home/dev/w"), None);
        assert!(
            outside.has(Path::new("/tmp/x"))
                && !outside.has(Path::new("/home/dev/x"))
                && outside.has(Path::new("/w/node_modules/x"))
        );
        let inside = Temporary::new(Path::new("/tmp/box/run/work"), None);
        assert!(!inside.has(Path::new("/tmp/box/run/wt")) && inside.has(Path::new("/tmp/other")));
    }

    #[test]
    fn own_files() {
        for p in ["/h/.config/ah/config.json", "/w/.claude/settings.json", "/h/.codex/config.toml", "/usr/bin/ah-git-guard"] {
            assert!(disarms(Path::new(p)), "{p}");
        }
        for p in ["/w/settings.json", "/w/src/hooks.json", "/w/.claude/notes.md", "/w/ah-notes"] {
            assert!(!disarms(Path::new(p)), "{p}");
        }
    }
}
