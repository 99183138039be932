//! Whose work is it: the guard's memory of what a session found and what it wrote.

use super::{Line, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Most paths of one record.
pub const MAX_PATHS: usize = 5_000;

/// Largest file that is hashed, in bytes.
pub const MAX_HASHED: u64 = 20 << 20;

/// A path and the content it had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Absolute, as [`path_text`] writes it.
    #[serde(rename = "p")]
    pub path: String,
    /// By [`hash_bytes`]; `None`: not known.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// What the guard notes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Fields")]
pub enum Own {
    /// What was dirty or untracked when the session first saw a work tree; the key is `start:` and the tree.
    Start {
        /// There was more than is listed, or it could not all be found out.
        overflow: bool,
        /// At most [`MAX_PATHS`].
        paths: Vec<Seen>,
        /// The work tree's root, as [`path_text`] writes it.
        tree: String,
    },
    /// All that was noted before, so that a long log need not be read from its beginning.
    Summary(Memory),
    /// What the session wrote; the key is the tool call's.
    Wrote {
        /// With the contents after it, where they are known before it runs.
        paths: Vec<Seen>,
        /// The tool.
        via: String,
    },
}

/// Every field that a record may have; `is` tells which it must.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Fields {
    is: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overflow: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    paths: Option<Vec<Seen>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: Option<BTreeMap<String, Start>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrote: Option<BTreeMap<String, Wrote>>,
}

impl TryFrom<Fields> for Own {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { is, overflow, paths, tree, via, cut, starts, wrote } = fields;
        match (is.as_str(), paths, tree, via, starts, wrote) {
            ("start", Some(paths), Some(tree), ..) => Ok(Self::Start { overflow, paths, tree }),
            ("summary", .., Some(starts), Some(wrote)) => Ok(Self::Summary(Memory { cut, starts, wrote })),
            ("wrote", Some(paths), _, Some(via), ..) => Ok(Self::Wrote { paths, via }),
            _ => Err("no record of the guard"),
        }
    }
}

impl Own {
    /// The record as a JSON object.
    pub(super) fn to_json(&self) -> serde_json::Result<String> {
        let fields = Fields::default();
        serde_json::to_string(&match self.clone() {
            Self::Start { overflow, paths, tree } => {
                Fields { is: "start".into(), overflow, paths: Some(paths), tree: Some(tree), ..fields }
            }
            Self::Summary(Memory { cut, starts, wrote }) => {
                Fields { is: "summary".into(), cut, starts: Some(starts), wrote: Some(wrote), ..fields }
            }
            Self::Wrote { paths, via } => Fields { is: "wrote".into(), paths: Some(paths), via: Some(via), ..fields },
        })
    }

    /// What was found in `tree`; beyond [`MAX_PATHS`] it overflows.
    #[must_use]
    pub fn start(tree: &str, mut paths: Vec<Seen>, overflow: bool) -> Self {
        let overflow = overflow || paths.len() > MAX_PATHS;
        paths.truncate(MAX_PATHS);
        Self::Start { overflow, paths, tree: tree.to_owned() }
    }

    /// What the session writes with tool `via`; what is beyond [`MAX_PATHS`] is not noted and so a person's.
    #[must_use]
    pub fn wrote(mut paths: Vec<Seen>, via: &str) -> Self {
        paths.truncate(MAX_PATHS);
        Self::Wrote { paths, via: via.to_owned() }
    }
}

/// Whose the present content of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The session wrote it, where nothing of anybody's was, and as far as is known nobody changed it since.
    Own,
    /// It was there before, or the session did not write it.
    Person,
    /// Nothing is remembered that would tell; to be treated as a person's.
    Unknown,
}

/// What is remembered of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The beginning of the log was out of reach.
    pub(super) cut: bool,
    /// By work tree.
    starts: BTreeMap<String, Start>,
    /// By path.
    wrote: BTreeMap<String, Wrote>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Start {
    #[serde(default)]
    overflow: bool,
    paths: BTreeMap<String, Option<String>>,
    #[serde(default)]
    t: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Wrote {
    #[serde(rename = "h", default)]
    hash: Option<String>,
    #[serde(default)]
    key: String,
    t: u64,
}

impl Memory {
    /// The memory that lines add up to, in whatever order they are.
    #[must_use]
    pub fn fold<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Self {
        let mut memory = Self::default();
        for line in lines {
            if let Record::Own(own) = &line.record {
                memory.add(line.t, &line.key, own);
            }
        }
        memory
    }

    /// Adds one record. What was first found in a tree stands, and what was last written to a path; which is first
    /// and last is decided by time and key, so the order of adding changes nothing.
    pub(super) fn add(&mut self, t: u64, key: &str, own: &Own) {
        match own {
            Own::Start { overflow, paths, tree } => {
                let mut start = Start { overflow: *overflow, paths: BTreeMap::new(), t };
                start.paths.extend(paths.iter().map(|seen| (seen.path.clone(), seen.hash.clone())));
                self.start(tree, start);
            }
            Own::Summary(summary) => {
                for (tree, start) in &summary.starts {
                    self.start(tree, start.clone());
                }
                for (path, wrote) in &summary.wrote {
                    self.write(path, wrote.clone());
                }
                self.cut |= summary.cut;
            }
            Own::Wrote { paths, via: _ } => {
                for seen in paths {
                    let wrote = Wrote { hash: seen.hash.clone(), key: key.to_owned(), t };
                    self.write(&seen.path, wrote);
                }
            }
        }
    }

    fn start(&mut self, tree: &str, start: Start) {
        match self.starts.get_mut(tree) {
            // Two of one time are two looks at one moment: what either saw was there.
            Some(old) if old.t == start.t => {
                old.overflow |= start.overflow;
                old.paths.extend(start.paths);
            }
            Some(old) if old.t < start.t => {}
            _ => {
                self.starts.insert(tree.to_owned(), start);
            }
        }
    }

    fn write(&mut self, path: &str, wrote: Wrote) {
        let later = |old: &Wrote| (old.t, &old.key) <= (wrote.t, &wrote.key);
        if self.wrote.get(path).is_none_or(later) {
            self.wrote.insert(path.to_owned(), wrote);
        }
    }

    /// Whether what was dirty in `tree` at the start is known.
    #[must_use]
    pub fn knows(&self, tree: &str) -> bool {
        self.starts.contains_key(tree)
    }

    /// Whose the content of `path` in `tree` is; `now` is its present hash, `None` when that is not known.
    ///
    /// It is a person's where it was dirty or untracked at the start, whatever the session did to it since.
    #[must_use]
    pub fn whose(&self, tree: &str, path: &Path, now: Option<&str>) -> Whose {
        let Some(start) = self.starts.get(tree) else {
            return Whose::Unknown;
        };
        let path = path_text(path);
        if start.paths.contains_key(&path) {
            return Whose::Person;
        }
        let Some(wrote) = self.wrote.get(&path) else {
            return if self.cut { Whose::Unknown } else { Whose::Person };
        };
        if start.overflow || self.cut {
            return Whose::Unknown;
        }
        match (&wrote.hash, now) {
            (None, _) => Whose::Own,
            (Some(then), Some(now)) if then == now => Whose::Own,
            (Some(_), Some(_)) => Whose::Person,
            (Some(_), None) => Whose::Unknown,
        }
    }
}

/// A path as text: itself where it is UTF-8, else a NUL (which no path holds) and its bytes in hexadecimal.
#[must_use]
pub fn path_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => {
            let bytes = path.as_os_str().as_bytes().iter();
            let hex: String = bytes.map(|b| format!("{b:02x}")).collect();
            format!("\0{hex}")
        }
    }
}

/// The hash of a content: blake3 in hexadecimal, of the raw bytes, no filter run.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The hash of what is at `path`; of a symbolic link, of where it leads. `None` when it cannot be read, is no file
/// or is larger than [`MAX_HASHED`].
#[must_use]
pub fn hash_file(path: &Path) -> Option<String> {
    if let Ok(to) = std::fs::read_link(path) {
        return Some(hash_bytes(to.as_os_str().as_bytes()));
    }
    crate::fs::read(path, MAX_HASHED).ok().map(|bytes| hash_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, hash: Option<&str>) -> Seen {
        Seen { path: path.into(), hash: hash.map(Into::into) }
    }

    fn line(t: u64, own: Own) -> Line {
        Line { t, key: t.to_string(), record: Record::Own(own) }
    }

    fn lines() -> Vec<Line> {
        vec![
            line(1, Own::start("/r", vec![seen("/r/dirty", Some("d"))], false)),
            line(2, Own::wrote(vec![seen("/r/new", Some("n1")), seen("/r/dirty", Some("x"))], "Write")),
            line(3, Own::wrote(vec![seen("/r/new", Some("n2"))], "Write")),
            line(4, Own::wrote(vec![seen("/r/edited", None)], "Edit")),
            line(5, Own::start("/r", vec![seen("/r/new", Some("n2"))], false)),
            line(6, Own::start("/big", vec![], true)),
            line(7, Own::wrote(vec![seen("/big/a", None)], "Edit")),
        ]
    }

    #[test]
    fn tells_whose_it_is() {
        let memory = Memory::fold(&lines());
        let whose = |tree: &str, path: &str, now| memory.whose(tree, Path::new(path), now);
        assert_eq!(whose("/r", "/r/dirty", Some("x")), Whose::Person);
        assert_eq!(whose("/r", "/r/new", Some("n2")), Whose::Own);
        assert_eq!(whose("/r", "/r/new", Some("n1")), Whose::Person);
        assert_eq!(whose("/r", "/r/new", None), Whose::Unknown);
        assert_eq!(whose("/r", "/r/edited", Some("e")), Whose::Own);
        assert_eq!(whose("/r", "/r/other", Some("o")), Whose::Person);
        assert_eq!(whose("/big", "/big/a", Some("a")), Whose::Unknown);
        assert_eq!(whose("/none", "/none/a", None), Whose::Unknown);
    }

    #[test]
    fn order_changes_nothing_and_a_summary_is_the_same() {
        let lines = lines();
        let memory = Memory::fold(&lines);
        assert_eq!(Memory::fold(lines.iter().rev()), memory);
        let summary = line(9, Own::Summary(memory.clone()));
        assert_eq!(Memory::fold([&summary]), memory);
        assert_eq!(Memory::fold(lines.iter().chain([&summary])), memory);
        let cut = Memory { cut: true, ..Memory::fold(&lines[1..]) };
        assert_eq!(cut.whose("/r", Path::new("/r/x"), None), Whose::Unknown);
        assert_eq!(cut.whose("/r", Path::new("/r/edited"), None), Whose::Unknown);
    }

    #[test]
    fn records_are_bounded() {
        let many: Vec<Seen> = (0..MAX_PATHS + 1).map(|n| seen(&format!("/{n}"), None)).collect();
        let Own::Start { overflow, paths, .. } = Own::start("/", many, false) else { unreachable!() };
        assert!(overflow && paths.len() == MAX_PATHS);
    }

    #[test]
    fn hashes_and_paths_of_every_kind() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        assert_eq!(hash_file(&path), None);
        std::fs::write(&path, "x").unwrap();
        assert_eq!(hash_file(&path), Some(hash_bytes(b"x")));
        std::fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
        assert_eq!(hash_file(&path), None);
        std::os::unix::fs::symlink("loop", dir.path().join("loop")).unwrap();
        assert_eq!(hash_file(&dir.path().join("loop")), Some(hash_bytes(b"loop")));
        assert_eq!(hash_file(dir.path()), None);
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"/a\xff"));
        assert_eq!(path_text(odd), "\x002f61ff");
    }
}
