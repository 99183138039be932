//! Files that a run left behind which was killed before it could rename them.

use std::path::Path;

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
            let _ = std::fs::remove_file(entry.path());
        }
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
