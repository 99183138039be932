//! Reading an index: words to postings, rows to lessons.

use super::build::{Builder, List, Row};
use super::layout::{DEAD, HEADER_AT, Header, MAGIC, MAX_HEADER, NONE, Part, ROW, WORD, slot};
use super::source::Source;
use crate::lesson::Lesson;
use nanoserde::DeBin;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The longest line of a store that is read, in bytes.
const MAX_LINE: usize = 256 << 10;

/// An index and the lessons that it is of.
#[derive(Debug)]
pub struct Index {
    pub(super) header: Header,
    /// Where the tables begin.
    pub(super) base: u64,
    pub(super) source: Source,
    pub(super) lessons: Option<File>,
}

/// A word's match in a lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The lesson's row.
    pub row: u32,
    /// What the word adds, in units of 1/[`super::PER_ONE`].
    pub impact: u8,
}

/// A lesson with its row.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The lesson.
    pub lesson: Lesson,
    /// Its row.
    pub row: u32,
}

impl Index {
    /// Reads the header of an index.
    ///
    /// # Errors
    /// `InvalidData` for what is no index, or one of another version; else the system's.
    pub(super) fn read(source: Source, lessons: Option<File>) -> io::Result<Self> {
        let bad = || io::Error::from(io::ErrorKind::InvalidData);
        let start = source.read(0, HEADER_AT)?.into_owned();
        if &start[..MAGIC.len()] != MAGIC {
            return Err(bad());
        }
        let length = u32::from_le_bytes(start[MAGIC.len()..].try_into().map_err(|_| bad())?);
        if length > MAX_HEADER {
            return Err(bad());
        }
        let header = Header::deserialize_bin(&source.read(HEADER_AT as u64, length as usize)?).map_err(|_| bad())?;
        let index = Self { header, base: HEADER_AT as u64 + u64::from(length), source, lessons };
        let rows = index.header.rows.length / ROW as u64;
        let slots = |part: &Part, each: usize| (part.length / each as u64).is_power_of_two();
        let sound = index.header.classes.length == rows && slots(&index.header.words, WORD) && slots(&index.header.ids, 4);
        if sound { Ok(index) } else { Err(bad()) }
    }

    fn part(&self, part: &Part, at: u64, length: usize) -> io::Result<std::borrow::Cow<'_, [u8]>> {
        if at.checked_add(length as u64).is_none_or(|end| end > part.length) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.source.read(self.base + part.at + at, length)
    }

    /// How many rows there are: lines that are lessons, also those that later ones replace.
    #[must_use]
    pub fn rows(&self) -> usize {
        (self.header.rows.length / ROW as u64) as usize
    }

    /// Lines of the store that are no lessons.
    #[must_use]
    pub fn invalid(&self) -> u32 {
        self.header.invalid
    }

    /// Hidden rows, each with the row of its successor.
    #[must_use]
    pub fn hidden(&self) -> &[(u32, u32)] {
        &self.header.hidden
    }

    /// For every row the languages that it names; `None` for one that counts no more.
    ///
    /// # Errors
    /// The system's, and `InvalidData`.
    pub fn languages(&self) -> io::Result<Vec<Option<u32>>> {
        let classes = self.part(&self.header.classes, 0, self.rows())?;
        let mask = |class: &u8| {
            if *class == DEAD { None } else { Some(self.header.masks.get(usize::from(*class)).copied().unwrap_or(0)) }
        };
        Ok(classes.iter().map(mask).collect())
    }

    /// The postings of a word, in ascending rows.
    ///
    /// # Errors
    /// The system's, and `InvalidData`.
    pub fn postings(&self, word: u64, mut give: impl FnMut(Posting)) -> io::Result<()> {
        let Some((at, length)) = self.list(word)? else { return Ok(()) };
        let bytes = self.part(&self.header.postings, at, length)?;
        let rows = self.rows() as u32;
        let (mut row, mut rest) = (0u32, bytes.iter().copied());
        while let Some(distance) = distance(&mut rest) {
            let Some(impact) = rest.next() else { return Err(io::ErrorKind::InvalidData.into()) };
            row = row.wrapping_add(distance);
            if row >= rows {
                return Err(io::ErrorKind::InvalidData.into());
            }
            give(Posting { row, impact });
        }
        Ok(())
    }

    /// Where the postings of a word are, and how long.
    fn list(&self, word: u64) -> io::Result<Option<(u64, usize)>> {
        /// Slots read at once: most words are in their first or second.
        const AT_ONCE: usize = 4;
        let slots = (self.header.words.length / WORD as u64) as usize;
        let mut at = slot(word, slots);
        let mut seen = 0;
        while seen < slots {
            let many = AT_ONCE.min(slots - at);
            let bytes = self.part(&self.header.words, (at * WORD) as u64, many * WORD)?;
            for entry in bytes.chunks_exact(WORD) {
                let known = u64::from_le_bytes(entry[..8].try_into().unwrap_or_default());
                if known == word {
                    let mut place = [0; 8];
                    place[..5].copy_from_slice(&entry[8..13]);
                    let length = u32::from_le_bytes([entry[13], entry[14], entry[15], 0]);
                    return Ok(Some((u64::from_le_bytes(place), length as usize)));
                }
                if known == 0 {
                    return Ok(None);
                }
            }
            seen += many;
            at = (at + many) & (slots - 1);
        }
        Ok(None)
    }

    /// The lesson of a row.
    ///
    /// # Errors
    /// `InvalidData` where its line is none any more; else the system's.
    pub fn lesson(&self, row: u32) -> io::Result<Lesson> {
        let row = self.row(row)?;
        let length = (row.length as usize).min(MAX_LINE + 1);
        let mut line = vec![0; length];
        let file = self.lessons.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.read_exact_at(&mut line, row.at)?;
        Lesson::read(line.trim_ascii()).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why.to_string()))
    }

    /// The live lesson of an id.
    ///
    /// # Errors
    /// The system's, and `InvalidData`.
    pub fn find(&self, id: &str) -> io::Result<Option<Hit>> {
        let slots = (self.header.ids.length / 4) as usize;
        let wanted = super::hash(id);
        let mut at = slot(wanted, slots);
        for _ in 0..slots {
            let bytes = self.part(&self.header.ids, (at * 4) as u64, 4)?;
            let row = u32::from_le_bytes(bytes.as_ref().try_into().unwrap_or([0xff; 4]));
            if row == NONE {
                return Ok(None);
            }
            if self.row(row)?.id == wanted {
                let lesson = self.lesson(row)?;
                return Ok((lesson.id == id).then_some(Hit { lesson, row }));
            }
            at = (at + 1) & (slots - 1);
        }
        Ok(None)
    }

    fn row(&self, row: u32) -> io::Result<Row> {
        let bytes = self.part(&self.header.rows, u64::from(row) * ROW as u64, ROW)?;
        Ok(row_of(&bytes))
    }

    /// The index as it was while it was made, to be gone on with.
    pub(super) fn builder(&self) -> io::Result<Builder> {
        let rows = self.part(&self.header.rows, 0, self.header.rows.length as usize)?.chunks_exact(ROW).map(row_of).collect();
        let classes = self.part(&self.header.classes, 0, self.rows())?.into_owned();
        let words = self.part(&self.header.words, 0, self.header.words.length as usize)?;
        let mut lists = std::collections::HashMap::new();
        for entry in words.chunks_exact(WORD) {
            let word = u64::from_le_bytes(entry[..8].try_into().unwrap_or_default());
            if word == 0 {
                continue;
            }
            let mut list = List::default();
            self.postings(word, |posting| {
                list.last = posting.row;
                list.df += u32::from(posting.row < self.header.sample);
            })?;
            if let Some((at, length)) = self.list(word)? {
                list.bytes = self.part(&self.header.postings, at, length)?.into_owned();
            }
            lists.insert(word, list);
        }
        let header = &self.header;
        let builder = Builder {
            classes,
            invalid: header.invalid,
            links: header.links.clone(),
            masks: header.masks.clone(),
            rows,
            sample: header.sample,
            words: lists,
            ..Builder::default()
        };
        Ok(builder.resumed())
    }
}

fn row_of(bytes: &[u8]) -> Row {
    let eight = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    Row {
        at: eight(0),
        length: u32::from_le_bytes(bytes[8..12].try_into().unwrap_or_default()),
        version: eight(12),
        id: eight(20),
    }
}

/// The next varint.
fn distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let (mut value, mut shift) = (0u32, 0);
    loop {
        let byte = bytes.next()?;
        value |= u32::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}
