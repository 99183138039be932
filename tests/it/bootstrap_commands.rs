//! What a person or a script asks the bootstrap: projects, organisations, verify, registered, trust, the dialogue.

use crate::bootstrap_home::{Home, PROGRAMS, said};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CLAUDE: &str = ".claude/settings.json";
const CODEX: &str = ".codex/hooks.json";

/// A repository below HOME with the project's files written.
fn project(home: &Home) -> PathBuf {
    let repo = home.path().join("my project");
    assert!(Command::new("git").args(["init", "-q"]).arg(&repo).status().unwrap().success());
    let (code, text) = in_project(home, &["--scope", "project", "--with", "all", "--apply"]);
    assert!(code == 0 && text.contains("git add .ah/hook .claude/settings.json .codex/hooks.json"), "{code} {text}");
    repo
}

fn in_project(home: &Home, args: &[&str]) -> (i32, String) {
    said(&home.command(args).current_dir(home.path().join("my project")).output().unwrap())
}

/// Runs one entry as its harness does, with an event on standard input; what was printed.
fn start(home: &Home, entry: &Value, repo: &Path, folder: &Path, bin: Option<&Path>) -> (i32, String) {
    let command = entry["command"].as_str().unwrap().replace("${CLAUDE_PROJECT_DIR}", repo.to_str().unwrap());
    let mut run = match entry["args"].as_array() {
        Some(args) => {
            let mut run = Command::new(command);
            run.args(args.iter().map(|arg| arg.as_str().unwrap()));
            run
        }
        None => {
            let mut run = Command::new("sh");
            run.args(["-c", &command]);
            run
        }
    };
    run.current_dir(folder).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    run.envs(bin.map(|bin| ("AH_BIN", bin)));
    let mut child = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(b"{\"an\":\"event\"}\n");
    said(&child.wait_with_output().unwrap())
}

/// The entries of a settings file, each with its event.
fn entries(file: &Path) -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let events = all["hooks"].as_object().unwrap().iter();
    events
        .flat_map(|(event, groups)| {
            groups.as_array().unwrap().iter().map(move |group| (event.clone(), group["hooks"][0].clone()))
        })
        .collect()
}

#[test]
fn a_project_runs_what_is_installed_and_is_silent_where_nothing_is() {
    let home = Home::new();
    let before = home.tree();
    let repo = project(&home);
    let deep = repo.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(fs::metadata(repo.join(CLAUDE)).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(fs::metadata(repo.join(".ah/hook")).unwrap().permissions().mode() & 0o777, 0o755);
    for name in PROGRAMS {
        home.program(name, "case $1 in --version) echo v ;; *) read -r event; echo \"$0 $* $event\" | sed 's|.*/||' ;; esac");
    }
    for (file, harness) in [(CLAUDE, "claude"), (CODEX, "codex")] {
        let all = entries(&repo.join(file));
        assert!(all.len() > 8, "{file}");
        for (event, entry) in all {
            assert_eq!(start(&home, &entry, &repo, &deep, None), (0, String::new()), "{event}: nothing is installed");
            let (code, text) = start(&home, &entry, &repo, &deep, Some(&home.bin()));
            assert_eq!(code, 0, "{event}: {text}");
            let wanted = format!(" --harness {harness}");
            assert!(text.starts_with("ah-") && text.contains(&wanted) && text.lines().count() == 1, "{event}: {text:?}");
            if event == "Stop" && text.starts_with("ah-judge") {
                assert!(text.contains("ah-prefilter") && text.contains("--pass"), "{text:?}");
            }
        }
    }
    // Elsewhere on the disk, or without the script, nothing happens either.
    let codex = entries(&repo.join(CODEX)).remove(0).1;
    assert_eq!(start(&home, &codex, &repo, &home.path(), Some(&home.bin())), (0, String::new()));
    let (code, text) = in_project(&home, &["--scope", "project", "--remove", "--apply"]);
    assert_eq!(code, 0, "{text}");
    fs::remove_dir_all(&repo).unwrap();
    assert!(home.tree() == before);
}

#[test]
fn a_colleague_without_a_receipt_can_take_a_project_out() {
    let home = Home::new();
    let repo = project(&home);
    fs::remove_dir_all(home.path().join(".local")).unwrap();
    let (code, text) = in_project(&home, &["--scope", "project", "--with", "all", "--apply"]);
    assert!(code == 0 && text.contains("Nothing to change."), "{text}");
    assert!(!home.path().join(".local").exists());
    let (code, text) = in_project(&home, &["--scope", "project", "--remove", "--apply"]);
    assert_eq!(code, 0, "{text}");
    assert!(!fs::read_to_string(repo.join(CLAUDE)).unwrap_or_default().contains("ah"), "{text}");
    assert!(!repo.join(".ah/hook").exists());
    fs::create_dir_all(repo.join(".ah")).unwrap();
    fs::write(repo.join(".ah/hook"), "#!/bin/sh\necho mine\n").unwrap();
    let (code, text) = in_project(&home, &["--scope", "project", "--apply"]);
    assert!(code == 77 && text.contains("not by ah-bootstrap"), "{code} {text}");
}

#[test]
fn user_and_project_together_run_each_hook_once() {
    let home = Home::new();
    let repo = project(&home);
    let log = home.path().join("runs");
    for name in PROGRAMS {
        let text = format!("case $1 in --version) echo v ;; *) cat >/dev/null; echo {name} >>'{}' ;; esac", log.display());
        home.program(name, &text.replace("'/", "\"/").replace("' ;;", "\" ;;"));
    }
    // The script finds ah-bootstrap where it finds the programs.
    let link = home.bin().join("ah-bootstrap");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ah-bootstrap"), &link).unwrap();
    let runs = |file: &str, with_user: bool| {
        let _ = fs::remove_file(&log);
        let mut all = entries(&repo.join(file));
        if with_user {
            all.extend(entries(&home.path().join(file)));
        }
        for (event, entry) in &all {
            let (code, text) = start(&home, entry, &repo, &repo, Some(&home.bin()));
            assert_eq!((code, &*text), (0, ""), "{event}");
        }
        let mut names: Vec<String> = fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect();
        names.sort();
        names
    };
    let alone = runs(CLAUDE, false);
    assert!(alone.len() > 10);
    home.ok(&["--harness", "all", "--with", "all", "--apply"]);
    assert_eq!(runs(CLAUDE, true), alone, "each once");
    // Codex does not run what it does not trust, so the project's do, whatever stands in the person's file.
    let project_only = runs(CODEX, false);
    assert!(project_only.len() > 8, "{project_only:?}");
    // A program that the person's entry names but that is gone is no reason to leave.
    let text = home.read(CLAUDE).replace("it's bin", "gone").replace("it'\\\\''s bin", "gone");
    home.write(CLAUDE, text);
    assert_eq!(runs(CLAUDE, false), alone);
}

#[test]
fn an_organisations_settings_are_printed_and_nothing_is_written() {
    let home = Home::new();
    let before = home.tree();
    let text = home.ok(&["--scope", "managed", "--harness", "claude", "--with", "all"]);
    let all: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(all["hooks"]["PreToolUse"].as_array().unwrap().len(), 2);
    let text = home.ok(&["--scope", "managed", "--harness", "codex"]);
    assert!(
        text.contains("managed_dir = ")
            && ah::harness::wiring::found(ah::harness::wiring::Form::Toml, text.as_bytes()).unwrap().len() == 3,
        "{text}"
    );
    let both = home.ok(&["--scope", "managed"]);
    assert!(both.contains("==> /etc/codex/requirements.toml <=="), "{both}");
    assert_eq!(home.run(&["--scope", "managed", "--apply"]).0, 64);
    assert!(home.tree() == before);
}

#[test]
fn a_guard_that_fails_closed_is_told_so() {
    let home = Home::new();
    home.write(".config/ah/config.json", "{\"git_guard\": {\"fail\": \"closed\"}}");
    home.ok(&["--harness", "claude", "--apply"]);
    let all = entries(&home.path().join(CLAUDE));
    let blocking: Vec<&str> = all.iter().filter(|(_, entry)| entry["onFailure"] == "block").map(|(event, _)| &**event).collect();
    assert_eq!(blocking, ["PreToolUse"]);
}

#[test]
fn verify_names_what_is_not_as_it_was() {
    let home = Home::new();
    home.ok(&["--harness", "all", "--apply"]);
    let (code, text) = home.run(&["verify", "--json"]);
    let all: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &all["ok"], &all["v"]), (0, &Value::Bool(true), &Value::from(1)));
    home.program("ah-git-guard", "echo tampered");
    let (code, text) = home.run(&["verify"]);
    assert!(code == 1 && text.contains("ah-git-guard") && text.contains("FAIL"), "{text}");
    home.program("ah-git-guard", "echo 'ah-git-guard 0.1.0'");
    assert_eq!(home.run(&["verify"]).0, 0);
    // The list of an installation counts for more than the receipt.
    let list = format!("{}  it's bin/ah-git-guard\n", ah::receipt::sha256(b"#!/bin/sh\necho new\n"));
    fs::create_dir_all(home.bin().join("../lib/ah")).unwrap();
    fs::write(home.bin().join("../lib/ah/installed"), list).unwrap();
    assert_eq!(home.run(&["verify"]).0, 1);
    home.program("ah-git-guard", "echo new");
    let (code, text) = home.run(&["verify"]);
    assert_eq!(code, 0, "{text}");
    fs::write(home.path().join(CODEX), "{}").unwrap();
    let (code, text) = home.run(&["verify"]);
    assert!(code == 1 && text.contains("no more there: ah-git-guard at PreToolUse"), "{text}");
}

#[test]
fn registered_tells_what_really_runs() {
    let home = Home::new();
    let is = |program: &str, harness: &str, event: &str| home.run(&["registered", program, harness, event]).0;
    assert_eq!(is("ah-git-guard", "claude", "PreToolUse"), 1);
    home.ok(&["--harness", "all", "--apply"]);
    assert_eq!(
        (is("ah-git-guard", "claude", "PreToolUse"), is("ah-git-guard", "claude", "Stop"), is("ah-mesh", "claude", "PreToolUse")),
        (0, 1, 1)
    );
    assert_eq!(is("ah-git-guard", "codex", "PreToolUse"), 1, "Codex does not trust it yet");
    assert_eq!((is("ah-git-guard", "nobody", "PreToolUse"), home.run(&["registered"]).0), (64, 64));
}

#[test]
fn trust_is_a_persons_word() {
    let home = Home::new();
    let before = home.tree();
    home.write(".codex/config.toml", "model = \"x\"\n");
    home.ok(&["--harness", "codex", "--apply"]);
    let config = home.read(".codex/config.toml");
    let (code, text) = home.run(&["--trust", "codex"]);
    assert!(code == 77 && home.read(".codex/config.toml") == config, "{code} {text}");
    let at_terminal = |answer: &str| {
        let whole = home.command(&["--trust", "codex"]);
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/terminal.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(answer).arg(whole.get_program()).args(whole.get_args()).env_clear();
        command.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        said(&command.output().unwrap()).1
    };
    assert!(at_terminal("no").contains("exit 77"));
    assert_eq!(home.read(".codex/config.toml"), config);
    let shown = at_terminal("WORD");
    assert!(shown.contains("3 hooks trusted") && shown.contains("exit 0"), "{shown}");
    assert_eq!(home.run(&["registered", "ah-git-guard", "codex", "PreToolUse"]).0, 0);
    assert!(at_terminal("WORD").contains("trusts every hook"));
    // Another line is another hook: its trust is gone.
    let text = home.read(CODEX).replacen("\"timeout\": 10", "\"timeout\": 11", 1);
    home.write(CODEX, text);
    assert_eq!(home.run(&["registered", "ah-git-guard", "codex", "PreToolUse"]).0, 1);
    home.ok(&["--remove", "--apply"]);
    assert_eq!(home.read(".codex/config.toml"), "model = \"x\"\n");
    fs::remove_dir_all(home.path().join(".codex")).unwrap();
    assert!(home.tree() == before);
}

#[test]
fn the_digest_is_the_one_that_codex_computes() {
    // From `hooks/list` of Codex 0.171.0 for this file.
    let text = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"^Bash$\",\"hooks\":[{\"type\":\"command\",\"command\":\"/opt/x\",\"timeout\":5}]}]}}";
    let found = ah::harness::wiring::found(ah::harness::wiring::Form::Json, text.as_bytes()).unwrap();
    let canonical = "{\"event_name\":\"pre_tool_use\",\"hooks\":[{\"async\":false,\"command\":\"/opt/x\",\"timeout\":5,\"type\":\"command\"}],\"matcher\":\"^Bash$\"}";
    let added = ah::harness::wiring::trusting("", Path::new("/h/hooks.json"), &[&found[0]]).unwrap();
    let digest = ah::receipt::sha256(canonical.as_bytes());
    assert_eq!(added, format!("[hooks.state.\"/h/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:{digest}\"\n"));
    assert!(ah::harness::wiring::is_trusted(&added, Path::new("/h/hooks.json"), &found[0]));
    let off = added.replace("trusted_hash", "enabled = false\ntrusted_hash");
    assert!(!ah::harness::wiring::is_trusted(&off, Path::new("/h/hooks.json"), &found[0]));
}

#[test]
fn a_person_is_asked_at_most_three_questions() {
    let home = Home::new();
    home.write(CLAUDE, "{}");
    let dialogue = |answers: &str| {
        let mut command = Command::new("script");
        let program = format!("'{}'", env!("CARGO_BIN_EXE_ah-bootstrap"));
        // A terminal for input and output; the programs lie where the shell finds this one.
        let bin = home.bin();
        let link = bin.join("ah-bootstrap");
        let _ = fs::copy(env!("CARGO_BIN_EXE_ah-bootstrap"), &link);
        command.args(["-qec", &program.replace(env!("CARGO_BIN_EXE_ah-bootstrap"), "ah-bootstrap"), "/dev/null"]);
        command.env_clear().env("HOME", home.path()).env("SHELL", "/bin/sh");
        command.env("PATH", std::env::join_paths([&*bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
        child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        Some(said(&child.wait_with_output().unwrap()).1)
    };
    if Command::new("script").arg("-V").output().is_err() {
        println!("SKIP script: not installed");
        return;
    }
    let shown = dialogue("n\nn\nn\n").unwrap();
    assert!(shown.matches("]").count() >= 3 && shown.contains("Nothing was written"), "{shown}");
    assert_eq!(home.read(CLAUDE), "{}");
    let shown = dialogue("y\nn\ny\n").unwrap();
    assert!(shown.contains("Done."), "{shown}");
    let text = home.read(CLAUDE);
    assert!(text.contains("ah-git-guard") && text.contains("ah-judge") && !text.contains("ah-mesh"), "{text}");
}

#[test]
fn what_stays_after_a_removal_is_named_and_dropped_only_when_asked_for() {
    let home = Home::new();
    home.write(".local/state/ah/snapshots/x.git/HEAD", "a snapshot");
    home.write(".local/share/ah/collectives/me/lessons.jsonl", "a lesson");
    home.write(".config/ah/config.json", "{}");
    home.ok(&["--harness", "claude", "--apply"]);
    let text = home.ok(&["--remove", "--apply"]);
    assert!(text.contains("Left: ") && text.contains("--purge"), "{text}");
    assert!(home.path().join(".local/state/ah/snapshots/x.git/HEAD").exists());
    assert_eq!(home.run(&["--purge", "--apply"]).0, 64);
    let text = home.ok(&["--remove", "--purge", "--apply"]);
    assert!(text.contains("Dropped: ") && !home.path().join(".local/state/ah").exists(), "{text}");
    assert!(home.path().join(".config/ah/config.json").exists());
}

#[test]
fn a_wrong_command_line_is_64_and_a_missing_program_69() {
    let home = Home::new();
    let before = home.tree();
    for args in [
        &["--harness", "nobody"][..],
        &["--with", "x"],
        &["--harness", ","],
        &["--scope", "x"],
        &["--trust", "claude"],
        &["nonsense"],
    ] {
        assert_eq!(home.run(args).0, 64, "{args:?}");
    }
    fs::remove_file(home.bin().join("ah-mesh")).unwrap();
    let (code, text) = home.run(&["--harness", "claude", "--with", "mesh", "--apply"]);
    assert!(code == 69 && text.contains("ah-mesh"), "{code} {text}");
    home.program("ah-git-guard", "exit 3");
    assert_eq!(home.run(&["--harness", "claude", "--apply"]).0, 69);
    assert_eq!(home.run(&["--scope", "project", "--apply"]).0, 69, "no repository is here");
    assert!(home.tree() == before);
}
