//! What an index file says of itself: of which bytes of which store it is, and where its sections lie.

use nanoserde::{DeBin, SerBin};
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};

/// The room for the head at the start of a file, in bytes.
pub const ROOM: usize = 256;

/// What a file begins with; the digit is the version of the form.
const MAGIC: &[u8; 8] = b"ahindex3";

/// So much of a store, before the end of what is indexed, is compared with what it was.
const MARKED: u64 = 4096;

/// The sections, in the order in which they lie in a file; the first one is the postings, to which the words lead.
#[derive(Clone, Copy)]
pub enum Section {
    /// Entries of 12 bytes, in order of words, and one more that ends the last.
    Words = 1,
    /// Where in `Words` each range of words begins.
    Directory,
    /// 12 bytes for each lesson.
    Docs,
    /// The languages that each lesson names, 4 bytes.
    Languages,
    /// Hashes of ids, in order, with the lesson of each.
    Ids,
    /// Lessons before this segment that a later line replaced, in order.
    Dead,
    /// In how many of the sampled lessons a word is, in order of words; in the first file only.
    Sample,
    /// Lessons, in order, with the one that took their place.
    Hidden,
    /// What supersedes what.
    Links,
    /// The end.
    End,
}

/// The head.
#[derive(Clone, Debug, Default, PartialEq, DeBin, SerBin)]
pub struct Head {
    /// Where each section begins, in bytes.
    pub at: Vec<u64>,
    /// The stamp of the segment that this one goes on from; 0 for none.
    pub base: u64,
    /// The store's device.
    pub dev: u64,
    /// How many lessons lie here, dead ones too.
    pub docs: u32,
    /// The number of the first.
    pub first: u32,
    /// The version of the words and levels.
    pub form: u32,
    /// Where in the store the first line of this segment begins.
    pub from: u64,
    /// The store's inode.
    pub ino: u64,
    /// The languages that lessons name, those before this segment too.
    pub languages: u32,
    /// How many lines are lessons, in this segment and those before.
    pub lessons: u32,
    /// Of how many lessons the sample is.
    pub sample: u32,
    /// The store's length when it was last looked at.
    pub len: u64,
    /// How many lessons live, in this segment and those before.
    pub live: u32,
    /// A hash of the store's last bytes before `to`.
    pub mark: u64,
    /// The store's time of change, in nanoseconds.
    pub mtime: u64,
    /// Tells this file from others of its kind.
    pub stamp: u64,
    /// The end of the last line that is indexed.
    pub to: u64,
    /// How many words there are.
    pub words: u32,
}

impl Head {
    /// The first bytes of a file.
    pub fn bytes(&self) -> Vec<u8> {
        let body = self.serialize_bin();
        let mut all = MAGIC.to_vec();
        all.extend((body.len() as u32).to_le_bytes());
        all.extend((mix(&body) as u32).to_le_bytes());
        all.extend(body);
        all.resize(ROOM, 0);
        all
    }

    /// Reads them; `None` if they are another's.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.get(..ROOM)?.strip_prefix(MAGIC)?;
        let (length, rest) = rest.split_first_chunk()?;
        let (check, rest) = rest.split_first_chunk()?;
        let body = rest.get(..u32::from_le_bytes(*length) as usize)?;
        if mix(body) as u32 != u32::from_le_bytes(*check) {
            return None;
        }
        let head = Self::deserialize_bin(body).ok()?;
        let whole =
            head.at.len() == Section::End as usize + 1 && head.at.is_sorted() && head.first.checked_add(head.docs).is_some();
        whole.then_some(head)
    }

    /// The bounds of a section, in bytes.
    pub fn section(&self, section: Section) -> (u64, u64) {
        (self.at[section as usize], self.at[section as usize + 1])
    }

    /// Whether this is still of that store, whatever was appended since.
    pub fn is_of(&self, store: &std::fs::File, meta: &Metadata) -> bool {
        if (self.dev, self.ino) != (meta.dev(), meta.ino()) {
            return false;
        }
        match meta.len() {
            // The same length and another time: someone wrote into it.
            len if len == self.len => self.mtime == mtime(meta),
            len if len > self.len => mark(store, self.to).is_ok_and(|mark| mark == self.mark),
            _ => false,
        }
    }
}

/// When the store was changed, in nanoseconds.
pub fn mtime(meta: &Metadata) -> u64 {
    (meta.mtime() as u64).wrapping_mul(1_000_000_000).wrapping_add(meta.mtime_nsec() as u64)
}

/// The hash of the last bytes before `to`.
///
/// # Errors
/// The system's.
pub fn mark(store: &std::fs::File, to: u64) -> io::Result<u64> {
    let from = to.saturating_sub(MARKED);
    let mut bytes = vec![0; usize::try_from(to - from).unwrap_or(0)];
    store.read_exact_at(&mut bytes, from)?;
    Ok(mix(&bytes))
}

/// A hash against accidents, not against people: FNV-1a by words of eight bytes.
pub fn mix(bytes: &[u8]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = (h ^ u64::from_le_bytes(word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::{Head, ROOM, Section};

    #[test]
    fn a_head_comes_back_and_another_does_not() {
        let head = Head { at: vec![ROOM as u64; Section::End as usize + 1], docs: 3, live: 2, to: 77, ..Head::default() };
        let bytes = head.bytes();
        assert_eq!((bytes.len(), Head::read(&bytes)), (ROOM, Some(head)));
        for at in 0..ROOM {
            let mut other = bytes.clone();
            other[at] ^= 0x40;
            // What lies behind the head's own length is padding.
            assert!(Head::read(&other).is_none() || at > 180, "{at}");
        }
        for end in 0..ROOM {
            assert!(Head::read(&bytes[..end]).is_none());
        }
    }
}
