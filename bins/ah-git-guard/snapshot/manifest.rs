//! What a snapshot says of itself: the file `manifest.json` in its tree.

use ah::session::path_text;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A snapshot. Paths are absolute, as `path_text` writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Manifest {
    /// Version of the format: 1.
    pub v: u32,
    /// Four letters and digits, unique in its store.
    pub id: String,
    /// When, in milliseconds since the Unix epoch.
    pub t: u64,
    /// What it was taken for.
    pub kind: Kind,
    /// What a person says of it.
    pub note: String,
    /// The session; empty when a person took it.
    pub session: String,
    /// The harness; empty when a person took it.
    pub harness: String,
    /// The command that follows it, redacted; empty for a turn or by hand.
    pub command: String,
    /// Where that command runs.
    pub cwd: String,
    /// Of a turn: what tells whether anything changed since.
    pub fingerprint: String,
    /// One for each repository, and one without a repository for files that lie in none.
    pub parts: Vec<Part>,
    /// What it does not hold, and why.
    pub uncovered: Vec<Uncovered>,
}

/// What a snapshot was taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Before a command.
    Command,
    /// By hand.
    #[default]
    Manual,
    /// At the beginning of a turn.
    Turn,
    /// How it was before an undo or a restore.
    Undo,
}

/// One repository's share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// Top of the work tree; of a bare repository the git directory; empty for files that lie in no repository.
    pub root: String,
    /// The git directory of the work tree; empty for files that lie in no repository.
    pub git_dir: String,
    /// The git directory that linked trees share.
    pub common_dir: String,
    /// The branch that HEAD is on (`refs/heads/main`), the commit where it is detached, empty where neither.
    pub head: String,
    /// The commit that HEAD names; empty in a repository without commits.
    pub tip: String,
    /// Every ref (`refs/...`) and its object, where commits are at stake or a whole state is kept.
    pub refs: Vec<(String, String)>,
    /// Commits at stake, in the pack.
    pub tips: Vec<String>,
    /// Stash entries at stake, in the pack: object and message, oldest first.
    pub stashes: Vec<(String, String)>,
    /// The pack holds all that its tips reach, so that it stands without the repository.
    pub whole: bool,
    /// Files of the work tree.
    pub files: Vec<File>,
    /// Entries of the index that are not as in HEAD; their blobs are in the pack.
    pub staged: Vec<Staged>,
    /// The repository's own `config`, as `bytes_text` writes it, where the git directory itself is at stake.
    pub config: Option<String>,
    /// The commits at which a shallow clone ends, where the pack is whole.
    pub shallow: Vec<String>,
}

/// A file of a work tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Absolute.
    pub path: String,
    /// What is there.
    #[serde(flatten)]
    pub body: Body,
    /// Why it is kept, in a word: `unsaved edit`, `untracked`, `secret`, ...
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub what: String,
}

/// What a path holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Body {
    /// A regular file.
    File {
        /// Its number: `files/N` in the tree, or the side file `N`.
        n: u32,
        /// Permission bits.
        mode: u32,
        /// In bytes.
        size: u64,
        /// blake3 of its bytes, hexadecimal.
        hash: String,
        /// It is a side file.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        side: bool,
    },
    /// A symbolic link.
    Link {
        /// Where it leads, as `path_text` writes it.
        to: String,
    },
    /// Nothing: a tracked file that was removed from the work tree.
    Absent,
}

/// One entry of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// Absolute.
    pub path: String,
    /// Mode as git writes it (octal digits); `0` where the index has no such path.
    pub mode: String,
    /// Its blob; empty where the index has no such path.
    pub oid: String,
    /// 0, or 1 to 3 in a conflict.
    pub stage: u8,
}

/// Something a snapshot does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncovered {
    /// Its path, or a commit, a ref, a repository in words.
    pub what: String,
    /// Why: `larger than 20 MiB`, `empty directory`, `a socket`, ...
    pub why: String,
}

/// What a list of snapshots tells of one: the message of its commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// As in [`Manifest`].
    pub v: u32,
    /// As in [`Manifest`].
    pub id: String,
    /// As in [`Manifest`].
    pub t: u64,
    /// As in [`Manifest`].
    pub kind: Kind,
    /// As in [`Manifest`].
    pub note: String,
    /// As in [`Manifest`].
    pub session: String,
    /// As in [`Manifest`].
    pub harness: String,
    /// As in [`Manifest`].
    pub command: String,
    /// As in [`Manifest`].
    pub cwd: String,
    /// As in [`Manifest`].
    pub fingerprint: String,
    /// The roots of its parts, at most 50.
    pub roots: Vec<String>,
    /// How many files it holds.
    pub files: usize,
    /// How many entries of indexes.
    pub staged: usize,
    /// How many commits and stash entries were at stake.
    pub tips: usize,
    /// How much it does not hold.
    pub uncovered: usize,
    /// Bytes of its files.
    pub size: u64,
    /// When, in this machine's zone: `YYYY-MM-DD HH:MM`.
    pub when: String,
}

impl Manifest {
    /// What a list tells of it.
    pub fn summary(&self) -> Summary {
        let bodies = || self.parts.iter().flat_map(|p| &p.files).map(|f| &f.body);
        let size = bodies().map(|body| if let Body::File { size, .. } = body { *size } else { 0 }).sum();
        Summary {
            v: self.v,
            id: self.id.clone(),
            t: self.t,
            kind: self.kind,
            note: self.note.clone(),
            session: self.session.clone(),
            harness: self.harness.clone(),
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            fingerprint: self.fingerprint.clone(),
            roots: self.parts.iter().map(|p| p.root.clone()).take(50).collect(),
            files: bodies().count(),
            staged: self.parts.iter().map(|p| p.staged.len()).sum(),
            tips: self.parts.iter().map(|p| p.tips.len()).sum(),
            uncovered: self.uncovered.len(),
            size,
            when: String::new(),
        }
    }
}

/// Bytes as a manifest writes them: as text where they are UTF-8 without NUL, else as a path of such bytes.
pub fn bytes_text(bytes: Vec<u8>) -> String {
    text(Path::new(&OsString::from_vec(bytes)))
}

/// The bytes that a text of [`bytes_text`] stands for.
pub fn bytes(text: &str) -> Vec<u8> {
    path(text).into_os_string().into_vec()
}

/// The path that a text of `path_text` stands for.
pub fn path(text: &str) -> PathBuf {
    let Some(hex) = text.strip_prefix('\0') else { return PathBuf::from(text) };
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or_default() as u8;
    let bytes = hex.as_bytes().chunks(2).map(|pair| pair.iter().fold(0, |byte, b| byte << 4 | digit(*b)));
    PathBuf::from(OsString::from_vec(bytes.collect()))
}

/// A path as a manifest writes it.
pub fn text(path: &Path) -> String {
    path_text(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_every_kind_come_back() {
        for bytes in [&b"/a/b"[..], b"/a\xff/\x01", b"/\xc3\xa9", b"/a\nb"] {
            let there = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            assert_eq!(path(&text(&there)), there);
        }
    }

    #[test]
    fn a_manifest_comes_back_and_a_newer_one_is_read_as_far_as_it_is_known() {
        let file = File {
            path: "/w/a".into(),
            body: Body::File { n: 0, mode: 0o644, size: 1, hash: "00".into(), side: true },
            what: "secret".into(),
        };
        let gone = File { path: "/w/b".into(), body: Body::Absent, what: String::new() };
        let part = Part { root: "/w".into(), files: vec![file, gone], ..Part::default() };
        let manifest = Manifest { v: 1, id: "k7f2".into(), parts: vec![part], ..Manifest::default() };
        let text = serde_json::to_string(&manifest).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), manifest);
        let more = text.replacen('{', "{\"later\":[1],", 1);
        assert_eq!(serde_json::from_str::<Manifest>(&more).unwrap(), manifest);
    }
}
