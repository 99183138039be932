//! The directory that Codex gave the command and does not tell its hooks: found at the end of its own record.

use crate::guard;
use ah::event::{Event, field, text};
use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// So much of the record's end is read, in bytes.
const TAIL: u64 = 64 << 10;

/// Directories besides `cwd` in which the call may run; none where the record does not say or the harness does not need it.
pub fn other(event: &Event, command: &str, cwd: &Path) -> Vec<PathBuf> {
    if event.model.is_empty() || event.transcript_path.is_empty() {
        return Vec::new();
    }
    let found = tail(Path::new(event.transcript_path.as_ref()), TAIL)
        .and_then(|tail| tail.lines().rev().find_map(|line| stated(line, command)));
    let dir = found.map(|dir| cwd.join(dir)).and_then(|dir| guard::directory(&dir.to_string_lossy()));
    dir.into_iter().filter(|d| d != cwd).collect()
}

/// The last `most` bytes of a record.
pub fn tail(path: &Path, most: u64) -> Option<String> {
    // A pipe in its place is never opened.
    let length = std::fs::metadata(path).ok().filter(|m| m.is_file())?.len();
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(length.saturating_sub(most))).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The `workdir` of a call of this very command.
fn stated(line: &str, command: &str) -> Option<String> {
    let arguments = text(field(field(serde_json::from_str(line).ok()?, "payload")?, "arguments")?)?;
    let arguments = serde_json::from_str(&arguments).ok()?;
    let said = text(field(arguments, "cmd").or_else(|| field(arguments, "command"))?)?;
    (said == command).then(|| text(field(arguments, "workdir")?).map(Cow::into_owned))?
}
