//! What `find` and `ls` would list, so that a pipe or `-exec` behind them is judged by real names.

use crate::glob::expand;
use crate::hits::absolute;
use crate::site::Site;
use ah::git::State;
use ah::shell::{Command, Word, matches};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The most names that are listed.
const MOST: usize = 4_000;

/// What a `find` finds.
#[derive(Debug, Default)]
pub struct Listing {
    /// The paths, in no particular order.
    pub paths: Vec<PathBuf>,
    /// Those that `-delete` would remove.
    pub deleted: Vec<PathBuf>,
    /// Its output, where it prints names alone.
    pub output: Option<String>,
}

/// A test of find that can be answered here; others are taken to be met.
enum Test {
    Name(String, bool),
    Path(String),
    Kind(char),
    Not(Box<Test>),
    Met,
}

impl Test {
    fn met(&self, path: &Path, shown: &str) -> bool {
        match self {
            Self::Name(pattern, fold) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if *fold { matches(&pattern.to_lowercase(), &name.to_lowercase()) } else { matches(pattern, &name) }
            }
            Self::Path(pattern) => matches(pattern, shown),
            Self::Kind(kind) => match kind {
                'f' => path.is_file() && !path.is_symlink(),
                'd' => path.is_dir() && !path.is_symlink(),
                'l' => path.is_symlink(),
                _ => true,
            },
            // An unknown test may be met either way, and so may its opposite.
            Self::Not(inner) => matches!(**inner, Self::Met) || !inner.met(path, shown),
            Self::Met => true,
        }
    }
}

/// Walks as `find` would, within bounds.
pub fn find(command: &Command, cwd: &Path) -> Listing {
    let words: Vec<&str> = command.words[1..].iter().map(Word::text).collect();
    let split = words.iter().position(|w| w.starts_with('-') && w.len() > 1 || *w == "!" || *w == "(").unwrap_or(words.len());
    let mut roots: Vec<&str> = words[..split].iter().copied().filter(|r| !matches!(*r, "-H" | "-L" | "-P")).collect();
    if roots.is_empty() {
        roots.push(".");
    }
    let mut tests = vec![Vec::new()];
    let (mut max, mut min, mut delete, mut acts, mut nul) = (usize::MAX, 0, false, false, false);
    let mut rest = words[split..].iter().copied();
    let mut negate = false;
    while let Some(word) = rest.next() {
        let test = match word {
            "!" | "-not" => {
                negate = !negate;
                continue;
            }
            "-name" | "-iname" => Test::Name(rest.next().unwrap_or_default().to_owned(), word == "-iname"),
            "-path" | "-wholename" | "-ipath" => Test::Path(rest.next().unwrap_or_default().to_owned()),
            "-type" => Test::Kind(rest.next().and_then(|t| t.chars().next()).unwrap_or('?')),
            "-maxdepth" => {
                max = rest.next().and_then(|n| n.parse().ok()).unwrap_or(max);
                continue;
            }
            "-mindepth" => {
                min = rest.next().and_then(|n| n.parse().ok()).unwrap_or(0);
                continue;
            }
            "-delete" => {
                delete = true;
                continue;
            }
            "-print0" => {
                nul = true;
                continue;
            }
            "-print" | "-depth" | "-and" | "-a" | "-xdev" | "-follow" | "-prune" | "(" | ")" => continue,
            "-o" | "-or" => {
                tests.push(Vec::new());
                continue;
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                acts = true;
                for word in rest.by_ref() {
                    if word == ";" || word == "+" {
                        break;
                    }
                }
                continue;
            }
            "-printf" | "-fprint" | "-ls" | "-fprintf" => {
                acts = true;
                continue;
            }
            "-newer" | "-mtime" | "-mmin" | "-size" | "-user" | "-group" | "-perm" | "-regex" | "-iregex" | "-atime"
            | "-ctime" | "-cmin" | "-amin" | "-links" | "-inum" | "-regextype" => {
                rest.next();
                Test::Met
            }
            _ => Test::Met,
        };
        let test = if std::mem::take(&mut negate) { Test::Not(Box::new(test)) } else { test };
        if let Some(last) = tests.last_mut() {
            last.push(test);
        }
    }
    let mut out = Listing::default();
    let mut shown = Vec::new();
    for root in roots {
        let top = absolute(cwd, root);
        let mut todo = vec![(top.clone(), root.to_owned(), 0_usize)];
        while let Some((path, name, level)) = todo.pop() {
            if out.paths.len() >= MOST || std::fs::symlink_metadata(&path).is_err() {
                break;
            }
            if level >= min && tests.iter().any(|all| all.iter().all(|t| t.met(&path, &name))) {
                out.paths.push(path.clone());
                shown.push(name.clone());
            }
            // The git directory holds no work of its own to be matched by a pattern; named as a root it is searched.
            let skipped = level > 0 && path.file_name().is_some_and(|n| n == ".git") && !tests.iter().all(Vec::is_empty);
            if level < max && path.is_dir() && !path.is_symlink() && !skipped {
                for entry in std::fs::read_dir(&path).into_iter().flatten().flatten().take(MOST) {
                    let file = entry.file_name().to_string_lossy().into_owned();
                    todo.push((entry.path(), format!("{}/{file}", name.trim_end_matches('/')), level + 1));
                }
            }
        }
    }
    if delete {
        out.deleted.clone_from(&out.paths);
    }
    if !acts && !delete {
        let end = if nul { "\0" } else { "\n" };
        out.output = Some(shown.iter().flat_map(|s| [s.as_str(), end]).collect());
    }
    out
}

/// The output of a plain `ls` of one directory, or of files by name or pattern; `None` for a long listing.
pub fn ls(command: &Command, cwd: &Path) -> Option<String> {
    let (options, words): (Vec<&Word>, Vec<&Word>) = command.words[1..].iter().partition(|w| w.text().starts_with('-'));
    let known = |w: &&Word| matches!(w.text(), "-1" | "-t" | "-r" | "-tr" | "-1t" | "-d" | "-A" | "-S");
    if !options.iter().all(known) {
        return None;
    }
    let option = |name: &str| options.iter().any(|w| w.text() == name);
    let mut names = Vec::new();
    for word in words {
        match word {
            Word::Literal(name) => names.push(name.clone()),
            Word::Glob(pattern) => {
                let found = expand(cwd, pattern, &BTreeSet::new(), &BTreeSet::new());
                names.extend(found.iter().map(|p| p.strip_prefix(cwd).unwrap_or(p).display().to_string()));
            }
            Word::Unknown(_) => return None,
        }
    }
    let listed = command.words[1..].iter().any(|w| !w.text().starts_with('-'));
    let dir = match names.as_slice() {
        [] if !listed => Some(cwd.to_owned()),
        [name] => Some(absolute(cwd, name)).filter(|p| p.is_dir() && !option("-d")),
        _ => None,
    };
    let mut all: Vec<String> = match dir {
        Some(dir) => {
            let there = std::fs::read_dir(dir).ok()?.flatten().take(MOST).map(|e| e.file_name().to_string_lossy().into_owned());
            there.filter(|n| !n.starts_with('.') || option("-A")).collect()
        }
        None if names.iter().all(|n| option("-d") || !absolute(cwd, n).is_dir()) => {
            names.into_iter().filter(|n| std::fs::symlink_metadata(absolute(cwd, n)).is_ok()).collect()
        }
        None => return None,
    };
    all.sort_unstable();
    Some(all.iter().flat_map(|n| [n.as_str(), "\n"]).collect())
}

/// Which paths a listing of git names.
pub struct Which {
    untracked: bool,
    modified: bool,
    staged: bool,
    nul: bool,
}

/// What `git ls-files` or `git diff --name-only` with these words lists; `None` for any other use of them.
pub fn of_git(verb: &str, words: &[&str]) -> Option<Which> {
    let has = |names: &[&str]| words.iter().any(|w| names.contains(w));
    let known = [
        "-o", "--others", "-m", "--modified", "-d", "--deleted", "-z", "--exclude-standard", "--name-only", "--cached",
        "--staged", "HEAD", "--",
    ];
    if !words.iter().all(|w| known.contains(w)) {
        return None;
    }
    let which = match verb {
        "ls-files" => Which {
            untracked: has(&["-o", "--others"]),
            modified: has(&["-m", "--modified", "-d", "--deleted"]),
            staged: false,
            nul: has(&["-z"]),
        },
        "diff" if has(&["--name-only"]) => {
            let cached = has(&["--cached", "--staged"]);
            Which { untracked: false, modified: !cached, staged: cached || has(&["HEAD"]), nul: has(&["-z"]) }
        }
        _ => return None,
    };
    (which.untracked || which.modified || which.staged).then_some(which)
}

/// The names, as git prints them in `cwd`; `None` where git would quote one or cannot say.
pub fn names(site: &Site, cwd: &Path, which: &Which) -> Option<String> {
    let entries = site.status(cwd, &[], false).ok()?;
    let mut out = String::new();
    for entry in entries.iter() {
        let wanted = match entry.state {
            State::Untracked => which.untracked,
            State::Ignored => false,
            _ => (which.modified && entry.in_tree()) || (which.staged && entry.in_index()),
        };
        let path = site.root.join(&entry.path);
        if let (true, Ok(name)) = (wanted, path.strip_prefix(cwd)) {
            let name = name.to_str().filter(|n| !n.contains(['\n', '"', '\\']))?;
            out.push_str(name);
            out.push(if which.nul { '\0' } else { '\n' });
        }
    }
    Some(out)
}
