//! The environment variables that are switches, each the same as a key of the config.

use super::Profile;
use super::guard::GuardLayer;
use super::layer::PROFILE;
use super::policy::{FAIL, HOOKS, NO_PROMPT, ON_LOSS};
use super::problem::Problem;
use super::reader::one_of;
use std::ffi::OsString;
use std::path::Path;

/// A variable, and the key that it stands for; the manual's table is made of these.
pub const VARIABLES: &[(&str, &str)] = &[
    ("AH_FAIL", "git_guard.fail"),
    ("AH_HOOKS", "git_guard.hooks"),
    ("AH_JUDGE_MODEL", "judge.model"),
    ("AH_MODE", "judge.mode"),
    ("AH_NO_PROMPT", "git_guard.no_prompt"),
    ("AH_OFF", "off"),
    ("AH_ON_LOSS", "git_guard.on_loss"),
    ("AH_PROFILE", "profile"),
    ("AH_SNAPSHOT_ALWAYS", "git_guard.snapshot.always"),
    ("AH_SNAPSHOT_TURNS", "git_guard.snapshot.turns"),
];

/// Whether `AH_OFF` silences every hook: set, and neither empty nor `0`.
pub fn is_off(look: impl Fn(&str) -> Option<OsString>) -> bool {
    look("AH_OFF").is_some_and(|value| !value.is_empty() && value != "0")
}

/// What the environment says, as a layer of the person's.
pub(super) fn read(look: &dyn Fn(&str) -> Option<OsString>, problems: &mut Vec<Problem>) -> (GuardLayer, Option<Profile>) {
    let mut word = Words { look, problems };
    let mut guard = GuardLayer {
        fail: word.of("AH_FAIL", FAIL),
        hooks: word.of("AH_HOOKS", HOOKS),
        no_prompt: word.of("AH_NO_PROMPT", NO_PROMPT),
        on_loss: word.of("AH_ON_LOSS", ON_LOSS),
        ..GuardLayer::default()
    };
    for (name, key) in [("AH_SNAPSHOT_ALWAYS", "always"), ("AH_SNAPSHOT_TURNS", "turns")] {
        if let Some(value) = word.of(name, &[("0", 0), ("1", 1)]) {
            guard.snapshot.insert(key, value);
        }
    }
    (guard, word.of("AH_PROFILE", PROFILE))
}

/// What the environment says of the judge, as a section of a file would.
pub(super) fn judge(look: &dyn Fn(&str) -> Option<OsString>) -> Option<String> {
    let mut fields = Vec::new();
    for (name, key) in VARIABLES.iter().filter_map(|(name, key)| Some((name, key.strip_prefix("judge.")?))) {
        let Some(value) = look(name).filter(|value| !value.is_empty()) else { continue };
        // What is no text is no model's name either; whoever reads the section says so.
        fields.push(format!("\"{key}\":{}", serde_json::to_string(&value.to_string_lossy()).ok()?));
    }
    if fields.is_empty() { None } else { Some(format!("{{{}}}", fields.join(","))) }
}

struct Words<'a> {
    look: &'a dyn Fn(&str) -> Option<OsString>,
    problems: &'a mut Vec<Problem>,
}

impl Words<'_> {
    fn of<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let value = (self.look)(name).filter(|value| !value.is_empty())?;
        let found = words.iter().find(|(word, _)| value == *word);
        if found.is_none() {
            // The value itself is not shown: the environment is never logged.
            let what = format!("expected {}", one_of(words));
            self.problems.push(Problem { key: name.to_owned(), ..Problem::whole(Path::new("environment"), what) });
        }
        found.map(|(_, value)| *value)
    }
}
