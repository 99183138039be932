//! What the guard notes of a session: what it found, what it wrote, what it made in git.

use super::memory::{Memory, Start, Wrote};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Most paths of one record.
pub const MAX_PATHS: usize = 5_000;

/// Largest file that is hashed, in bytes.
pub const MAX_HASHED: u64 = 20 << 20;

/// A path and the content it had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Absolute, as [`path_text`] writes it.
    #[serde(rename = "p")]
    pub path: String,
    /// By [`hash_bytes`]; `None`: not known.
    #[serde(rename = "h", default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// What a write met there; empty: nothing, `None`: not known.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Where the content was copied or moved from.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What a line is about to make in a repository, and what stood there before: whether it did is seen in the reflogs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// `commit:MARK` `amend:MARK` `merge:MARK` `pick:` `rebase:` `revert:` `stash:MARK` `remote:NAME MARK`, in the
    /// order of the line; a mark is [`mark`] of the message, the revision or the address, empty where it may be any.
    pub acts: Vec<String>,
    /// Where HEAD stood; `None` where the line moves it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The directory with the refs.
    pub repo: String,
    /// The newest stash entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stash: Option<String>,
    /// The work tree's root.
    pub tree: String,
    /// When, in milliseconds since the Unix epoch; the line's own time.
    #[serde(default)]
    pub t: u64,
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
    /// What a line is about to make in git; the key is the tool call's.
    Made(Made),
    /// When a shell call ran that may have made more than it names, in milliseconds since the Unix epoch.
    Ran {
        /// Its beginning.
        from: u64,
        /// Its end.
        to: u64,
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
    wrote: Option<BTreeMap<String, Vec<Wrote>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    made: Vec<Made>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ran: Vec<(u64, u64)>,
}

impl TryFrom<Fields> for Own {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        let Fields { is, overflow, paths, tree, via, cut, starts, wrote, mut made, mut ran } = fields;
        match (is.as_str(), paths, tree, via, starts, wrote) {
            ("start", Some(paths), Some(tree), ..) => Ok(Self::Start { overflow, paths, tree }),
            ("made", ..) => made.pop().map(Self::Made).ok_or("nothing made"),
            ("ran", ..) => ran.pop().map(|(from, to)| Self::Ran { from, to }).ok_or("no span"),
            ("summary", .., Some(starts), Some(wrote)) => Ok(Self::Summary(Memory { cut, made, ran, starts, wrote })),
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
            Self::Made(made) => Fields { is: "made".into(), made: vec![made], ..fields },
            Self::Ran { from, to } => Fields { is: "ran".into(), ran: vec![(from, to)], ..fields },
            Self::Summary(Memory { cut, made, ran, starts, wrote }) => {
                Fields { is: "summary".into(), cut, made, ran, starts: Some(starts), wrote: Some(wrote), ..fields }
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

/// A short hash of a text whose runs of white space count as one space: what git keeps of a message in a reflog.
#[must_use]
pub fn mark(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut hash = hash_bytes(words.join(" ").as_bytes());
    hash.truncate(16);
    hash
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

    #[test]
    fn records_are_bounded() {
        let many: Vec<Seen> = (0..MAX_PATHS + 1).map(|n| Seen { path: format!("/{n}"), ..Seen::default() }).collect();
        let Own::Start { overflow, paths, .. } = Own::start("/", many, false) else { unreachable!() };
        assert!(overflow && paths.len() == MAX_PATHS);
    }

    #[test]
    fn marks_forget_white_space() {
        assert_eq!(mark(" a  b\n"), mark("a b"));
        assert!(mark("a b") != mark("ab") && mark("").len() == 16);
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
