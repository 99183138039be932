//! Throwaway repositories: a home of their own, nothing of this machine's git configuration.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use ah::clock::Deadline;
use ah::git::{Git, Oid, Repo, Vars};
use tempfile::TempDir;

/// A folder with a `home` and a repository in `work`; gone when dropped.
pub struct TestRepo {
    box_dir: TempDir,
    vars: Vars,
}

impl TestRepo {
    /// A repository with one commit of `a.txt`, on `main`.
    pub fn new() -> Self {
        let repo = Self::fresh(&[]);
        repo.write("a.txt", "alpha\nbeta\n");
        repo.git(["add", "-A"]);
        repo.git(["commit", "-qm", "first"]);
        repo
    }

    /// A repository without commits; `args` go to `git init`.
    pub fn fresh(args: &[&str]) -> Self {
        let repo = Self::nothing();
        let work = repo.work();
        repo.git_in(&repo.root(), ["init", "-q", "-b", "main"].iter().chain(args).map(OsStr::new).chain([work.as_os_str()]));
        repo
    }

    /// A folder with a home and an empty `work` that is no repository.
    pub fn nothing() -> Self {
        let box_dir = TempDir::new().expect("a temporary folder");
        let root = fs::canonicalize(box_dir.path()).expect("its real path");
        fs::create_dir_all(root.join("home")).expect("a home");
        fs::create_dir_all(root.join("work")).expect("a work folder");
        let settings = "[user]\nname = Dev\nemail = dev@example.test\n[init]\ndefaultBranch = main\n[protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n[advice]\ndetachedHead = false\n";
        fs::write(root.join("home/.gitconfig"), settings).expect("settings");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let vars = [
            ("GIT_CONFIG_NOSYSTEM", OsString::from("1")),
            ("GIT_CEILING_DIRECTORIES", root.clone().into()),
            ("HOME", root.join("home").into()),
            ("LC_ALL", "C".into()),
            ("PATH", path),
        ];
        Self { box_dir, vars: vars.into_iter().collect() }
    }

    /// The folder that holds everything.
    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.box_dir.path()).expect("the real path")
    }

    /// The top of the work tree.
    pub fn work(&self) -> PathBuf {
        self.root().join("work")
    }

    /// The environment of its commands.
    pub fn vars(&self) -> Vars {
        self.vars.clone()
    }

    /// Runs git in the work tree; it must succeed. Its output, without white space at the end.
    pub fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        self.git_in(&self.work(), args)
    }

    /// Runs git in another directory; it must succeed.
    pub fn git_in<S: AsRef<OsStr>>(&self, dir: &Path, args: impl IntoIterator<Item = S>) -> String {
        let out = self.try_git(dir, args);
        assert!(out.status.success(), "git: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8_lossy(&out.stdout).trim_end().to_owned()
    }

    /// Runs git in another directory, whatever comes of it.
    pub fn try_git<S: AsRef<OsStr>>(&self, dir: &Path, args: impl IntoIterator<Item = S>) -> Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(dir).env_clear().envs(self.vars.iter());
        command.env("GIT_EDITOR", "true").output().expect("git runs")
    }

    /// Writes a file below the work tree, with its directories.
    pub fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let file = self.work().join(path);
        fs::create_dir_all(file.parent().expect("a directory")).expect("directories");
        fs::write(file, text).expect("a file");
    }

    /// Writes an executable shell script, anywhere.
    pub fn script(&self, file: &Path, text: &str) {
        fs::create_dir_all(file.parent().expect("a directory")).expect("directories");
        fs::write(file, format!("#!/bin/sh\n{text}\n")).expect("a script");
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// Writes a file and commits it.
    pub fn commit(&self, path: &str, text: &str) -> Oid {
        self.write(path, text);
        self.git(["add", "-f", path]);
        self.git(["commit", "-qm", &format!("change {path}")]);
        self.oid("HEAD")
    }

    /// The object a revision means.
    pub fn oid(&self, spec: &str) -> Oid {
        Oid::parse(&self.git(["rev-parse", spec])).expect("an object name")
    }

    /// The repository as `ah` sees it from the top of the work tree.
    pub fn facts(&self) -> Repo {
        self.facts_in(&self.work())
    }

    /// The repository as `ah` sees it from a directory.
    pub fn facts_in(&self, dir: &Path) -> Repo {
        Repo::discover(dir, &self.vars).expect("readable").expect("a repository")
    }

    /// Asks git about the repository that `ah` sees from the top of the work tree.
    pub fn ask<T>(&self, question: impl FnOnce(&Git<'_>) -> T) -> T {
        let repo = self.facts();
        question(&Git::new(&repo, &self.vars, minute()).expect("git"))
    }
}

/// A deadline that no test meets.
pub fn minute() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}
