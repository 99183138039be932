//! Writes a segment: words as they come, in order, and the rest at the end.

use super::head::{Head, ROOM, Section};
use super::postings::put;
use super::segment::{WORD, Word, number, shift};
use std::io::{self, Write};

/// What a segment has besides words.
#[derive(Debug, Default)]
pub struct Rest {
    pub docs: Vec<u8>,
    pub languages: Vec<u8>,
    pub ids: Vec<u8>,
    pub dead: Vec<u8>,
    pub sample: Vec<u8>,
    pub hidden: Vec<u8>,
    pub links: Vec<u8>,
}

/// Writes to `to`, whose first bytes are left empty for the head.
#[derive(Debug)]
pub struct Writer<W> {
    at: u64,
    first: u32,
    room: Vec<u8>,
    to: W,
    words: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Begins, for lessons from the number `first`.
    ///
    /// # Errors
    /// The system's, as everywhere here.
    pub fn new(mut to: W, first: u32) -> io::Result<Self> {
        to.write_all(&[0; ROOM])?;
        Ok(Self { at: ROOM as u64, first, room: Vec::new(), to, words: Vec::new() })
    }

    /// Writes the next word with the lessons that have it, in order. One that no lesson has is left out.
    pub fn word(&mut self, hash: u32, postings: impl Iterator<Item = (u32, u8)>) -> io::Result<()> {
        let mut last = self.first;
        self.room.clear();
        for (doc, level) in postings {
            put(&mut self.room, doc - last, level);
            last = doc;
        }
        if !self.room.is_empty() {
            self.words.extend(Word { hash, postings: (self.at, 0) }.bytes());
            self.to.write_all(&self.room)?;
            self.at += self.room.len() as u64;
        }
        Ok(())
    }

    /// Ends it. The head's bytes belong at the start.
    pub fn end(mut self, rest: &Rest, head: &mut Head) -> io::Result<W> {
        let words = (self.words.len() / WORD) as u32;
        let last = Word { postings: (self.at, 0), hash: u32::MAX };
        let mut directory = Vec::new();
        let by = shift(words);
        let mut entries = self.words.chunks_exact(WORD).enumerate().peekable();
        for range in 0..1u64 << (32 - by) {
            let at = loop {
                match entries.peek() {
                    Some((_, entry)) if number(&entry[..4]) >> by < range => entries.next(),
                    Some((at, _)) => break *at as u32,
                    None => break words,
                };
            };
            directory.extend(at.to_le_bytes());
        }
        directory.extend(words.to_le_bytes());
        self.words.extend(last.bytes());
        head.words = words;
        head.first = self.first;
        head.at = vec![ROOM as u64, self.at];
        let Rest { docs, languages, ids, dead, sample, hidden, links } = rest;
        let sections = [&self.words, &directory, docs, languages, ids, dead, sample, hidden, links];
        for section in sections {
            self.to.write_all(section)?;
            self.at += section.len() as u64;
            head.at.push(self.at);
        }
        debug_assert_eq!(head.at.len(), Section::End as usize + 1);
        Ok(self.to)
    }
}
