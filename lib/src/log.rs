//! The failure log: what a hook could not do, since it may not say so anywhere else.

use crate::clock::now_ms;
use crate::fs;
use crate::paths::Paths;
use crate::redact::redact;
use serde::Serialize;

/// Longest line, with its newline, in bytes.
const MAX_LINE: usize = 2048;

/// Size at which the log is put aside, in bytes; one old log is kept.
const MAX_LOG: u64 = 4 << 20;

#[derive(Serialize)]
struct Line<'a> {
    v: u32,
    t: u64,
    program: &'a str,
    what: &'a str,
}

/// Writes down that `program` failed at `what`: one line `{"v":1,"t":ms,"program","what"}` without secrets.
///
/// Never fails and never prints: where the log cannot be written there is nobody left to tell. The environment is
/// not logged.
pub fn failure(paths: &Paths, program: &str, what: &str) {
    let log = paths.log();
    let _ = fs::ensure_dir(paths.state_home());
    fs::rotate(&log, MAX_LOG);
    let _ = fs::append(&log, line(program, what).as_bytes());
}

fn line(program: &str, what: &str) -> String {
    // Each byte becomes at most six (`\u0000`), so what is cut here need not be read by the redactor.
    let what = redact(start(what, MAX_LINE));
    let t = now_ms();
    let mut room = MAX_LINE;
    loop {
        let line = Line { v: 1, t, program: start(program, 64), what: start(&what, room) };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        if text.len() <= MAX_LINE || room == 0 {
            return text;
        }
        room = room.saturating_sub(text.len() - MAX_LINE).min(room * 9 / 10);
    }
}

/// At most `max` bytes of the start of `text`.
fn start(text: &str, max: usize) -> &str {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_are_short_and_whole() {
        for what in ["x".repeat(5000), "\0".repeat(5000), "é\"\\\n".repeat(2000), String::new()] {
            let line = line(&"p".repeat(500), &what);
            assert!(line.len() <= 2048 && line.ends_with('\n') && line.matches('\n').count() == 1);
            let read: serde_json::Value = serde_json::from_str(&line).unwrap();
            assert_eq!(read["v"], 1);
        }
    }
}
