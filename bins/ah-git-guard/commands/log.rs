//! `log`: the audit for people, for programs, and as it grows.

use super::allow::command;
use super::paths;
use crate::way::audit::Line;
use ah::cli::{Call, Cli};
use ah::clock::{now_ms, since_ms, utc};
use ah::exit;
use ah::fs;
use ah::paths::Paths;
use ah::quote;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How often a growing audit is looked at.
const POLL: Duration = Duration::from_millis(200);
/// How much of a growing audit is read at a time, in bytes.
const PIECE: u64 = 1 << 20;
/// How much of each file is read, in bytes.
const MOST: u64 = 64 << 20;

/// `log [--json] [--since WHEN] [--follow]`.
pub fn log(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let paths = paths(cli)?;
    let since = match call.value("since").map(|v| v.to_string_lossy()) {
        Some(text) => since_ms(&text, now_ms())
            .ok_or_else(|| cli.usage_error(&format!("--since: not 30m, 2h, 7d or 2026-11-30: {}", quote::line(&text, 40))))?,
        None => 0,
    };
    let json = call.options.json;
    // Opened before the rest is read: a line that comes just now may show twice, but never not at all.
    let mut tail = call.has("follow").then(|| Tail::at_end(&paths.guard_audit()));
    exit::print(cli.name, &kept(paths, since, json));
    while let Some(tail) = &mut tail {
        std::thread::sleep(POLL);
        let grown = tail.grown(&paths.guard_audit());
        let lines = grown.iter().filter_map(|l| std::str::from_utf8(l).ok()).filter_map(|l| Some((l, Line::read(l)?)));
        let text: String = lines.map(|(text, line)| row(text, &line, json)).collect();
        if !text.is_empty() {
            exit::print(cli.name, &text);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What is on record since then, oldest first.
fn kept(paths: &Paths, since: u64, json: bool) -> String {
    let mut rows = Vec::new();
    let newest = paths.guard_audit();
    for file in [&newest, &fs::old(&newest)] {
        let mut older = false;
        let _ = fs::lines_back(file, MOST, |line| {
            let line = std::str::from_utf8(line).ok().and_then(|text| Some((text, Line::read(text)?)));
            older = line.as_ref().is_some_and(|(_, l)| l.t < since);
            rows.extend(line.filter(|_| !older).map(|(text, l)| row(text, &l, json)));
            !older
        });
        if older {
            break;
        }
    }
    rows.reverse();
    rows.concat()
}

/// A line as it is printed.
fn row(text: &str, line: &Line, json: bool) -> String {
    if json {
        return format!("{text}\n");
    }
    let mut out = format!(
        "{}  {:11}  {:16}  {}",
        utc(line.t),
        quote::line(&line.verdict, 20),
        quote::line(&line.rules.join(" "), 60),
        command(line)
    );
    for (name, value) in [("snapshot ", line.snapshot.as_deref()), ("", Some(line.detail.as_str()))] {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            out += &format!("  ({name}{})", quote::line(value, 120));
        }
    }
    out + "\n"
}

/// A file that grows and is put aside now and then.
struct Tail {
    file: Option<File>,
    /// A line that is not whole yet.
    rest: Vec<u8>,
}

impl Tail {
    fn at_end(path: &Path) -> Self {
        let mut file = regular(path);
        if let Some(file) = &mut file {
            let _ = file.seek(SeekFrom::End(0));
        }
        Self { file, rest: Vec::new() }
    }

    /// The lines that came since the last look.
    fn grown(&mut self, path: &Path) -> Vec<Vec<u8>> {
        let moved = self
            .file
            .as_ref()
            .and_then(|f| f.metadata().ok())
            .is_none_or(|now| path.metadata().is_ok_and(|new| (new.ino(), new.dev()) != (now.ino(), now.dev())));
        if !self.read() && moved {
            // Whoever had the old file open when it was put aside has written to it by now.
            self.file = regular(path);
            self.rest.clear();
            self.read();
        }
        let end = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        whole.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect()
    }

    /// Takes in what is new; whether there was any.
    fn read(&mut self) -> bool {
        let Some(file) = &mut self.file else { return false };
        let size = file.metadata().map_or(0, |m| m.len());
        if file.stream_position().is_ok_and(|at| at > size) {
            let _ = file.seek(SeekFrom::Start(0));
        }
        file.take(PIECE).read_to_end(&mut self.rest).is_ok_and(|n| n > 0)
    }
}

/// Opens a file; a FIFO, which would wait for a writer, is none.
fn regular(path: &Path) -> Option<File> {
    path.is_file().then(|| File::open(path).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_follows_over_a_rotation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("guard.jsonl");
        let mut tail = Tail::at_end(&path);
        assert!(tail.grown(&path).is_empty());
        std::fs::write(&path, "one\ntw").unwrap();
        assert_eq!(tail.grown(&path), [b"one"]);
        ah::fs::append(&path, b"three\n").unwrap();
        assert_eq!(tail.grown(&path), [b"tw".to_vec(), b"three".to_vec()]);
        ah::fs::append(&path, b"last\n").unwrap();
        ah::fs::rotate(&path, 1);
        ah::fs::append(&path, b"first\n").unwrap();
        let mut seen = tail.grown(&path);
        seen.extend(tail.grown(&path));
        assert_eq!(seen, [b"last".to_vec(), b"first".to_vec()]);
    }
}
