//! A run of lessons compiled: words with the lessons that have them. A file, or bytes in memory of the same form.

use super::head::{Head, ROOM, Section};
use crate::fs;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file of at most so many bytes is read whole when it is opened.
const SMALL: u64 = 24 << 10;

/// Bytes of an entry of `Words`: hash, where its postings begin.
pub const WORD: usize = 12;

/// Bytes of an entry of `Docs`: where its line begins, how long it is, flags.
pub const DOC: usize = 12;

/// Bytes of an entry of `Languages`.
pub const LANGUAGES: usize = 4;

/// Bytes of an entry of `Ids`.
pub const ID: usize = 12;

/// About so many words are in one range of the directory.
const RANGE: u32 = 32;

/// A flag: the lesson was replaced by a later line.
pub const GONE: u8 = 1;
/// A flag: its reach is its repository.
pub const LOCAL: u8 = 2;
/// A flag: its reach is nothing, it was taken back.
pub const PERSONAL: u8 = 4;
/// A flag: it has scope names.
pub const SCOPED: u8 = 8;

/// A lesson's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// Flags.
    pub flags: u8,
    /// The length of the line, in bytes.
    pub length: u32,
    /// Where its line begins in the store.
    pub offset: u64,
}

impl Doc {
    pub fn bytes(&self) -> [u8; DOC] {
        let mut all = [0; DOC];
        all[..6].copy_from_slice(&self.offset.to_le_bytes()[..6]);
        all[6..10].copy_from_slice(&self.length.to_le_bytes());
        all[10] = self.flags;
        all
    }

    pub fn read(bytes: &[u8]) -> Self {
        Self { flags: bytes[10], length: number(&bytes[6..10]) as u32, offset: number(&bytes[..6]) }
    }
}

/// A word's entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub hash: u32,
    /// Its postings' bounds, in bytes from the start of the file.
    pub postings: (u64, u64),
}

impl Word {
    /// Reads an entry; the one behind says where the postings end.
    pub fn read(row: &[u8; WORD], next: &[u8; WORD]) -> Self {
        let start = |row: &[u8; WORD]| u64::from_le_bytes([row[4], row[5], row[6], row[7], row[8], row[9], row[10], row[11]]);
        Self { hash: Self::hash_of(row), postings: (start(row), start(next)) }
    }

    /// The word of an entry.
    pub fn hash_of(row: &[u8; WORD]) -> u32 {
        u32::from_le_bytes([row[0], row[1], row[2], row[3]])
    }

    pub fn bytes(&self) -> [u8; WORD] {
        let mut all = [0; WORD];
        all[..4].copy_from_slice(&self.hash.to_le_bytes());
        all[4..].copy_from_slice(&self.postings.0.to_le_bytes());
        all
    }
}

/// Little-endian bytes, at most eight.
pub fn number(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// The bits to shift a hash by to find its range of the directory, for so many words.
pub fn shift(words: u32) -> u32 {
    32 - (words / RANGE).max(1).ilog2()
}

/// What is said of a file that does not hold what it must.
pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the index is damaged")
}

/// A segment.
#[derive(Debug)]
pub struct Segment {
    pub head: Head,
    file: Option<File>,
    /// The first bytes; all of them where there is no file.
    first: Vec<u8>,
}

impl Segment {
    /// Opens a file.
    ///
    /// # Errors
    /// The system's; `InvalidData` if it is no index.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = fs::open(path)?;
        let size = file.metadata()?.len();
        let mut first = vec![0; if size > SMALL { ROOM } else { size as usize }];
        file.read_exact_at(&mut first, 0)?;
        let head = Head::read(&first).ok_or_else(damaged)?;
        if size < head.at[Section::End as usize] {
            return Err(damaged());
        }
        Self::of(head, (size > SMALL).then_some(file), first)
    }

    /// A segment in memory.
    ///
    /// # Errors
    /// `InvalidData` if it is none.
    pub fn memory(bytes: Vec<u8>) -> io::Result<Self> {
        let head = Head::read(&bytes).filter(|head| head.at[Section::End as usize] <= bytes.len() as u64);
        Self::of(head.ok_or_else(damaged)?, None, bytes)
    }

    fn of(head: Head, file: Option<File>, first: Vec<u8>) -> io::Result<Self> {
        let size = |section| head.section(section).1 - head.section(section).0;
        let docs = u64::from(head.docs);
        if size(Section::Docs) != docs * DOC as u64 || size(Section::Languages) != docs * LANGUAGES as u64 {
            return Err(damaged());
        }
        Ok(Self { head, file, first })
    }

    /// Its end, in bytes from the start of the file.
    pub fn len(&self) -> u64 {
        self.head.at[Section::End as usize]
    }

    /// Bytes that are in memory already.
    pub fn held(&self, at: u64, length: usize) -> Option<&[u8]> {
        let from = usize::try_from(at).ok()?;
        self.first.get(from..from.checked_add(length)?)
    }

    /// All bytes, where they are in memory.
    pub fn whole(&self) -> Option<&[u8]> {
        self.file.is_none().then_some(&self.first)
    }

    /// Fills `buffer` from the file.
    pub fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = at.saturating_add(buffer.len() as u64);
        if end > self.len() {
            return Err(damaged());
        }
        if let Some(here) = self.held(at, buffer.len()) {
            buffer.copy_from_slice(here);
            return Ok(());
        }
        self.file.as_ref().ok_or_else(damaged)?.read_exact_at(buffer, at)
    }

    /// The bytes between two places.
    pub fn bytes(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        if from > to || to > self.len() {
            return Err(damaged());
        }
        let mut all = vec![0; (to - from) as usize];
        self.read(from, &mut all)?;
        Ok(all)
    }

    /// A whole section.
    pub fn section(&self, section: Section) -> io::Result<Vec<u8>> {
        let (from, to) = self.head.section(section);
        self.bytes(from, to)
    }

    /// A lesson's place, by its number.
    pub fn doc(&self, number: u32) -> io::Result<Doc> {
        let mut bytes = [0; DOC];
        let at = u64::from(number.checked_sub(self.head.first).filter(|n| *n < self.head.docs).ok_or_else(damaged)?);
        self.read(self.head.section(Section::Docs).0 + at * DOC as u64, &mut bytes)?;
        Ok(Doc::read(&bytes))
    }

    /// The lesson whose id has this hash.
    pub fn id(&self, hash: u64) -> io::Result<Option<u32>> {
        let row = self.search(Section::Ids, ID, |row| number(&row[..8]).cmp(&hash))?;
        Ok(row.map(|row| number(&row[8..12]) as u32))
    }

    /// The row of a sorted section at which `compare` says `Equal`; rows are at most 16 bytes.
    pub fn search(
        &self,
        section: Section,
        width: usize,
        compare: impl Fn(&[u8]) -> std::cmp::Ordering,
    ) -> io::Result<Option<[u8; 16]>> {
        let (start, end) = self.head.section(section);
        let (mut low, mut high) = (0, (end - start) / width as u64);
        let mut row = [0; 16];
        while low < high {
            let middle = low + (high - low) / 2;
            self.read(start + middle * width as u64, &mut row[..width])?;
            match compare(&row[..width]) {
                std::cmp::Ordering::Equal => return Ok(Some(row)),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}
