//! A release made of shell scripts, and a HOME to install it in.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A release of shell scripts, and a HOME whose name must be quoted.
pub struct World {
    dir: TempDir,
}

/// What the installer needs of other programs.
pub const TOOLS: &[&str] = &[
    "awk", "basename", "cat", "chmod", "cmp", "cp", "cut", "dirname", "find", "grep", "gzip", "head", "id", "ls", "mkdir", "mv",
    "rm", "rmdir", "sed", "sh", "sha256sum", "sleep", "sort", "sync", "tar", "touch", "tr", "uname",
];

impl World {
    pub fn new() -> Self {
        let world = Self { dir: TempDir::new().unwrap() };
        fs::create_dir(world.home()).unwrap();
        world.release("1");
        world
    }

    pub fn top(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub fn home(&self) -> PathBuf {
        self.top().join("it's \"my\" home")
    }

    pub fn out(&self) -> PathBuf {
        self.top().join("the release")
    }

    pub fn archive(&self) -> PathBuf {
        let all = fs::read_dir(self.out()).unwrap().map(|entry| entry.unwrap().path());
        all.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "gz")).unwrap()
    }

    /// Packs programs that say `version`, and pins them in a copy of the installer.
    pub fn release(&self, version: &str) {
        let script = format!("#!/bin/sh\n# {version}\necho \"${{0##*/}} {version}\"\n");
        let extra = format!("only of {version}\n");
        let extra_name = format!("share/man/man7/only-{version}.7");
        let bootstrap =
            "#!/bin/sh\ncase $1 in --version) echo ah-bootstrap 1 ;; *) echo \"unregister $*\" >>\"$HOME/calls\" ;; esac\n";
        let files = [
            ("bin/ah-git-guard", &*script, 0o755),
            ("bin/ah-bootstrap", bootstrap, 0o755),
            ("share/man/man1/ah-git-guard.1", ".Dd\n", 0o644),
            (&*extra_name, &*extra, 0o644),
        ];
        self.pack(&files, "");
    }

    /// Packs any files; `list` is put at the end of the list of them.
    pub fn pack(&self, files: &[(&str, &str, u32)], list: &str) {
        let tree = self.top().join("tree");
        let _ = fs::remove_dir_all(&tree);
        let _ = fs::remove_dir_all(self.out());
        fs::create_dir(self.out()).unwrap();
        let mut names = String::new();
        for (name, text, mode) in files {
            let file = tree.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(*mode)).unwrap();
            names.push_str(&format!("{}  {name}\n", ah::receipt::sha256(text.as_bytes())));
        }
        names.push_str(list);
        fs::create_dir_all(tree.join("lib/ah")).unwrap();
        fs::write(tree.join("lib/ah/installed"), names).unwrap();
        let machine = |flag: &str| {
            String::from_utf8(Command::new("uname").arg(flag).output().unwrap().stdout).unwrap().trim().to_lowercase()
        };
        let name =
            format!("ah-1-{}-{}.tar.gz", machine("-s"), machine("-m").replace("arm64", "aarch64").replace("amd64", "x86_64"));
        let archive = self.out().join(&name);
        let packed = Command::new("tar").arg("-C").arg(&tree).arg("-czf").arg(&archive).arg(".").status().unwrap();
        assert!(packed.success());
        let pin = format!("PINS='{}  {name}'", ah::receipt::sha256(&fs::read(&archive).unwrap()));
        let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("install/install.sh")).unwrap();
        assert_eq!(script.matches("\nPINS=''\n").count(), 1);
        fs::write(self.out().join("install.sh"), script.replacen("PINS=''", &pin, 1)).unwrap();
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.out().join("install.sh")).args(args).current_dir(self.top()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.home()).env("PATH", "/usr/bin:/bin").env("AH_WAIT", "2").env("TMPDIR", self.top());
        command
    }

    pub fn install(&self, args: &[&str]) -> (i32, String) {
        let mut command = self.command(args);
        said(&command.arg("--from").arg(self.out()).output().unwrap())
    }

    pub fn uninstall(&self) -> (i32, String) {
        said(&self.command(&["--uninstall"]).output().unwrap())
    }

    /// A PATH with only these tools.
    pub fn path_of(&self, tools: &[&str]) -> PathBuf {
        let folder = self.top().join(format!("only {}", tools.len()));
        fs::create_dir_all(&folder).unwrap();
        for tool in tools {
            let found = ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(tool)).find(|path| path.exists());
            let _ = symlink(found.unwrap_or_else(|| panic!("no {tool}")), folder.join(tool));
        }
        folder
    }
}

pub fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

pub fn tree(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let bytes = if meta.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).unwrap_or_default()
            };
            all.insert(path, (meta.permissions().mode(), bytes));
        }
    }
    all
}
