//! Whether what hooks keep can be kept: places, owner, permissions, clock, containers.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use ah::quote;
use rustix::fs::{Access, access, statfs};
use rustix::process::geteuid;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file's time may be so far ahead of this clock: file systems round, and a network has clocks of its own.
const AHEAD: Duration = Duration::from_secs(60);
/// The types of file systems that go with their container or with the machine's end.
const PASSING: &[(u64, &str)] = &[(0x0102_1994, "a tmpfs"), (0x794c_7630, "a container's own layer")];

/// Each folder of ours.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, dir) in
        [("config", ground.paths.config_home()), ("data", ground.paths.data_home()), ("state", ground.paths.state_home())]
    {
        folder(name, dir, &mut found);
    }
    found.extend(clock(ground.paths.state_home()));
    found.extend(container(ground.paths.state_home()));
    if found.is_empty() {
        found.push(Finding::ok(
            "state.ok",
            "state",
            format!("{} is private and can be written", quote::path(ground.paths.state_home())),
        ));
    }
    found
}

fn folder(name: &'static str, dir: &Path, found: &mut Vec<Finding>) {
    let place = quote::path(dir);
    let Ok(meta) = dir.metadata() else {
        // What is not there yet is made when it is needed, if that can be.
        let above = dir.ancestors().find(|dir| dir.exists());
        if let Some(above) = above.filter(|dir| access(*dir, Access::WRITE_OK).is_err()) {
            let what = format!("{place} does not exist and cannot be made: {} cannot be written", quote::path(above));
            found.push(Finding::fail("state.readonly", name, what, format!("chmod u+w {}", quote::path(above))));
        }
        return;
    };
    if !meta.is_dir() {
        found.push(Finding::fail("state.kind", name, format!("{place} is no folder"), aside(dir)));
        return;
    }
    if meta.uid() != geteuid().as_raw() {
        let what = format!("{place} belongs to user {}, this is {}", meta.uid(), geteuid().as_raw());
        found.push(Finding::fail("state.owner", name, what, format!("sudo chown -R \"$(id -u)\" {place}")));
        return;
    }
    if access(dir, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        found.push(Finding::fail("state.readonly", name, format!("{place} cannot be written"), format!("chmod 700 {place}")));
        return;
    }
    let mode = meta.permissions().mode();
    if name != "config" && mode & 0o077 != 0 {
        let what = format!("{place} can be read by others (mode {:o})", mode & 0o777);
        let dir = dir.to_owned();
        let act = move || std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o700));
        found.push(Finding::warn("state.open", name, what).mend(format!("chmod 700 {place}")).act(act));
    }
}

/// Files of the future: their order says nothing any more.
fn clock(state: &Path) -> Option<Finding> {
    let limit = SystemTime::now() + AHEAD;
    let ahead = |file: &Path| file.metadata().and_then(|meta| meta.modified()).is_ok_and(|time| time > limit);
    let own = ["log.jsonl", "guard.jsonl", "meter.json"].map(|name| state.join(name));
    let logs = std::fs::read_dir(state.join("sessions")).into_iter().flatten().flatten().map(|entry| entry.path());
    let file = own.into_iter().chain(logs).find(|file| ahead(file))?;
    let what = format!("{} was written in the future: this clock, or that of another machine, is wrong", quote::path(&file));
    Some(Finding::warn("state.clock", "clock", what).mend(format!("date; touch {}", quote::path(&file))))
}

/// State that is gone with its container.
fn container(state: &Path) -> Option<Finding> {
    let inside = ["/.dockerenv", "/run/.containerenv"].iter().any(|file| Path::new(file).exists());
    let dir = state.ancestors().find(|dir| dir.exists())?;
    #[allow(clippy::cast_sign_loss, reason = "the type is a magic number; its sign differs by system")]
    let kind = statfs(dir).ok()?.f_type as u64;
    let what = PASSING.iter().find(|(magic, _)| *magic == kind)?.1;
    if !inside && what != "a tmpfs" {
        return None;
    }
    let what = format!("{} lies on {what}: snapshots and lessons go with it", quote::path(state));
    Some(Finding::warn("state.passing", "container", what).mend("mount a volume and set AH_HOME to a folder on it"))
}
