//! An index as new as its store: read, extended or made.

use super::build::{Builder, sample};
use super::hash;
use super::layout::Identity;
use super::lookup::Index;
use super::source::Source;
use crate::fs;
use crate::store::Store;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::time::Duration;

/// The largest store that is read, in bytes.
const MAX: u64 = 2 << 30;
/// How much of a store's end tells that it is the same file.
const TAIL: u64 = 4 << 10;
/// How long another process that makes the index is waited for: then it is made in memory, not in vain but alone.
const WAIT: Duration = Duration::from_millis(50);

impl Index {
    /// The index of a store, as new as the store. What was made is kept beside the store where that can be written.
    ///
    /// # Errors
    /// The store's own: it is no file, cannot be read, or is larger than 2 GiB. A store that does not exist is empty.
    pub fn open(store: &Store) -> io::Result<Self> {
        let lessons = match fs::open(store.lessons_file()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::read(Source::Memory(Builder::default().finish(Identity::default())), None);
            }
            Err(error) => return Err(error),
        };
        let meta = lessons.metadata()?;
        if meta.len() > MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let place = place(store);
        let known = kept(&place, &lessons);
        match known {
            Some(index) if index.header.identity.covered == end(&lessons, &index.header.identity)? => Ok(index),
            known => make(&place, lessons, known),
        }
    }
}

/// Where a store's index is kept.
fn place(store: &Store) -> PathBuf {
    store.lessons_file().with_extension("idx")
}

/// The index that is kept, if it is of this file.
fn kept(place: &std::path::Path, lessons: &File) -> Option<Index> {
    let index = Index::read(Source::of(fs::open(place).ok()?).ok()?, Some(lessons.try_clone().ok()?)).ok()?;
    let identity = &index.header.identity;
    let meta = lessons.metadata().ok()?;
    let same =
        meta.ino() == identity.inode && meta.len() >= identity.covered && tail(lessons, identity.covered).ok()? == identity.tail;
    same.then_some(index)
}

/// The hash of the last 4 KiB before a byte.
fn tail(lessons: &File, covered: u64) -> io::Result<u64> {
    let from = covered.saturating_sub(TAIL);
    let mut bytes = vec![0; (covered - from) as usize];
    lessons.read_exact_at(&mut bytes, from)?;
    Ok(bytes.iter().fold(hash(""), |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)))
}

/// The end of the last whole line behind what is covered.
fn end(lessons: &File, identity: &Identity) -> io::Result<u64> {
    let length = lessons.metadata()?.len();
    if length == identity.covered {
        return Ok(length);
    }
    let fresh = text(lessons, identity.covered, length)?;
    Ok(identity.covered + fresh.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1))
}

fn text(lessons: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (to - from) as usize];
    let mut read = 0;
    // It may have been cut short meanwhile.
    while read < bytes.len() {
        match lessons.read_at(&mut bytes[read..], from + read as u64)? {
            0 => break,
            more => read += more,
        }
    }
    bytes.truncate(read);
    Ok(bytes)
}

/// Makes the index, from what is known if that still holds, and keeps it.
fn make(place: &std::path::Path, lessons: File, known: Option<Index>) -> io::Result<Index> {
    let lock = fs::lock(&place.with_extension("idx.lock"), WAIT);
    // Who had the lock may have made it meanwhile.
    let known = match (&lock, kept(place, &lessons)) {
        (Ok(_), Some(index)) if index.header.identity.covered == end(&lessons, &index.header.identity)? => return Ok(index),
        (_, Some(index)) => Some(index),
        (_, None) => known,
    };
    let length = lessons.metadata()?.len();
    let mut bytes = None;
    if let Some(known) = known {
        let from = known.header.identity.covered;
        let fresh = text(&lessons, from, length)?;
        if let Ok(mut builder) = known.builder() {
            let covered = builder.add(&fresh, from);
            // Beyond a power of two the counts of words are others.
            if sample(builder.rows.len()) == builder.sample {
                bytes = Some(builder.finish(identity(&lessons, covered)?));
            }
        }
    }
    let bytes = match bytes {
        Some(bytes) => bytes,
        None => {
            let mut builder = Builder::default();
            let covered = builder.add(&text(&lessons, 0, length)?, 0);
            builder.finish(identity(&lessons, covered)?)
        }
    };
    if lock.is_ok() {
        // A folder that cannot be written is no fault: the next call makes it again.
        let _ = fs::replace(place, &bytes);
    }
    Index::read(Source::Memory(bytes), Some(lessons))
}

fn identity(lessons: &File, covered: u64) -> io::Result<Identity> {
    Ok(Identity { covered, inode: lessons.metadata()?.ino(), tail: tail(lessons, covered)? })
}
