//! What stays when the hooks are out: snapshots, records, lessons. Dropped only when a person says so.

use crate::CLI;
use crate::error::Error;
use ah::exit;
use ah::paths::Paths;
use ah::quote;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Asks, where a person is there to be asked, or does at once what was asked for; what to tell.
pub fn after_removal(wanted: bool, may_ask: bool) -> Result<Vec<String>, Error> {
    let Some(paths) = Paths::from_env() else { return Ok(Vec::new()) };
    let folders: Vec<PathBuf> =
        [paths.state_home(), paths.data_home()].into_iter().filter(|folder| folder.is_dir()).map(Path::to_path_buf).collect();
    if folders.is_empty() {
        return Ok(Vec::new());
    }
    let names = folders.iter().map(|folder| format!("{} ({})", quote::path(folder), size(folder))).collect::<Vec<_>>().join(", ");
    let asked = may_ask && io::stdin().is_terminal() && io::stdout().is_terminal();
    let question = format!("Also drop snapshots, records and lessons in {names}? They cannot be brought back. [y/N] ");
    let drops = wanted || asked && says_yes(&question);
    if !drops {
        let mut notes = vec![format!("Left: {names}. To drop them: ah-bootstrap --remove --purge --apply")];
        if paths.config_file().exists() {
            notes.push(format!("Left: your settings, {}", quote::path(paths.config_file())));
        }
        return Ok(notes);
    }
    let mut notes = Vec::new();
    for folder in folders {
        if !is_all_ours(&folder, paths.home()) {
            notes.push(format!("Left: {}: its name does not say that all in it is by ah", quote::path(&folder)));
            continue;
        }
        std::fs::remove_dir_all(&folder).map_err(Error::io("cannot remove", &folder))?;
        // What lies around it was most likely made for it; where anything else is in it, it stays.
        let around = folder
            .ancestors()
            .skip(1)
            .take_while(|around| paths.home().is_some_and(|home| *around != home && around.starts_with(home)));
        around.take_while(|around| std::fs::remove_dir(around).is_ok()).for_each(drop);
        notes.push(format!("Dropped: {}", quote::path(&folder)));
    }
    if paths.config_file().exists() {
        notes.push(format!("Left: your settings, {}", quote::path(paths.config_file())));
    }
    Ok(notes)
}

/// Variables may name any folder for these; only one whose name says so is removed whole.
fn is_all_ours(folder: &Path, home: Option<&Path>) -> bool {
    let named = folder.file_name().is_some_and(|name| name == "ah");
    let below_all = std::env::var_os("AH_HOME").is_some_and(|all| folder.parent() == Some(Path::new(&all)));
    (named || below_all) && !home.is_some_and(|home| home.starts_with(folder))
}

/// How much a folder holds.
fn size(folder: &Path) -> String {
    fn sum(folder: &Path) -> u64 {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() => sum(&entry.path()),
                Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
                _ => 0,
            })
            .sum()
    }
    match sum(folder) {
        bytes if bytes < 1 << 20 => format!("{} KB", bytes.div_ceil(1 << 10)),
        bytes => format!("{} MB", bytes.div_ceil(1 << 20)),
    }
}

/// Asks on the terminal; anything but a yes is a no.
pub fn says_yes(question: &str) -> bool {
    matches!(ask(question).trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Asks on the terminal; the line that was typed.
pub fn ask(question: &str) -> String {
    exit::print(CLI.name, question);
    let _ = io::stdout().flush();
    let mut line = String::new();
    let _ = io::stdin().read_line(&mut line);
    line
}
