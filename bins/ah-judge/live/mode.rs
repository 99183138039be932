//! Whether, and how often, a check runs in the background.

use super::decide::DEBOUNCE;
use ah::config::Config;
use serde_json::Value;
use std::ffi::OsString;

/// Most background checks of a session.
const CHECKS: u64 = 10;

/// What part of the gate's threshold a turn must reach while it goes on, since it has not said all its words yet. Of the
/// labelled turns with edits nine tenths let 88 of 100 through that are about a lesson, and leave out 25 of 100 others.
const BAR: f64 = 0.9;

/// The settings of the live check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Live {
    /// What part of the gate's threshold is enough, 0 to 1.
    pub bar: f64,
    /// Most checks of a session.
    pub checks: u64,
    /// The time between the beginnings of two checks, in milliseconds.
    pub debounce: u64,
    /// The mode is live.
    pub on: bool,
}

impl Live {
    /// By `judge.mode` (which `AH_MODE` sets, too), with `"migrate": "borg"` else by `BORG_MODE`, else off; the numbers by
    /// `judge.live` (`bar`, `debounce_s`, `per_session`). What is not understood is as if it were not there.
    pub fn of(config: &Config, look: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let section = config.judge().unwrap_or_default();
        let old = || look("BORG_MODE").filter(|_| config.migrate.as_deref() == Some("borg"));
        let on = section["mode"].as_str().and_then(mode).or_else(|| mode(old()?.to_str()?)).unwrap_or(false);
        Self::read(&section["live"], on)
    }

    fn read(live: &Value, on: bool) -> Self {
        let seconds = live["debounce_s"].as_f64().filter(|s| (0.0..=86_400.0).contains(s));
        Self {
            bar: live["bar"].as_f64().filter(|bar| (0.0..=1.0).contains(bar)).unwrap_or(BAR),
            checks: live["per_session"].as_u64().unwrap_or(CHECKS),
            debounce: seconds.map_or(DEBOUNCE, |s| (s * 1_000.0) as u64),
            on,
        }
    }
}

fn mode(text: &str) -> Option<bool> {
    match text.trim() {
        "hook" => Some(false),
        "live" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::paths::Paths;

    fn live(config: &str, vars: &[(&str, &str)]) -> Live {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.json"), config).unwrap();
        let home = dir.path().to_path_buf();
        let paths = Paths::new(&|name| (name == "HOME" || name == "AH_CONFIG_HOME").then(|| home.clone().into())).unwrap();
        let look = |name: &str| vars.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).into());
        let (config, problems) = Config::load_with(&paths.with_system(home.join("none")), None, &look);
        assert!(problems.is_empty(), "{problems:?}");
        Live::of(&config, &look)
    }

    #[test]
    fn off_unless_somebody_said_live() {
        assert_eq!(live("{}", &[]), Live { bar: 0.9, checks: 10, debounce: 45_000, on: false });
        assert!(live(r#"{"judge":{"mode":"live"}}"#, &[]).on);
        assert!(!live(r#"{"judge":{"mode":"live"}}"#, &[("AH_MODE", "hook")]).on);
        assert!(live("{}", &[("AH_MODE", " live ")]).on && !live("{}", &[("AH_MODE", "LIVE!")]).on);
        assert!(!live("{}", &[("BORG_MODE", "live")]).on && live(r#"{"migrate":"borg"}"#, &[("BORG_MODE", "live")]).on);
    }

    #[test]
    fn numbers_within_reason() {
        let set = live(r#"{"judge":{"live":{"bar":0.5,"debounce_s":0,"per_session":3}}}"#, &[]);
        assert_eq!((set.bar, set.debounce, set.checks), (0.5, 0, 3));
        let bad = live(r#"{"judge":{"live":{"bar":7,"debounce_s":-1,"per_session":"x"}}}"#, &[]);
        assert_eq!((bad.bar, bad.debounce, bad.checks), (0.9, 45_000, 10));
    }
}
