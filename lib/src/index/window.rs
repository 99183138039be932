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
        let here = |window: &Self| {
            let from = usize::try_from(at.checked_sub(window.at)?).ok()?;
            (from.checked_add(length)? <= window.bytes.len()).then_some(from)
        };
        let from = match here(self) {
            Some(from) => from,
            None => {
                let more = (segment.len().saturating_sub(at)).min(ahead as u64) as usize;
                self.bytes.resize(more.max(length), 0);
                segment.read(at, &mut self.bytes)?;
                self.at = at;
                0
            }
        };
        Ok(&self.bytes[from..from + length])
    }
}
