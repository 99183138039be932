//! File name patterns as the shell expands them, and repositories found below a directory. Both bounded.

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

/// Whether a name matches a pattern of `*`, `?`, `[..]` and backslashes. Linear but for `*`, which backtracks once.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut i, mut j, mut star, mut mark) = (0, 0, None, 0);
    while j < n.len() {
        if i < p.len() && p[i] == '*' {
            star = Some(i);
            mark = j;
            i += 1;
        } else if let Some(next) = (i < p.len()).then(|| one(&p, i, n[j])).flatten() {
            i = next;
            j += 1;
        } else if let Some(at) = star {
            i = at + 1;
            mark += 1;
            j = mark;
        } else {
            return false;
        }
    }
    p[i..].iter().all(|c| *c == '*')
}

/// Where the pattern goes on after matching one character, if it does.
fn one(p: &[char], i: usize, c: char) -> Option<usize> {
    match p[i] {
        '?' => Some(i + 1),
        '\\' if i + 1 < p.len() => (p[i + 1] == c).then_some(i + 2),
        '[' => {
            let close = (i + 2..p.len()).find(|k| p[*k] == ']')?;
            let (negated, set) = if matches!(p[i + 1], '!' | '^') { (true, &p[i + 2..close]) } else { (false, &p[i + 1..close]) };
            let mut hit = false;
            let mut k = 0;
            while k < set.len() {
                if k + 2 < set.len() && set[k + 1] == '-' {
                    hit |= set[k] <= c && c <= set[k + 2];
                    k += 3;
                } else {
                    hit |= set[k] == c;
                    k += 1;
                }
            }
            (hit != negated).then_some(close + 1)
        }
        other => (other == c).then_some(i + 1),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (p, n, want) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt.bak", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a]x", "ax", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("*a*b*", "xxaxxbxx", true),
            ("**", "x", true),
        ] {
            assert_eq!(matches(p, n), want, "{p} {n}");
        }
    }

    #[test]
    fn a_hard_pattern_is_quick() {
        assert!(!matches(&"*a".repeat(200), &"b".repeat(5000)));
    }
}
