//! Whether sessions can reach each other, and who is paused.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use ah::fs;
use ah::mesh::{Message, pauses};
use ah::quote;
use rustix::fs::{Access, access};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// How much of each log is read, in bytes.
const TAIL: u64 = 4 << 20;

/// The mesh of each collective, and the pauses of this machine.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let collectives = std::fs::read_dir(ground.paths.data_home().join("collectives")).into_iter().flatten().flatten();
    let mut meshes: Vec<PathBuf> = collectives.map(|entry| entry.path().join("mesh")).collect();
    meshes.retain(|dir| dir.symlink_metadata().is_ok());
    meshes.sort();
    let mut found: Vec<Finding> = meshes.iter().filter_map(|dir| folder(dir).or_else(|| log(dir))).collect();
    found.extend(paused(ground));
    if found.is_empty() {
        let sessions: usize = meshes.iter().map(|dir| files(&dir.join("presence")).len()).sum();
        found.push(Finding::ok("mesh.ok", "mesh", format!("{} meshes, {sessions} sessions known, none paused", meshes.len())));
    }
    found
}

/// What is wrong with the folder of a mesh.
fn folder(dir: &Path) -> Option<Finding> {
    let place = quote::path(dir);
    let Some(meta) = dir.metadata().ok().filter(std::fs::Metadata::is_dir) else {
        return Some(Finding::fail(
            "mesh.kind",
            "mesh",
            format!("{place} is no folder: no session hears of another"),
            aside(dir),
        ));
    };
    let private = || format!("chmod 700 {place}");
    if access(dir, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let what = format!("{place} cannot be written: no session hears of another");
        return Some(Finding::fail("mesh.readonly", "mesh", what, private()));
    }
    let mode = meta.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        let dir = dir.to_owned();
        let act = move || std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700));
        let what = format!("{place} can be read by others (mode {mode:o})");
        Finding::warn("mesh.open", "mesh", what).mend(private()).act(act)
    })
}

/// Lines of a mesh's log that no writer of ours made: nobody is shown them.
fn log(dir: &Path) -> Option<Finding> {
    let file = dir.join("messages.jsonl");
    if file.symlink_metadata().is_ok_and(|meta| !meta.is_file()) {
        let what = format!("{} is no file: no message arrives", quote::path(&file));
        return Some(Finding::fail("mesh.log", "mesh", what, aside(&file)));
    }
    let mut foreign = 0;
    // A log that is not there yet has no lines.
    let _ = fs::lines_back(&file, TAIL, |line| {
        foreign += usize::from(!line.is_empty() && Message::read(line).is_none());
        true
    });
    (foreign > 0).then(|| {
        let what = format!("{}: {foreign} lines are no messages, and nobody is shown them", quote::path(&file));
        Finding::warn("mesh.foreign", "mesh", what).mend(aside(&file))
    })
}

/// Sessions that a person has paused; a pause that cannot be read holds nobody.
fn paused(ground: &Ground) -> Vec<Finding> {
    let held = pauses(ground.paths, ground.now);
    let mut found: Vec<Finding> = held
        .iter()
        .map(|pause| {
            let session = quote::line(&pause.session, 60);
            let what = format!("a person has paused {session}: its tools are stopped");
            Finding::warn("mesh.paused", "mesh", what).mend(format!("ah-mesh resume {}", quote::path(&pause.session)))
        })
        .collect();
    for file in files(&ground.paths.state_home().join("mesh/paused")) {
        let text = fs::read(&file, 16 << 10).unwrap_or_default();
        if serde_json::from_slice::<serde_json::Value>(&text).is_err() {
            let what = format!("{} cannot be read, so that session is not paused", quote::path(&file));
            // It holds nothing else.
            found.push(Finding::fail("mesh.pause", "mesh", what, format!("rm {}", quote::path(&file))));
        }
    }
    found
}

fn files(dir: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
