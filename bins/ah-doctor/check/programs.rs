//! Whether the six programs are there, run, and are of one version.

use crate::finding::{Finding, aside};
use crate::ground::Ground;
use crate::programs::ALL;
use crate::run;
use ah::fs;
use ah::quote;
use ah::receipt::{Program, Receipt, sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long `--version` may take.
const WAIT: Duration = Duration::from_secs(2);
/// What puts them all there again.
const INSTALL: &str = "sh install/install.sh";

/// The largest program that is read, in bytes.
const MOST: u64 = 256 << 20;

/// Each program beside this one, and what the shell would find instead.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found: Vec<Finding> = ALL.iter().filter_map(|name| program(&ground.folder.join(name), name)).collect();
    let (changed, compared) = bytes(ground);
    found.extend(changed);
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
        found.push(Finding::ok("programs.ok", "programs", {
            let bytes = if compared { ", bytes as installed" } else { "" };
            format!("{} of {} at {VERSION}{bytes}", ALL.len(), ALL.len())
        }));
    }
    found
}

/// The programs whose bytes are not those that were registered; and whether any could be compared.
fn bytes(ground: &Ground) -> (Vec<Finding>, bool) {
    let place = ground.paths.receipt();
    let receipt = match Receipt::read(&place) {
        Ok(receipt) => receipt,
        Err(error) => {
            let what = format!("{} cannot be read: {error}", quote::path(&place));
            let again = format!("{} && ah-bootstrap --apply", aside(&place));
            return (vec![Finding::fail("programs.receipt", "receipt", what, again)], false);
        }
    };
    let other = |program: &&Program| {
        let bytes = fs::read(&program.path, MOST).ok()?;
        (sha256(&bytes) != program.sha256).then(|| {
            let name = program.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let what = format!("{} is not what was registered", quote::path(&program.path));
            Finding::fail("programs.tampered", name, what, "sh install/install.sh && ah-bootstrap --mend --apply")
        })
    };
    (receipt.programs.iter().filter_map(|program| other(&program)).collect(), !receipt.programs.is_empty())
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
