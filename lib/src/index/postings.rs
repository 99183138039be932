//! The lessons that have a word, as bytes: for each how much greater its number is than the last one's, and its level.

use super::segment::{Segment, damaged};
use std::io;

/// The postings of one word, read piece by piece.
#[derive(Debug)]
pub struct Postings {
    at: u64,
    buffer: Vec<u8>,
    end: u64,
    last: u32,
    place: usize,
}

/// Bytes of postings that are read at once.
const PIECE: u64 = 16 << 10;

/// Most bytes of one posting.
const LONGEST: usize = 6;

impl Postings {
    /// Those between two places of a file, the numbers counted from `first`.
    pub fn new((at, end): (u64, u64), first: u32) -> Self {
        Self { at, buffer: Vec::new(), end, last: first, place: 0 }
    }

    /// Gives each lesson below `limit` with its level, and the first one at or beyond it as result; `None` at the end.
    /// A posting that was given back must be given as `pending` the next time.
    pub fn take(
        &mut self,
        segment: &Segment,
        pending: Option<(u32, u8)>,
        limit: u32,
        mut give: impl FnMut(u32, u8),
    ) -> io::Result<Option<(u32, u8)>> {
        if let Some((doc, level)) = pending {
            if doc >= limit {
                return Ok(pending);
            }
            give(doc, level);
        }
        loop {
            if self.buffer.len() - self.place < LONGEST && self.at < self.end {
                self.fill(segment)?;
            }
            let bytes = &self.buffer[self.place..];
            // All but the last few can be read without looking for the end each time.
            let safe = if self.at < self.end { bytes.len().saturating_sub(LONGEST - 1) } else { bytes.len() };
            let (mut at, mut last) = (0, self.last);
            while at < safe {
                let Some((delta, next)) = varint(bytes, at) else { return Err(damaged()) };
                let Some(level) = bytes.get(next) else { return Err(damaged()) };
                last = last.checked_add(delta).ok_or_else(damaged)?;
                at = next + 1;
                if last >= limit {
                    self.place += at;
                    self.last = last;
                    let beyond = last - segment.head.first >= segment.head.docs;
                    return if beyond { Err(damaged()) } else { Ok(Some((last, *level))) };
                }
                give(last, *level);
            }
            self.place += at;
            self.last = last;
            if self.at >= self.end && self.place >= self.buffer.len() {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self, segment: &Segment) -> io::Result<()> {
        let more = (self.end - self.at).min(PIECE);
        let rest = self.buffer.len() - self.place;
        let mut new = vec![0; rest + more as usize];
        new[..rest].copy_from_slice(&self.buffer[self.place..]);
        segment.read(self.at, &mut new[rest..])?;
        (self.buffer, self.place) = (new, 0);
        self.at += more;
        Ok(())
    }
}

/// A number of 1 to 5 bytes at `at`, seven bits each, and the place behind it.
fn varint(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *bytes.get(at)?;
    if first < 0x80 {
        return Some((u32::from(first), at + 1));
    }
    let mut value = u32::from(first & 0x7f);
    for n in 1..5 {
        let byte = *bytes.get(at + n)?;
        value |= u32::from(byte & 0x7f) << (7 * n as u32);
        if byte < 0x80 {
            return Some((value, at + n + 1));
        }
    }
    None
}

/// Writes a posting.
pub fn put(to: &mut Vec<u8>, mut delta: u32, level: u8) {
    while delta >= 0x80 {
        to.push(delta as u8 | 0x80);
        delta >>= 7;
    }
    to.extend([delta as u8, level]);
}
