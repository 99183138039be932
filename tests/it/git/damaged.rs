//! Repositories with broken files: no reader panics, hangs or leaves the repository.

use std::fs;

use ah::git::{Config, Repo};

use crate::support::TestRepo;

#[test]
fn damaged_files_are_survived() {
    let t = TestRepo::new();
    t.git(["branch", "side"]);
    t.git(["pack-refs", "--all"]);
    t.commit("a.txt", "stashed on\n");
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    t.git(["worktree", "add", "-q", "../other"]);
    t.write(".git/rebase-merge/head-name", "refs/heads/side\n");
    let files = [
        "HEAD",
        "config",
        "logs/HEAD",
        "logs/refs/stash",
        "packed-refs",
        "rebase-merge/head-name",
        "refs/heads/main",
        "worktrees/other/HEAD",
        "worktrees/other/commondir",
        "worktrees/other/gitdir",
    ];
    let originals: Vec<Vec<u8>> = files.iter().map(|f| fs::read(t.work().join(".git").join(f)).expect("read")).collect();
    let mut seed = 3_u64;
    let mut next = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let look = || {
        for dir in [t.work(), t.root().join("other")] {
            let Ok(Some(repo)) = Repo::discover(&dir, &t.vars()) else {
                continue;
            };
            let config = Config::load(Some(&repo), &t.vars());
            let _ = (repo.head(), repo.refs("refs/"), repo.find("side"), repo.stashes(), repo.reflog("HEAD"));
            let _ = (
                repo.operations(),
                repo.hooks(&config, &t.vars()),
                repo.linked_trees(),
                repo.submodules(),
                repo.main_tree(),
                repo.main_head(),
            );
        }
    };
    for _ in 0..400 {
        let which = next(files.len());
        let file = t.work().join(".git").join(files[which]);
        let mut bytes = originals[which].clone();
        match next(4) {
            0 => bytes.truncate(next(bytes.len())),
            1 => bytes = vec![b"\0\xff\n ./"[next(6)]; next(300)],
            _ => {
                for _ in 0..=next(4) {
                    let at = next(bytes.len());
                    bytes[at] = b"\0\xff\n\t ./:[]\"\\ag0"[next(15)];
                }
            }
        }
        fs::write(&file, bytes).expect("written");
        look();
        fs::write(&file, &originals[which]).expect("written");
    }
    // A pipe or a directory in the place of a file, and links that lead back.
    for (which, file) in files.iter().enumerate() {
        let file = t.work().join(".git").join(file);
        fs::remove_file(&file).expect("removed");
        let made = std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo");
        assert!(made.success());
        look();
        fs::remove_file(&file).expect("removed");
        fs::create_dir(&file).expect("made");
        look();
        fs::remove_dir(&file).expect("removed");
        std::os::unix::fs::symlink(&file, &file).expect("a link to itself");
        look();
        fs::remove_file(&file).expect("removed");
        fs::write(&file, &originals[which]).expect("written");
    }
    std::os::unix::fs::symlink("..", t.work().join(".git/refs/heads/loop")).expect("a link");
    assert_eq!(t.facts().refs("refs/heads/").expect("refs").len(), 3);
}
