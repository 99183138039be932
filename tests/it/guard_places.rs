//! Broken repositories, homes and settings around the built guard: what it cannot look at is never let through
//! silently where git would go on.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::guard_run::{GUARD, Run, bash, claude, dirty, feed, guard, hook};
use crate::support::TestRepo;

const RESET: &str = "git reset --hard";

/// How a case changes the run.
type Prepare = fn(&TestRepo, &mut Command);

fn losing(t: &TestRepo) -> String {
    bash(t, RESET).to_string()
}

/// Cases of broken repositories and surroundings: name, what is done.
const PLACES: &[(&str, Prepare)] = &[
    ("nothing wrong", |_, _| {}),
    ("HEAD is garbage", |t, _| t.write(".git/HEAD", "garbage")),
    ("HEAD is empty", |t, _| t.write(".git/HEAD", "")),
    ("HEAD is binary", |t, _| t.write(".git/HEAD", [0, 255, 7].repeat(1000))),
    ("HEAD names no branch", |t, _| t.write(".git/HEAD", "ref: refs/heads/unborn\n")),
    ("HEAD names no object", |t, _| t.write(".git/HEAD", format!("{}\n", "1".repeat(40)))),
    ("HEAD is gone", |t, _| fs::remove_file(t.work().join(".git/HEAD")).expect("removed")),
    ("the branch is garbage", |t, _| t.write(".git/refs/heads/main", "zzz")),
    ("the index is garbage", |t, _| t.write(".git/index", "DIRC garbage")),
    ("the index is cut off", |t, _| {
        let bytes = fs::read(t.work().join(".git/index")).expect("read");
        t.write(".git/index", &bytes[..bytes.len() / 2]);
    }),
    ("the index is empty", |t, _| t.write(".git/index", "")),
    ("the index is gone", |t, _| fs::remove_file(t.work().join(".git/index")).expect("removed")),
    ("the index is locked", |t, _| t.write(".git/index.lock", "")),
    ("the config is garbage", |t, _| t.write(".git/config", "[core\n=")),
    ("the config is huge", |t, _| t.write(".git/config", format!("[core]\nbare = false\n#{}\n", "x".repeat(4 << 20)))),
    ("the config includes itself", |t, _| {
        t.git(["config", "include.path", "config"]);
    }),
    ("packed refs are garbage", |t, _| t.write(".git/packed-refs", [255, 10, 0].repeat(500))),
    ("objects are gone", |t, _| fs::remove_dir_all(t.work().join(".git/objects")).expect("removed")),
    ("objects are garbage", |t, _| {
        for dir in fs::read_dir(t.work().join(".git/objects")).expect("listed").flatten() {
            for file in fs::read_dir(dir.path()).expect("listed").flatten() {
                fs::remove_file(file.path()).expect("removed");
                fs::write(file.path(), "garbage").expect("written");
            }
        }
    }),
    (".git is an empty folder", |t, _| {
        fs::remove_dir_all(t.work().join(".git")).expect("removed");
        fs::create_dir(t.work().join(".git")).expect("made");
    }),
    (".git is gone", |t, _| fs::remove_dir_all(t.work().join(".git")).expect("removed")),
    (".git is an empty file", |t, _| {
        fs::remove_dir_all(t.work().join(".git")).expect("removed");
        t.write(".git", "");
    }),
    (".git names no place", |t, _| {
        fs::remove_dir_all(t.work().join(".git")).expect("removed");
        t.write(".git", "gitdir: /nowhere\n");
    }),
    (".git names itself", |t, _| {
        fs::remove_dir_all(t.work().join(".git")).expect("removed");
        t.write(".git", "gitdir: .git\n");
    }),
    (".git is a link to itself", |t, _| {
        fs::remove_dir_all(t.work().join(".git")).expect("removed");
        std::os::unix::fs::symlink(".git", t.work().join(".git")).expect("linked");
    }),
    (".git lies elsewhere", |t, _| {
        fs::rename(t.work().join(".git"), t.root().join("store")).expect("moved");
        t.write(".git", "gitdir: ../store\n");
    }),
    ("an unknown extension", |t, _| {
        t.git(["config", "core.repositoryFormatVersion", "1"]);
        t.git(["config", "extensions.fromTheFuture", "true"]);
    }),
    ("a newer format", |t, _| {
        t.git(["config", "core.repositoryFormatVersion", "99"]);
    }),
    ("a sparse checkout", |t, _| {
        t.git(["sparse-checkout", "set", "--no-cone", "/a.txt"]);
    }),
    ("a split index", |t, _| {
        t.git(["update-index", "--split-index"]);
    }),
    ("another owner", |_, c| {
        c.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
    }),
    ("variables without a repository", |_, c| {
        c.env("GIT_DIR", "/nowhere");
    }),
    ("a bare repository by variables", |t, c| {
        c.env("GIT_DIR", t.work().join(".git")).env("GIT_WORK_TREE", t.work());
    }),
    ("a work tree elsewhere", |t, _| {
        t.git(["config", "core.worktree", "../../work"]);
    }),
    ("no HOME", |_, c| {
        c.env_remove("HOME").env_remove("AH_HOME");
    }),
    ("HOME is relative", |_, c| {
        c.env("HOME", "home").env_remove("AH_HOME");
    }),
    ("HOME is a file", |t, c| {
        c.env("HOME", t.work().join("a.txt")).env_remove("AH_HOME");
    }),
    ("AH_HOME is a file", |t, c| {
        c.env("AH_HOME", t.work().join("a.txt"));
    }),
    ("settings are no JSON", |t, _| settings(t, "{\"git_guard\": {\"hooks\": \"off\"}} x")),
    ("settings are of wrong types", |t, _| {
        settings(t, "{\"git_guard\": {\"verdicts\": [1], \"protected\": \"x\", \"on_loss\": {}, \"fail\": null}, \"off\": 5}");
    }),
    ("settings are not UTF-8", |t, _| {
        settings(t, "");
        fs::write(t.root().join("ah/config/config.json"), b"{\"x\": \"\xff\"}").expect("written");
    }),
    ("settings are a folder", |t, _| fs::create_dir_all(t.root().join("ah/config/config.json")).expect("made")),
    ("settings are deep", |t, _| settings(t, &"[".repeat(100_000))),
    ("settings are huge", |t, _| settings(t, &format!("{{\"git_guard\": {{\"hooks\": \"off\"}}}}{}", " ".repeat(20 << 20)))),
    ("settings of the repository are garbage", |t, _| t.write(".ah/config.json", "{{{{")),
    ("settings of a newer version", |t, _| {
        settings(t, "{\"v\": 99, \"git_guard\": {\"verdicts\": {\"tree.discard\": \"allow\"}}}")
    }),
    ("odd variables", |_, c| {
        c.env("AH_PROFILE", "\u{1f600}").env("GIT_CONFIG_COUNT", "x").env("LC_ALL", "xx_YY.ISO-8859-15").env("TMPDIR", "");
    }),
];

fn settings(t: &TestRepo, text: &str) {
    fs::create_dir_all(t.root().join("ah/config")).expect("made");
    fs::write(t.root().join("ah/config/config.json"), text).expect("written");
}

/// Runs the command for real, as the guard's surroundings would have it, and says whether the edit is gone.
fn loses(t: &TestRepo, like: &Command) -> bool {
    let mut git = Command::new("git");
    git.args(["reset", "--hard"]).current_dir(t.work()).env_clear();
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => git.env(name, value),
            None => git.env_remove(name),
        };
    }
    git.output().expect("git runs");
    fs::read_to_string(t.work().join("a.txt")).is_ok_and(|text| !text.contains("edited"))
}

#[test]
fn a_broken_place_never_lets_a_loss_through() {
    let (mut wrong, mut lost) = (Vec::new(), 0);
    for (name, prepare) in PLACES {
        let t = dirty();
        let event = losing(&t);
        let mut command = guard(&t);
        prepare(&t, &mut command);
        let run = feed(&mut command, event.as_bytes());
        let verdict = run.verdict();
        if loses(&t, &command) {
            lost += 1;
            if verdict == "allow" {
                wrong.push(*name);
            }
        }
    }
    assert!(wrong.is_empty(), "let through: {wrong:?}");
    assert!(lost >= 20, "only {lost} places in which git goes on");
}

#[test]
fn other_kinds_of_repository_are_judged_too() {
    let edited = |t: &TestRepo, expected: &str| {
        let run = hook(t, &bash(t, RESET));
        assert_eq!(run.verdict(), expected, "{}", run.stdout);
    };
    for args in [&["--ref-format=reftable"][..], &["--object-format=sha256"]] {
        let t = TestRepo::fresh(args);
        t.commit("a.txt", "alpha\n");
        edited(&t, "allow");
        t.write("a.txt", "edited\n");
        edited(&t, "deny");
    }
    let t = TestRepo::new();
    t.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", t.work().display());
    t.git_in(&t.root(), ["clone", "-q", "--filter=blob:none", &url, "partial"]);
    fs::rename(t.work(), t.root().join("gone")).expect("moved");
    fs::rename(t.root().join("partial"), t.work()).expect("moved");
    edited(&t, "allow");
    t.write("a.txt", "edited\n");
    edited(&t, "deny");

    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "bare"]);
    for line in [RESET, "git clean -fd", "git stash drop"] {
        let run = hook(&t, &claude(&t.root().join("bare"), "Bash", json!({"command": line})));
        assert_eq!(run.verdict(), "allow", "nothing to lose in a bare repository: {line}");
    }
    // Submodules and linked trees have a file for a git directory.
    let t = TestRepo::new();
    t.git(["worktree", "add", "-q", "../tree"]);
    fs::write(t.root().join("tree/a.txt"), "edited\n").expect("written");
    let run = hook(&t, &claude(&t.root().join("tree"), "Bash", json!({"command": RESET})));
    assert_eq!(run.verdict(), "deny");
}

#[test]
fn without_git_a_losing_command_is_not_let_through() {
    let t = dirty();
    for path in ["", "/nowhere", "relative", "."] {
        let run = feed(guard(&t).env("PATH", path), losing(&t).as_bytes());
        assert_ne!(run.verdict(), "allow", "PATH={path}: {run:?}");
        let run = feed(guard(&t).env("PATH", path), bash(&t, "git status").to_string().as_bytes());
        assert_eq!(run.verdict(), "allow");
    }
    assert_ne!(feed(guard(&t).env_remove("PATH"), losing(&t).as_bytes()).verdict(), "allow");
}

/// Makes everything below a folder, links aside, belong to `nobody`.
fn give_away(path: &Path) {
    let meta = fs::symlink_metadata(path).expect("there");
    if meta.is_symlink() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).expect("given");
    if meta.is_dir() {
        fs::read_dir(path).expect("listed").flatten().for_each(|e| give_away(&e.path()));
    }
}

const NOBODY: u32 = 65_534;

/// Runs the guard as somebody whom permissions stop, whoever runs the tests.
fn as_nobody(t: &TestRepo, event: &str, prepare: impl FnOnce()) -> Run {
    let mut command = guard(t);
    if fs::metadata(t.root()).expect("there").uid() == 0 {
        let copy = t.root().join("ah-git-guard");
        fs::copy(GUARD, &copy).expect("copied");
        give_away(&t.root());
        let mut other = Command::new(copy);
        other.env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah")).uid(NOBODY).gid(NOBODY);
        command = other;
    }
    prepare();
    command.current_dir("/");
    feed(&mut command, event.as_bytes())
}

#[test]
fn permissions_that_are_missing_never_let_a_loss_through() {
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode)).expect("changed");
    let t = dirty();
    fs::create_dir_all(t.root().join("ah")).expect("made");
    let run = as_nobody(&t, &losing(&t), || {
        mode(&t.root().join("home"), 0o500);
        mode(&t.root().join("ah"), 0o500);
    });
    assert_eq!(run.verdict(), "deny", "a home that cannot be written");
    let t = dirty();
    settings(&t, "{}");
    let run = as_nobody(&t, &losing(&t), || mode(&t.root().join("ah/config/config.json"), 0));
    assert_eq!(run.verdict(), "deny", "settings that cannot be read");
    let t = dirty();
    let run = as_nobody(&t, &losing(&t), || mode(&t.work().join(".git/index"), 0));
    assert_ne!(run.verdict(), "deny", "git cannot read it either: a question or silence");
    let t = dirty();
    let run = as_nobody(&t, &losing(&t), || mode(&t.work(), 0));
    assert_eq!(run.verdict(), "allow", "nobody can work there");
    mode(&t.work(), 0o700);
    let t = dirty();
    let run = as_nobody(&t, &losing(&t), || mode(&t.root().join("home/.gitconfig"), 0));
    run.answer();
}
