//! The programs that are registered: where they lie, and that they run.

use crate::error::Error;
use crate::source::{MOST_PROGRAM, read_whole};
use ah::harness::wiring::Entry;
use ah::quote;
use ah::receipt::{Program, sha256};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the programs: that of this one, by the name under which the shell finds it. What that name leads to
/// may change with each update, and an entry that changes loses the trust that was put in it.
pub fn folder(named: Option<&Path>) -> Result<PathBuf, Error> {
    if let Some(named) = named {
        let here = std::env::current_dir().unwrap_or_default();
        return Ok(clean(&here.join(named)));
    }
    let own = std::env::current_exe().map_err(Error::io("cannot tell where this program lies", Path::new("ah-bootstrap")))?;
    let name = Path::new("ah-bootstrap");
    let same = |file: &Path| match (file.metadata(), own.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let by_name = std::env::split_paths(&path).find(|dir| dir.is_absolute() && same(&dir.join(name)));
    by_name
        .or_else(|| own.parent().map(clean))
        .ok_or_else(|| Error::Missing("cannot tell where the programs lie; say --bin DIR".into()))
}

/// Without `.` and doubled slashes: an entry is told from another by its text.
fn clean(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Each program that some entries run, as it is.
pub fn look(entries: &[Entry], bin: &Path) -> Result<Vec<Program>, Error> {
    let mut names: Vec<&str> = entries.iter().flat_map(|entry| entry.programs.iter().copied()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| program(&bin.join(name))).collect()
}

fn program(path: &Path) -> Result<Program, Error> {
    if path.to_str().is_none() {
        return Err(Error::Missing(format!("not text, so no settings file can name it: {}", quote::path(path))));
    }
    if !runnable(path) {
        return Err(Error::Missing(format!("not there, or not executable: {}", quote::path(path))));
    }
    let said = Command::new(path).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = said.map_err(|error| Error::Missing(format!("does not run: {}: {error}", quote::path(path))))?;
    if !said.status.success() {
        return Err(Error::Missing(format!("does not run: {}: {}", quote::path(path), said.status)));
    }
    let bytes = read_whole(path, MOST_PROGRAM).map_err(Error::io("cannot read", path))?;
    let version = quote::line(String::from_utf8_lossy(&said.stdout).trim(), 100);
    Ok(Program { path: path.to_path_buf(), sha256: sha256(&bytes), version })
}

/// Whether a file is there that may be executed.
pub fn runnable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
