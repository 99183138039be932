//! Lessons of a file, or of the repository around here, ready to be asked by a command.

use ah::cli::{Call, Cli};
use ah::config::Config;
use ah::exit;
use ah::fs;
use ah::index::{FORM, Index, Limits};
use ah::paths::Paths;
use ah::quote;
use ah::route::{Repo, route};
use ah::store::Store;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// What is said of a file that cannot be read.
pub fn unread(cli: &Cli, file: &OsStr, error: &std::io::Error) -> ExitCode {
    exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(file)))
}

/// A text file that a flag names.
pub fn text(cli: &Cli, call: &Call, flag: &str) -> Result<String, ExitCode> {
    let file = call.value(flag).ok_or_else(|| cli.usage_error(&format!("--{flag} FILE is missing")))?;
    let bytes = fs::read(Path::new(file), LARGEST).map_err(|error| unread(cli, file, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The store that `--lessons` names, or the one of here.
pub fn store(cli: &Cli, call: &Call) -> Result<Store, ExitCode> {
    if let Some(file) = call.value("lessons") {
        let file = PathBuf::from(file);
        std::fs::metadata(&file).map_err(|error| unread(cli, file.as_os_str(), &error))?;
        return Ok(Store::file(file));
    }
    let none = || exit::fail(cli.name, exit::NO_INPUT, "no lessons here: no repository, or nothing of it is recorded");
    here().ok_or_else(none)
}

/// The store of the repository around here.
pub fn here() -> Option<Store> {
    let paths = Paths::from_env()?;
    let cwd = std::env::current_dir().ok()?;
    let root = Repo::around(&cwd).map(|repo| repo.root);
    let scope = route(&Config::load(paths, root.as_deref()).0, &cwd).scope()?;
    Some(Store::of(paths, &scope))
}

/// An index in memory of the file that `--lessons` names, or the kept one of here.
pub fn index(cli: &Cli, call: &Call) -> Result<Index, ExitCode> {
    let store = store(cli, call)?;
    let limits = if call.value("lessons").is_some() { &Limits::MEMORY } else { &Limits::ALL };
    Index::within(&store, &FORM, limits).map_err(|error| unread(cli, store.lessons_file().as_os_str(), &error))
}

/// As [`index`], where a line needs no time: labelled lessons of other makers have none.
pub fn timeless(cli: &Cli, call: &Call) -> Result<Index, ExitCode> {
    if call.value("lessons").is_none() {
        return index(cli, call);
    }
    let lines = text(cli, call, "lessons")?;
    let dir = std::env::temp_dir().join(format!("ah-prefilter-{}-{}", std::process::id(), ah::clock::now_ms()));
    let made = fs::ensure_dir(&dir).and_then(|()| {
        let store = Store::at(dir.clone());
        let all: String = lines.lines().map(|line| timed(line) + "\n").collect();
        fs::create(store.lessons_file(), all.as_bytes())?;
        Index::within(&store, &FORM, &Limits::MEMORY)
    });
    // What is open stays readable.
    let _ = std::fs::remove_dir_all(&dir);
    made.map_err(|error| unread(cli, dir.as_os_str(), &error))
}

/// The line with a time.
fn timed(line: &str) -> String {
    match serde_json::from_str(line) {
        Ok(Value::Object(mut lesson)) => {
            lesson.entry("origin_ms").or_insert_with(|| 0.into());
            Value::Object(lesson).to_string()
        }
        _ => line.to_owned(),
    }
}
