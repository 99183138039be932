//! A fresh HOME for the bootstrap, with programs that only say their version, and the digest of everything in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The programs that can be registered.
pub const PROGRAMS: [&str; 4] = ["ah-git-guard", "ah-judge", "ah-mesh", "ah-prefilter"];

/// A HOME and, beside it, a folder of programs; both have names that must be quoted.
pub struct Home {
    dir: TempDir,
}

/// What lies in a folder: path, kind and mode, bytes or where a link leads.
pub type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Home {
    pub fn new() -> Self {
        let home = Self { dir: TempDir::new().expect("a temporary folder") };
        fs::create_dir(home.path()).expect("a home");
        fs::create_dir(home.bin()).expect("a folder of programs");
        for name in PROGRAMS {
            home.program(name, &format!("echo '{name} 0.1.0'"));
        }
        home
    }

    pub fn path(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).expect("its real path").join("my home")
    }

    pub fn bin(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).expect("its real path").join("it's bin")
    }

    /// Makes a program of a shell script.
    pub fn program(&self, name: &str, text: &str) {
        let file = self.bin().join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).expect("a program");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("its mode");
    }

    /// Writes a file below HOME, with its folders.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(&file, bytes).expect("a file");
        file
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A command of the bootstrap with this HOME; the programs are in `bin`.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ah-bootstrap"));
        command.args(args).arg("--bin").arg(self.bin()).current_dir(self.path()).env_clear();
        command.env("HOME", self.path()).env("PATH", "/usr/bin:/bin").env("GIT_CEILING_DIRECTORIES", self.dir.path());
        command.stdin(Stdio::null());
        command
    }

    /// Runs it; its code and what it said.
    pub fn run(&self, args: &[&str]) -> (i32, String) {
        said(&self.command(args).output().expect("it runs"))
    }

    /// Runs it; it must succeed.
    pub fn ok(&self, args: &[&str]) -> String {
        let (code, text) = self.run(args);
        assert_eq!(code, 0, "{args:?}: {text}");
        text
    }

    /// Everything in HOME.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        walk(&self.path(), &mut tree);
        tree
    }
}

pub fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

fn walk(folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let meta = fs::symlink_metadata(&path).expect("what it is");
        let bytes = if meta.is_symlink() {
            fs::read_link(&path).expect("where it leads").into_os_string().into_encoded_bytes()
        } else if meta.is_dir() {
            walk(&path, tree);
            Vec::new()
        } else {
            fs::read(&path).expect("its bytes")
        };
        tree.insert(path, (meta.mode(), bytes));
    }
}
