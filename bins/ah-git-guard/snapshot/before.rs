//! The snapshot before a call goes on: whether one may be taken here, and how long it may take.

use super::manifest::Kind;
use super::take::{About, take};
use super::{Taken, Want};
use crate::policy::Policy;
use crate::way::attempt::Attempt;
use ah::clock::Deadline;
use ah::config::Profile;
use ah::paths::Paths;
use ah::route::{self, Off, Route};
use std::time::Duration;

/// With the verdict's own 4 s it stays within the 10 s that are registered.
const PATIENCE: Duration = Duration::from_secs(4);

/// Takes it; says why there is none.
pub fn before(paths: Option<&Paths>, policy: &Policy, want: &Want, attempt: &Attempt) -> Result<Taken, String> {
    let paths = paths.ok_or("no place for it is known: HOME is not set")?;
    match route::route(&policy.config, &attempt.cwd) {
        _ if policy.config.profile == Profile::Ci => return Err("in profile ci there are none".into()),
        Route::Off(Off::Listed | Off::Default | Off::Silent) => return Err("nothing is recorded of this repository".into()),
        Route::Off(Off::Invalid | Off::Nowhere) | Route::Scope(_) => {}
    }
    let about = About {
        kind: Kind::Command,
        session: attempt.session.clone(),
        harness: attempt.harness.to_owned(),
        command: attempt.command.clone(),
        cwd: attempt.cwd.clone(),
        ..About::default()
    };
    take(paths, &policy.guard().snapshot, want, &about, Deadline::after(PATIENCE)).map_err(|why| why.to_string())
}
