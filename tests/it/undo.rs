//! `undo`: what the last command lost comes back, nothing else is touched, and the way back is open.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::guard_run::{Run, bash, call, claude, feed, guard};
use crate::support::TestRepo;

/// Has the guard let a command through after a snapshot, runs it, and gives the snapshot's id.
#[track_caller]
pub fn lose(t: &TestRepo, command: &str) -> String {
    lose_in(t, &t.work(), command)
}

/// As [`lose`], in another directory.
#[track_caller]
pub fn lose_in(t: &TestRepo, dir: &Path, command: &str) -> String {
    let event = claude(dir, "Bash", serde_json::json!({"command": command}));
    let before = ids(t);
    let run = feed(guard(t).current_dir(dir).env("AH_ON_LOSS", "snapshot"), event.to_string().as_bytes());
    assert!(matches!(run.verdict().as_str(), "allow" | "note"), "{run:?}");
    let new: Vec<String> = ids(t).into_iter().filter(|id| !before.contains(id)).collect();
    assert_eq!(new.len(), 1, "one snapshot before: {command}");
    shell(t, dir, command);
    new[0].clone()
}

/// Runs a command line.
pub fn shell(t: &TestRepo, dir: &Path, command: &str) {
    let mut sh = Command::new("sh");
    sh.args(["-c", command]).current_dir(dir).env_clear().envs(t.vars().iter()).stdin(Stdio::null());
    sh.output().expect("sh runs");
}

/// The ids of all snapshots, newest first.
pub fn ids(t: &TestRepo) -> Vec<String> {
    let run = call(t, ["snapshots", "--all", "--json"]);
    let list: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"));
    list["snapshots"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap().to_owned()).collect()
}

/// `undo --yes` with more arguments; it must be done.
#[track_caller]
pub fn undo(t: &TestRepo, args: &[&str]) -> Run {
    let run = call(t, ["undo", "--yes"].iter().chain(args));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    run
}

/// The id of how it was before, as the last line says it.
pub fn way_back(run: &Run) -> String {
    let (_, rest) = run.stdout.rsplit_once("how it was a moment ago is ").unwrap_or_else(|| panic!("{run:?}"));
    rest.split(' ').next().unwrap().to_owned()
}

/// Whether a row of the table is this.
pub fn says(run: &Run, name: &str, what: &str) -> bool {
    run.stdout.lines().filter_map(|line| line.trim().split_once("  ")).any(|(n, w)| (n, w.trim()) == (name, what))
}

fn read(t: &TestRepo, path: &str) -> String {
    String::from_utf8_lossy(&fs::read(t.work().join(path)).unwrap_or_default()).into_owned()
}

#[test]
fn a_removed_file_comes_back_and_goes_again() {
    let t = TestRepo::new();
    t.write("notes.md", "never committed\n");
    t.write("a.txt", "edited\n");
    let id = lose(&t, "rm notes.md");
    let run = undo(&t, &[]);
    assert!(run.stdout.contains(&id) && run.stdout.contains("before: rm notes.md"), "{run:?}");
    assert!(run.stdout.contains("  notes.md  bring back  16 B\n") && !run.stdout.contains("a.txt"), "{run:?}");
    assert_eq!((read(&t, "notes.md").as_str(), read(&t, "a.txt").as_str()), ("never committed\n", "edited\n"));
    let again = call(&t, ["undo", "--yes"]);
    assert_eq!(again.code, Some(1), "once: {again:?}");
    let back = call(&t, ["restore", &way_back(&run), "--yes"]);
    assert!(back.stdout.contains("notes.md  remove"), "{back:?}");
    assert!(!t.work().join("notes.md").exists());
    undo(&t, &[]);
    assert_eq!(read(&t, "notes.md"), "never committed\n", "it can be undone again");
}

#[test]
fn a_plan_is_shown_and_nothing_is_done_without_a_yes() {
    let t = TestRepo::new();
    t.write("notes.md", "x\n");
    let id = lose(&t, "rm notes.md");
    let run = call(&t, ["undo"]);
    assert_eq!(run.code, Some(75), "{run:?}");
    assert!(run.stdout.contains("notes.md  bring back") && run.stderr.contains("--yes"), "{run:?}");
    let run = call(&t, ["undo", "--json"]);
    let plan: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &plan["v"], &plan["id"], &plan["done"]), (Some(0), &1.into(), &id.into(), &false.into()));
    let row = &plan["rows"][0];
    assert_eq!((&row["what"], &row["does"], &row["bytes"]), (&"file".into(), &"bring back".into(), &2.into()));
    assert_eq!(row["name"], t.work().join("notes.md").to_str().unwrap());
    assert!(!t.work().join("notes.md").exists());
    assert_eq!(ids(&t).len(), 1, "not even a snapshot");
    let done: Value = serde_json::from_str(&undo(&t, &["--json"]).stdout).unwrap();
    assert_eq!((&done["done"], done["was"].as_str().map(str::len)), (&true.into(), Some(4)));
}

#[test]
fn the_question_on_a_terminal() {
    if Command::new("script").arg("--version").stdin(Stdio::null()).output().is_err() {
        println!("SKIP script: not installed");
        return;
    }
    let t = TestRepo::new();
    let ask = |answer: &str| {
        let program = guard(&t).get_program().to_str().unwrap().to_owned();
        let mut script = Command::new("script");
        script.args(["-qec", &format!("{program} undo"), "/dev/null"]).current_dir(t.work());
        script.env_clear().envs(t.vars().iter()).env("AH_HOME", t.root().join("ah"));
        feed(&mut script, answer.as_bytes()).stdout
    };
    t.write("notes.md", "x\n");
    lose(&t, "rm notes.md");
    let said = ask("n\n");
    assert!(said.contains("Restore 1 file? [Y/n]") && said.contains("nothing was done"), "{said}");
    assert!(!t.work().join("notes.md").exists());
    let said = ask("\n");
    assert!(said.contains("done; how it was a moment ago is"), "{said}");
    assert_eq!(read(&t, "notes.md"), "x\n");
}

#[test]
fn what_was_changed_since_is_left_alone() {
    let t = TestRepo::new();
    t.commit("b.txt", "b\n");
    t.write("a.txt", "first edit\n");
    t.write("b.txt", "edit of b\n");
    let id = lose(&t, "git checkout -- .");
    t.write("a.txt", "another edit\n");
    later(&t.work().join("a.txt"), &id, &t);
    let run = undo(&t, &[]);
    assert!(run.stdout.contains("a.txt  changed since, left alone"), "{run:?}");
    assert!(run.stdout.contains(&format!("ah-git-guard restore {id} a.txt")), "{run:?}");
    assert_eq!((read(&t, "a.txt").as_str(), read(&t, "b.txt").as_str()), ("another edit\n", "edit of b\n"));
    let run = call(&t, ["restore", &id, "a.txt", "--yes"]);
    assert_eq!((run.code, read(&t, "a.txt").as_str()), (Some(0), "first edit\n"), "{run:?}");
    call(&t, ["restore", &way_back(&run), "--yes"]);
    assert_eq!(read(&t, "a.txt"), "another edit\n", "nor is that lost");
}

/// Makes a snapshot so old that a change now is no doing of its command.
pub fn later(_: &Path, id: &str, t: &TestRepo) {
    let store = crate::snapshot_read::store(t, "work");
    let mut manifest = crate::snapshot_read::manifest(&store, id);
    manifest["t"] = (manifest["t"].as_u64().unwrap() - 60_000).into();
    rewrite(&store, id, &manifest);
}

/// Puts another manifest into a snapshot.
pub fn rewrite(store: &Path, id: &str, manifest: &Value) {
    let name = format!("refs/ah/{id}");
    let git = |args: &[&str], input: &[u8]| {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(store).args(args).env("GIT_INDEX_FILE", store.join("ah/test-index"));
        command.envs([
            ("GIT_COMMITTER_NAME", "t"),
            ("GIT_COMMITTER_EMAIL", "t"),
            ("GIT_AUTHOR_NAME", "t"),
            ("GIT_AUTHOR_EMAIL", "t"),
        ]);
        let run = feed(&mut command, input);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.stdout.trim().to_owned()
    };
    let message = git(&["log", "-1", "--format=%B", &name], b"");
    let blob = git(&["hash-object", "-w", "--stdin"], manifest.to_string().as_bytes());
    git(&["read-tree", &name], b"");
    git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},manifest.json")], b"");
    let tree = git(&["write-tree"], b"");
    let commit = git(&["commit-tree", &tree], message.as_bytes());
    git(&["update-ref", &name, &commit], b"");
}

#[test]
fn what_the_command_itself_wrote_is_replaced() {
    let t = TestRepo::new();
    t.write("notes.md", "mine\n");
    t.write("other.md", "mine too\n");
    let id = lose(&t, "cp a.txt notes.md; echo theirs > other.md");
    later(&t.work(), &id, &t);
    undo(&t, &[]);
    assert_eq!((read(&t, "notes.md").as_str(), read(&t, "other.md").as_str()), ("mine\n", "mine too\n"));
}

#[test]
fn undo_goes_back_step_by_step() {
    let t = TestRepo::new();
    t.write("n", "one\n");
    lose(&t, "echo two > n");
    lose(&t, "rm n");
    undo(&t, &[]);
    assert_eq!(read(&t, "n"), "two\n");
    undo(&t, &[]);
    assert_eq!(read(&t, "n"), "one\n");
    assert_eq!(call(&t, ["undo", "--yes"]).code, Some(1));
}

#[test]
fn branches_move_forward_or_come_back_under_another_name() {
    let t = TestRepo::new();
    t.commit("a.txt", "two\n");
    let old = t.commit("new.txt", "three\n");
    t.write("a.txt", "edit\n");
    t.write("b.txt", "staged\n");
    t.git(["add", "b.txt"]);
    t.git(["branch", "side"]);
    assert_eq!(t.oid("side"), old);
    lose(&t, "git branch -f side HEAD~1; git reset -q --hard HEAD~2");
    let run = undo(&t, &[]);
    assert_eq!((t.oid("main"), t.oid("side")), (old.clone(), t.oid("main~1")), "the old tip of the other has a name: {run:?}");
    assert_eq!(t.git(["status", "--porcelain"]), " M a.txt\nA  b.txt", "{run:?}");
    t.git(["reset", "-q", "--hard"]);
    let id = lose(&t, "git branch -D side; git commit -q --amend -m other");
    let run = undo(&t, &[]);
    assert_eq!(t.oid(&format!("recovered/{id}/main")), old, "{run:?}");
    assert_eq!(
        t.try_git(&t.work(), ["rev-parse", "-q", "--verify", "side"]).status.code(),
        Some(1),
        "named by the other: {run:?}"
    );
}

#[test]
fn a_soft_or_mixed_reset_is_undone_in_place() {
    for how in ["--soft", "--mixed"] {
        let t = TestRepo::new();
        t.commit("new.txt", "new\n");
        t.commit("b.txt", "b\n");
        let old = t.commit("a.txt", "two\n");
        t.write("a.txt", "edit\n");
        let id = call(&t, ["snapshot"]).stdout.trim().to_owned();
        t.git(["reset", "-q", how, "HEAD~3"]);
        t.git(["reflog", "expire", "--expire=now", "--all"]);
        let run = call(&t, ["restore", &id, "--yes"]);
        assert_eq!((run.code, t.oid("main")), (Some(0), old), "{how}: {run:?}");
        assert_eq!(t.git(["status", "--porcelain"]), " M a.txt", "{how}");
    }
}

#[test]
fn a_detached_head_and_loose_commits_get_names() {
    let t = TestRepo::new();
    t.git(["checkout", "-q", "--detach"]);
    let lone = t.commit("d.txt", "d\n");
    let id = lose(&t, "git checkout -q main");
    undo(&t, &[]);
    assert_eq!(t.oid(&format!("recovered/{id}/HEAD")), lone);
}

#[test]
fn commits_come_out_of_the_pack() {
    let t = TestRepo::new();
    t.git(["switch", "-qc", "wip"]);
    let tip = t.commit("w.txt", "w\n");
    t.git(["tag", "-a", "-m", "note", "v1"]);
    let tag = t.oid("v1");
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    let stash = t.oid("stash");
    t.git(["switch", "-q", "main"]);
    lose(&t, "git branch -D wip && git tag -d v1 && git stash drop");
    t.git(["reflog", "expire", "--expire=now", "--all"]);
    t.git(["gc", "-q", "--prune=now"]);
    assert!(!t.try_git(&t.work(), ["cat-file", "-e", tip.as_str()]).status.success());
    let run = undo(&t, &[]);
    assert_eq!((t.oid("wip"), t.oid("v1"), t.oid("stash")), (tip, tag, stash), "{run:?}");
    assert!(t.git(["stash", "list"]).contains("WIP on wip"));
    t.git(["fsck", "--strict"]);
}

#[test]
fn head_goes_back_to_the_branch_that_the_command_left() {
    let t = TestRepo::new();
    t.git(["switch", "-qc", "side"]);
    t.commit("a.txt", "theirs\n");
    t.git(["switch", "-q", "main"]);
    t.write("a.txt", "precious\n");
    lose(&t, "git checkout -qf side");
    let run = undo(&t, &[]);
    assert_eq!((t.git(["branch", "--show-current"]).as_str(), read(&t, "a.txt").as_str()), ("main", "precious\n"), "{run:?}");
    t.git(["commit", "-qam", "kept"]);
    t.write("a.txt", "precious again\n");
    lose(&t, "git checkout -qf side");
    t.commit("s.txt", "went on here\n");
    let run = undo(&t, &[]);
    assert_eq!(
        (t.git(["branch", "--show-current"]).as_str(), read(&t, "a.txt").as_str()),
        ("side", "precious again\n"),
        "{run:?}"
    );
}

#[test]
fn each_work_tree_session_and_repository_has_its_own_last_command() {
    let t = TestRepo::new();
    t.git(["worktree", "add", "-q", "tree", "-b", "linked"]);
    t.git_in(&t.root(), ["clone", "-q", "work", "other"]);
    let (tree, other) = (t.work().join("tree"), t.root().join("other"));
    for (dir, text) in [(&t.work(), "main"), (&tree, "linked"), (&other, "other")] {
        fs::write(dir.join("n"), text).unwrap();
        lose_in(&t, dir, "rm n");
    }
    let undo_in = |dir: &Path, args: &[&str]| {
        let mut command = guard(&t);
        command.args(["undo", "--yes"]).args(args).current_dir(dir);
        feed(&mut command, b"")
    };
    // A session of another name has nothing here.
    assert_eq!(undo_in(&t.work(), &["--session", "another"]).code, Some(1));
    let mut command = guard(&t);
    command.args(["undo", "--yes"]).env("CLAUDE_CODE_SESSION_ID", "another");
    assert_eq!(feed(&mut command, b"").code, Some(1));
    let run = undo_in(&t.work(), &["--session", "11111111-1111-4111-8111-111111111111"]);
    assert_eq!(fs::read_to_string(t.work().join("n")).ok().as_deref(), Some("main"), "{run:?}");
    assert!(!tree.join("n").exists() && !other.join("n").exists());
    assert_eq!(undo_in(&t.work(), &[]).code, Some(1), "the others are not this tree's");
    undo_in(&tree, &[]);
    assert_eq!(fs::read_to_string(tree.join("n")).ok().as_deref(), Some("linked"));
    assert!(!other.join("n").exists());
    undo_in(&other, &[]);
    assert_eq!(fs::read_to_string(other.join("n")).ok().as_deref(), Some("other"));
}

#[test]
fn a_command_that_ran_here_and_lost_elsewhere_is_found_from_both() {
    for from in ["work", "other"] {
        let t = TestRepo::new();
        t.git_in(&t.root(), ["clone", "-q", "work", "other"]);
        let other = t.root().join("other");
        fs::write(other.join("n"), "theirs").unwrap();
        lose(&t, "rm ../other/n");
        let mut command = guard(&t);
        command.args(["undo", "--yes"]).current_dir(t.root().join(from));
        let run = feed(&mut command, b"");
        assert_eq!(fs::read_to_string(other.join("n")).ok().as_deref(), Some("theirs"), "{from}: {run:?}");
    }
}

#[test]
fn a_linked_tree_that_is_removed_is_made_again() {
    let t = TestRepo::new();
    t.git(["worktree", "add", "-q", "../tree", "-b", "linked"]);
    let tree = t.root().join("tree");
    fs::write(tree.join("a.txt"), "edited\n").unwrap();
    fs::write(tree.join("n"), "new\n").unwrap();
    for command in ["git worktree remove --force ../tree", "rm -rf ../tree"] {
        lose(&t, command);
        assert!(!tree.exists());
        undo(&t, &[]);
        assert_eq!(t.git_in(&tree, ["status", "--porcelain", "--branch"]), "## linked\n M a.txt\n?? n", "{command}");
    }
}

#[test]
fn a_command_that_never_ran_is_passed_over() {
    let t = TestRepo::new();
    t.write("notes.md", "x\n");
    t.write("other.md", "y\n");
    lose(&t, "rm notes.md");
    let event = bash(&t, "rm other.md").to_string();
    feed(guard(&t).env("AH_ON_LOSS", "snapshot"), event.as_bytes());
    assert_eq!(ids(&t).len(), 2);
    let run = undo(&t, &[]);
    assert!(run.stdout.contains("before: rm notes.md"), "{run:?}");
    assert_eq!(read(&t, "notes.md"), "x\n");
    let run = call(&t, ["undo", "--yes"]);
    assert_eq!((run.code, run.stdout.contains("nothing to bring back")), (Some(1), true), "{run:?}");
}

#[test]
fn the_agent_may_run_it() {
    let t = TestRepo::new();
    t.write("notes.md", "x\n");
    lose(&t, "rm notes.md");
    let run = feed(&mut guard(&t), bash(&t, "ah-git-guard undo --yes").to_string().as_bytes());
    assert_eq!(run.verdict(), "allow", "{run:?}");
}
