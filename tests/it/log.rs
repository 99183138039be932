//! The failure log: private, short, bounded, and silent whatever is in its way.

use crate::ground::{mode, paths_in};
use ah::log::failure;
use ah::paths::Paths;
use std::fs::{File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn one_redacted_private_line_each() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    failure(&paths, "ah-judge", "post https://me:hunter2@host: timed out\nafter 5 s");
    failure(&paths, "ah-mesh", "disk full");
    let text = std::fs::read_to_string(paths.log()).unwrap();
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["v"], &lines[0]["program"]), (&1.into(), &"ah-judge".into()));
    assert!(lines[0]["t"].as_u64().unwrap() > 1_600_000_000_000);
    assert!(!text.contains("hunter2") && text.contains("timed out\\nafter"));
    assert_eq!((mode(&paths.log()), mode(paths.state_home())), (0o600, 0o700));
}

#[test]
fn a_full_log_is_put_aside_once() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    failure(&paths, "p", "first");
    File::options().write(true).open(paths.log()).unwrap().set_len(4 << 20).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| failure(&paths, "p", "later"));
        }
    });
    let old = paths.log().with_extension("old.jsonl");
    assert!(std::fs::metadata(old).unwrap().len() >= 4 << 20);
    assert!(paths.log().metadata().unwrap().len() < 2048);
}

#[test]
fn nothing_in_its_way_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let paths = paths_in(dir.path());
    std::fs::create_dir_all(paths.log()).unwrap();
    failure(&paths, "p", "a directory");
    std::fs::remove_dir(paths.log()).unwrap();
    symlink("log.jsonl", paths.log()).unwrap();
    failure(&paths, "p", "a loop");
    std::fs::remove_file(paths.log()).unwrap();
    symlink("/dev/full", paths.log()).unwrap();
    failure(&paths, "p", "a full disk");
    std::fs::remove_file(paths.log()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, paths.log(), rustix::fs::Mode::RWXU).unwrap();
    failure(&paths, "p", "a fifo");
    std::fs::remove_file(paths.log()).unwrap();
    std::fs::set_permissions(paths.state_home(), Permissions::from_mode(0o500)).unwrap();
    failure(&paths, "p", "read-only");
    std::fs::set_permissions(paths.state_home(), Permissions::from_mode(0o700)).unwrap();
    let nowhere = Paths::new(&|name| (name == "HOME").then(|| "/proc/self/none".into())).unwrap();
    failure(&nowhere, "p", "no such place");
}
