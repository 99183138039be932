//! Files and folders that a run left behind which was killed before it could rename them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Removes what dead processes left beside `path`.
pub fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    // As `fs` names them: a dot, at most 50 characters of the name, process, number.
    let head: String = format!(".{}.", name.to_string_lossy().chars().take(50).collect::<String>());
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let middle = file.strip_prefix(&head).and_then(|rest| rest.strip_suffix(".tmp"));
        let process = middle.and_then(|middle| middle.split_once('-')?.0.parse::<i32>().ok());
        if process.and_then(rustix::process::Pid::from_raw).is_some_and(is_dead) {
            let path = entry.path();
            let _ = if path.is_dir() { clear(&path) } else { std::fs::remove_file(path) };
        }
    }
}

/// What a thing that is made beside its place is called until it gets there.
pub fn name(place: &OsStr) -> String {
    format!(".{}.{}-0.tmp", place.to_string_lossy().chars().take(50).collect::<String>(), std::process::id())
}

/// Removes the receipt and the folders that were made for it (outermost first) as one, so that no folder is left that
/// no receipt knows: they are renamed first. Folders in which others have put something stay.
pub fn vanish(receipt: &Path, folders: &[PathBuf]) -> io::Result<()> {
    // From the inside out, as long as nothing else is in them.
    let alone = |folder: &&PathBuf| std::fs::read_dir(folder).is_ok_and(|entries| entries.count() <= 1);
    let last = folders.iter().rev().take_while(alone).last();
    let Some((first, around)) = last.and_then(|first| Some((first, first.parent()?))) else {
        return gone(std::fs::remove_file(receipt));
    };
    let beside = around.join(name(first.file_name().unwrap_or_default()));
    std::fs::rename(first, &beside)?;
    if clear(&beside).is_err() {
        // Somebody put something in at that very moment.
        std::fs::rename(&beside, first)?;
        return gone(std::fs::remove_file(receipt));
    }
    Ok(())
}

/// Removes a folder that holds nothing but a receipt, or what was to become one.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            clear(&path)?;
        } else if file == "receipt.json" || file.starts_with(".receipt.json.") {
            std::fs::remove_file(&path)?;
        }
    }
    std::fs::remove_dir(folder)
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn is_dead(process: rustix::process::Pid) -> bool {
    rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)
}

#[cfg(test)]
mod tests {
    use super::sweep;

    #[test]
    fn only_what_the_dead_left_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let living = format!(".settings.json.{}-0.tmp", std::process::id());
        // No process has the highest number that there can be.
        let dead = ".settings.json.4194303-0.tmp";
        for name in [&*living, dead, ".settings.json.x-0.tmp", ".other.json.4194303-0.tmp", "settings.json"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        sweep(&path);
        assert!(!dir.path().join(dead).exists());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 4);
    }
}
