//! The lessons that have a word, as bytes: for each how much greater its number is than the last one's, and its level.

use super::segment::{Segment, damaged};
use super::window::Window;
use std::io;

/// The postings of one word, read piece by piece.
#[derive(Debug)]
pub struct Postings {
    /// Where the next piece begins, in bytes from the start of the file.
    at: u64,
    /// Whether the first number was read.
    begun: bool,
    buffer: Vec<u8>,
    end: u64,
    /// Bytes of the buffer that are read.
    held: usize,
    /// The lesson whose level lies at `place`; beyond all others at the end.
    next: u32,
    place: usize,
}

/// Where postings go. Implementations are inlined: this is a Stop's hottest loop.
pub trait Take {
    /// Takes a lesson with its level, or refuses it.
    fn take(&mut self, doc: u32, level: u8) -> bool;
}

/// Keeps what comes before a lesson.
#[derive(Debug)]
pub struct Held<'h> {
    /// The first lesson that is refused.
    pub end: u32,
    /// Where they are kept.
    pub to: &'h mut Vec<(u32, u8)>,
}

impl Take for Held<'_> {
    #[inline(always)]
    fn take(&mut self, doc: u32, level: u8) -> bool {
        let here = doc < self.end;
        if here {
            self.to.push((doc, level));
        }
        here
    }
}

/// Most bytes of a number.
const LONGEST: usize = 5;

/// Lists of at most so many bytes are read at once.
const WHOLE: usize = 4 << 10;

/// Beyond the last lesson.
const NONE: u32 = u32::MAX;

impl Postings {
    /// Those between two places of a file.
    pub fn new((at, end): (u64, u64)) -> Self {
        Self { at, begun: false, buffer: Vec::new(), end, held: 0, next: 0, place: 0 }
    }

    /// The same, with a list that is not long taken from a window, in which the next one's are likely, too.
    pub fn near(segment: &Segment, (at, end): (u64, u64), window: &mut Window, ahead: usize) -> io::Result<Self> {
        let length = (end - at) as usize;
        if length > WHOLE {
            return Ok(Self::new((at, end)));
        }
        let buffer = window.read(segment, at, length, ahead)?.to_vec();
        Ok(Self { at: end, begun: false, buffer, end, held: length, next: 0, place: 0 })
    }

    /// Gives each lesson with its level until one is refused; the next time it goes on with that one.
    #[inline(never)]
    pub fn take(&mut self, segment: &Segment, mut to: impl Take) -> io::Result<()> {
        if !self.begun {
            self.begin(segment)?;
        }
        while !self.ended() {
            if self.at < self.end && self.held - self.place <= LONGEST + 1 {
                self.fill(segment)?;
            }
            let bytes = &self.buffer[..self.held];
            // Up to here a level and the number behind it are all there.
            let safe = if self.at < self.end { bytes.len() - LONGEST } else { bytes.len() };
            let (mut next, mut place) = (self.next, self.place);
            // A level and a number of one byte, as nearly all are.
            while place + 1 < safe && to.take(next, bytes[place]) {
                let delta = bytes[place + 1];
                if delta < 0x80 {
                    next = next.wrapping_add(delta.into());
                    place += 2;
                } else {
                    (next, place) = step(bytes, place + 1, next)?;
                }
            }
            let refused = place + 1 < safe;
            if !refused && self.at >= self.end {
                // No number is behind the last level.
                let level = bytes.get(place).ok_or_else(damaged)?;
                if to.take(next, *level) {
                    next = NONE;
                }
            }
            (self.next, self.place) = (next, place);
            if refused || self.at >= self.end {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether all were given.
    pub fn ended(&self) -> bool {
        self.next == NONE
    }

    /// Reads the first number.
    fn begin(&mut self, segment: &Segment) -> io::Result<()> {
        if self.at > self.end || self.end > segment.len() {
            return Err(damaged());
        }
        if self.held == 0 {
            self.fill(segment)?;
        }
        (self.next, self.place) = step(&self.buffer[..self.held], 0, segment.head.first)?;
        self.begun = true;
        Ok(())
    }

    /// Reads the next piece: the longer the list, the larger, which costs the least of memory and reads together.
    fn fill(&mut self, segment: &Segment) -> io::Result<()> {
        let left = (self.end - self.at) as usize;
        let more = if left <= WHOLE { left } else { (left << 10).isqrt() };
        if self.buffer.is_empty() {
            // No later piece is larger than this one or `WHOLE`.
            self.buffer = vec![0; more.max(WHOLE.min(left)) + LONGEST + 1];
        }
        self.buffer.copy_within(self.place..self.held, 0);
        self.held -= self.place;
        self.place = 0;
        segment.read(self.at, &mut self.buffer[self.held..self.held + more])?;
        self.held += more;
        self.at += more as u64;
        Ok(())
    }
}

/// A lesson's number plus the number at `at`, and the place behind it.
fn step(bytes: &[u8], mut at: usize, from: u32) -> io::Result<(u32, usize)> {
    let (mut value, mut shift) = (0, 0);
    while at < bytes.len() && shift < 7 * LONGEST {
        let byte = bytes[at];
        value |= u32::from(byte & 0x7f) << shift;
        (at, shift) = (at + 1, shift + 7);
        if byte < 0x80 {
            return Ok((from.checked_add(value).ok_or_else(damaged)?, at));
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

#[cfg(test)]
mod tests {
    use super::super::head::{Head, Section};
    use super::super::segment::Segment;
    use super::*;

    /// A segment whose bytes behind the head are these postings.
    fn segment(bytes: &[u8]) -> Segment {
        let end = 256 + bytes.len() as u64;
        let mut at = vec![end; Section::End as usize + 1];
        at[0] = 256;
        let head = Head { at, docs: 0, ..Head::default() };
        Segment::memory([&head.bytes()[..], bytes].concat()).unwrap()
    }

    fn all(bytes: &[u8], bounds: (u64, u64)) -> io::Result<Vec<(u32, u8)>> {
        let (segment, mut to) = (segment(bytes), Vec::new());
        let mut list = Postings::new(bounds);
        // In steps, as windows take them.
        for end in [1, 7, 300, u32::MAX] {
            list.take(&segment, Held { end, to: &mut to })?;
        }
        Ok(to)
    }

    #[test]
    fn what_is_put_is_taken() {
        let docs: Vec<(u32, u8)> = (0..3000u32).map(|n| (n * n / 7 + n, (n % 250) as u8 + 1)).collect();
        let (mut bytes, mut last) = (Vec::new(), 0);
        for (doc, level) in &docs {
            put(&mut bytes, doc - last, *level);
            last = *doc;
        }
        assert_eq!(all(&bytes, (256, 256 + bytes.len() as u64)).unwrap(), docs);
    }

    #[test]
    fn damage_is_an_error_and_ends() {
        for bytes in [&[0x80][..], &[0x80; 9], &[1], &[1, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 1], &[5, 1, 0x80]] {
            assert!(all(bytes, (256, 256 + bytes.len() as u64)).is_err(), "{bytes:?}");
        }
        for bounds in [(256, 1 << 47), (300, 256), (0, u64::MAX), (1 << 63, u64::MAX)] {
            assert!(all(&[1, 2, 3, 4], bounds).is_err(), "{bounds:?}");
        }
        let mut seed = 3_u64;
        for _ in 0..2000 {
            let bytes: Vec<u8> = (0..seed % 40)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (seed >> 40) as u8
                })
                .collect();
            seed = seed.wrapping_add(1);
            let _ = all(&bytes, (256, 256 + bytes.len() as u64));
        }
    }
}
