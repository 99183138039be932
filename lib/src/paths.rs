//! The one table of places; nothing is created here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Where everything of one person lies.
///
/// Built once from the environment. Each of the three folders is `$AH_<KIND>_HOME` itself, else `<kind>` under
/// `$AH_HOME`, else `ah` under the XDG folder. Values that are empty or not absolute count as unset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    config: PathBuf,
    data: PathBuf,
    home: Option<PathBuf>,
    state: PathBuf,
    system: PathBuf,
}

impl Paths {
    /// The places by this process's environment as it was when first asked; `None` when HOME is needed and unset, empty or relative: a hook
    /// then leaves silently.
    #[must_use]
    pub fn from_env() -> Option<&'static Self> {
        static PATHS: OnceLock<Option<Paths>> = OnceLock::new();
        PATHS.get_or_init(|| Self::new(&|name| std::env::var_os(name))).as_ref()
    }

    /// The places by any environment: `look` answers a variable's value.
    pub fn new(look: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        let folder = |name: &str| look(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder("HOME");
        let all = folder("AH_HOME");
        let place = |own: &str, kind: &str, xdg: &str, usual: &str| {
            folder(own)
                .or_else(|| Some(all.as_ref()?.join(kind)))
                .or_else(|| Some(folder(xdg)?.join("ah")))
                .or_else(|| Some(home.as_ref()?.join(usual)))
        };
        Some(Self {
            config: place("AH_CONFIG_HOME", "config", "XDG_CONFIG_HOME", ".config/ah")?,
            data: place("AH_DATA_HOME", "data", "XDG_DATA_HOME", ".local/share/ah")?,
            state: place("AH_STATE_HOME", "state", "XDG_STATE_HOME", ".local/state/ah")?,
            home,
            system: PathBuf::from("/etc/ah"),
        })
    }

    /// The same with another folder for the organisation's floor. No environment variable does this: what an agent
    /// can set must not lift a floor.
    #[must_use]
    pub fn with_system(mut self, system: PathBuf) -> Self {
        self.system = system;
        self
    }

    /// `allow.jsonl`: what a person let through.
    #[must_use]
    pub fn allow(&self) -> PathBuf {
        self.state.join("allow.jsonl")
    }

    /// The folder of collective `store`; the name is from [`store_name`].
    #[must_use]
    pub fn collective(&self, store: &str) -> PathBuf {
        self.data.join("collectives").join(store)
    }

    /// `config.json`: the person's settings.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.json")
    }

    /// The folder of settings.
    #[must_use]
    pub fn config_home(&self) -> &Path {
        &self.config
    }

    /// The folder of data.
    #[must_use]
    pub fn data_home(&self) -> &Path {
        &self.data
    }

    /// `guard.jsonl`: the guard's audit.
    #[must_use]
    pub fn guard_audit(&self) -> PathBuf {
        self.state.join("guard.jsonl")
    }

    /// HOME, for `~`.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// `lessons.jsonl` of collective `store`.
    #[must_use]
    pub fn lessons(&self, store: &str) -> PathBuf {
        self.collective(store).join("lessons.jsonl")
    }

    /// `log.jsonl`: what failed.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.state.join("log.jsonl")
    }

    /// The mesh folder of collective `store`.
    #[must_use]
    pub fn mesh(&self, store: &str) -> PathBuf {
        self.collective(store).join("mesh")
    }

    /// `meter.json`: budgets and the breaker.
    #[must_use]
    pub fn meter(&self) -> PathBuf {
        self.state.join("meter.json")
    }

    /// The folder of off flags.
    #[must_use]
    pub fn off(&self) -> PathBuf {
        self.state.join("off")
    }

    /// The flag file that switches `program` off; `all` is every program.
    #[must_use]
    pub fn off_flag(&self, program: &str) -> PathBuf {
        self.off().join(program)
    }

    /// `receipt.json`: what bootstrap wrote.
    #[must_use]
    pub fn receipt(&self) -> PathBuf {
        self.data.join("receipt.json")
    }

    /// The folder of session logs.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The folder of snapshots.
    #[must_use]
    pub fn snapshots(&self) -> PathBuf {
        self.state.join("snapshots")
    }

    /// The folder of state.
    #[must_use]
    pub fn state_home(&self) -> &Path {
        &self.state
    }

    /// `/etc/ah/config.json`: the organisation's floor.
    #[must_use]
    pub fn system_config(&self) -> PathBuf {
        self.system.join("config.json")
    }

    /// A path as written in a config: absolute, or under `~`. `None` for anything else, with a NUL, and for `~`
    /// without HOME.
    #[must_use]
    pub fn written(&self, text: &str) -> Option<PathBuf> {
        if text.contains('\0') {
            return None;
        }
        let path = match text.strip_prefix('~') {
            Some("") => self.home.clone()?,
            Some(rest) => self.home.as_ref()?.join(rest.strip_prefix('/')?.trim_start_matches('/')),
            None => PathBuf::from(text),
        };
        path.is_absolute().then_some(path)
    }
}

/// `<repo>/.ah/config.json`: what a repository asks for.
#[must_use]
pub fn repo_config(root: &Path) -> PathBuf {
    root.join(".ah/config.json")
}

/// `<repo>/.ah/lessons.jsonl`: a trusted repository's own lessons.
#[must_use]
pub fn repo_lessons(root: &Path) -> PathBuf {
    root.join(".ah/lessons.jsonl")
}

/// The folder name of a collective: its own name if that is `[A-Za-z0-9_-]+`, else each other character as `_` and
/// eight hex digits of a hash of the whole, so that two names never share a folder.
#[must_use]
pub fn store_name(name: &str) -> String {
    file_name(name, "_-", Some('_'))
}

/// `text` with only ASCII letters, digits and `also` kept (others become `instead`), at most 100 characters; when
/// anything changed, eight hex digits of its blake3 hash tell it from others that reduce to the same.
pub(crate) fn file_name(text: &str, also: &str, instead: Option<char>) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    let kept: String = text.chars().filter_map(|c| if keep(c) { Some(c) } else { instead }).take(100).collect();
    if kept == text && !kept.is_empty() {
        return kept;
    }
    let hash = blake3::hash(text.as_bytes()).to_hex();
    format!("{kept}-{}", &hash[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(vars: &[(&str, &str)]) -> Option<Paths> {
        Paths::new(&|name| {
            let found = vars.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(found.1))
        })
    }

    #[test]
    fn home_is_needed_and_must_be_absolute() {
        assert_eq!(paths(&[]), None);
        assert_eq!(paths(&[("HOME", "")]), None);
        assert_eq!(paths(&[("HOME", "home/me")]), None);
        let found = paths(&[("HOME", "/h")]).unwrap();
        assert_eq!(found.config_file(), Path::new("/h/.config/ah/config.json"));
        assert_eq!(found.receipt(), Path::new("/h/.local/share/ah/receipt.json"));
        assert_eq!(found.off_flag("all"), Path::new("/h/.local/state/ah/off/all"));
        assert_eq!(found.system_config(), Path::new("/etc/ah/config.json"));
    }

    #[test]
    fn nearer_variables_win() {
        let found = paths(&[("AH_STATE_HOME", "/s"), ("AH_HOME", "/all"), ("XDG_CONFIG_HOME", "/x")]).unwrap();
        assert_eq!(found.log(), Path::new("/s/log.jsonl"));
        assert_eq!(found.config_file(), Path::new("/all/config/config.json"));
        assert_eq!(found.home(), None);
        let found = paths(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x"), ("XDG_DATA_HOME", "d")]);
        let found = found.unwrap();
        assert_eq!(found.config_home(), Path::new("/x/ah"));
        assert_eq!(found.data_home(), Path::new("/h/.local/share/ah"));
    }

    #[test]
    fn names_never_leave_their_folder() {
        assert_eq!(store_name("work"), "work");
        assert!(store_name("my team").starts_with("my_team-"));
        for bad in ["", "..", "a/b", "a\0", "é"] {
            let name = store_name(bad);
            assert!(!name.contains(['/', '.', '\0']) && name.is_ascii() && name.len() >= 8);
        }
        assert_ne!(store_name("a b"), store_name("a_b"));
        assert!(store_name(&"x".repeat(5000)).len() < 120);
    }

    #[test]
    fn written_paths() {
        let found = paths(&[("HOME", "/h")]).unwrap();
        assert_eq!(found.written("~/a"), Some(PathBuf::from("/h/a")));
        assert_eq!(found.written("~"), Some(PathBuf::from("/h")));
        assert_eq!(found.written("~//etc"), Some(PathBuf::from("/h/etc")));
        for bad in ["~you/a", "a", "", "/a\0"] {
            assert_eq!(found.written(bad), None, "{bad:?}");
        }
    }
}
