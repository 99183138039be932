//! Routing: off wins and leaves no trace, the deepest path owns, links and `..` change nothing.

use crate::ground::{paths_in, write};
use ah::config::Config;
use ah::route::{Off, Repo, Route, Scope, may_sync, route, route_target};
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home with repositories, and a config.
struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for repo in ["home/src/a", "home/src/secret/b", "home/src-repos/c", "home/src/deep/d"] {
            write(&root.join(repo).join(".git/config"), "");
        }
        if !config.is_empty() {
            write(&root.join("home/.config/ah/config.json"), config);
        }
        Self { _dir: dir, root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join("home").join(path)
    }

    fn config(&self) -> Config {
        Config::load_with(&paths_in(&self.root), None, &|_| None).0
    }

    fn route(&self, path: &str) -> Route {
        route(&self.config(), &self.at(path))
    }

    fn collective(&self, path: &str) -> Option<String> {
        self.route(path).scope()?.collective
    }

    fn target(&self, path: &str) -> Route {
        route_target(&self.config(), &paths_in(&self.root), &self.at(path))
    }
}

const CONFIG: &str = r#"{"off": ["~/src/secret"], "default": "off", "collectives": [
  {"name": "work", "paths": ["~/src"], "share": "team"},
  {"name": "deep", "paths": ["~/src/deep"], "share": "local"}]}"#;

#[test]
fn off_wins_then_the_deepest_then_the_default() {
    let world = World::new(CONFIG);
    assert_eq!(world.collective("src/a").as_deref(), Some("work"));
    assert_eq!(world.collective("src/a/src/new/dir").as_deref(), Some("work"));
    assert_eq!(world.collective("src/deep/d").as_deref(), Some("deep"));
    assert_eq!(world.route("src/secret/b"), Route::Off(Off::Listed));
    assert_eq!(world.route("src-repos/c"), Route::Off(Off::Default));
    assert_eq!(world.route("src/a/../secret/b/x"), Route::Off(Off::Listed));
    assert_eq!(world.route("src/none/../a/.").scope().unwrap().collective.as_deref(), Some("work"));
    assert_eq!(world.route("none"), Route::Off(Off::Nowhere));
    let config = world.config();
    for nowhere in ["", "src/a", "\0"] {
        assert_eq!(route(&config, Path::new(nowhere)), Route::Off(Off::Nowhere));
    }
}

#[test]
fn links_on_either_side() {
    let world = World::new(CONFIG);
    symlink(world.at("src/secret"), world.at("link")).unwrap();
    assert_eq!(world.route("link/b"), Route::Off(Off::Listed));
    assert_eq!(world.route("link/b/not/there"), Route::Off(Off::Listed));
    symlink(world.at("src/a"), world.at("src/secret/out")).unwrap();
    assert_eq!(world.route("src/secret/out"), Route::Off(Off::Listed));
    symlink("loop", world.at("src/loop")).unwrap();
    assert_eq!(world.route("src/loop/x"), Route::Off(Off::Nowhere));
    let other = World::new(r#"{"off": ["~/link"]}"#);
    symlink(other.at("src/secret"), other.at("link")).unwrap();
    assert_eq!(other.route("src/secret/b"), Route::Off(Off::Listed));
    assert!(other.route("src/a").scope().is_some());
}

#[test]
fn without_a_word_it_is_this_repository_on_this_machine() {
    for config in ["", r#"{"git_guard": {"on_loss": "deny"}}"#, r#"{"default": "repo"}"#] {
        let world = World::new(config);
        let scope = world.route("src/a/src").scope().unwrap();
        assert_eq!((scope.collective.as_deref(), scope.name.as_str()), (None, "a"));
        assert_eq!(scope.repo, world.at("src/a").to_string_lossy());
        assert!(scope.store.starts_with(".repo-"));
        assert!(!may_sync(&world.config(), &scope));
        assert_eq!(world.route(""), Route::Off(Off::Nowhere));
    }
}

#[test]
fn invalid_and_dangling_are_off() {
    assert_eq!(World::new("{").route("src/a"), Route::Off(Off::Invalid));
    assert_eq!(World::new(r#"{"default": "gone"}"#).route("src/a"), Route::Off(Off::Invalid));
    let world = World::new("");
    let (config, _) = Config::load_with(&paths_in(&world.root), None, &|name| (name == "AH_OFF").then(|| "1".into()));
    assert_eq!(route(&config, &world.at("src/a")), Route::Off(Off::Silent));
}

#[test]
fn the_target_decides() {
    let world = World::new(r#"{"off": ["~/src/secret"]}"#);
    assert!(world.target("src/a/x.rs").scope().is_some());
    assert_eq!(world.target("src/a/../secret/b/x.rs"), Route::Off(Off::Listed));
    write(&world.at("src-repos/c/.ah/config.json"), r#"{"off": true}"#);
    assert_eq!(world.target("src-repos/c/x.rs"), Route::Off(Off::Listed));
    write(&world.at("src-repos/c/.ah/config.json"), "{broken");
    assert_eq!(world.target("src-repos/c/x.rs"), Route::Off(Off::Listed));
    let (config, _) = Config::load_with(&paths_in(&world.root), Some(&world.at("src/a")), &|_| None);
    assert!(route_target(&config, &paths_in(&world.root), &world.at("src/a/y")).scope().is_some());
}

#[test]
fn only_a_team_syncs() {
    let world = World::new(CONFIG);
    let scope = |path: &str| world.route(path).scope().unwrap();
    let config = world.config();
    assert!(may_sync(&config, &scope("src/a")));
    assert!(!may_sync(&config, &scope("src/deep/d")));
    let gone = Scope { collective: Some("gone".into()), store: "gone".into(), ..scope("src/a") };
    assert!(!may_sync(&config, &gone));
    let posing = Scope { store: "DEEP".into(), ..scope("src/a") };
    assert!(!may_sync(&config, &posing));
    let mut invalid = config.clone();
    invalid.invalid = true;
    assert!(!may_sync(&invalid, &scope("src/a")));
}

/// Every path under `dir` with what shows that it was touched.
fn listing(dir: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_path_buf()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                dirs.push(path.clone());
            }
            found.insert(path, (meta.len(), meta.modified().unwrap()));
        }
    }
    found
}

#[test]
fn routing_leaves_no_trace() {
    for config in ["", CONFIG, "{"] {
        let world = World::new(config);
        let before = listing(&world.root);
        for path in ["src/a", "src/secret/b", "src-repos/c", "none"] {
            let _ = (world.route(path), world.target(path));
        }
        assert_eq!(listing(&world.root), before);
    }
}

fn git(dir: &Path, args: &[&str]) {
    let out = Command::new("git")
        .current_dir(dir)
        .env_clear()
        .envs([("HOME", dir), ("GIT_CONFIG_NOSYSTEM", Path::new("1"))])
        .env("PATH", std::env::var_os("PATH").unwrap())
        .args(["-c", "user.name=t", "-c", "user.email=t@example.test", "-c", "protocol.file.allow=always"])
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn linked_trees_and_clones_have_one_id() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let main = root.join("main");
    std::fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&main, &["worktree", "add", "-q", "../tree"]);
    let id = |path: &str| Repo::around(&root.join(path)).unwrap().id();
    assert_eq!(id("main"), main.to_string_lossy());
    assert_eq!(id("tree/not/there"), id("main"));
    git(&main, &["remote", "add", "zz", "https://me:pw@H.test/o/r.git"]);
    assert_eq!(id("tree"), "h.test/o/r");
    git(&main, &["remote", "add", "origin", "git@h.test:o/other"]);
    assert_eq!(id("tree"), "h.test/o/other");
    git(&main, &["submodule", "--quiet", "add", main.to_str().unwrap(), "sub"]);
    assert_ne!(id("main/sub"), id("main"));
    assert_eq!(Repo::around(&root.join("main/sub")).unwrap().root, main.join("sub"));
}

#[test]
fn hostile_repositories_are_none() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for (name, text) in [("a", "gitdir:"), ("b", "gitdir: nowhere"), ("c", "\0\u{1}"), ("d", "gitdir: .git")] {
        write(&root.join(name).join(".git"), text);
        assert_eq!(Repo::around(&root.join(name)), None, "{name}");
    }
    std::fs::create_dir(root.join("e")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("e/.git"), rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(Repo::around(&root.join("e")), None);
    std::fs::create_dir_all(root.join("f/.git")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("f/.git/config"), rustix::fs::Mode::RWXU).unwrap();
    assert_eq!(Repo::around(&root.join("f")).unwrap().id(), root.join("f").to_string_lossy());
}
