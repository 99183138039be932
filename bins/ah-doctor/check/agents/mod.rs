//! What each agent is told of our hooks, and what these hooks answer when they are run as the agent runs them.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::fs;
use ah::harness::wiring::{self, File, Found, Wiring};
use ah::quote;
use std::path::{Path, PathBuf};

mod entries;
mod probe;
mod servers;
mod trust;

/// The largest settings file that is read, in bytes.
const MOST: u64 = 64 << 20;

/// One settings file of a harness, and the hooks in it.
pub struct Settings {
    /// Every hook, ours and others'.
    pub found: Vec<Found>,
    /// Where it lies.
    pub path: PathBuf,
    /// `user` or `project`.
    pub scope: &'static str,
    /// Its bytes.
    pub text: Vec<u8>,
}

impl Settings {
    /// The hooks that start a program of ours.
    pub fn ours(&self) -> impl Iterator<Item = &Found> {
        self.found.iter().filter(|found| !found.programs.is_empty())
    }

    /// A hook's place, as an editor takes it.
    pub fn at(&self, found: &Found) -> String {
        format!("{}:{}", quote::path(&self.path), found.line)
    }
}

/// Each harness that is on this machine.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found = Vec::new();
    for wiring in wiring::ALL {
        let Some(home) = wiring.home(&|name| std::env::var_os(name)) else { continue };
        if home.is_dir() || crate::run::which(wiring.client).is_some() {
            found.extend(agent(ground, wiring, &home));
        }
    }
    if found.is_empty() {
        let names: Vec<&str> = wiring::ALL.iter().map(|wiring| wiring.title).collect();
        found.push(Finding::warn("agents.none", "agents", format!("none of {} is on this machine", names.join(", "))));
    }
    found
}

fn agent(ground: &Ground, wiring: &'static Wiring, home: &Path) -> Vec<Finding> {
    let name = wiring.harness;
    let (all, mut found) = settings(ground, wiring, home);
    let broken = !found.is_empty();
    if all.iter().any(|settings| off(&settings.text)) {
        let what = format!("{} has `disableAllHooks`: no hook of any program runs", wiring.title);
        found.push(Finding::fail("agents.disabled", name, what, format!("remove disableAllHooks from {}", quote::path(home))));
    }
    if all.iter().all(|settings| settings.ours().next().is_none()) {
        if !broken {
            let what = format!("{} is here, and the guard is not registered in it", wiring.title);
            found.push(Finding::fail("agents.missing", name, what, format!("ah-bootstrap --harness {name} --again --apply")));
        }
        return found;
    }
    found.extend(entries::look(ground, wiring, &all));
    found.extend(trust::look(ground, wiring, home, &all));
    found.extend(servers::look(ground, wiring, home, &all));
    // What is registered wrongly has been said; how it runs tells nothing more.
    if found.iter().all(|finding| finding.fix.is_none()) {
        found.extend(probe::look(ground, wiring, &all));
    }
    found
}

/// The settings files that are there; and a finding for each that cannot be read.
fn settings(ground: &Ground, wiring: &'static Wiring, home: &Path) -> (Vec<Settings>, Vec<Finding>) {
    let user = wiring.user.iter().map(|file| ("user", *file, home.join(file.name)));
    let project = ground.root.iter().flat_map(|root| wiring.project.iter().map(|file| ("project", *file, root.join(file.name))));
    let (mut all, mut wrong): (Vec<Settings>, Vec<Finding>) = (Vec::new(), Vec::new());
    for (scope, file, path) in user.chain(project) {
        // In HOME itself the project's file is the person's.
        if !path.exists() || all.iter().any(|settings| settings.path == path) {
            continue;
        }
        match read(&path, file) {
            Ok((text, found)) => all.push(Settings { found, path, scope, text }),
            Err((place, why)) => {
                let what = format!("{} ignores all of {place}: {why}", wiring.title);
                wrong.push(Finding::fail("agents.invalid", wiring.harness, what, format!("edit {place}")));
            }
        }
    }
    (all, wrong)
}

fn read(path: &Path, file: File) -> Result<(Vec<u8>, Vec<Found>), (String, String)> {
    let text = fs::read(path, MOST).map_err(|error| (quote::path(path), error.to_string()))?;
    match wiring::found(file.form, &text) {
        Ok(found) => Ok((text, found)),
        Err(trouble) => {
            Err((format!("{}:{}:{}", quote::path(path), trouble.line, trouble.column), quote::line(&trouble.what, 200)))
        }
    }
}

/// Whether a settings file switches every hook off.
fn off(text: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Switch {
        #[serde(default, rename = "disableAllHooks")]
        off: bool,
    }
    serde_json::from_slice::<Switch>(text).is_ok_and(|switch| switch.off)
}
