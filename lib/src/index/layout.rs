//! How an index lies in its file: a header, then tables of fixed rows, then the postings.

use nanoserde::{DeBin, SerBin};

/// The first bytes of a file; another version is made anew.
pub const MAGIC: &[u8; 8] = b"ahidx\x001\n";

/// Where the header's length stands, as four bytes, behind the magic.
pub const HEADER_AT: usize = MAGIC.len() + 4;

/// The largest header that is read, in bytes.
pub const MAX_HEADER: u32 = 64 << 20;

/// What the file of lessons was.
#[derive(Clone, Debug, Default, PartialEq, Eq, SerBin, DeBin)]
pub struct Identity {
    /// Up to which byte it is in the index: the end of a line.
    pub covered: u64,
    /// The file's inode.
    pub inode: u64,
    /// A hash of the last 4 KiB that are covered.
    pub tail: u64,
}

/// A part of the file, from the end of the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SerBin, DeBin)]
pub struct Part {
    /// Where it begins.
    pub at: u64,
    /// Its length, in bytes.
    pub length: u64,
}

/// One that takes another's place.
#[derive(Clone, Debug, Default, PartialEq, Eq, SerBin, DeBin)]
pub struct Link {
    /// The lesson's id.
    pub id: String,
    /// When it was learned.
    pub origin_ms: u64,
    /// The ids of those whose place it takes.
    pub supersedes: Vec<String>,
}

/// The header.
#[derive(Clone, Debug, Default, PartialEq, SerBin, DeBin)]
pub struct Header {
    /// A byte per row of `rows`: which of `masks` its languages are, or [`DEAD`].
    pub classes: Part,
    /// Hidden rows, each with the row at the end of its chain.
    pub hidden: Vec<(u32, u32)>,
    /// Slots of four bytes: rows by the hash of their id, as [`slot`] says.
    pub ids: Part,
    /// What the file of lessons was.
    pub identity: Identity,
    /// Lines that are no lessons.
    pub invalid: u32,
    /// Lessons that take another's place.
    pub links: Vec<Link>,
    /// Sets of languages.
    pub masks: Vec<u32>,
    /// For each word its rows: how far from the one before, as a varint, and the impact, a byte.
    pub postings: Part,
    /// A row of [`ROW`] bytes per line that is a lesson.
    pub rows: Part,
    /// So many rows, from the first, say how often words are.
    pub sample: u32,
    /// Slots of [`WORD`] bytes: words by their hash.
    pub words: Part,
}

/// No row.
pub const NONE: u32 = u32::MAX;
/// The class of a line that a later one replaces.
pub const DEAD: u8 = u8::MAX;
/// The length of a row: where its line is (8), how long (4), version (8), the hash of its id (8).
pub const ROW: usize = 28;
/// The length of a word's slot: hash (8), where its postings are (5), how long they are (3).
pub const WORD: usize = 16;

/// So many slots for so many things: a power of two, at most two thirds of it full.
pub fn slots(things: usize) -> usize {
    (things * 3 / 2 + 1).next_power_of_two()
}

/// The first slot of a hash; the next ones follow until one is free.
pub fn slot(hash: u64, slots: usize) -> usize {
    // The low bits of FNV are its best mixed ones, but words of a file share them with nothing else, so fold.
    ((hash ^ (hash >> 32)) as usize) & (slots - 1)
}

/// Appends `value` in seven-bit groups, low first.
pub fn varint(mut value: u32, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
