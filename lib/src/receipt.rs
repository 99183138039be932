//! The receipt: what `ah-bootstrap` wrote, so that it can be taken out to the byte, and nothing else with it.

use crate::fs;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The largest receipt that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Everything that was written.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Receipt {
    /// The version of this form.
    pub v: u32,
    /// Files with something of ours in them.
    pub files: Vec<Record>,
    /// The programs that were registered.
    pub programs: Vec<Program>,
    /// Folders made for the receipt itself, outermost first.
    pub folders: Vec<PathBuf>,
}

/// A program as it was when it was registered.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Program {
    /// Where it lies.
    pub path: PathBuf,
    /// The sha256 of its bytes, in hex.
    pub sha256: String,
    /// What it said of its version.
    pub version: String,
}

/// One file with something of ours in it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Record {
    /// The file, as the harness knows it; it may be a link.
    pub path: PathBuf,
    /// The harness that reads it; empty for a file that none reads.
    pub harness: String,
    /// `user` or `project`.
    pub scope: String,
    /// Folders made for it, outermost first.
    pub folders: Vec<PathBuf>,
    /// How it is.
    pub now: State,
    /// How it will be once what is under way is done. After a run that was cut short one of the two is so.
    pub next: Option<State>,
}

/// What of ours is in a file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct State {
    /// The sha256 of the file without what is ours, in hex; none where there was no file.
    pub before: Option<String>,
    /// The sha256 of the file with it; none where it is not to be there.
    pub after: Option<String>,
    /// What is ours in it, in order.
    pub spans: Vec<Span>,
    /// The hooks among it.
    pub entries: Vec<Line>,
    /// Hooks that the person took out, and that are not put in again.
    pub refused: Vec<Line>,
}

/// Some bytes of a file that are ours.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Span {
    /// Where they begin.
    pub at: usize,
    /// What they are.
    pub text: String,
}

/// One hook that was registered.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The event, as the harness calls it.
    pub event: String,
    /// The executables, first to last.
    pub programs: Vec<String>,
    /// The command as it was written.
    pub command: String,
    /// Its arguments, where they were written apart.
    pub args: Option<Vec<String>>,
}

impl Default for Receipt {
    fn default() -> Self {
        Self { v: 1, files: Vec::new(), programs: Vec::new(), folders: Vec::new() }
    }
}

impl Receipt {
    /// Reads the receipt; where there is none, an empty one.
    ///
    /// # Errors
    /// `InvalidData` if it is no receipt, or one of a later version; else the system's.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = match fs::read(path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let bad = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        #[derive(Deserialize)]
        struct Version {
            v: u32,
        }
        let version: Version = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if version.v != 1 {
            return Err(bad(format!("version {} is not read by this program", version.v)));
        }
        serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))
    }

    /// Puts it in its place, whole.
    ///
    /// # Errors
    /// The system's; `InvalidInput` if a path in it is no text.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        text.push('\n');
        fs::replace(path, text.as_bytes())
    }

    /// The record of a file.
    #[must_use]
    pub fn of(&self, path: &Path) -> Option<&Record> {
        self.files.iter().find(|record| record.path == path)
    }

    /// Puts a record in, in the place of the file's old one.
    pub fn put(&mut self, record: Record) {
        match self.files.iter_mut().find(|old| old.path == record.path) {
            Some(old) => *old = record,
            None => self.files.push(record),
        }
        self.files.sort_by(|one, other| one.path.cmp(&other.path));
    }
}

/// The sha256 of some bytes, in hex.
#[cfg(feature = "digest")]
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/receipt.json");
        assert_eq!(Receipt::read(&path).unwrap(), Receipt::default());
        let mut receipt = Receipt::default();
        let span = Span { at: 3, text: "é\n".into() };
        receipt.put(Record { path: "/x".into(), now: State { spans: vec![span], ..State::default() }, ..Record::default() });
        receipt.put(Record { path: "/x".into(), harness: "codex".into(), ..Record::default() });
        receipt.write(&path).unwrap();
        let read = Receipt::read(&path).unwrap();
        assert_eq!(read, receipt);
        assert_eq!((read.files.len(), &*read.of(Path::new("/x")).unwrap().harness), (1, "codex"));
    }

    #[test]
    fn a_later_version_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("receipt.json");
        for text in ["{\"v\":2}", "{}", "[", ""] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Receipt::read(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "{text}");
        }
    }

    #[cfg(feature = "digest")]
    #[test]
    fn a_digest_is_the_standard_one() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
