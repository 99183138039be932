//! The object store without a process: what a content would be called, and whether anything of that name is there.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::{Oid, Repo, read};

/// The most packs, and the most alternate stores, that are looked through.
const PACKS: usize = 200;
/// How many digits of a name choose a pack's bucket: the index's table has one entry for each first byte.
const BUCKETS: u64 = 256;
/// An index of version 2 begins so (gitformat-pack(5)); the table of buckets follows.
const MAGIC: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// The bytes of a SHA-1.
const NAME: u64 = 20;

impl Repo {
    /// The name that a blob of these bytes has; `None` in a repository whose names only git can make.
    #[must_use]
    pub fn blob_name(&self, bytes: &[u8]) -> Option<Oid> {
        if self.foreign.is_some() {
            return None;
        }
        let mut hash = sha1_smol::Sha1::from(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Oid::parse(&hash.digest().to_string())
    }

    /// Whether the object store has something of that name; `None` where only git can tell. `elsewhere`: variables of the
    /// command name another store.
    pub(super) fn has(&self, oid: &Oid, elsewhere: bool) -> Option<bool> {
        if self.foreign.is_some() || elsewhere {
            return None;
        }
        let mut stores = vec![self.common_dir.join("objects")];
        let mut at = 0;
        while let Some(store) = stores.get(at).cloned() {
            if store_has(&store, oid)? {
                return Some(true);
            }
            let more = alternates(&store)?;
            stores.extend(more.into_iter().filter(|s| !stores.contains(s)).collect::<Vec<_>>());
            at += 1;
            if stores.len() > PACKS {
                return None;
            }
        }
        Some(false)
    }
}

fn store_has(store: &Path, oid: &Oid) -> Option<bool> {
    let (first, rest) = oid.as_str().split_at(2);
    if store.join(first).join(rest).exists() {
        return Some(true);
    }
    let packs = read::names(&store.join("pack"), PACKS * 8);
    let indexes: Vec<_> = packs.into_iter().filter(|name| Path::new(name).extension() == Some(OsStr::new("idx"))).collect();
    if indexes.len() > PACKS {
        return None;
    }
    for name in indexes {
        if index_has(&store.join("pack").join(name), oid)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a pack's index lists a name; `None` for an index of another form.
fn index_has(file: &Path, oid: &Oid) -> Option<bool> {
    let file = File::open(file).ok()?;
    let mut magic = [0; 8];
    file.read_exact_at(&mut magic, 0).ok()?;
    if magic != MAGIC {
        return None;
    }
    let name = u64::from_str_radix(oid.as_str().get(..2)?, 16).ok()?;
    let table = |bucket: u64| -> Option<u64> {
        let mut count = [0; 4];
        file.read_exact_at(&mut count, 8 + bucket * 4).ok()?;
        Some(u64::from(u32::from_be_bytes(count)))
    };
    let from = if name == 0 { 0 } else { table(name - 1)? };
    let to = table(name)?;
    let size = usize::try_from(to.checked_sub(from)?.checked_mul(NAME)?).ok()?;
    // A bucket longer than the file is a broken index.
    if size as u64 > file.metadata().ok()?.len() {
        return None;
    }
    let mut names = vec![0; size];
    file.read_exact_at(&mut names, 8 + BUCKETS * 4 + from * NAME).ok()?;
    let digits = oid.as_str().as_bytes();
    let wanted: Option<Vec<u8>> =
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect();
    let wanted = wanted?;
    Some(names.chunks_exact(NAME as usize).any(|name| name == wanted))
}

/// Other stores that a store names.
fn alternates(store: &Path) -> Option<Vec<PathBuf>> {
    let list = read::file(&store.join("info/alternates"), read::LIST).ok()?.unwrap_or_default();
    let lines = list.split(|b| *b == b'\n').filter(|l| !l.is_empty() && !l.starts_with(b"#"));
    // A quoted path is git's to read.
    lines.map(|l| if l.starts_with(b"\"") { None } else { Some(store.join(read::path(l))) }).collect()
}

/// Whether what git stores of a file can differ from its bytes because of attributes that hold for it.
pub(super) fn has_attributes(repo: &Repo, path: &Path) -> bool {
    let Some(top) = &repo.work_tree else { return true };
    let there = |file: PathBuf| std::fs::symlink_metadata(file).is_ok();
    there(repo.common_dir.join("info/attributes"))
        || there(PathBuf::from("/etc/gitattributes"))
        || path.ancestors().skip(1).any(|dir| there(top.join(dir).join(".gitattributes")))
}
