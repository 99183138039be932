//! No program that a repository, its configuration or the environment names ever runs when facts are asked.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use ah::git::{Against, CleanFlags, Git, IgnoredFiles, Oid, Paths, Question, Reflogs, Repo, Untracked, Vars};

use crate::support::{TestRepo, minute};

const HOOKS: [&str; 28] = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit",
    "p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge",
    "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push",
    "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive", "push-to-checkout", "reference-transaction",
    "sendemail-validate", "update",
];

/// Settings that run `PROGRAM` one way or another.
const PROGRAMS: [&str; 24] = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.process",
    "filter.evil.smudge",
    "filter.e=q.clean",
    "gpg.program",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "merge.evil.driver",
    "pager.status",
    "pager.diff",
    "sequence.editor",
    "trailer.evil.command",
    "uploadpack.packObjectsHook",
];

fn marker(t: &TestRepo, name: &str) -> std::path::PathBuf {
    let file = t.root().join("evil").join(name);
    t.script(&file, &format!("echo {name} \"$@\" >> {}/marks\ncat", t.root().display()));
    file
}

pub fn marks(t: &TestRepo) -> String {
    fs::read_to_string(t.root().join("marks")).unwrap_or_default()
}

/// Arms a repository with everything known; `dir` is its work tree, `driver` the name of its drivers.
fn arm(t: &TestRepo, dir: &Path, driver: &str) {
    let git = |args: &[&str]| t.git_in(dir, args);
    let attributes = format!("*.txt filter={driver} diff={driver} merge={driver}\n*.q filter=e=q\n*.inc filter=included\n");
    fs::write(dir.join(".gitattributes"), attributes).expect("written");
    let git_dir = t.facts_in(dir).common_dir;
    for key in PROGRAMS {
        let program = marker(t, &key.replace(['.', '='], "-"));
        git(&["config", &key.replace("evil", driver), program.to_str().expect("text")]);
    }
    git(&["config", &format!("filter.{driver}.required"), "true"]);
    git(&["config", "log.showSignature", "true"]);
    git(&["config", "status.submoduleSummary", "true"]);
    git(&["config", "diff.submodule", "log"]);
    git(&["config", "submodule.recurse", "true"]);
    for verb in ["status", "diff", "rev-list", "ls-files", "cat-file", "hash-object", "fsck", "clean"] {
        git(&["config", &format!("alias.{verb}"), &format!("!{}", marker(t, "alias").display())]);
    }
    let included = git_dir.join("more");
    fs::write(&included, format!("[filter \"included\"]\nclean = {}\n", marker(t, "included").display())).expect("written");
    git(&["config", "include.path", "more"]);
    let condition = git_dir.join("conditional");
    fs::write(&condition, format!("[filter \"conditional\"]\nclean = {}\n", marker(t, "conditional").display()))
        .expect("written");
    git(&["config", "includeIf.hasconfig:remote.*.url:https://example.test/**.path", "conditional"]);
    fs::write(git_dir.join("info/attributes"), "*.cond filter=conditional\n").expect("written");
    git(&["config", "remote.origin.url", "https://example.test/x"]);
    for hook in HOOKS {
        let hook_file = git_dir.join("hooks").join(hook);
        t.script(&hook_file, &format!("echo hook-{hook} >> {}/marks", t.root().display()));
    }
}

/// Makes every file's recorded time stale, so that a status must look at contents.
pub fn touch(dir: &Path) {
    let past = SystemTime::now() - Duration::from_secs(3600);
    for file in ["a.txt", "b.q", "c.inc", "d.cond"] {
        let file = File::options().write(true).open(dir.join(file)).expect("open");
        file.set_modified(past).expect("set");
    }
}

pub fn hostile() -> TestRepo {
    let t = TestRepo::new();
    for file in ["b.q", "c.inc", "d.cond"] {
        t.commit(file, "content\n");
    }
    t.git_in(&t.root(), ["clone", "-q", "work", "source"]);
    t.git(["submodule", "--quiet", "add", "../source", "sub"]);
    t.git(["commit", "-qm", "sub"]);
    t.write("a.txt", "stashed\n");
    t.git(["stash", "-q"]);
    t.git(["branch", "side", "HEAD~1"]);
    arm(&t, &t.work(), "evil");
    arm(&t, &t.work().join("sub"), "inner");
    t.git(["config", "filter.evil.clean", "cat"]);
    let clean = marker(&t, "filter-evil-clean");
    t.git(["config", "filter.evil.clean", clean.to_str().expect("text")]);
    touch(&t.work());
    touch(&t.work().join("sub"));
    let trace = t.root().join("marks");
    for target in ["normalTarget", "perfTarget", "eventTarget"] {
        t.git(["config", "--global", &format!("trace2.{target}"), trace.to_str().expect("text")]);
    }
    t.write("untracked.txt", "x\n");
    t.write("git", "");
    t.script(&t.work().join("git"), &format!("echo git-in-cwd >> {}/marks", t.root().display()));
    let _ = fs::remove_file(t.root().join("marks"));
    t
}

/// The variables of a hostile environment.
pub fn environment(t: &TestRepo) -> Vars {
    let mut vars = t.vars();
    let evil = marker(t, "env");
    for name in [
        "EDITOR", "GIT_ASKPASS", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR",
        "GIT_SSH", "GIT_SSH_COMMAND", "PAGER", "SSH_ASKPASS", "VISUAL",
    ] {
        vars.set(name, &evil);
    }
    for name in ["GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_PACKET", "GIT_TRACE_SETUP", "GIT_TRACE_PERFORMANCE"] {
        vars.set(name, t.root().join("marks"));
    }
    vars.set("GIT_EXEC_PATH", t.root().join("evil"));
    vars.add_config("filter.evil.clean", evil.to_str());
    vars.add_config("filter.line.process", evil.to_str());
    vars.set("GIT_CONFIG_COUNT", "1");
    vars.set("GIT_CONFIG_KEY_0", "core.fsmonitor");
    vars.set("GIT_CONFIG_VALUE_0", &evil);
    let path = format!(".::{}:{}", t.work().display(), vars.text("PATH").unwrap_or_default());
    vars.set("PATH", path);
    // As a process would find them: with this PATH from the beginning.
    vars.iter().collect()
}

/// Every typed question; those that fail do so by themselves.
fn ask_everything(git: &Git<'_>, tip: &Oid) -> usize {
    let paths = [std::path::PathBuf::from("a.txt"), "b.q".into(), "c.inc".into(), "sub".into()];
    let question =
        Question { also: &[], reflogs: Reflogs::Moved, show: 5, tips: std::slice::from_ref(tip), without: &["refs/heads/main"] };
    let flags = CleanFlags { directories: true, force: 2, ignored: IgnoredFiles::Too, ..CleanFlags::default() };
    let mut good = 0;
    let mut note = |result: bool| good += usize::from(result);
    for paths in [Paths::All, Paths::Exact(&paths)] {
        note(git.status(paths, Untracked::All, true).is_ok());
        note(git.index_entries(paths).is_ok());
        note(git.gitlinks(paths).is_ok());
        note(git.hidden(paths).is_ok());
        note(git.ignored_paths(paths).is_ok());
        for against in [Against::HeadToIndex, Against::HeadToTree, Against::IndexToTree] {
            note(git.numstat(paths, against).is_ok());
        }
    }
    note(git.filtered(&paths).is_ok());
    note(git.hash(&paths, true).is_ok());
    note(git.hash(&paths, false).is_ok());
    note(git.kept(&paths, true).is_ok());
    note(git.head().is_ok());
    note(git.refs("refs/").is_ok());
    note(git.find("main").is_ok());
    note(git.reflog("HEAD").is_ok());
    note(git.rev_parse("HEAD:a.txt").is_ok());
    note(git.is_ancestor(tip, tip).is_ok());
    note(git.merge_base(tip, tip).is_ok());
    note(git.ahead(tip, tip).is_ok());
    note(git.tree_paths(tip, &[]).is_ok());
    note(git.unheld(&question).is_ok());
    note(git.only_reflog().is_ok());
    note(git.rescue().is_ok());
    note(git.clean_preview(&flags).is_ok());
    for stash in git.stashes().unwrap_or_default() {
        note(git.diff_paths(&stash.oid, tip).is_ok());
        note(git.stash_paths(&stash.oid).is_ok());
        note(git.merged_by_content(&stash.oid, tip).is_ok());
        note(git.merged_by_content(tip, &stash.oid).is_ok());
    }
    good
}

#[test]
fn nothing_runs() {
    let t = hostile();
    let tip = t.oid("main");
    // The repository is armed: git itself, asked plainly, runs things.
    let _ = t.try_git(&t.work(), ["diff"]);
    for program in ["filter-evil", "core-fsmonitor"] {
        assert!(marks(&t).contains(program), "{}", marks(&t));
    }

    for vars in [t.vars(), environment(&t)] {
        for dir in [t.work(), t.work().join("sub")] {
            touch(&t.work());
            touch(&t.work().join("sub"));
            let _ = fs::remove_file(t.root().join("marks"));
            let repo = Repo::discover(&dir, &vars).expect("readable").expect("a repository");
            let index = fs::read(repo.git_dir.join("index")).expect("an index");
            let git = Git::new(&repo, &vars, minute()).expect("git");
            let tip = if dir == t.work() { tip.clone() } else { git.rev_parse("HEAD").expect("asked").expect("a commit") };
            let good = ask_everything(&git, &tip);
            assert!(good >= 33, "only {good} questions were answered");
            assert_eq!(marks(&t), "", "in {}", dir.display());
            let now = fs::read(repo.git_dir.join("index")).expect("an index");
            assert!(now == index, "the index was written");
            assert!(!repo.git_dir.join("index.lock").exists());
        }
    }
}

#[test]
fn what_cannot_be_made_harmless_is_refused() {
    let t = TestRepo::new();
    let refused = |vars: &Vars| {
        let repo = t.facts();
        Git::new(&repo, vars, minute()).err().map(|e| e.to_string())
    };
    assert_eq!(refused(&t.vars()), None);
    let config = t.work().join(".git/config");
    let plain = fs::read(&config).expect("read");
    fs::write(&config, [&plain[..], b"[filter \"\xff\"]\nclean = touch x\n"].concat()).expect("written");
    assert!(refused(&t.vars()).is_some_and(|e| e.contains("UTF-8")));
    let many: String = (0..400).map(|i| format!("[filter \"f{i}\"]\nclean = x\n")).collect();
    fs::write(&config, [&plain[..], many.as_bytes()].concat()).expect("written");
    assert!(refused(&t.vars()).is_some());
    fs::write(&config, [&plain[..], b"[include]\npath = config\n"].concat()).expect("written");
    assert!(refused(&t.vars()).is_some());
}
