//! The snapshot before a call goes on: the commits, entries and contents that this call would lose are in it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::guard_run::{bash, call, feed, guard};
use crate::snapshot_read::{files, git, manifest, snapshot, store, unpacked};
use crate::support::TestRepo;

/// What a hook says of a command where every local loss goes on after a snapshot; the manifest of that.
fn kept(t: &TestRepo, command: &str) -> (PathBuf, Value) {
    let mut hook = guard(t);
    hook.env("AH_ON_LOSS", "snapshot");
    let (verdict, text) = feed(&mut hook, bash(t, command).to_string().as_bytes()).answer();
    assert_eq!(verdict, "note", "{command}: {text}");
    let run = call(t, ["snapshots", "--json"]);
    let list: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let newest = &list["snapshots"][0];
    assert_eq!((&newest["kind"], &newest["command"]), (&"command".into(), &command.into()));
    assert_eq!(newest["session"], "11111111-1111-4111-8111-111111111111");
    let (store, id) = (store(t, "work"), newest["id"].as_str().expect("an id").to_owned());
    let manifest = manifest(&store, &id);
    assert_eq!(manifest["uncovered"], json!([]), "{command}");
    (store, manifest)
}

/// The pack of the first part, by itself.
fn pack(t: &TestRepo, store: &std::path::Path, manifest: &Value) -> PathBuf {
    unpacked(t, &store.join(format!("ah/packs/{}.pack", manifest["id"].as_str().unwrap())), "sha1")
}

fn published() -> TestRepo {
    let t = TestRepo::new();
    t.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    t
}

#[test]
fn an_amended_commit() {
    let t = published();
    let old = t.commit("b.txt", "not pushed\n");
    t.write("b.txt", "better\n");
    t.git(["add", "b.txt"]);
    let (store, manifest) = kept(&t, "git commit --amend -qm better");
    let part = &manifest["parts"][0];
    assert_eq!((&part["tips"], &part["whole"]), (&json!([old.as_str()]), &json!(false)));
    assert!(part["refs"].as_array().unwrap().contains(&json!(["refs/heads/main", old.as_str()])));
    let there = pack(&t, &store, &manifest);
    assert_eq!(git(&there, &["cat-file", "blob", &format!("{old}:b.txt")]), b"not pushed\n");
}

#[test]
fn a_branch_and_a_hard_reset() {
    let t = published();
    t.git(["switch", "-qc", "side"]);
    let old = t.commit("side.txt", "only here\n");
    t.git(["switch", "-q", "main"]);
    t.git(["reflog", "expire", "--expire=now", "--all"]);
    let (store, manifest) = kept(&t, "git branch -D side");
    assert_eq!(manifest["parts"][0]["tips"], json!([old.as_str()]));
    assert!(manifest["parts"][0]["refs"].as_array().unwrap().contains(&json!(["refs/heads/side", old.as_str()])));
    assert_eq!(git(&pack(&t, &store, &manifest), &["cat-file", "blob", &format!("{old}:side.txt")]), b"only here\n");
    t.write("a.txt", "edited\n");
    t.write("new.txt", "staged\n");
    t.git(["add", "new.txt"]);
    t.write("apart.txt", "untracked: not in its way\n");
    let (store, manifest) = kept(&t, "git reset --hard");
    let held = files(&store, manifest["id"].as_str().unwrap());
    assert_eq!(held[&t.work().join("a.txt")], b"edited\n");
    assert_eq!(held[&t.work().join("new.txt")], b"staged\n");
    assert!(!held.contains_key(&t.work().join("apart.txt")));
    assert_eq!(manifest["parts"][0]["staged"][0]["path"], t.work().join("new.txt").to_str().unwrap());
}

#[test]
fn stash_entries() {
    let t = published();
    for n in 0..3 {
        t.write("a.txt", format!("stashed {n}\n"));
        t.git(["stash", "-q"]);
    }
    let all = t.git(["stash", "list", "--format=%H"]);
    let oids: Vec<&str> = all.lines().collect();
    let (store, manifest) = kept(&t, "git stash drop stash@{1}");
    let stashes = manifest["parts"][0]["stashes"].as_array().unwrap();
    assert_eq!((stashes.len(), &stashes[0][0]), (1, &oids[1].into()));
    let blob = git(&pack(&t, &store, &manifest), &["cat-file", "blob", &format!("{}:a.txt", oids[1])]);
    assert_eq!(blob, b"stashed 1\n");
    let (_, manifest) = kept(&t, "git stash clear");
    let held: Vec<&str> = manifest["parts"][0]["stashes"].as_array().unwrap().iter().map(|s| s[0].as_str().unwrap()).collect();
    assert_eq!(held, oids.iter().rev().copied().collect::<Vec<_>>());
}

#[test]
fn a_whole_repository() {
    let t = published();
    let tip = t.commit("b.txt", "b\n");
    t.git(["branch", "side"]);
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    t.write("a.txt", "edited\n");
    t.write("sub/note.txt", "untracked\n");
    for command in ["rm -rf .git", "rm -rf ../work"] {
        let (store, manifest) = kept(&t, command);
        let part = &manifest["parts"][0];
        assert_eq!((&part["whole"], &part["tip"]), (&true.into(), &tip.as_str().into()), "{command}");
        assert_eq!(part["stashes"].as_array().unwrap().len(), 1);
        assert!(part["config"].as_str().unwrap().contains("[core]"));
        let there = pack(&t, &store, &manifest);
        for named in part["refs"].as_array().unwrap() {
            git(&there, &["update-ref", named[0].as_str().unwrap(), named[1].as_str().unwrap()]);
        }
        git(&there, &["fsck", "--full", "--strict", "--connectivity-only"]);
        let held = files(&store, manifest["id"].as_str().unwrap());
        assert_eq!(held[&t.work().join("a.txt")], b"edited\n");
        assert_eq!(held[&t.work().join("sub/note.txt")], b"untracked\n");
        fs::remove_dir_all(there).unwrap();
    }
}

#[test]
fn a_bare_repository_and_one_nested_in_what_goes() {
    let t = published();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "bare.git"]);
    let bare = t.root().join("bare.git");
    let (id, run) = snapshot(&t, &["--cwd", bare.to_str().unwrap()]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let part = manifest(&store(&t, "bare_git"), &id)["parts"][0].clone();
    assert_eq!((&part["whole"], &part["files"]), (&true.into(), &json!([])));
    t.git(["init", "-q", "lib/nested"]);
    t.write("lib/nested/n.txt", "n\n");
    let nested = t.work().join("lib/nested");
    t.git_in(&nested, ["add", "."]);
    t.git_in(&nested, ["commit", "-qm", "nested"]);
    t.git(["worktree", "add", "-q", "lib/tree", "-b", "linked"]);
    let (id, _) = snapshot(&t, &["lib"]);
    let parts = manifest(&store(&t, "work"), &id)["parts"].as_array().unwrap().clone();
    let whole = |dir: &str| {
        let root = t.work().join(dir);
        parts.iter().find(|p| p["root"] == root.to_str().unwrap()).unwrap_or_else(|| panic!("{dir}: {parts:?}"))["whole"].clone()
    };
    assert_eq!((whole("lib/nested"), whole("lib/tree")), (true.into(), false.into()));
    assert_eq!(parts.iter().find(|p| p["root"] == t.work().to_str().unwrap()).unwrap()["whole"], false);
}
