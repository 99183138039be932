//! File name patterns as the shell expands them, and repositories found below a directory. Both bounded.

use ah::shell::matches;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most names that one pattern expands to, and the most directory entries looked at.
const MOST: usize = 20_000;

/// Paths that match a pattern from `cwd`, those a line made included and those it removed left out.
pub fn expand(cwd: &Path, pattern: &str, created: &BTreeSet<PathBuf>, removed: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let (mut at, parts) = match pattern.strip_prefix('/') {
        Some(rest) => (vec![PathBuf::from("/")], rest),
        None => (vec![cwd.to_owned()], pattern),
    };
    let mut seen = 0;
    for part in parts.split('/').filter(|p| !p.is_empty() && *p != ".") {
        let mut next = Vec::new();
        for dir in &at {
            if part == ".." {
                next.push(dir.parent().unwrap_or(dir).to_owned());
                continue;
            }
            if !part.contains(['*', '?', '[']) {
                let path = dir.join(unescape(part));
                if std::fs::symlink_metadata(&path).is_ok() || created.contains(&path) {
                    next.push(path);
                }
                continue;
            }
            let made = created.iter().filter(|c| c.parent() == Some(dir)).cloned();
            let there = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path());
            for path in there.chain(made) {
                seen += 1;
                if seen > MOST {
                    return next;
                }
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let dotted = name.starts_with('.') && !part.starts_with('.');
                if !dotted && !removed.contains(&path) && matches(part, &name) && !next.contains(&path) {
                    next.push(path);
                }
            }
        }
        at = next;
    }
    at.sort_unstable();
    if at == [cwd] { Vec::new() } else { at }
}

/// The pattern's text as it stands for itself.
pub fn unescape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}

/// Tops of repositories strictly below a directory; build and package folders are not searched.
pub fn repositories_below(dir: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut todo = vec![dir.to_owned()];
    let mut budget = MOST;
    while let Some(here) = todo.pop() {
        for entry in std::fs::read_dir(&here).into_iter().flatten().flatten() {
            budget -= 1;
            if budget == 0 {
                return out;
            }
            let name = entry.file_name();
            if name == ".git" {
                if here != dir {
                    out.push(here.clone());
                }
            } else if entry.file_type().is_ok_and(|t| t.is_dir())
                && !matches!(name.to_str(), Some("node_modules" | "target" | ".venv" | "venv" | "__pycache__"))
            {
                todo.push(entry.path());
            }
        }
    }
    out
}
