//! What the session's shell commands made without saying so: Claude Code's record tells when each of them ran.

use crate::verb;
use crate::workdir;
use ah::clock::moment_ms;
use ah::event::{field, text};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// So much of the record's end is read, in bytes.
const TAIL: u64 = 1 << 20;
/// A command that seems to have run for longer may have waited for a person's word meanwhile, in milliseconds.
pub const LONGEST: u64 = 30_000;
/// A file system's clock may be behind by so much, in milliseconds.
const COARSE: u64 = 20;

/// When commands began and ended, in milliseconds since the Unix epoch.
pub type Spans = Vec<(u64, u64)>;

/// When the session's shell commands ran, as far as the end of its record says.
pub fn spans(record: &Path) -> Spans {
    let mut begun: BTreeMap<String, u64> = BTreeMap::new();
    let mut out = Vec::new();
    let record = workdir::tail(record, TAIL).unwrap_or_default();
    for line in record.lines().filter(|line| line.contains("\"tool_")) {
        for (kind, id, at) in uses(line).unwrap_or_default() {
            match kind {
                "tool_use" => drop(begun.insert(id, at)),
                _ => out.extend(begun.remove(&id).filter(|from| at >= *from && at - from <= LONGEST).map(|from| (from, at))),
            }
        }
    }
    out
}

/// The shell calls that a line tells of, and the results: which, its id, when.
fn uses(line: &str) -> Option<Vec<(&'static str, String, u64)>> {
    let line: &RawValue = serde_json::from_str(line).ok()?;
    let at = moment_ms(&text(field(line, "timestamp")?)?)?;
    let parts: Vec<&RawValue> = serde_json::from_str(field(field(line, "message")?, "content")?.get()).ok()?;
    let one = |part: &RawValue| {
        let (kind, key) = match text(field(part, "type")?)?.as_ref() {
            "tool_use" if matches!(text(field(part, "name")?)?.as_ref(), "Bash" | "PowerShell") => {
                let command = text(field(field(part, "input")?, "command")?)?;
                if carries(&command) {
                    return None;
                }
                ("tool_use", "id")
            }
            "tool_result" => ("tool_result", "tool_use_id"),
            _ => return None,
        };
        Some((kind, text(field(part, key)?)?.into_owned(), at))
    };
    Some(parts.into_iter().filter_map(one).collect())
}

/// Whether a command may put somebody's files in a new place, as if it had made them: git from a stash, a copy.
pub fn carries(command: &str) -> bool {
    let mut words = command.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).filter(|w| !w.is_empty());
    while let Some(word) = words.next() {
        if matches!(word, "cp" | "install" | "mv" | "rsync")
            || word == "git" && !words.find(|w| !w.starts_with('-')).is_some_and(verb::reads)
        {
            return true;
        }
    }
    false
}

/// Whether a command made a file and the directory it lies in, and nobody wrote to it after.
///
/// A file in a directory that was there before could be a person's of the same moment; a directory that a command made
/// was nowhere for a person to put anything.
pub fn made(spans: &[(u64, u64)], tree: &Path, path: &Path) -> bool {
    let Some(dir) = path.parent().filter(|dir| *dir != tree && dir.starts_with(tree)) else { return false };
    let looked = || {
        let (file, dir) = (std::fs::symlink_metadata(path).ok()?, std::fs::symlink_metadata(dir).ok()?);
        let (born, around) = (ms(file.created().ok()?)?, ms(dir.created().ok()?)?);
        let written = ms(written(&file)?)?;
        let within = |at: u64, (from, to): (u64, u64)| at + COARSE >= from && at <= to;
        Some(spans.iter().any(|span| within(born, *span) && within(around, *span) && written <= span.1))
    };
    looked().unwrap_or(false)
}

fn written(file: &Metadata) -> Option<SystemTime> {
    file.is_file().then(|| file.modified().ok())?
}

fn ms(at: SystemTime) -> Option<u64> {
    u64::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const USE: &str = r#"{"type":"assistant","timestamp":"1970-01-01T00:00:01.000Z","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}]}}"#;
    const RESULT: &str = r#"{"type":"user","timestamp":"1970-01-01T00:00:03.500Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}"#;

    fn read(lines: &[&str]) -> Spans {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        spans(file.path())
    }

    #[test]
    fn spans_are_from_the_call_to_its_result() {
        assert_eq!(read(&["{torn", USE, "{}", "null", RESULT, "\"tool_"]), [(1_000, 3_500)]);
        assert_eq!(read(&[RESULT, USE]), []);
        assert_eq!(read(&[&USE.replace("Bash", "Task"), RESULT]), []);
        assert_eq!(read(&[USE, &RESULT.replace("00:00:03", "00:01:03")]), [], "somebody may have been asked meanwhile");
        assert_eq!(spans(Path::new("/nonexistent")), []);
        for command in ["git stash pop", "make && git -C x checkout -- .", "cp -r notes copy", "(mv a b)"] {
            assert_eq!(read(&[&USE.replace("make", command), RESULT]), [], "{command}");
        }
        assert_eq!(read(&[&USE.replace("make", "git --no-pager format-patch -o out HEAD~2 && ./git-x"), RESULT]).len(), 1);
    }

    #[test]
    fn a_file_is_made_with_its_directory() {
        let tree = tempfile::tempdir().unwrap();
        let before = ah::clock::now_ms();
        std::fs::create_dir(tree.path().join("out")).unwrap();
        let (file, loose) = (tree.path().join("out/f"), tree.path().join("f"));
        std::fs::write(&file, "x").unwrap();
        std::fs::write(&loose, "x").unwrap();
        let span = (before, ah::clock::now_ms() + 5);
        if std::fs::metadata(&file).unwrap().created().is_err() {
            return;
        }
        let made = |span: (u64, u64), path: &Path| made(&[span], tree.path(), path);
        assert!(made(span, &file));
        assert!(
            !made(span, &loose) && !made((before + 60_000, span.1 + 60_000), &file) && !made(span, &tree.path().join("out/none"))
        );
        // Written to, or put there, after the command's end.
        std::thread::sleep(std::time::Duration::from_millis(60));
        std::fs::write(tree.path().join("out/later"), "x").unwrap();
        std::fs::write(&file, "y").unwrap();
        assert!(!made(span, &file) && !made(span, &tree.path().join("out/later")));
    }
}
