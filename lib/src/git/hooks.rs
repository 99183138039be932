//! Which hooks would really run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::config::expand;
use super::{Config, Repo, Vars, read};

impl Repo {
    /// The directory git takes hooks from: `core.hooksPath`, else `hooks` in the shared git directory.
    #[must_use]
    pub fn hooks_dir(&self, config: &Config, vars: &Vars) -> PathBuf {
        match config.get("core.hooksPath").and_then(|p| expand(p, vars)) {
            // A relative path counts from where hooks run.
            Some(path) => self.work_tree.as_ref().unwrap_or(&self.git_dir).join(path),
            None => self.common_dir.join("hooks"),
        }
    }

    /// The names of the hooks that would run: executable files whose name is not `*.sample`, sorted. Names that are
    /// no hook of git's are among them; git never calls those.
    #[must_use]
    pub fn hooks(&self, config: &Config, vars: &Vars) -> Vec<String> {
        let dir = self.hooks_dir(config, vars);
        let names = read::names(&dir, 10_000).into_iter().filter_map(|n| n.into_string().ok());
        let runs = |name: &String| {
            // Following links, as git does.
            fs::metadata(dir.join(name)).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        };
        names.filter(|n| !n.ends_with(".sample")).filter(runs).collect()
    }
}
