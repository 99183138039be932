//! Whose work a commit, a stash entry, a remote, a file is: the session's own only where nothing of a person's is in it.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::guard_run::{claude, feed, guard};
use crate::support::TestRepo;

/// A session that works in a repository.
struct Session {
    t: TestRepo,
    id: &'static str,
    calls: Cell<u32>,
}

impl Session {
    fn start(t: TestRepo) -> Self {
        let session = Self { t, id: "11111111-1111-4111-8111-111111111111", calls: Cell::new(0) };
        session.event(json!({"hook_event_name": "SessionStart", "source": "startup"}), false);
        session
    }

    fn event(&self, more: Value, explain: bool) -> String {
        let mut event = claude(&self.t.work(), "Bash", json!({}));
        event["session_id"] = json!(self.id);
        for (key, value) in more.as_object().expect("an object") {
            event[key] = value.clone();
        }
        let mut command = guard(&self.t);
        command.args(explain.then_some("--explain"));
        let run = feed(&mut command, event.to_string().as_bytes());
        assert_eq!(run.code, Some(0));
        run.stderr + &run.stdout
    }

    fn call(&self, tool: &str, input: &Value, explain: bool) -> String {
        self.calls.set(self.calls.get() + 1);
        let id = format!("toolu_{}", self.calls.get());
        self.event(json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}), explain)
    }

    /// The session runs a command.
    fn run(&self, command: &str) -> &Self {
        self.call("Bash", &json!({"command": command}), false);
        self.person(command)
    }

    /// The session writes a file.
    fn write(&self, path: &str, text: &str) -> &Self {
        let file: PathBuf = self.t.work().join(path);
        self.call("Write", &json!({"file_path": file, "content": text}), false);
        self.t.write(path, text);
        self
    }

    /// The session edits a file.
    fn edit(&self, path: &str, old: &str, new: &str) -> &Self {
        let file = self.t.work().join(path);
        self.call("Edit", &json!({"file_path": file, "old_string": old, "new_string": new}), false);
        let text = std::fs::read_to_string(&file).expect("a file");
        self.t.write(path, text.replace(old, new));
        self
    }

    /// A person runs a command meanwhile.
    fn person(&self, command: &str) -> &Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(self.t.work()).env_clear().envs(self.t.vars().iter());
        shell.env("GIT_EDITOR", "true").output().expect("it runs");
        self
    }

    /// Whether a command would lose something, and all of it is the session's own.
    #[track_caller]
    fn own(&self, command: &str) -> bool {
        let said = self.call("Bash", &json!({"command": command}), true);
        let found: Vec<&str> = said.lines().filter(|l| l.starts_with("finds")).collect();
        let files: Vec<&str> = said.lines().filter(|l| l.starts_with("  loses")).collect();
        assert!(!found.is_empty(), "{command} loses nothing:\n{said}");
        found.iter().all(|l| l.contains(", own")) || (!files.is_empty() && files.iter().all(|l| l.ends_with(", own)")))
    }
}

fn session() -> Session {
    let t = TestRepo::new();
    t.commit("b.txt", "one\n");
    Session::start(t)
}

#[test]
fn a_commit_of_its_own_files() {
    let s = session();
    s.write("new.txt", "x\n").run("git add -A && git commit -qm 'Add new'");
    assert!(s.own("git reset --hard HEAD~1"));
    s.edit("a.txt", "beta", "gamma").run("git commit -qam 'Change it'");
    assert!(s.own("git reset --hard HEAD~2"));
    s.run("git commit -q --amend --no-edit -m 'Change it well'");
    assert!(s.own("git reset --keep HEAD~1"));
    s.run("git switch -qc topic").run("echo more >> a.txt && git commit -qam Topic").run("git switch -q -");
    assert!(s.own("git branch -D topic"));
    s.run("git merge -q --no-ff topic").person("git branch -qD topic");
    assert!(s.own("git reset --hard HEAD~1"));
    s.event(json!({"hook_event_name": "SessionStart", "source": "compact"}), false);
    assert!(s.own("git reset --hard HEAD~1"));
}

#[test]
fn a_commit_of_a_person() {
    let s = session();
    s.person("echo mine > mine.txt && git add mine.txt && git commit -qm Mine");
    assert!(!s.own("git reset --hard HEAD~1"));
    s.write("new.txt", "x\n").run("git add new.txt && git commit -qm 'Add new'");
    assert!(s.own("git reset --hard HEAD~1") && !s.own("git reset --hard HEAD~2"));
    // A commit of the session's files that a person made, with the message that the session's own was to have.
    s.person("git reset -q --soft HEAD~1").run("git commit -qm 'Again' --no-such-option");
    s.person("git commit -qm 'Not again'");
    assert!(!s.own("git reset --hard HEAD~1"));
    // Made anew by the session, a person's stays a person's.
    s.run("git commit -q --amend -m 'Mine, said better'");
    s.person("git reset -q --hard HEAD~1").run("git commit -q --amend -m 'Mine, said better'");
    assert!(!s.own("git reset --hard HEAD~1"));
    s.person("git switch -qc other && echo o > o.txt && git add o.txt && git commit -qm Other && git switch -q -");
    s.run("git cherry-pick other").person("git branch -qD other");
    assert!(!s.own("git reset --hard HEAD~1"));
}

#[test]
fn a_commit_that_sweeps_up_a_persons_file() {
    let t = TestRepo::new();
    t.commit("a.txt", "alpha\n");
    t.write("a.txt", "alpha\nby a person\n");
    t.write("notes.txt", "a note\n");
    let s = Session::start(t);
    s.write("new.txt", "x\n").run("git add -A && git commit -qm 'All of it'");
    assert!(!s.own("git reset --hard HEAD~1"));
    s.write("later.txt", "x\n").person("echo p > meanwhile.txt").run("git add -A && git commit -qm 'And this'");
    assert!(!s.own("git reset --hard HEAD~1"));
    // A person's lines in a file that the session made.
    s.write("shared.txt", "x\n").person("echo p >> shared.txt").edit("shared.txt", "x", "y");
    assert!(!s.own("rm shared.txt"));
    s.run("git add shared.txt && git commit -qm Shared");
    assert!(!s.own("git reset --hard HEAD~1"));
}

#[test]
fn a_stash_entry() {
    let s = session();
    s.edit("a.txt", "beta", "gamma").run("git stash -q");
    assert!(s.own("git stash drop") && s.own("git stash clear") && s.own("git update-ref -d refs/stash"));
    s.run("git stash pop -q").run("git stash push -q -m 'wait for it'");
    assert!(s.own("git stash drop stash@{0}"));
    s.person("echo p >> b.txt && git stash -q -m person");
    assert!(!s.own("git stash drop") && s.own("git stash drop stash@{1}"));
    s.person("git stash pop -q").edit("a.txt", "alpha", "omega").run("git stash -q -m 'both'");
    assert!(!s.own("git stash drop"), "a person's edit went into it");
    s.write("u.txt", "u\n").run("git stash push -q -u -m untracked");
    assert!(s.own("git stash drop"));
    s.person("echo p > p.txt").write("u.txt", "u\n").run("git stash push -q -u -m 'untracked too'");
    assert!(!s.own("git stash drop"), "a person's file went into it");
}

#[test]
fn a_remote() {
    let s = session();
    s.person("git remote add theirs ../theirs.git").run("git remote add backup ../backup.git");
    let silent = |command: &str| !s.call("Bash", &json!({"command": command}), false).contains("remote.url");
    assert!(silent("git remote set-url backup ../other.git") && !silent("git remote set-url theirs ../other.git"));
    s.person("git remote set-url backup ../where-i-want-it.git");
    assert!(!silent("git remote set-url backup ../third.git"));
}

/// Where the harness tells of the end of calls, what a program made of a file is known, and so is what it made unnamed.
#[test]
fn after_a_call_its_files_are_known() {
    let s = session();
    let done = |command: &str| {
        s.run(command);
        let end = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": format!("toolu_{}", s.calls.get()), "tool_response": {}, "duration_ms": 200});
        assert_eq!(s.event(end, false), "");
    };
    done("sed -i 's/[a-b]lpha/omega/' a.txt");
    assert!(s.own("git checkout a.txt"));
    s.person("echo p >> a.txt");
    assert!(!s.own("git checkout a.txt"), "a person wrote into it after the call");
    done("sh -c 'mkdir made && for n in 1 2; do date > made/$n; done'");
    let born = std::fs::metadata(s.t.work().join("made")).is_ok_and(|m| m.created().is_ok());
    assert!(s.own("rm -r made") || !born);
    std::thread::sleep(std::time::Duration::from_millis(300));
    s.person("echo p > made/3");
    assert!(!s.own("rm made/3"));
}

#[test]
fn another_session_and_another_tree() {
    let mut s = session();
    s.run("git worktree add -q ../tree -b topic").run("echo t > ../tree/t.txt");
    s.run("cd ../tree && git add t.txt && git commit -qm 'In a tree'").run("git worktree remove ../tree");
    assert!(s.own("git branch -D topic"));
    s.run("git merge -q --no-ff topic").run("git branch -qD topic");
    assert!(s.own("git reset --keep HEAD~1"), "no reflog names it, the commit itself tells");
    s.run("git branch topic HEAD^2 && git reset -q --keep HEAD~1");
    s.id = "99999999-1111-4111-8111-111111111111";
    s.event(json!({"hook_event_name": "SessionStart", "source": "startup"}), false);
    assert!(!s.own("git branch -D topic"));
}

/// Beside the repository lies a folder that is in none: what is there is a person's, but for what the session wrote.
#[test]
fn outside_of_every_repository() {
    let s = session();
    s.person("mkdir ../plain && echo p > ../plain/p.txt").run("mkdir ../mine && echo m > ../mine/m.txt");
    assert!(!s.own("rm -rf ../plain") && !s.own("rm ../plain/p.txt"));
    assert!(s.own("rm -rf ../mine") && s.own("rm ../mine/m.txt"));
    s.person("echo p > ../mine/p.txt");
    assert!(!s.own("rm -rf ../mine"));
    let silent = |command: &str| !s.call("Bash", &json!({"command": command}), false).contains("file.remove");
    s.person("mkdir -p ../dist ../.tool && echo d > ../dist/d.js && echo t > ../.tool/t");
    assert!(silent("rm -rf ../dist"), "what a build makes again");
}

#[test]
fn files_by_their_contents() {
    let s = session();
    s.write("tmp/try.txt", "t\n").run("cp tmp/try.txt kept.txt").run("mv tmp/try.txt moved.txt");
    assert!(s.own("rm kept.txt") && s.own("rm moved.txt"));
    s.person("echo p > notes.txt").run("mkdir -p out && mv notes.txt out/");
    assert!(!s.own("rm -r out"));
    s.run("mkdir -p d/e && echo own > d/e/f.txt").run("cp -r d copy").run("mv d moved");
    assert!(s.own("rm -r copy") && s.own("rm -r moved"));
    s.person("echo p > copy/e/p.txt");
    assert!(!s.own("rm -r copy"));
    s.person("echo p >> b.txt").edit("b.txt", "one", "two");
    assert!(!s.own("git checkout b.txt"), "a person had edited it before the session did");
    s.edit("a.txt", "beta", "gamma");
    assert!(s.own("git checkout a.txt"));
    s.run("git stash -q -- a.txt").run("git stash pop -q");
    assert!(s.own("git checkout a.txt"));
    // What a line prints into a file is known: what a person adds to it is theirs.
    for (write, file) in [
        ("printf 'x\\ny\\n' > r.txt", "r.txt"),
        ("echo y >> r.txt", "r.txt"),
        ("cat > q.txt <<'E'\nq\nE\n", "q.txt"),
        ("echo z | tee t.txt", "t.txt"),
        ("echo more | tee -a t.txt", "t.txt"),
    ] {
        s.run(write);
        assert!(s.own(&format!("rm {file}")), "{write}");
    }
    s.person("echo p >> r.txt");
    assert!(!s.own("rm r.txt"));
    s.run("echo y >> r.txt").run("git add r.txt && git commit -qm Report");
    assert!(!s.own("git reset --hard HEAD~1"));
    s.run("sed -i s/one/uno/ b.txt");
    assert!(!s.own("git checkout b.txt"), "two edits of a person's are in it");
    s.person("git checkout -q b.txt").run("sed -i 's/one/uno/g' b.txt");
    assert!(s.own("git checkout b.txt"));
    s.person("echo p >> b.txt");
    assert!(!s.own("git checkout b.txt"));
}
