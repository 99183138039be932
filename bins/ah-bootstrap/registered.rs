//! Whether the person's own settings run a program at an event: the question of a project's script, which then leaves.

use crate::error::Error;
use crate::source::{MOST, read_whole};
use crate::target::env;
use crate::trust;
use ah::cli::Call;
use ah::exit;
use ah::harness::wiring::{self, Wiring};
use ah::quote;
use std::process::ExitCode;

/// `registered PROGRAM HARNESS EVENT`
pub fn run(call: &Call) -> Result<ExitCode, Error> {
    let [program, harness, event] = &call.args[..] else {
        return Err(Error::Usage("registered needs a program, a harness and an event".into()));
    };
    let (program, harness, event) = (program.to_string_lossy(), harness.to_string_lossy(), event.to_string_lossy());
    let wiring =
        Wiring::named(&harness).ok_or_else(|| Error::Usage(format!("unknown harness: {}", quote::line(&harness, 40))))?;
    Ok(ExitCode::from(if runs(wiring, &program, &event) { exit::OK } else { exit::NO }))
}

/// Whether the harness runs it: the entry stands there, its program is there, and the harness goes by it.
fn runs(wiring: &'static Wiring, program: &str, event: &str) -> bool {
    let folder = wiring.home(&env).unwrap_or_default();
    for file in wiring.user {
        let path = folder.join(file.name);
        let Ok(bytes) = read_whole(&path, MOST) else { continue };
        let Ok(found) = wiring::found(file.form, &bytes) else { continue };
        let there = |path: &std::path::PathBuf| !path.is_absolute() || crate::programs::runnable(path);
        let one = found.iter().find(|one| one.event == event && one.runs(program) && one.programs.iter().all(there));
        if let Some(one) = one
            && trust::goes_by(wiring, &folder, &path, one)
        {
            return true;
        }
    }
    false
}
