//! What every check looks at, found once.

use ah::clock::now_ms;
use ah::config::{Config, Problem};
use ah::paths::Paths;
use std::path::PathBuf;

/// Where the checks look.
pub struct Ground {
    /// The settings in force for the current directory.
    pub config: Config,
    /// Whether to ask what takes longer.
    pub deep: bool,
    /// The folder in which this program lies.
    pub folder: PathBuf,
    /// Milliseconds since the Unix epoch.
    pub now: u64,
    /// ah's own places.
    pub paths: &'static Paths,
    /// What is wrong in the settings.
    pub problems: Vec<Problem>,
    /// The repository around the current directory.
    pub root: Option<PathBuf>,
}

impl Ground {
    /// As this process finds it.
    pub fn new(paths: &'static Paths, deep: bool) -> Self {
        let cwd = std::env::current_dir().unwrap_or_default();
        let root = cwd.ancestors().find(|dir| dir.join(".git").exists()).map(PathBuf::from);
        let (config, problems) = Config::load(paths, root.as_deref());
        let exe = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
        let folder = exe.parent().map(PathBuf::from).unwrap_or_default();
        Self { config, deep, folder, now: now_ms(), paths, problems, root }
    }
}
