//! The whole lines of a store from some place on, a piece at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// Gives each line between two places with where it begins, without its newline, until `give` wants no more. The result
/// is the end of the last line that was given or left out; a line of more than `longest` bytes is left out.
///
/// # Errors
/// The system's.
pub fn lines(
    file: &File,
    from: u64,
    to: u64,
    longest: usize,
    mut give: impl FnMut(u64, &[u8]) -> io::Result<bool>,
) -> io::Result<u64> {
    let mut held = Vec::new();
    // Where `held` begins, what of it was looked at, and whether its line is too long.
    let (mut start, mut seen, mut long) = (from, 0, false);
    let mut at = from;
    let mut done = from;
    while at < to {
        let more = usize::try_from(to - at).unwrap_or(PIECE).min(PIECE);
        let old = held.len();
        held.resize(old + more, 0);
        let n = file.read_at(&mut held[old..], at)?;
        held.truncate(old + n);
        if n == 0 {
            break;
        }
        at += n as u64;
        let mut line = 0;
        while let Some(end) = held[seen..].iter().position(|byte| *byte == b'\n').map(|end| seen + end) {
            let whole = !std::mem::take(&mut long) && end - line <= longest;
            done = start + end as u64 + 1;
            if whole && !give(start + line as u64, &held[line..end])? {
                return Ok(done);
            }
            line = end + 1;
            seen = line;
        }
        held.drain(..line);
        start += line as u64;
        seen = held.len();
        if held.len() > longest {
            long = true;
            start += held.len() as u64;
            held.clear();
            seen = 0;
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn lines_come_whole_wherever_the_pieces_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let all: Vec<String> = (0..3000).map(|n| format!("{n}{}", "x".repeat(n % 700))).collect();
        let text = all.join("\n") + "\ntorn";
        std::fs::write(&path, &text).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let mut found = Vec::new();
        let end = lines(&file, 0, text.len() as u64, 1000, |at, line| {
            assert_eq!(&text.as_bytes()[at as usize..at as usize + line.len()], line);
            found.push(String::from_utf8(line.to_vec()).unwrap());
            Ok(true)
        });
        assert_eq!((end.unwrap(), &found), (text.len() as u64 - 4, &all));
        let short = lines(&file, 0, text.len() as u64, 100, |_, line| {
            assert!(line.len() <= 100);
            Ok(true)
        });
        assert_eq!(short.unwrap(), text.len() as u64 - 4);
        let mut n = 0;
        let end = lines(&file, 0, text.len() as u64, 1000, |_, _| {
            n += 1;
            Ok(n < 2)
        });
        assert_eq!(end.unwrap(), 2 + 3);
    }

    #[test]
    fn one_line_of_a_gigabyte_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, "").unwrap();
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        file.set_len(1 << 25).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"\nlast\n", 1 << 25).unwrap();
        let mut found = Vec::new();
        let end = lines(&file, 0, (1 << 25) + 6, 1000, |_, line| {
            found.push(line.to_vec());
            Ok(true)
        });
        assert_eq!((end.unwrap(), found), ((1 << 25) + 6, vec![b"last".to_vec()]));
    }
}
