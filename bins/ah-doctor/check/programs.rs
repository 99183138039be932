//! Whether the six programs are there, run, and are of one version.

use crate::finding::Finding;
use crate::ground::Ground;
use crate::programs::ALL;
use crate::run;
use ah::quote;
use std::path::{Path, PathBuf};
use std::time::Duration;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long `--version` may take.
const WAIT: Duration = Duration::from_secs(2);
/// What puts them all there again.
const INSTALL: &str = "sh install/install.sh";

/// Each program beside this one, and what the shell would find instead.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found: Vec<Finding> = ALL.iter().filter_map(|name| program(&ground.folder.join(name), name)).collect();
    let ours = |file: &PathBuf| std::fs::canonicalize(file).ok() == std::fs::canonicalize(ground.folder.join("ah-doctor")).ok();
    match run::which("ah-doctor") {
        Some(file) if !ours(&file) => found.push(
            Finding::warn("programs.shadowed", "ah-doctor", format!("the shell finds another first: {}", quote::path(&file)))
                .mend(format!("put {} first in PATH", quote::path(&ground.folder))),
        ),
        None => found.push(
            Finding::warn(
                "programs.path",
                "PATH",
                "the shell does not find the programs; hooks are registered by their whole path and run all the same",
            )
            .mend(format!("export PATH={}:$PATH", quote::path(&ground.folder))),
        ),
        Some(_) => {}
    }
    if found.is_empty() {
        found.push(Finding::ok("programs.ok", "programs", format!("{} of {} at {VERSION}", ALL.len(), ALL.len())));
    }
    found
}

/// What is wrong with one.
fn program(file: &Path, name: &'static str) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let Ok(meta) = file.metadata() else {
        return Some(Finding::fail("programs.missing", name, format!("not beside ah-doctor: {}", quote::path(file)), INSTALL));
    };
    if !meta.is_file() || meta.permissions().mode() & 0o111 == 0 {
        let command = format!("chmod 755 {}", quote::path(file));
        return Some(Finding::fail("programs.mode", name, format!("cannot be executed: {}", quote::path(file)), command));
    }
    let said = match run::output(file, &["--version"], b"", WAIT) {
        Ok(said) if said.code == Some(0) => String::from_utf8_lossy(&said.stdout).trim().to_owned(),
        Ok(said) => {
            return Some(Finding::fail("programs.broken", name, format!("--version ends with {}", said.ending()), INSTALL));
        }
        Err(why) => return Some(Finding::fail("programs.broken", name, format!("does not start: {why}"), INSTALL)),
    };
    let version = said.split_ascii_whitespace().nth(1).unwrap_or_default();
    (version != VERSION).then(|| {
        let what = format!("is {}, ah-doctor is {VERSION}", quote::line(&said, 60));
        Finding::fail("programs.version", name, what, INSTALL)
    })
}
