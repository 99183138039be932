//! The installer: what it verifies, where it stages, what a killed run leaves, and that nothing is left after it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A release of shell scripts, and a HOME whose name must be quoted.
struct World {
    dir: TempDir,
}

/// What the installer needs of other programs.
const TOOLS: &[&str] = &[
    "awk", "basename", "cat", "chmod", "cmp", "cp", "cut", "dirname", "find", "grep", "gzip", "head", "id", "ls", "mkdir", "mv",
    "rm", "rmdir", "sed", "sh", "sha256sum", "sleep", "sort", "sync", "tar", "touch", "tr", "uname",
];

impl World {
    fn new() -> Self {
        let world = Self { dir: TempDir::new().unwrap() };
        fs::create_dir(world.home()).unwrap();
        world.release("1");
        world
    }

    fn top(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    fn home(&self) -> PathBuf {
        self.top().join("it's \"my\" home")
    }

    fn out(&self) -> PathBuf {
        self.top().join("the release")
    }

    fn archive(&self) -> PathBuf {
        let all = fs::read_dir(self.out()).unwrap().map(|entry| entry.unwrap().path());
        all.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "gz")).unwrap()
    }

    /// Packs programs that say `version`, and pins them in a copy of the installer.
    fn release(&self, version: &str) {
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
    fn pack(&self, files: &[(&str, &str, u32)], list: &str) {
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

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("sh");
        command.arg(self.out().join("install.sh")).args(args).current_dir(self.top()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.home()).env("PATH", "/usr/bin:/bin").env("AH_WAIT", "2").env("TMPDIR", self.top());
        command
    }

    fn install(&self, args: &[&str]) -> (i32, String) {
        let mut command = self.command(args);
        said(&command.arg("--from").arg(self.out()).output().unwrap())
    }

    fn uninstall(&self) -> (i32, String) {
        said(&self.command(&["--uninstall"]).output().unwrap())
    }

    /// A PATH with only these tools.
    fn path_of(&self, tools: &[&str]) -> PathBuf {
        let folder = self.top().join(format!("only {}", tools.len()));
        fs::create_dir_all(&folder).unwrap();
        for tool in tools {
            let found = ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(tool)).find(|path| path.exists());
            let _ = symlink(found.unwrap_or_else(|| panic!("no {tool}")), folder.join(tool));
        }
        folder
    }
}

fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

fn tree(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
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

#[test]
fn what_is_installed_goes_to_the_last_folder() {
    let world = World::new();
    let before = tree(&world.home());
    let (code, text) = world.install(&["--dry-run"]);
    assert!(code == 0 && tree(&world.home()) == before, "{text}");
    // Nothing is written to a temporary folder, let alone run there.
    let mut command = world.command(&["--from"]);
    let (code, text) = said(&command.arg(world.out()).env("TMPDIR", "/no/such").output().unwrap());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("ah-git-guard  ah-git-guard 1") && text.contains("export PATH="), "{text}");
    let bin = world.home().join(".local/bin");
    assert_eq!(fs::metadata(bin.join("ah-git-guard")).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!world.home().join(".profile").exists() && !world.home().join(".bashrc").exists());
    let installed = tree(&world.home());
    assert_eq!(world.install(&[]).0, 0);
    assert!(tree(&world.home()) == installed, "the second time changed something");
    let (code, text) = world.uninstall();
    assert_eq!(code, 0, "{text}");
    assert_eq!(fs::read_to_string(world.home().join("calls")).unwrap(), "unregister --remove --apply --yes\n");
    fs::remove_file(world.home().join("calls")).unwrap();
    assert!(tree(&world.home()) == before, "{:?}", tree(&world.home()).keys());
    assert_eq!(world.uninstall().0, 66);
}

#[test]
fn an_update_removes_what_is_no_more_and_leaves_what_others_changed() {
    let world = World::new();
    assert_eq!(world.install(&[]).0, 0);
    let man = world.home().join(".local/share/man");
    assert!(man.join("man7/only-1.7").exists());
    world.release("2");
    let bin = world.home().join(".local/bin/ah-git-guard");
    let running = fs::File::open(&bin).unwrap();
    let (code, text) = world.install(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(!man.join("man7/only-1.7").exists() && man.join("man7/only-2.7").exists());
    // What runs keeps its own bytes: the name leads to another file now.
    let mut old = String::new();
    std::io::Read::read_to_string(&mut &running, &mut old).unwrap();
    assert!(old.contains("# 1") && fs::read_to_string(&bin).unwrap().contains("# 2"));
    fs::write(&bin, "mine").unwrap();
    let (code, text) = world.uninstall();
    assert!(code == 0 && text.contains("not as it was installed") && bin.exists(), "{code} {text}");
}

#[test]
fn one_flipped_byte_anywhere_is_refused() {
    let world = World::new();
    let good = fs::read(world.archive()).unwrap();
    let before = tree(&world.home());
    for at in (0..good.len()).step_by(good.len() / 25) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(world.archive(), &bad).unwrap();
        let (code, text) = world.install(&[]);
        assert!(code == 65 && text.contains("sha256"), "{at}: {code} {text}");
        assert!(tree(&world.home()) == before, "{at}");
    }
    fs::write(world.archive(), &good[..good.len() / 2]).unwrap();
    assert_eq!(world.install(&[]).0, 65);
    fs::remove_file(world.archive()).ok();
    assert_eq!(world.install(&[]).0, 66);
    assert!(tree(&world.home()) == before);
}

#[test]
fn a_release_holds_what_its_list_names_and_nothing_else() {
    let program = "#!/bin/sh\necho x 1\n";
    let digest = "0".repeat(64);
    for (files, list) in [
        (vec![("bin/ah-x", program, 0o755u32)], format!("{digest}  bin/ah-y\n")),
        (vec![("bin/ah-x", "#!/bin/sh\nexit 1\n", 0o755)], String::new()),
        (vec![("bin/ah-x", program, 0o644)], String::new()),
    ] {
        let world = World::new();
        world.pack(&files, &list);
        let before = tree(&world.home());
        let (code, text) = world.install(&[]);
        assert!(matches!(code, 1 | 65), "{list}: {code} {text}");
        assert!(tree(&world.home()) == before);
    }
}

#[test]
fn without_a_tool_nothing_is_installed_and_the_tool_is_named() {
    let world = World::new();
    let without = |missing: &[&str]| -> Vec<&str> { TOOLS.iter().copied().filter(|tool| !missing.contains(tool)).collect() };
    let before = tree(&world.home());
    for (missing, name) in [("sha256sum", "sha256"), ("tar", "tar is missing"), ("gzip", "gzip is missing")] {
        let path = world.path_of(&without(&[missing]));
        let (code, text) = said(&world.command(&[]).arg("--from").arg(world.out()).env("PATH", &path).output().unwrap());
        assert!(code == 69 && text.contains(name) && !text.contains("another"), "{missing}: {code} {text}");
        assert!(tree(&world.home()) == before);
        fs::remove_dir_all(path).unwrap();
    }
    // Either of the other two serves as well.
    for tool in ["shasum", "openssl"] {
        if !Path::new("/usr/bin").join(tool).exists() {
            println!("SKIP {tool}: not installed");
            continue;
        }
        let mut tools = without(&["sha256sum"]);
        tools.extend([tool, "perl"].iter().filter(|name| Path::new("/usr/bin").join(name).exists()));
        let path = world.path_of(&tools);
        let (code, text) = said(&world.command(&[]).arg("--from").arg(world.out()).env("PATH", &path).output().unwrap());
        assert_eq!(code, 0, "{tool}: {text}");
        fs::remove_dir_all(path).unwrap();
    }
}

#[test]
fn a_script_that_was_cut_short_does_nothing() {
    let world = World::new();
    let script = fs::read(world.out().join("install.sh")).unwrap();
    let before = tree(&world.home());
    for at in (0..script.len() - 10).step_by(script.len() / 30) {
        let mut child = Command::new("sh")
            .args(["-s", "--", "--from"])
            .arg(world.out())
            .env_clear()
            .env("HOME", world.home())
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), &script[..at]);
        child.wait().unwrap();
        assert!(tree(&world.home()) == before, "{at}");
    }
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let world = World::new();
    fs::write(world.top().join("file"), "").unwrap();
    let (code, text) = world.install(&["--prefix", "file/x"]);
    assert!(code == 73 && text.contains("--prefix"), "{code} {text}");
    let (code, text) = world.install(&["--prefix", "/proc/no/such"]);
    assert!(code == 73 && text.contains("--prefix"), "{code} {text}");
    for args in
        [&["--no-such"][..], &["--prefix"], &["--purge"], &["--mine"], &["--try", "--prefix", "x"], &["--uninstall", "--quick"]]
    {
        assert_eq!(said(&world.command(args).output().unwrap()).0, 64, "{args:?}");
    }
    let (code, text) = said(&world.command(&["--from", "http://example.test/x"]).output().unwrap());
    assert!(code == 64 && text.contains("https"), "{code} {text}");
}

#[test]
fn a_killed_run_leaves_either_state_and_the_next_heals() {
    let world = World::new();
    assert_eq!(world.install(&[]).0, 0);
    let first = tree(&world.home());
    world.release("2");
    let started = std::time::Instant::now();
    assert_eq!(world.install(&[]).0, 0);
    let whole = started.elapsed();
    let second = tree(&world.home());
    let steps = 24;
    for step in 0..=steps {
        world.release("1");
        assert_eq!(world.install(&[]).0, 0);
        assert!(tree(&world.home()) == first, "{step}");
        world.release("2");
        kill_after(world.command(&[]).arg("--from").arg(world.out()), whole * step / steps);
        for name in ["bin/ah-git-guard", "bin/ah-bootstrap"] {
            let output = Command::new(world.home().join(".local").join(name)).arg("--version").output().unwrap();
            assert!(output.status.success(), "{step}: {name} is broken");
        }
        let (code, text) = world.install(&[]);
        assert_eq!(code, 0, "{step}: {text}");
        assert!(tree(&world.home()) == second, "{step}: not healed");
    }
    for step in 0..=steps {
        assert_eq!(world.install(&[]).0, 0);
        kill_after(&mut world.command(&["--uninstall"]), whole * step / steps);
        let (code, text) = world.uninstall();
        assert!(matches!(code, 0 | 66), "{step}: {text}");
        fs::remove_file(world.home().join("calls")).ok();
        assert!(tree(&world.home()).keys().all(|path| path.ends_with(".local")), "{step}: {:?}", tree(&world.home()).keys());
    }
}

/// Starts a script with a process group of its own, and kills all of it after a while.
fn kill_after(command: &mut Command, after: Duration) {
    use std::os::unix::process::CommandExt;
    let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(after);
    let group = rustix::process::Pid::from_child(&child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    child.wait().unwrap();
}

#[test]
fn a_release_is_fetched_past_proxies() {
    let world = World::new();
    if ["curl", "python3"].iter().any(|tool| !Path::new("/usr/bin").join(tool).exists()) {
        println!("SKIP fetch: no curl or python3");
        return;
    }
    // A server that also serves as a proxy: what it is asked for, whole address or path, ends with the name.
    let script = "import http.server,os,sys\nclass H(http.server.SimpleHTTPRequestHandler):\n def do_GET(s):\n  s.path='/'+s.path.rsplit('/',1)[-1]\n  super().do_GET()\n def log_message(s,*a): pass\nh=http.server.HTTPServer(('127.0.0.1',0),H)\nprint(h.server_port,flush=True)\nh.serve_forever()";
    let mut server =
        Command::new("python3").args(["-c", script]).current_dir(world.out()).stdout(Stdio::piped()).spawn().unwrap();
    let mut port = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut port).unwrap();
    let url = format!("http://127.0.0.1:{}/x", port.trim());
    let from = |url: &str, proxy: Option<&str>| {
        let mut command = world.command(&["--from", url]);
        command.envs(proxy.map(|proxy| ("http_proxy", proxy)));
        said(&command.output().unwrap())
    };
    let direct = from(&url, None);
    // Nobody listens on that port; only the proxy knows the way.
    let behind = from("http://127.0.0.1:1/x", Some(&url));
    let nobody = from("http://127.0.0.1:1/x", None);
    let gone = fs::remove_file(world.archive()).map(|()| from(&url, None));
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(direct.0, 0, "{}", direct.1);
    assert_eq!(behind.0, 0, "{}", behind.1);
    assert!(nobody.0 == 69 && nobody.1.contains("HTTPS_PROXY") && nobody.1.contains("--from DIR"), "{} {}", nobody.0, nobody.1);
    assert_eq!(gone.unwrap().0, 69);
}

#[test]
fn several_at_once_take_turns() {
    let world = World::new();
    let children: Vec<_> = (0..4)
        .map(|_| world.command(&[]).arg("--from").arg(world.out()).env("AH_WAIT", "30").stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.uninstall().0, 0);
    fs::remove_file(world.home().join("calls")).unwrap();
    assert!(tree(&world.home()).is_empty());
}

#[test]
fn the_scripts_are_clean() {
    if Command::new("shellcheck").arg("--version").output().is_err() {
        println!("SKIP shellcheck: not installed");
        return;
    }
    let scripts = ["install/install.sh", "install/release.sh", "defaults/hook.sh", "tests/run.sh"];
    let done = Command::new("shellcheck").args(scripts).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    let installer = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("install/install.sh")).unwrap();
    assert!(installer.ends_with("\n\nmain \"$@\"\n"));
}
