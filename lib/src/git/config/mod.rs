//! Configuration: every setting a git command would see, in git's order, read without a process.

mod command;
mod include;
mod load;
mod parse;

use std::path::PathBuf;

pub(super) use include::expand;
pub(super) use load::{layout, version};
pub use parse::Setting;
use parse::parse;

/// The settings in force, earliest first.
#[derive(Clone, Debug, Default)]
pub struct Config {
    settings: Vec<Setting>,
    /// A file or environment variable that git itself would refuse, and the line (0: unknown).
    pub broken: Option<(PathBuf, usize)>,
    /// Whether some settings were left out because a bound was reached or a file could not be read.
    pub incomplete: bool,
}

impl Config {
    /// The last value of a setting; `Some("")` for an empty one, `"true"` for a name without a value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let key = canonical(key);
        self.settings.iter().rev().find(|s| s.key == key).map(|s| s.value.as_deref().unwrap_or("true"))
    }

    /// Every value of a setting, earliest first.
    #[must_use]
    pub fn get_all(&self, key: &str) -> Vec<&str> {
        let key = canonical(key);
        self.settings.iter().filter(|s| s.key == key).map(|s| s.value.as_deref().unwrap_or("true")).collect()
    }

    /// The last value as a truth; `None` when unset or not a truth.
    #[must_use]
    pub fn bool(&self, key: &str) -> Option<bool> {
        let key = canonical(key);
        truth(self.settings.iter().rev().find(|s| s.key == key)?.value.as_deref())
    }

    /// What an alias stands for. `alias.NAME` is without regard to case; `[alias "NAME"]` is read too.
    #[must_use]
    pub fn alias(&self, name: &str) -> Option<&str> {
        let sub = format!("alias.{name}.command");
        let key = format!("alias.{}", name.to_ascii_lowercase());
        let found = self.settings.iter().rev().find(|s| s.key == key || s.key == sub)?;
        found.value.as_deref()
    }

    /// The subsections of a section (`branch`, `remote`, `filter`, ...), in order of first mention, each once.
    #[must_use]
    pub fn sections(&self, section: &str) -> Vec<&str> {
        let start = format!("{}.", section.to_ascii_lowercase());
        let mut seen = std::collections::HashSet::new();
        let names = self.settings.iter().filter_map(|s| Some(s.key.strip_prefix(&start)?.rsplit_once('.')?.0));
        names.filter(|n| seen.insert(*n)).collect()
    }

    /// Every setting, earliest first.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }
}

/// Section and name in lower case, the subsection as it is.
fn canonical(key: &str) -> String {
    match (key.find('.'), key.rfind('.')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}{}{}", key[..first].to_ascii_lowercase(), &key[first..last], key[last..].to_ascii_lowercase())
        }
        _ => key.to_ascii_lowercase(),
    }
}

/// A truth as git reads it: `None` as value (a name alone) is true, an empty text false, numbers by being zero or not.
pub fn truth(value: Option<&str>) -> Option<bool> {
    let Some(value) = value else {
        return Some(true);
    };
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "" | "false" | "no" | "off" => Some(false),
        number => {
            let digits = number.trim_end_matches(['k', 'm', 'g']);
            (number.len() - digits.len() <= 1).then_some(())?;
            digits.trim_start().parse::<i64>().ok().map(|n| n != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config { settings: parse(text.as_bytes()).0, ..Config::default() }
    }

    #[test]
    fn last_one_wins_and_names_fold() {
        let c = config(
            "[push]\ndefault=simple\n[Push]\nDefault=current\n[remote \"A\"]\nfetch=1\nfetch=2\n[remote \"a\"]\nfetch=3\nmirror\n",
        );
        assert_eq!(c.get("PUSH.default"), Some("current"));
        assert_eq!(c.get_all("Remote.A.Fetch"), ["1", "2"]);
        assert_eq!(c.bool("remote.a.mirror"), Some(true));
        assert_eq!(c.sections("remote"), ["A", "a"]);
        assert_eq!(c.bool("push.default"), None);
        assert_eq!(c.get("push"), None);
    }

    #[test]
    fn aliases() {
        let c = config("[alias]\nCo=checkout\nempty\n[alias \"up\"]\ncommand=!pull\n");
        assert_eq!(c.alias("co"), Some("checkout"));
        assert_eq!(c.alias("up"), Some("!pull"));
        assert_eq!(c.alias("empty"), None);
    }

    #[test]
    fn truths() {
        assert_eq!(truth(Some("0x")), None);
        assert_eq!(truth(Some("2k")), Some(true));
        assert_eq!(truth(Some("0")), Some(false));
        assert_eq!(truth(Some("-1")), Some(true));
        assert_eq!(truth(Some("On")), Some(true));
        assert_eq!(truth(Some("kk")), None);
    }
}
