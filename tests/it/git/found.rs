//! Discovery against `git rev-parse`, over combinations of place, environment and settings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ah::git::{Repo, Vars};

use crate::support::TestRepo;

/// Git directory, shared directory and top of the work tree; `None` where git finds no repository or gives up.
type Found = Option<(PathBuf, PathBuf, Option<PathBuf>)>;

fn as_git(dir: &Path, vars: &Vars) -> Found {
    let ask = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(dir).env_clear().envs(vars.iter());
        let out = command.output().expect("git runs");
        let text = String::from_utf8(out.stdout).expect("text");
        out.status.success().then(|| text.trim_end_matches('\n').to_owned())
    };
    let real = |text: String| fs::canonicalize(dir.join(text)).expect("it exists");
    let git_dir = real(ask(&["rev-parse", "--absolute-git-dir"])?);
    let common = real(ask(&["rev-parse", "--git-common-dir"])?);
    let top = ask(&["rev-parse", "--show-toplevel"]).filter(|t| !t.is_empty()).map(real);
    Some((git_dir, common, top))
}

fn as_we(dir: &Path, vars: &Vars) -> Found {
    let repo = Repo::discover(dir, vars).ok()??;
    let real = |path: &PathBuf| fs::canonicalize(path).expect("it exists");
    Some((real(&repo.git_dir), real(&repo.common_dir), repo.work_tree.as_ref().map(real)))
}

#[test]
fn as_git_finds_it() {
    let t = TestRepo::new();
    let root = t.root();
    t.write("deep/er/x", "x");
    t.git(["add", "-A"]);
    t.git(["commit", "-qm", "deep"]);
    t.git_in(&root, ["clone", "-q", "--bare", "work", "bare.git"]);
    t.git(["worktree", "add", "-q", "../linked"]);
    t.git(["submodule", "--quiet", "add", "../bare.git", "sub"]);
    t.git_in(&root, ["init", "-q", "--separate-git-dir", "apart.git", "apart"]);
    t.git_in(&root, ["init", "-q", "moved"]);
    t.git_in(&root.join("moved"), ["config", "core.worktree", "../../elsewhere"]);
    fs::create_dir_all(root.join("elsewhere/in")).expect("made");
    t.git_in(&root, ["init", "-q", "flagged"]);
    t.git_in(&root.join("flagged"), ["config", "core.bare", "true"]);
    t.git_in(&root, ["init", "-q", "own"]);
    t.git_in(&root.join("own"), ["config", "extensions.worktreeConfig", "true"]);
    t.git_in(&root.join("own"), ["config", "--worktree", "core.bare", "true"]);
    std::os::unix::fs::symlink(root.join("work/.git"), root.join("elsewhere/.git")).expect("a link");
    fs::create_dir_all(root.join("plain")).expect("made");

    let places = [
        "apart",
        "bare.git",
        "bare.git/refs",
        "elsewhere",
        "elsewhere/in",
        "flagged",
        "linked",
        "linked/deep",
        "moved",
        "own",
        "plain",
        "work",
        "work/.git",
        "work/.git/refs/heads",
        "work/.git/worktrees/linked",
        "work/deep/er",
        "work/sub",
        "work/sub/deep",
    ];
    let in_root = |name: &str| root.join(name).into_os_string();
    let environments: Vec<Vec<(&str, std::ffi::OsString)>> = vec![
        vec![],
        vec![("GIT_DIR", in_root("work/.git"))],
        vec![("GIT_DIR", in_root("bare.git"))],
        vec![("GIT_DIR", in_root("linked/.git"))],
        vec![("GIT_DIR", in_root("moved/.git"))],
        vec![("GIT_DIR", in_root("flagged/.git"))],
        vec![("GIT_DIR", in_root("nowhere"))],
        vec![("GIT_DIR", ".".into())],
        vec![("GIT_DIR", "".into())],
        vec![("GIT_DIR", ".git".into())],
        vec![("GIT_DIR", in_root("work/.git")), ("GIT_WORK_TREE", in_root("plain"))],
        vec![("GIT_DIR", in_root("bare.git")), ("GIT_WORK_TREE", ".".into())],
        vec![("GIT_WORK_TREE", in_root("plain"))],
        vec![("GIT_WORK_TREE", "..".into())],
        vec![("GIT_WORK_TREE", "".into())],
        vec![("GIT_IMPLICIT_WORK_TREE", "0".into()), ("GIT_DIR", in_root("work/.git"))],
        vec![("GIT_COMMON_DIR", in_root("work/.git"))],
        vec![("GIT_CEILING_DIRECTORIES", in_root("work"))],
        vec![("GIT_CEILING_DIRECTORIES", in_root("work/deep"))],
        vec![("GIT_CEILING_DIRECTORIES", in_root("elsewhere"))],
        vec![("GIT_CEILING_DIRECTORIES", "relative:".into())],
    ];
    let mut wrong = Vec::new();
    for place in places {
        for environment in &environments {
            let mut vars = t.vars();
            for (name, value) in environment {
                vars.set(*name, value);
            }
            let dir = root.join(place);
            let (we, git) = (as_we(&dir, &vars), as_git(&dir, &vars));
            if we != git {
                wrong.push(format!("in {place} with {environment:?}: {we:?}, not {git:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
