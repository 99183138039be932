//! The bare repository that holds the snapshots of one repository: where it is, what is in it.

use super::manifest::{Manifest, Summary};
use ah::clock::Deadline;
use ah::fs::{Lock, ensure_dir, read, share};
use ah::git::{Keep, Repo, Trouble, Vars};
use ah::paths::{Paths, store_name};
use ah::session::hash_bytes;
use std::fs::DirBuilder;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Letters of an id: none that is read as another.
const LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
/// The largest manifest that is read, in bytes.
const MANIFEST: usize = 64 << 20;
/// The most bytes of files that are read back at once.
pub const CONTENTS: usize = 64 << 20;
/// The refs of snapshots.
const REFS: &str = "refs/ah/";

/// The store of one repository, or of a directory in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The bare repository.
    pub dir: PathBuf,
}

impl Store {
    /// The store for a repository's shared git directory, or for a directory in no repository. It need not exist.
    pub fn at(paths: &Paths, place: &Path) -> Self {
        let named = if place.ends_with(".git") { place.parent().unwrap_or(place) } else { place };
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let hash = hash_bytes(place.as_os_str().as_bytes());
        Self { dir: paths.snapshots().join(format!("{}-{}.git", store_name(&name), &hash[..8])) }
    }

    /// The stores that hold snapshots of what is around a directory, nearest first: also of repositories whose git
    /// directory is no more.
    pub fn around(paths: &Paths, dir: &Path) -> Vec<Self> {
        let dir = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let found = Repo::discover(&dir, &Vars::of_process()).ok().flatten().map(|repo| repo.common_dir);
        let mut all: Vec<Self> = Vec::new();
        let places = found.into_iter().chain(dir.ancestors().flat_map(|d| [d.join(".git"), d.to_owned()]));
        for store in places.map(|place| Self::at(paths, &place)) {
            if store.exists() && !all.contains(&store) {
                all.push(store);
            }
        }
        all
    }

    /// Every store there is.
    pub fn all(paths: &Paths) -> Vec<Self> {
        let entries = std::fs::read_dir(paths.snapshots()).into_iter().flatten().flatten();
        let mut all: Vec<Self> = entries.map(|e| Self { dir: e.path() }).filter(Self::exists).collect();
        all.sort_unstable_by(|a, b| a.dir.cmp(&b.dir));
        all
    }

    /// Whether there is one.
    pub fn exists(&self) -> bool {
        self.dir.join("HEAD").is_file()
    }

    /// Makes it, if need be.
    pub fn make(&self) -> io::Result<()> {
        Keep::make(&self.dir)?;
        ensure_dir(&self.dir.join("ah/packs"))?;
        ensure_dir(&self.dir.join("ah/sides"))
    }

    /// Keeps it from being tidied; any number of snapshots may be taken at once.
    pub fn share(&self, wait: Duration) -> io::Result<Lock> {
        share(&self.lock(), wait)
    }

    /// The file of its lock.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("ah/lock")
    }

    /// Its repository. `around`: the person's, whose files are never run.
    pub fn keep(&self, around: &[&Repo], deadline: Deadline) -> Result<Keep, Trouble> {
        Keep::open(&self.dir, around, deadline)
    }

    /// An id that no other snapshot of this store has, taken by making its folder of side files.
    pub fn reserve(&self) -> io::Result<String> {
        for _ in 0..1000 {
            // Keyed by the system at random.
            let random = RandomState::new().build_hasher().finish().to_le_bytes();
            let id: String = random[..4].iter().map(|r| char::from(LETTERS[usize::from(*r) % LETTERS.len()])).collect();
            match DirBuilder::new().mode(0o700).create(self.sides(&id)) {
                Ok(()) => return Ok(id),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The folder of a snapshot's side files.
    pub fn sides(&self, id: &str) -> PathBuf {
        self.dir.join("ah/sides").join(id)
    }

    /// The pack of a snapshot's part: commits, stash entries, staged content. Not every part has one.
    pub fn pack(&self, id: &str, part: usize) -> PathBuf {
        let name = if part == 0 { format!("{id}.pack") } else { format!("{id}-{part}.pack") };
        self.dir.join("ah/packs").join(name)
    }

    /// The ref of a snapshot.
    pub fn name(id: &str) -> String {
        format!("{REFS}{id}")
    }

    /// The snapshots, oldest first. One that a newer version wrote in another form is left out.
    pub fn list(&self, deadline: Deadline) -> Result<Vec<Summary>, Trouble> {
        let named = self.keep(&[], deadline)?.list(REFS)?;
        let read = |n: ah::git::Named| {
            let summary: Summary = serde_json::from_str(&n.text).ok().filter(|s: &Summary| s.v == 1)?;
            (n.name == Self::name(&summary.id)).then_some(Summary { when: n.when, ..summary })
        };
        let mut all: Vec<Summary> = named.into_iter().filter_map(read).collect();
        all.sort_by(|a, b| (a.t, &a.id).cmp(&(b.t, &b.id)));
        Ok(all)
    }

    /// What a snapshot holds; `None` where there is none of this id, or one that cannot be read.
    pub fn read(&self, id: &str, deadline: Deadline) -> Result<Option<Manifest>, Trouble> {
        if !is_id(id) {
            return Ok(None);
        }
        let text = self.keep(&[], deadline)?.content(&format!("{}:manifest.json", Self::name(id)), MANIFEST)?;
        Ok(text.and_then(|text| serde_json::from_slice(&text).ok()).filter(|m: &Manifest| m.v == 1))
    }

    /// The bytes of files by their numbers, in their order, at most [`CONTENTS`] in all; those of side files are read
    /// one by one with [`Store::side`].
    pub fn contents(&self, id: &str, numbers: &[u32], deadline: Deadline) -> Result<Vec<Option<Vec<u8>>>, Trouble> {
        let specs: Vec<String> = numbers.iter().map(|n| format!("{}:files/{n}", Self::name(id))).collect();
        self.keep(&[], deadline)?.contents(&specs, CONTENTS + specs.len() * 100)
    }

    /// The bytes of a side file.
    pub fn side(&self, id: &str, number: u32) -> io::Result<Vec<u8>> {
        read(&self.sides(id).join(number.to_string()), u64::MAX - 1)
    }

    /// Every id that has a folder, whether its snapshot was finished or not: cheap.
    pub fn ids(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.join("ah/sides")).into_iter().flatten().flatten();
        entries.filter_map(|e| e.file_name().into_string().ok()).filter(|id| is_id(id)).collect()
    }
}

/// Whether a text can be an id.
pub fn is_id(text: &str) -> bool {
    text.len() == 4 && text.bytes().all(|b| LETTERS.contains(&b))
}

/// The manifest and its summary, as they are stored.
pub fn texts(manifest: &Manifest) -> io::Result<(String, String)> {
    Ok((serde_json::to_string(manifest)?, serde_json::to_string(&manifest.summary())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_by_its_repository() {
        let paths = Paths::new(&|name| (name == "HOME").then(|| "/h".into())).unwrap();
        let at = |place: &str| Store::at(&paths, Path::new(place)).dir.file_name().unwrap().to_string_lossy().into_owned();
        assert!(at("/w/site/.git").starts_with("site-") && at("/w/bare.git").starts_with("bare_git-"));
        assert_ne!(at("/w/site/.git"), at("/v/site/.git"));
        assert!(!at("/w/a b\n/.git").contains(['\n', ' ', '/']) && at("/").ends_with(".git"));
    }

    #[test]
    fn ids_have_their_own_letters() {
        assert!(is_id("k7f2"));
        for bad in ["", "k7f", "k7f22", "K7F2", "k0f2", "../x", "k1lo"] {
            assert!(!is_id(bad), "{bad}");
        }
    }
}
