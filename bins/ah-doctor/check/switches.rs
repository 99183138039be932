//! What a person has switched off.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::clock::utc;
use ah::off::{self, Until};

/// Each flag that is set.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let mut found = Vec::new();
    for name in crate::programs::HOOKS.iter().copied().chain([off::ALL]) {
        let Some(until) = off::until(ground.paths, name) else { continue };
        let when = match until {
            Until::Removed => "until it is switched on".to_owned(),
            Until::Moment(moment) => format!("until {} UTC", utc(moment)),
        };
        let what = format!("a person has switched {} off, {when}", if name == off::ALL { "every hook" } else { name });
        let command = if name == off::ALL { "ah-doctor on".to_owned() } else { format!("ah-doctor on {name}") };
        found.push(Finding::warn("switches.flag", name, what).mend(command));
    }
    if ground.config.silent {
        found.push(
            Finding::warn("switches.environment", "AH_OFF", "AH_OFF is set here: hooks with this environment are silent")
                .mend("unset AH_OFF"),
        );
    }
    if found.is_empty() {
        found.push(Finding::ok("switches.ok", "switches", "nothing is switched off"));
    }
    found
}
