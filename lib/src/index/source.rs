//! The bytes of an index: a file read where it is needed, or memory.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A file of at most so many bytes is read whole: one call costs less than many.
const WHOLE: u64 = 384 << 10;

/// Where the bytes are.
#[derive(Debug)]
pub enum Source {
    /// In a file of this length.
    File(File, u64),
    /// Here.
    Memory(Vec<u8>),
}

impl Source {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The system's.
    pub fn of(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        if length > WHOLE {
            return Ok(Self::File(file, length));
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(Self::Memory(bytes))
    }

    /// The bytes from `at` on.
    ///
    /// # Errors
    /// `UnexpectedEof` where there are not so many, else the system's.
    pub fn read(&self, at: u64, length: usize) -> io::Result<Cow<'_, [u8]>> {
        let end = at.checked_add(length as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        match self {
            Self::Memory(bytes) => {
                let range = usize::try_from(at).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
                bytes.get(range).map(Cow::Borrowed).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
            }
            Self::File(file, whole) => {
                if end > *whole {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, at)?;
                Ok(Cow::Owned(bytes))
            }
        }
    }
}
