//! Lessons of a file, to be matched with: read and indexed apart, so that nothing appears beside the file.

use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::fs;
use ah::index::Index;
use ah::lesson::Lesson;
use ah::quote;
use ah::store::Store;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// Lessons and their index.
pub struct Lessons {
    /// The index.
    pub index: Index,
    /// The lessons, each id once.
    pub list: Vec<Lesson>,
    _apart: Option<Apart>,
}

/// A folder of ours that goes when we do.
struct Apart(PathBuf);

impl Drop for Apart {
    fn drop(&mut self) {
        // What stays behind is a few files in the folder for such.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Lessons {
    /// Those of `--lessons`.
    pub fn needed(cli: &Cli, call: &Call) -> Result<Self, ExitCode> {
        let file = call.value("lessons").ok_or_else(|| cli.usage_error("--lessons FILE is needed"))?;
        Self::of_file(cli, file)
    }

    /// Those of a file. A lesson without a time is one all the same: files for measuring have none. Standard error says
    /// how many lines are no lessons.
    pub fn of_file(cli: &Cli, file: &OsStr) -> Result<Self, ExitCode> {
        let cannot = |error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file)));
        let bytes = fs::read(Path::new(file), LARGEST).map_err(cannot)?;
        let (mut lines, mut bad) = (String::new(), Vec::new());
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match timed(line) {
                Some(lesson) => lines.extend([lesson.to_line(), "\n".to_owned()]),
                None => bad.push(number + 1),
            }
        }
        if let Some(first) = bad.first() {
            let text = format!("no lesson: {}: {} lines, the first is {first}", quote::path(file), bad.len());
            let _ = exit::fail(cli.name, exit::BAD_DATA, &text);
        }
        let unable = |error| exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot index the lessons: {error}"));
        let apart = apart().map_err(unable)?;
        let store = Store::at(apart.0.clone());
        std::fs::write(store.lessons_file(), lines).map_err(unable)?;
        let (index, list) = (Index::open(&store).map_err(unable)?, store.read().map_err(unable)?.live);
        Ok(Self { index, list, _apart: Some(apart) })
    }

    /// Those of a store.
    pub fn of_store(cli: &Cli, store: &Store) -> Result<Self, ExitCode> {
        let read = || Ok((Index::open(store)?, store.read()?.live));
        let cannot = |error: io::Error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read the lessons: {error}"));
        read().map(|(index, list)| Self { index, list, _apart: None }).map_err(cannot)
    }
}

fn timed(line: &[u8]) -> Option<Lesson> {
    if let Ok(lesson) = Lesson::read(line) {
        return Some(lesson);
    }
    let mut value: serde_json::Value = serde_json::from_slice(line).ok()?;
    value.as_object_mut()?.entry("origin_ms").or_insert(0.into());
    Lesson::read(value.to_string().as_bytes()).ok()
}

fn apart() -> io::Result<Apart> {
    use std::os::unix::fs::DirBuilderExt;
    let mut number = now_ms();
    loop {
        let dir = std::env::temp_dir().join(format!("ah-prefilter.{}.{number}", std::process::id()));
        // Never one that is there already: somebody else may have made it.
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return Ok(Apart(dir)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}
