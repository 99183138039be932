//! Reading a log from its end, so that what it costs does not grow with the log.

use super::open;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes read at a time, after the first.
const BLOCK: u64 = 64 * 1024;

/// Bytes read first: what is looked for is mostly near the end.
const FIRST: u64 = 8 * 1024;

/// Calls `visit` with each line from the last to the first, without its newline, until it returns false.
///
/// At most `max` bytes from the end are read; the line that the bound cuts is not given. An unfinished last line
/// is given like any other, and empty lines are left out. Returns whether the first line of the file was given, so
/// false when `visit` ended it or the bound did.
///
/// # Errors
/// `InvalidInput` if the path is not a regular file, else the system's.
pub fn lines_back(path: &Path, max: u64, mut visit: impl FnMut(&[u8]) -> bool) -> io::Result<bool> {
    placed_back(path, max, |_, line| visit(line))
}

/// As [`lines_back`], with where each line ends: the offset behind its last byte, without its newline.
///
/// # Errors
/// As [`lines_back`].
pub fn placed_back(path: &Path, max: u64, mut visit: impl FnMut(u64, &[u8]) -> bool) -> io::Result<bool> {
    let file = open(path)?;
    let mut start = file.metadata()?.len();
    let floor = start.saturating_sub(max);
    // The beginning of the line that the last block cut, its pieces in reverse order.
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    // Where that line ends.
    let mut until = start;
    let mut line = Vec::new();
    let mut block = Vec::new();
    while start > floor {
        let size = if block.is_empty() { FIRST } else { BLOCK };
        let from = start.saturating_sub(size).max(floor);
        // Zeroes from the system cost less than zeroes of ours.
        block = vec![0; (start - from) as usize];
        if let Err(e) = file.read_exact_at(&mut block, from) {
            // It was cut short meanwhile: what lay there is gone.
            if e.kind() == io::ErrorKind::UnexpectedEof {
                return Ok(false);
            }
            return Err(e);
        }
        start = from;
        let mut end = block.len();
        while let Some(at) = block[..end].iter().rposition(|b| *b == b'\n') {
            line.clear();
            line.extend_from_slice(&block[at + 1..end]);
            while let Some(piece) = pieces.pop() {
                line.extend_from_slice(&piece);
            }
            if !line.is_empty() && !visit(until, &line) {
                return Ok(false);
            }
            end = at;
            until = from + at as u64;
        }
        if end > 0 {
            pieces.push(block[..end].to_vec());
        }
    }
    if start > 0 {
        return Ok(false);
    }
    line.clear();
    while let Some(piece) = pieces.pop() {
        line.extend_from_slice(&piece);
    }
    Ok(line.is_empty() || visit(until, &line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(text: &[u8], max: u64) -> (Vec<String>, bool) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, text).unwrap();
        let mut lines = Vec::new();
        let whole = lines_back(&path, max, |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            true
        })
        .unwrap();
        (lines, whole)
    }

    #[test]
    fn gives_lines_last_first() {
        assert_eq!(back(b"", 100), (vec![], true));
        let expected = vec!["torn".to_owned(), "b".to_owned(), "a".to_owned()];
        assert_eq!(back(b"a\n\nb\ntorn", 100), (expected, true));
        assert_eq!(back(b"abc\ndef\n", 5).0, ["def"]);
        assert!(!back(b"abc\ndef\n", 5).1);
    }

    #[test]
    fn joins_lines_over_blocks() {
        let long = "x".repeat(3 * BLOCK as usize + 7);
        let text = format!("first\n{long}\nlast\n");
        let (lines, whole) = back(text.as_bytes(), u64::MAX);
        assert!(whole && lines == ["last", long.as_str(), "first"]);
        let many: Vec<String> = (0..50_000).map(|n| format!("line {n}")).collect();
        let (mut lines, _) = back(many.join("\n").as_bytes(), u64::MAX);
        lines.reverse();
        assert_eq!(lines, many);
    }

    #[test]
    fn ends_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let long = "x".repeat(2 * BLOCK as usize);
        let text = format!("a\n\nbc\n{long}\nd\ntorn");
        std::fs::write(&path, &text).unwrap();
        let mut seen = 0;
        placed_back(&path, u64::MAX, |end, line| {
            seen += 1;
            assert!(text.as_bytes()[..end as usize].ends_with(line));
            assert!(matches!(text.as_bytes().get(end as usize), None | Some(b'\n')));
            true
        })
        .unwrap();
        assert_eq!(seen, 5);
    }

    #[test]
    fn stops_when_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, "a\nb\nc\n").unwrap();
        let mut seen = 0;
        let whole = lines_back(&path, 100, |line| {
            seen += 1;
            line != b"b"
        });
        assert_eq!((whole.unwrap(), seen), (false, 2));
    }
}
