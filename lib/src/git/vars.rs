//! The environment as the judged command will see it.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Environment variables of the judged command: those of this process with what the command line changes.
///
/// The `PATH` of the beginning is kept apart: a command may set its own, but `git` is looked for in ours.
#[derive(Clone, Debug, Default)]
pub struct Vars {
    map: BTreeMap<OsString, OsString>,
    search: OsString,
}

impl Vars {
    /// The variables of this process.
    #[must_use]
    pub fn of_process() -> Self {
        env::vars_os().collect()
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.map.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The value of a variable where it is UTF-8.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    /// The value of a variable as a path; an empty one counts as absent.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).filter(|v| !v.is_empty()).map(PathBuf::from)
    }

    /// Whether a variable says yes, as git reads it.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.text(name).is_some_and(|v| super::config::truth(Some(v)).unwrap_or(false))
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.map.insert(name.into(), value.into());
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &str) {
        self.map.remove(OsStr::new(name));
    }

    /// Removes every variable (`env -i`); where git is looked for stays.
    pub fn clear(&mut self) {
        self.map.clear();
    }

    /// Adds a setting as `git -c key=value` does (`None`: the key alone, which means true). It wins over earlier ones.
    pub fn add_config(&mut self, key: &str, value: Option<&str>) {
        let mut all = self.map.remove(OsStr::new(PARAMETERS)).unwrap_or_default();
        if !all.is_empty() {
            all.push(" ");
        }
        // The form with two quoted words is the only one for a key that holds `=`, but git before 2.31 cannot read it.
        match value {
            Some(value) if key.contains('=') => all.push(format!("{}={}", quoted(key), quoted(value))),
            Some(value) => all.push(quoted(&format!("{key}={value}"))),
            None if key.contains('=') => all.push(format!("{}=", quoted(key))),
            None => all.push(quoted(key)),
        }
        self.map.insert(PARAMETERS.into(), all);
    }

    /// Adds a setting as the word after `git -c` gives it: `key=value` or `key`.
    pub fn add_config_word(&mut self, word: &str) {
        match word.split_once('=') {
            Some((key, value)) => self.add_config(key, Some(value)),
            None => self.add_config(word, None),
        }
    }

    /// Adds a setting as `git --config-env=key=NAME` does. False, and nothing added, where git would refuse it.
    pub fn add_config_env(&mut self, word: &str) -> bool {
        let Some((key, name)) = word.rsplit_once('=') else {
            return false;
        };
        let Some(value) = self.text(name).map(str::to_owned) else {
            return false;
        };
        self.add_config(key, Some(&value));
        true
    }

    /// Every variable, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.map.iter().map(|(k, v)| (k.as_os_str(), v.as_os_str()))
    }

    /// The `PATH` that these variables began with.
    pub(super) fn search(&self) -> &OsStr {
        &self.search
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Vars {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(pairs: T) -> Self {
        let mut map: BTreeMap<OsString, OsString> = BTreeMap::new();
        map.extend(pairs.into_iter().map(|(k, v)| (k.into(), v.into())));
        let search = map.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        Self { map, search }
    }
}

/// Where git hands `-c` settings to its children.
pub(super) const PARAMETERS: &str = "GIT_CONFIG_PARAMETERS";

/// One word in single quotes as git's own quoting writes it (`'` and `!` stand outside the quotes).
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' | '!' => {
                out.push_str("'\\");
                out.push(c);
                out.push('\'');
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_settings_are_quoted() {
        let mut vars = Vars::default();
        vars.add_config("alias.x", Some("!echo 'hi'"));
        vars.add_config("a.b=c.d", Some("1"));
        vars.add_config("core.bare", None);
        assert_eq!(vars.text(PARAMETERS), Some(r"'alias.x='\!'echo '\''hi'\''' 'a.b=c.d'='1' 'core.bare'"));
    }

    #[test]
    fn words_of_the_command_line() {
        let mut vars: Vars = [("V", "a=b")].into_iter().collect();
        vars.add_config_word("x.y=1=2");
        vars.add_config_word("x.y=");
        vars.add_config_word("x.z");
        assert!(vars.add_config_env("k.e=y.z=V") && !vars.add_config_env("k.y=NONE") && !vars.add_config_env("k"));
        assert_eq!(vars.text(PARAMETERS), Some("'x.y=1=2' 'x.y=' 'x.z' 'k.e=y.z'='a=b'"));
    }

    #[test]
    fn a_new_path_does_not_move_the_search() {
        let mut vars: Vars = [("PATH", "/usr/bin")].into_iter().collect();
        vars.set("PATH", ".");
        assert_eq!(vars.search(), "/usr/bin");
    }
}
