//! Content that a person could lose, and the places that hold it.

use std::path::{Path, PathBuf};

/// What kind of content it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A change of a tracked file that only the work tree has.
    Edit,
    /// Content that was staged.
    Staged,
    /// A file that git does not track.
    Untracked,
    /// An ignored file whose name says that it holds secrets.
    Secret,
    /// An ignored file that a command would replace, though git would keep it.
    Ignored,
    /// A conflict as a person resolved it.
    Resolution,
}

impl Kind {
    /// The word for messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Edit => "unsaved edit",
            Self::Staged => "staged only",
            Self::Untracked => "untracked",
            Self::Secret => "secret",
            Self::Ignored => "ignored",
            Self::Resolution => "resolution",
        }
    }
}

/// A place that holds content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A file.
    Tree(PathBuf),
    /// A path in the index of the repository it lies in.
    Index(PathBuf),
    /// A stash entry, by its serial number in this line.
    Stash(u32),
    /// A commit that this line makes, by its serial number.
    Commit(u32),
}

/// How well content is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing names it any more.
    Gone,
    /// Only a reflog names it.
    Logged,
    /// A file, the index, a stash or a ref holds it.
    Held,
}

/// One piece of content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treasure {
    /// What it is.
    pub kind: Kind,
    /// Where it was found.
    pub path: PathBuf,
    /// Everything that holds it now.
    pub holders: Vec<Holder>,
    /// How well it was held when last looked at.
    pub level: Level,
    /// HEAD has no such path: taken out of the index, the file is untracked.
    pub fresh: bool,
    /// The index has a place for it without content (intent to add): git tracks the file.
    pub listed: bool,
    /// Staged content's blob, to be looked for in history.
    pub blob: Option<String>,
}

impl Treasure {
    /// Content found at `path`, held by `holders`.
    pub fn new(kind: Kind, path: &Path, holders: Vec<Holder>) -> Self {
        Self { kind, path: path.to_owned(), holders, level: Level::Held, fresh: false, listed: false, blob: None }
    }

    /// Takes every holder away for which `which` says so.
    pub fn release(&mut self, which: impl Fn(&Holder) -> bool) {
        self.holders.retain(|h| !which(h));
    }

    /// Adds a holder once.
    pub fn hold(&mut self, holder: Holder) {
        if !self.holders.contains(&holder) {
            self.holders.push(holder);
        }
    }

    /// The files that hold it.
    pub fn trees(&self) -> impl Iterator<Item = &Path> {
        self.holders.iter().filter_map(|h| match h {
            Holder::Tree(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Whether a file holds it, and which: the first, where copies were made.
    pub fn tree(&self) -> Option<&Path> {
        self.trees().next()
    }

    /// Whether the index holds it.
    pub fn in_index(&self) -> bool {
        self.holders.iter().any(|h| matches!(h, Holder::Index(_)))
    }
}

/// A name that says "secret": the same list for `rm`, `clean` and overwriting.
pub fn secret_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|n| n.to_str()) else { return false };
    let name = name.to_ascii_lowercase();
    let ends = [".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks", ".keystore", ".asc", ".tfvars"];
    let starts = ["credentials", "secrets.", "service-account"];
    (name.starts_with(".env") && ![".env.example", ".env.sample", ".env.template", ".envrc.example"].contains(&name.as_str()))
        || ["id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".npmrc", ".pypirc", ".htpasswd", "secrets"].contains(&name.as_str())
        || ends.iter().any(|e| name.ends_with(e))
        || starts.iter().any(|s| name.starts_with(s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [".env", "x/.env.local", "a/server.pem", "id_rsa", "credentials.json"] {
            assert!(secret_name(Path::new(name)), "{name}");
        }
        for name in [".env.example", "a.txt", "environment.ts", "keyboard.rs", "run.log"] {
            assert!(!secret_name(Path::new(name)), "{name}");
        }
    }
}
