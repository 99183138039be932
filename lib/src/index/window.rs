//! A piece of a segment in memory, moved along: neighbours are read at once, and the memory is used again.
//!
//! A read of a file costs half a microsecond, and as much as a quarter of a page that is touched for the first time.

use super::segment::Segment;
use std::io;

/// What was read last.
#[derive(Debug, Default)]
pub struct Window {
    at: u64,
    bytes: Vec<u8>,
    /// So many of them are read.
    held: usize,
}

impl Window {
    /// The bytes at a place. If they must be read, `ahead` are, where the file has so many.
    ///
    /// # Errors
    /// The system's; `InvalidData` beyond the end.
    pub fn read<'w>(&'w mut self, segment: &'w Segment, at: u64, length: usize, ahead: usize) -> io::Result<&'w [u8]> {
        if let Some(there) = segment.held(at, length) {
            return Ok(there);
        }
        let known = at >= self.at && at.saturating_add(length as u64) <= self.at + self.held as u64;
        if !known {
            let most = segment.len().saturating_sub(at).min(ahead as u64) as usize;
            let held = most.max(length);
            if self.bytes.len() < held {
                self.bytes = vec![0; held];
            }
            self.held = 0;
            segment.read(at, &mut self.bytes[..held])?;
            (self.at, self.held) = (at, held);
        }
        let from = (at - self.at) as usize;
        Ok(&self.bytes[from..from + length])
    }
}
