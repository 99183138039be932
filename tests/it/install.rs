//! The installer: what it verifies, what it names, and that nothing is left after it.

use crate::install_world::{TOOLS, World, said, tree};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

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
fn programs_stay_as_long_as_hooks_lead_to_them() {
    let world = World::new();
    let guard = "#!/bin/sh\necho x 1\n";
    let bootstrap = "#!/bin/sh\ncase $1 in --version) echo x 1 ;; *) exit 65 ;; esac\n";
    world.pack(&[("bin/ah-git-guard", guard, 0o755), ("bin/ah-bootstrap", bootstrap, 0o755)], "");
    assert_eq!(world.install(&[]).0, 0);
    let installed = tree(&world.home());
    let (code, text) = world.uninstall();
    assert!(code == 1 && text.contains("the programs stay"), "{code} {text}");
    assert!(tree(&world.home()) == installed);
}

#[test]
fn somebody_elses_home_is_not_written_to() {
    let world = World::new();
    if !rustix::process::geteuid().is_root() {
        println!("SKIP foreign home: not root");
        return;
    }
    std::os::unix::fs::chown(world.home(), Some(12_345), Some(12_345)).unwrap();
    let (code, text) = world.install(&[]);
    assert!(code == 77 && text.contains("somebody else"), "{code} {text}");
    assert!(tree(&world.home()).is_empty());
    let prefix = world.top().join("prefix");
    assert_eq!(world.install(&["--prefix", prefix.to_str().unwrap()]).0, 0);
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
