//! What a snapshot holds, byte for byte, and what it names that it does not hold.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::guard_run::call;
use crate::snapshot_read::{files, git, manifest, snapshot, store, uncovered, unpacked};
use crate::support::TestRepo;

#[test]
fn every_kind_of_content_is_held_byte_for_byte() {
    let t = TestRepo::new();
    for file in ["b.txt", "gone.txt", "both.txt", "deep/er/c.txt"] {
        t.commit(file, "as committed\n");
    }
    t.write(".gitattributes", "*.crlf text eol=lf\n");
    t.write("a.txt", "edited\n");
    t.write("b.txt", "staged\n");
    t.git(["add", "b.txt"]);
    t.write("both.txt", "staged\n");
    t.git(["add", "both.txt"]);
    t.write("both.txt", "and edited\n");
    fs::remove_file(t.work().join("gone.txt")).unwrap();
    t.write("x.crlf", "a\r\nb\r\n");
    t.write("zeros", [0; 100_000]);
    t.write("empty", "");
    t.write("run.sh", "#!/bin/sh\n");
    fs::set_permissions(t.work().join("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    let odd: [&[u8]; 6] = [b"new\nline", b"-rf", b"quo\"te", b"\xff\xfe", "\u{fc}\u{1f600}".as_bytes(), b" lead"];
    for name in odd {
        t.write(Path::new("odd").join(OsStr::from_bytes(name)), name);
    }
    symlink("/etc/passwd", t.work().join("link")).unwrap();
    let (id, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let store = store(&t, "work");
    let held = files(&store, &id);
    let at = |name: &str| held[&t.work().join(name)].as_slice();
    assert_eq!(at("a.txt"), b"edited\n");
    assert_eq!((at("b.txt"), at("both.txt")), (&b"staged\n"[..], &b"and edited\n"[..]));
    assert_eq!((at("gone.txt"), at("link")), (&b"absent"[..], &b"-> /etc/passwd"[..]));
    assert_eq!((at("x.crlf"), at("empty")), (&b"a\r\nb\r\n"[..], &b""[..]));
    assert_eq!(at("zeros"), [0; 100_000]);
    for name in odd {
        assert_eq!(held[&t.work().join("odd").join(OsStr::from_bytes(name))], name);
    }
    assert_eq!(held.len(), 16, "what is as in HEAD is not kept: {:?}", held.keys());
    let part = &manifest(&store, &id)["parts"][0];
    let mode = |name: &str| {
        let path = t.work().join(name);
        let all = part["files"].as_array().unwrap();
        all.iter().find(|f| f["path"] == path.to_str().unwrap()).unwrap()["mode"].as_u64()
    };
    assert_eq!(mode("run.sh"), Some(0o751));
    assert_eq!(part["head"], "refs/heads/main");
    assert_eq!(part["tip"], t.oid("HEAD").as_str());
    let staged: Vec<_> = part["staged"].as_array().unwrap().iter().map(|s| s["path"].as_str().unwrap()).collect();
    assert_eq!(staged, [t.work().join("b.txt"), t.work().join("both.txt")].map(|p| p.to_str().unwrap().to_owned()));
}

#[test]
fn the_index_and_local_commits_are_held_beyond_the_repository() {
    let t = TestRepo::new();
    t.commit("a.txt", "two\n");
    t.git(["branch", "side", "HEAD~1"]);
    t.git(["tag", "-a", "-m", "note", "v1", "HEAD"]);
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    t.write("a.txt", "stashed once more\n");
    t.git(["stash", "-q"]);
    t.write("a.txt", "staged\n");
    t.git(["add", "a.txt"]);
    t.git(["rm", "-q", "--cached", "a.txt"]);
    t.write("b.txt", "staged only\n");
    t.git(["add", "b.txt"]);
    fs::remove_file(t.work().join("b.txt")).unwrap();
    let refs = t.git(["for-each-ref", "--format=%(refname) %(objectname)"]);
    let stashes = t.git(["stash", "list", "--format=%H"]);
    let blob = t.oid(":b.txt");
    let (id, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    fs::remove_dir_all(t.work()).unwrap();
    let store = store(&t, "work");
    let part = &manifest(&store, &id)["parts"][0];
    let there = unpacked(&t, &store.join(format!("ah/packs/{id}.pack")), "sha1");
    for (name, oid) in refs.lines().map(|line| line.split_once(' ').unwrap()) {
        let recorded = part["refs"].as_array().unwrap().iter().find(|r| r[0] == name).unwrap();
        assert_eq!(recorded[1], oid);
        git(&there, &["update-ref", name, oid]);
    }
    let listed: Vec<&str> = stashes.lines().rev().collect();
    let held: Vec<&str> = part["stashes"].as_array().unwrap().iter().map(|s| s[0].as_str().unwrap()).collect();
    assert_eq!(held, listed, "oldest first");
    assert!(part["stashes"][0][1].as_str().unwrap().starts_with("WIP on main"));
    held.iter().for_each(|oid| drop(git(&there, &["rev-list", "--objects", oid])));
    assert_eq!(git(&there, &["cat-file", "blob", blob.as_str()]), b"staged only\n");
    git(&there, &["fsck", "--full", "--strict"]);
    let staged = &part["staged"];
    assert_eq!((&staged[0]["mode"], &staged[0]["oid"]), (&"0".into(), &"".into()), "{staged}");
    assert_eq!((&staged[1]["mode"], &staged[1]["oid"]), (&"100644".into(), &blob.as_str().into()));
    assert_eq!(part["whole"], true);
    assert!(part["config"].as_str().unwrap().contains("repositoryformatversion"));
}

#[test]
fn what_a_remote_has_is_not_stored_again() {
    let t = TestRepo::new();
    for n in 0..20 {
        t.commit("big.txt", &format!("{n} {}", "x".repeat(50_000)));
    }
    t.git(["update-ref", "refs/remotes/origin/main", "HEAD"]);
    t.write("a.txt", "edited\n");
    let (id, _) = snapshot(&t, &[]);
    let store = store(&t, "work");
    assert_eq!(manifest(&store, &id)["parts"][0]["tips"], Value::Array(vec![]));
    assert!(!store.join(format!("ah/packs/{id}.pack")).exists());
    let mine = t.commit("a.txt", "not pushed\n");
    let (id, _) = snapshot(&t, &[]);
    let part = &manifest(&store, &id)["parts"][0];
    assert_eq!((&part["tips"][0], &part["whole"]), (&mine.as_str().into(), &false.into()));
    let size = fs::metadata(store.join(format!("ah/packs/{id}.pack"))).unwrap().len();
    assert!(size < 5_000, "{size}");
}

#[test]
fn a_conflict_is_held_with_all_its_sides() {
    let t = TestRepo::new();
    t.git(["switch", "-qc", "other"]);
    t.commit("a.txt", "theirs\n");
    t.git(["switch", "-q", "main"]);
    t.commit("a.txt", "ours\n");
    t.try_git(&t.work(), ["merge", "-q", "other"]);
    t.write("a.txt", "resolved by hand\n");
    let (id, _) = snapshot(&t, &[]);
    let store = store(&t, "work");
    assert_eq!(files(&store, &id)[&t.work().join("a.txt")], b"resolved by hand\n");
    let part = &manifest(&store, &id)["parts"][0];
    let stages: Vec<_> =
        part["staged"].as_array().unwrap().iter().map(|s| (s["stage"].as_u64().unwrap(), s["mode"].clone())).collect();
    assert_eq!(stages, [1, 2, 3].map(|n| (n, Value::from("100644"))));
    let there = unpacked(&t, &store.join(format!("ah/packs/{id}.pack")), "sha1");
    let text = |n: usize| git(&there, &["cat-file", "blob", part["staged"][n]["oid"].as_str().unwrap()]);
    assert_eq!((text(1), text(2)), (b"ours\n".to_vec(), b"theirs\n".to_vec()));
}

#[test]
fn one_id_holds_nested_repositories_and_submodules_each_as_a_part() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    t.write("sub/a.txt", "inside the submodule\n");
    t.git(["init", "-q", "lib/nested"]);
    t.write("lib/nested/n.txt", "nested\n");
    t.write("a.txt", "outside\n");
    let (id, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let store = store(&t, "work");
    let roots: Vec<String> =
        manifest(&store, &id)["parts"].as_array().unwrap().iter().map(|p| p["root"].as_str().unwrap().to_owned()).collect();
    let mut expected = ["", "sub", "lib/nested"].map(|p| t.work().join(p).to_str().unwrap().trim_end_matches('/').to_owned());
    expected.sort();
    let mut sorted = roots.clone();
    sorted.sort();
    assert_eq!(sorted, expected, "{roots:?}");
    let held = files(&store, &id);
    assert_eq!(held[&t.work().join("sub/a.txt")], b"inside the submodule\n");
    assert_eq!(held[&t.work().join("lib/nested/n.txt")], b"nested\n");
    assert_eq!(held[&t.work().join("a.txt")], b"outside\n");
}

#[test]
fn paths_alone_and_whole_repositories() {
    let t = TestRepo::new();
    t.write("a.txt", "edited\n");
    t.write("b.txt", "not wanted\n");
    t.write("d/e/f.txt", "below\n");
    t.write(".gitignore", "*.log\n");
    t.write("x.log", "ignored, and wanted by name\n");
    let (id, run) = snapshot(&t, &["a.txt", "d", "x.log", "d/e/none"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let store = store(&t, "work");
    let names: Vec<PathBuf> = files(&store, &id).into_keys().collect();
    assert_eq!(names, ["a.txt", "d/e/f.txt", "x.log"].map(|name| t.work().join(name)));
    assert_eq!(manifest(&store, &id)["parts"][0]["whole"], false);
    let (id, _) = snapshot(&t, &[".git"]);
    let part = manifest(&store, &id)["parts"][0].clone();
    assert_eq!((&part["whole"], part["files"].as_array().unwrap().len()), (&true.into(), 4));
    // As a directory of which all is to be kept.
    let (id, _) = snapshot(&t, &["."]);
    assert_eq!(manifest(&store, &id)["parts"][0]["whole"], true);
}

#[test]
fn a_repository_without_commits_is_held_whole_too() {
    let t = TestRepo::fresh(&[]);
    t.write("a.txt", "staged\n");
    t.git(["add", "a.txt"]);
    let blob = t.oid(":a.txt");
    let (id, _) = snapshot(&t, &[".git"]);
    let store = store(&t, "work");
    let part = &manifest(&store, &id)["parts"][0];
    assert_eq!((&part["whole"], &part["tip"], &part["head"]), (&true.into(), &"".into(), &"refs/heads/main".into()));
    fs::remove_dir_all(t.work().join(".git")).unwrap();
    let back = call(&t, ["restore", &id, "--yes"]);
    assert_eq!(back.code, Some(0), "{back:?}");
    assert_eq!(t.git(["ls-files", "-s"]), format!("100644 {blob} 0\ta.txt"));
    assert_eq!(t.git(["cat-file", "blob", blob.as_str()]), "staged");
}

#[test]
fn files_in_no_repository_and_odd_things() {
    let t = TestRepo::nothing();
    t.write("one.txt", "1\n");
    t.write("deep/two.txt", "2\n");
    fs::create_dir_all(t.work().join("hollow")).unwrap();
    let _socket = UnixListener::bind(t.work().join("sock")).unwrap();
    assert!(Command::new("mkfifo").arg(t.work().join("fifo")).status().unwrap().success());
    let (id, run) = snapshot(&t, &["."]);
    assert_eq!(run.code, Some(1), "not all of it is held: {run:?}");
    // The directory itself is what lies in no repository.
    let store = store(&t, "work");
    let names: Vec<PathBuf> = files(&store, &id).into_keys().collect();
    assert_eq!(names, ["deep/two.txt", "one.txt"].map(|name| t.work().join(name)));
    let left = uncovered(&store, &id);
    let why = |name: &str| left[t.work().join(name).to_str().unwrap()].clone();
    assert_eq!((why("fifo"), why("sock")), ("a socket, FIFO or device".into(), "a socket, FIFO or device".into()));
    assert_eq!(why("hollow"), "empty directory");
    assert!(run.stdout.contains("hollow") && run.stdout.contains("empty directory"), "{run:?}");
}

#[test]
fn bounds_are_kept_and_what_is_beyond_is_named() {
    let t = TestRepo::new();
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    let bounds = |text: &str| {
        fs::write(t.root().join("ah/config/config.json"), format!("{{\"git_guard\":{{\"snapshot\":{text}}}}}")).unwrap();
    };
    t.write("big", vec![b'x'; 1_100_000]);
    t.write("one", vec![b'1'; 900_000]);
    t.write("two", vec![b'2'; 900_000]);
    t.write("three", vec![b'3'; 900_000]);
    let why = |id: &str, name: &str| {
        let store = store(&t, "work");
        uncovered(&store, id).get(t.work().join(name).to_str().unwrap()).cloned()
    };
    bounds("{\"max_file_mb\":1,\"max_mb\":2}");
    let (id, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(why(&id, "big").as_deref(), Some("larger than 1 MiB"));
    assert_eq!((why(&id, "one"), why(&id, "two").as_deref()), (None, Some("more than 2 MiB in all")));
    bounds("{\"max_files\":2}");
    let (id, run) = snapshot(&t, &[]);
    assert_eq!((run.code, why(&id, "two").as_deref()), (Some(1), Some("more than 2 files")));
    assert_eq!(files(&store(&t, "work"), &id).len(), 2);
    // Commits that do not fit are named too, and files are held all the same.
    for n in 0..4 {
        t.commit("noise", &noise(700_000, n));
    }
    for file in ["big", "one", "two", "three"] {
        fs::remove_file(t.work().join(file)).unwrap();
    }
    t.write("a.txt", "edited\n");
    bounds("{\"max_mb\":1}");
    let (id, run) = snapshot(&t, &[]);
    assert_eq!(run.code, Some(1));
    let left = uncovered(&store(&t, "work"), &id);
    assert!(left.iter().any(|(what, why)| what.contains("commits") && why == "larger than 1 MiB"), "{left:?}");
    assert!(files(&store(&t, "work"), &id).contains_key(&t.work().join("a.txt")));
    assert_eq!(manifest(&store(&t, "work"), &id)["parts"][0]["whole"], false);
}

/// Text that does not get smaller.
fn noise(length: usize, seed: u64) -> String {
    let mut dice = crate::dice::Dice(seed + 1);
    (0..length).map(|_| char::from(b'!' + dice.roll(90) as u8)).collect()
}

#[test]
fn secrets_and_filtered_paths_are_private_side_files_with_the_bytes_as_they_are() {
    let t = TestRepo::new();
    t.write(".gitattributes", "*.lock filter=crypt\n");
    t.write(".gitignore", "*.pem\n");
    t.git(["config", "filter.crypt.clean", "tr a-z A-Z"]);
    t.git(["config", "filter.crypt.smudge", "tr A-Z a-z"]);
    t.write("db.lock", "plain text\n");
    t.write(".env", "KEY=1\n");
    t.write("server.pem", "ignored, and a secret\n");
    t.write("notes.txt", "no secret\n");
    let (id, _) = snapshot(&t, &[]);
    let store = store(&t, "work");
    let held = files(&store, &id);
    assert_eq!(held[&t.work().join("db.lock")], b"plain text\n");
    assert_eq!(held[&t.work().join("server.pem")], b"ignored, and a secret\n");
    let sides: Vec<_> = fs::read_dir(store.join("ah/sides").join(&id)).unwrap().flatten().collect();
    assert_eq!(sides.len(), 3);
    for side in sides {
        assert_eq!(side.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let objects = git(&store, &["cat-file", "--batch-all-objects", "--batch", "--buffer"]);
    let has = |text: &[u8]| objects.windows(text.len()).any(|w| w == text);
    assert!(has(b"no secret") && !has(b"plain text") && !has(b"KEY=1") && !has(b"PLAIN TEXT"));
}

#[test]
fn a_link_above_a_path_is_no_way_around() {
    let t = TestRepo::new();
    t.write("d/big", vec![b'x'; 1_100_000]);
    fs::create_dir_all(t.root().join("ah/config")).unwrap();
    fs::write(t.root().join("ah/config/config.json"), "{\"git_guard\":{\"snapshot\":{\"max_file_mb\":1}}}").unwrap();
    symlink("d", t.work().join("way")).unwrap();
    let (id, run) = snapshot(&t, &["way/big", "a.txt"]);
    assert_eq!(run.code, Some(1));
    let given = t.work().join("way/big");
    assert!(run.stdout.contains(given.to_str().unwrap()), "it is named as it was given: {run:?}");
    assert!(!files(&store(&t, "work"), &id).keys().any(|path| path.ends_with("big")));
}

#[test]
fn a_command_outside_of_everything_says_what_is_wrong() {
    let t = TestRepo::new();
    let run = call(&t, ["snapshot", "--cwd", "no/such/place"]);
    assert_eq!(run.code, Some(66), "{run:?}");
    let run = call(&t, ["snapshot", "no/such/file"]);
    assert!(run.stdout.len() == 5, "an empty snapshot, whose parts say where HEAD was: {run:?}");
}
