//! Looks words up in a segment.

use super::head::Section;
use super::segment::{Segment, WORD, Word, damaged, number, shift};
use super::window::Window;
use std::io;

/// Bytes that are read at once where the next word's entry is likely among them.
const AHEAD: usize = 8 << 10;

/// Looks words up, best in their order.
#[derive(Debug)]
pub struct Words<'s> {
    ahead: usize,
    directory: Window,
    entries: Window,
    segment: &'s Segment,
}

impl<'s> Words<'s> {
    /// Looks up about so many words.
    pub fn new(segment: &'s Segment, asked: usize) -> Self {
        let each = segment.head.words as usize * WORD / asked.max(1);
        let ahead = if each < AHEAD / 2 { AHEAD } else { 0 };
        Self { ahead, directory: Window::default(), entries: Window::default(), segment }
    }

    /// The entry of a word.
    ///
    /// # Errors
    /// The system's; `InvalidData` if the index is damaged.
    pub fn find(&mut self, hash: u32) -> io::Result<Option<Word>> {
        let Self { segment, .. } = self;
        if segment.head.words == 0 {
            return Ok(None);
        }
        let range = u64::from(hash) >> shift(segment.head.words);
        let bounds = self.directory.read(segment, segment.head.section(Section::Directory).0 + range * 4, 8, AHEAD / 2)?;
        let (from, to) = (number(&bounds[..4]), number(&bounds[4..]));
        if from >= to {
            return if from == to { Ok(None) } else { Err(damaged()) };
        }
        // The entry behind says where the last one's postings end.
        let (at, length) = (segment.head.section(Section::Words).0 + from * WORD as u64, (to - from + 1) as usize * WORD);
        if length > 1 << 24 {
            return Err(damaged());
        }
        let entries = self.entries.read(segment, at, length, self.ahead)?;
        let row = |at: u64| entries.get(at as usize * WORD..).and_then(<[u8]>::first_chunk::<WORD>);
        let (mut low, mut high) = (0, to - from);
        while low < high {
            let middle = (low + high) / 2;
            if row(middle).is_some_and(|row| Word::hash_of(row) < hash) { low = middle + 1 } else { high = middle }
        }
        let word = match (row(low), row(low + 1)) {
            (Some(row), Some(next)) if low < to - from && Word::hash_of(row) == hash => Some(Word::read(row, next)),
            _ => None,
        };
        match word {
            Some(word) if word.postings.0 > word.postings.1 || word.postings.1 > segment.len() => Err(damaged()),
            word => Ok(word),
        }
    }
}
