//! The lessons that have a word, as bytes: for each how much greater its number is than the last one's, and its level.

use super::segment::{Segment, damaged};
use std::io;

/// The postings of one word, read piece by piece.
#[derive(Debug)]
pub struct Postings {
    /// Where the next piece begins, in bytes from the start of the file.
    at: u64,
    buffer: Vec<u8>,
    end: u64,
    /// The lesson whose level lies at `place`; beyond all others at the end.
    next: u32,
    place: usize,
}

/// Most bytes of a number.
const LONGEST: usize = 5;

/// Beyond the last lesson.
const NONE: u32 = u32::MAX;

impl Postings {
    /// Those between two places of a file, the numbers counted from `first`.
    pub fn new(segment: &Segment, (at, end): (u64, u64)) -> io::Result<Self> {
        let mut new = Self { at, buffer: Vec::new(), end, next: segment.head.first, place: 0 };
        new.fill(segment)?;
        let mut next = new.next;
        new.place = step(&new.buffer, 0, &mut next)?;
        new.next = next;
        Ok(new)
    }

    /// Gives each lesson below `limit` with its level. The next time it goes on there.
    #[inline]
    pub fn take(&mut self, segment: &Segment, limit: u32, mut give: impl FnMut(u32, u8)) -> io::Result<()> {
        while self.next < limit {
            if self.at < self.end && self.buffer.len() - self.place <= LONGEST {
                self.fill(segment)?;
            }
            let bytes = self.buffer.as_slice();
            // Up to here a level and the number behind it are all there.
            let safe = if self.at < self.end { bytes.len() - LONGEST } else { bytes.len() };
            let (mut next, mut place) = (self.next, self.place);
            while next < limit && place < safe {
                give(next, bytes[place]);
                place = match bytes.get(place + 1) {
                    Some(delta) if *delta < 0x80 => {
                        next = next.saturating_add(u32::from(*delta));
                        place + 2
                    }
                    _ => step(bytes, place + 1, &mut next)?,
                };
            }
            let beyond = next != NONE && next - segment.head.first >= segment.head.docs;
            // A number without a level, or no lesson's.
            if beyond || next != NONE && self.at >= self.end && place >= bytes.len() {
                return Err(damaged());
            }
            (self.next, self.place) = (next, place);
        }
        Ok(())
    }

    /// Reads the next piece: the longer the list, the larger, which costs the least of memory and reads together.
    fn fill(&mut self, segment: &Segment) -> io::Result<()> {
        let left = self.end - self.at;
        let piece = (left << 10).isqrt().max(64);
        let more = if left <= 2 * piece { left } else { piece } as usize;
        let rest = self.buffer.len() - self.place;
        self.buffer.copy_within(self.place.., 0);
        self.buffer.resize(rest + more, 0);
        segment.read(self.at, &mut self.buffer[rest..])?;
        self.place = 0;
        self.at += more as u64;
        Ok(())
    }
}

/// Adds the number at `at` to `next`, and gives the place behind it; at the end there is no next lesson.
fn step(bytes: &[u8], at: usize, next: &mut u32) -> io::Result<usize> {
    if at == bytes.len() {
        *next = NONE;
        return Ok(at);
    }
    let mut value = 0;
    for n in 0..LONGEST {
        let byte = *bytes.get(at + n).ok_or_else(damaged)?;
        value |= u32::from(byte & 0x7f) << (7 * n as u32);
        if byte < 0x80 {
            *next = next.checked_add(value).ok_or_else(damaged)?;
            return Ok(at + n + 1);
        }
    }
    Err(damaged())
}

/// Writes a posting.
pub fn put(to: &mut Vec<u8>, mut delta: u32, level: u8) {
    while delta >= 0x80 {
        to.push(delta as u8 | 0x80);
        delta >>= 7;
    }
    to.extend([delta as u8, level]);
}
