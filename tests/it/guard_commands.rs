//! What people run by hand: check, explain, policy, rules, the filter and completions of the built guard.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::guard_run::{Run, bash, call, dirty, feed, guard, hook};
use crate::support::TestRepo;

/// The person's settings.
fn settings(t: &TestRepo, text: &str) {
    fs::create_dir_all(t.root().join("ah/config")).expect("made");
    fs::write(t.root().join("ah/config/config.json"), text).expect("written");
}

fn json_of(run: &Run) -> Value {
    assert_eq!(run.stderr, "");
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("JSON ({e}): {run:?}"))
}

#[track_caller]
fn assert_check(t: &TestRepo, line: &str, code: i32) -> String {
    let run = call(t, ["check", "--", line]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(code), ""), "{line}: {}", run.stdout);
    assert_eq!(run.stdout.is_empty(), code == 0, "{line}");
    run.stdout
}

#[test]
fn check_ends_with_its_verdict() {
    let t = dirty();
    t.git(["checkout", "-qb", "wip"]);
    t.commit("b.txt", "one\n");
    t.git(["checkout", "-q", "main"]);
    assert_check(&t, "git status", 0);
    assert!(assert_check(&t, "git reset --hard", 1).contains("a.txt"));
    assert!(assert_check(&t, "git branch -D wip", 3).contains("change b.txt"));
    for args in [&["check", "git", "reset", "--hard"][..], &["check", "--", "git", "reset", "--hard"]] {
        assert_eq!(call(&t, args).code, Some(1), "words as they are: {args:?}");
    }
    for line in ["", " \n"] {
        let run = call(&t, ["check", "--", line]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(64), ""));
        assert!(run.stderr.starts_with("ah-git-guard: "), "{run:?}");
    }
    assert_eq!(call(&t, ["check"]).code, Some(64));
    assert_eq!(call(&t, ["check", "--nonsense", "--", "ls"]).code, Some(64));
    let clean = TestRepo::new();
    let dir = t.work();
    let there = call(&clean, ["check", "--cwd", dir.to_str().expect("text"), "--", "git reset --hard"]);
    assert_eq!(there.code, Some(1), "--cwd");
    for gone in ["gone", "a.txt"] {
        let run = call(&clean, ["check", "--cwd", gone, "--", "ls"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(66), ""), "{run:?}");
        assert!(run.stderr.contains(gone), "{run:?}");
    }
}

#[test]
fn explain_names_every_command_in_both_forms() {
    let t = dirty();
    t.git(["config", "alias.undo", "!git reset --hard"]);
    let line = "cd . && sudo git status; git undo | cat; echo \"$UNKNOWN\"";
    let text = call(&t, ["explain", "--", line]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    for part in
        ["git status", "git reset --hard", "cat", "echo", "sudo", "git alias undo", "tree.discard", "verdict deny", "a.txt"]
    {
        assert!(text.stdout.contains(part), "{part} in {}", text.stdout);
    }
    let value = json_of(&call(&t, ["explain", "--json", "--", line]));
    assert_eq!((&value["v"], &value["verdict"]), (&json!(1), &json!("deny")));
    assert_eq!(value["findings"][0]["rule"], "tree.discard");
    assert!(value["findings"][0]["losses"][0].as_str().is_some_and(|l| l.contains("a.txt")), "{value}");
    let commands = value["commands"].as_array().expect("a list");
    for word in ["git status", "git reset --hard", "cat"] {
        assert!(commands.iter().any(|c| c["command"] == word && c["cwd"] == json!(t.work())), "{word}: {value}");
    }
    for key in ["asked", "command", "cwd", "rules", "via"] {
        assert!(commands.iter().all(|c| c.get(key).is_some()), "{key}: {value}");
    }
    let unread = json_of(&call(&t, ["explain", "--json", "--", "git status '"]));
    assert_eq!(unread["unread"].as_array().map(Vec::len), Some(1), "{unread}");
    // The message is what a hook says, but for the code that only a denial has.
    let without = |text: &str| text.split("\nIf ").next().unwrap_or_default().to_owned();
    let said = hook(&t, &bash(&t, "git reset --hard")).answer().1;
    let message = json_of(&call(&t, ["check", "--json", "--", "git reset --hard"]))["message"].clone();
    assert_eq!(without(message.as_str().unwrap_or_default()), without(&said));
}

#[test]
fn rules_are_listed_and_shown_one_by_one() {
    let t = TestRepo::nothing();
    let value = json_of(&call(&t, ["rules", "--json"]));
    let rules = value["rules"].as_array().expect("a list");
    assert!(value["v"] == 1 && rules.len() > 30);
    let list = call(&t, ["rules"]).stdout;
    for rule in rules {
        let text = |key: &str| rule[key].as_str().unwrap_or_else(|| panic!("no {key}: {rule}"));
        let id = text("id");
        assert!(["protects", "lost", "harmless"].iter().all(|k| !text(k).is_empty()), "{rule}");
        assert!(list.lines().any(|l| l.starts_with(&format!("{id} "))), "{id} in {list}");
        let one = call(&t, ["rules", id]);
        assert!(one.code == Some(0) && one.stdout.contains(text("lost")) && one.stdout.contains(text("harmless")), "{one:?}");
    }
    for unknown in ["tree", "tree.discard.x", "", "\u{1b}[31m"] {
        let run = call(&t, ["rules", unknown]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn policy_says_where_each_value_came_from() {
    let t = dirty();
    settings(
        &t,
        r#"{"v": 1, "git_guard": {"on_loss": "deny", "protected": ["main", "prod"], "verdicts": {"tree.clean": "ask"}, // mine
        "rules": [{"run": ["terraform", "destroy"], "verdict": "ask", "why": "shared state"}],
        "allow": [{"rule": "push.force", "repo": "*", "command": "git push -f *", "until": "2099-01-31"}]}}"#,
    );
    t.write(".ah/config.json", r#"{"git_guard": {"protected": ["qa/*"], "verdicts": {"tree.clean": "deny"}}}"#);
    let value = json_of(&call(&t, ["policy", "--json"]));
    let row = |key: &str| {
        let rows = value["values"].as_array().expect("a list");
        let row = rows.iter().find(|r| r["key"] == key).unwrap_or_else(|| panic!("no {key}: {value}"));
        (row["value"].as_str().expect("text").to_owned(), row["from"].as_str().expect("text").to_owned())
    };
    assert_eq!(row("on_loss"), ("deny".into(), "Person".into()));
    assert_eq!(row("allow"), ("push.force in * until 2099-01-31: git push -f *".into(), "Person".into()));
    assert_eq!(row("fail"), ("open".into(), "BuiltIn".into()));
    assert_eq!(row("verdicts.tree.clean").0, "ask");
    assert_eq!(row("verdicts.tree.clean (floor)"), ("deny".into(), "Repo".into()));
    assert!(row("protected").0.contains("prod") && row("protected").0.contains("qa/*"));
    assert_eq!(row("rules"), ("ask terraform destroy: shared state".into(), "Person".into()));
    assert_eq!(row("protected[2]"), ("qa/*".into(), "Repo".into()));
    for (key, value) in [
        ("audit.file", "none"),
        ("hooks", "deny"),
        ("no_prompt", "snapshot"),
        ("profile", "person"),
        ("snapshot.keep_days", "14"),
    ] {
        assert_eq!(row(key), (value.into(), "BuiltIn".into()));
    }
    let text = call(&t, ["policy"]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    assert!(text.stdout.lines().any(|l| l.starts_with("on_loss") && l.contains("deny")), "{}", text.stdout);

    settings(&t, "{\n  \"git_guard\": {\n    \"on_loss\": \"maybe\"\n  }\n}");
    for args in [&["policy"][..], &["policy", "--json"]] {
        let run = call(&t, args);
        assert_eq!(run.code, Some(78), "{run:?}");
        assert!(run.stdout.contains("config.json:3:16: git_guard.on_loss"), "{}", run.stdout);
    }
}

#[test]
fn a_person_may_set_verdicts_and_hooks() {
    let t = dirty();
    t.write("new.txt", "x\n");
    t.script(&t.work().join(".git/hooks/pre-commit"), "exit 1");
    assert_check(&t, "git commit -nam x", 1);
    for (policy, line, code) in [
        (r#""verdicts": {"tree.discard": "allow"}"#, "git reset --hard", 0),
        (r#""verdicts": {"tree.discard": "note"}"#, "git checkout .", 0),
        (r#""verdicts": {"tree.discard": "ask"}"#, "git reset --hard", 3),
        (r#""verdicts": {"tree.discard": "allow"}"#, "git clean -fd", 1),
        (r#""hooks": "off""#, "git commit -nam x", 0),
        (r#""hooks": "ask""#, "git commit -nam x", 3),
        (r#""hooks": "off", "verdicts": {"hooks.skip": "deny"}"#, "git commit -nam x", 1),
        (r#""verdicts": {"nonsense": "allow"}"#, "git reset --hard", 1),
    ] {
        settings(&t, &format!("{{\"git_guard\": {{{policy}}}}}"));
        let run = call(&t, ["check", "--", line]);
        assert_eq!(run.code, Some(code), "{policy}: {line}: {}", run.stdout);
    }
}

#[test]
fn a_repository_may_only_tighten() {
    let t = dirty();
    t.write("new.txt", "x\n");
    t.write(
        ".ah/config.json",
        r#"{"git_guard": {"verdicts": {"tree.discard": "allow", "tree.clean": "note", "branch.delete": "deny"}, "hooks": "off",
        "on_loss": "snapshot", "protected": [], "allow": [{"command": "*", "repo": "*", "rule": "tree.discard", "until": "2999-12-31"}]}}"#,
    );
    t.script(&t.work().join(".git/hooks/pre-commit"), "exit 1");
    t.git(["branch", "wip"]);
    t.git(["checkout", "-q", "wip"]);
    t.git(["commit", "-q", "--no-verify", "--allow-empty", "-m", "only here"]);
    t.git(["checkout", "-q", "main"]);
    assert_check(&t, "git reset --hard", 1);
    assert_check(&t, "git clean -fd", 1);
    assert_check(&t, "git commit -nam x", 1);
    assert_check(&t, "git branch -D wip", 1);
    // Nor may it loosen what the person made stricter.
    settings(&t, r#"{"git_guard": {"verdicts": {"branch.delete": "deny"}}}"#);
    t.write(".ah/config.json", r#"{"git_guard": {"verdicts": {"branch.delete": "ask"}}}"#);
    assert_check(&t, "git branch -D wip", 1);
}

#[test]
fn protected_branches_are_globs() {
    let t = TestRepo::new();
    t.git_in(&t.root(), ["clone", "-q", "--bare", "work", "hub"]);
    t.git(["remote", "add", "origin", "../hub"]);
    for branch in ["qa/one", "topic"] {
        t.git(["checkout", "-qb", branch]);
        t.commit("b.txt", branch);
        t.git(["push", "-q", "origin", branch]);
        t.git(["commit", "-q", "--amend", "-m", "again"]);
    }
    let push = |branch: &str| call(&t, ["check", "--", &format!("git push --force-with-lease origin {branch}")]).code;
    assert_eq!((push("qa/one"), push("topic")), (Some(0), Some(0)));
    settings(&t, r#"{"git_guard": {"protected": ["qa/*"]}}"#);
    assert_ne!(push("qa/one"), Some(0));
    assert_eq!(push("topic"), Some(0));
}

#[test]
fn own_rules_hold_behind_wrappers_and_only_for_their_words() {
    let t = TestRepo::new();
    let rule = r#"{"run": ["terraform", "destroy"], "verdict": "VERDICT", "why": "shared state"}"#;
    settings(&t, &format!("{{\"git_guard\": {{\"rules\": [{}]}}}}", rule.replace("VERDICT", "ask")));
    for line in ["terraform destroy", "cd x; sudo env A=1 /usr/bin/terraform destroy -auto-approve", "sh -c 'terraform destroy'"]
    {
        assert!(assert_check(&t, line, 3).contains("shared state"), "{line}");
        assert_eq!(hook(&t, &bash(&t, line)).verdict(), "ask");
    }
    for line in ["terraform plan", "terraform", "echo terraform destroy", "destroy terraform", "xterraform destroy"] {
        assert_check(&t, line, 0);
    }
    // A repository may add rules, and the stricter one counts, however long the others are.
    let own = |verdict: &str| format!("{{\"git_guard\": {{\"rules\": [{}]}}}}", rule.replace("VERDICT", verdict));
    t.write(".ah/config.json", own("deny"));
    assert_check(&t, "terraform destroy", 1);
    settings(&t, &own("deny"));
    t.write(".ah/config.json", own("note").replace("\"destroy\"", "\"destroy\", \"-auto-approve\""));
    assert_check(&t, "terraform destroy -auto-approve", 1);
}

#[test]
fn the_filter_keeps_order_and_fails_on_request() {
    let (t, clean) = (dirty(), TestRepo::new());
    let lines = [
        bash(&t, "git reset --hard").to_string(),
        "not json".into(),
        bash(&clean, "git reset --hard").to_string(),
        String::new(),
        bash(&t, "git status").to_string(),
        bash(&t, "git checkout .").to_string(),
    ];
    let input = lines.join("\n");
    let run = feed(guard(&t).arg("--jsonl"), input.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let denied: Vec<bool> = run.stdout.lines().map(|l| l.contains("\"deny\"")).collect();
    assert_eq!(denied, [true, false, false, false, false, true], "{}", run.stdout);
    assert!(run.stdout.lines().skip(1).take(4).all(|l| l == "{}"), "{}", run.stdout);
    assert!(!t.root().join("ah").exists(), "a probe writes nothing");
    let code = |input: &str| feed(guard(&t).args(["--jsonl", "--fail"]), input.as_bytes()).code;
    assert_eq!((code(&input), code(&lines[2]), code("")), (Some(1), Some(0), Some(0)));
}

#[test]
fn completions_load_in_bash_and_offer_commands() {
    let t = TestRepo::nothing();
    let script = call(&t, ["--completions", "bash"]);
    assert_eq!((script.code, script.stderr.as_str()), (Some(0), ""));
    let file = t.root().join("completions.bash");
    fs::write(&file, &script.stdout).expect("written");
    let ask = r#"set -eu; . "$1"
f=$(complete -p ah-git-guard | sed 's/.*-F \([^ ]*\).*/\1/')
COMP_WORDS=(ah-git-guard exp); COMP_CWORD=1; COMP_LINE='ah-git-guard exp'; COMP_POINT=16
$f ah-git-guard exp ah-git-guard; echo "${COMPREPLY[*]}""#;
    let out = Command::new("bash").args(["--norc", "-c", ask, "bash"]).arg(&file).stdin(Stdio::null()).output().expect("bash");
    assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "explain", "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn printing_to_nowhere_ends_quietly_or_with_a_code() {
    let t = TestRepo::nothing();
    let device = fs::File::options().write(true).open("/dev/full").expect("a full device");
    let out = guard(&t).arg("rules").stdin(Stdio::null()).stdout(device).output().expect("it runs");
    assert_eq!(out.status.code(), Some(73));
    assert!(String::from_utf8_lossy(&out.stderr).starts_with("ah-git-guard: cannot print"));
    let mut sh = Command::new("bash");
    sh.args(["-c", "set -o pipefail; \"$0\" rules | true", env!("CARGO_BIN_EXE_ah-git-guard")]).current_dir(Path::new("/"));
    let out = sh.env("AH_HOME", t.root()).stdin(Stdio::null()).output().expect("bash");
    assert_eq!((out.status.code(), out.stderr.len()), (Some(0), 0));
}

#[test]
fn in_ci_local_work_is_nobodys_and_shared_history_is_guarded() {
    let t = dirty();
    let verdict =
        |line: &str| guard(&t).args(["check", "--", line]).env("AH_PROFILE", "ci").output().expect("it runs").status.code();
    assert_eq!(verdict("git reset --hard && git clean -fdx"), Some(0));
    assert_eq!(verdict("git push --force origin main"), Some(1));
    assert_eq!(verdict("git remote set-url origin x"), Some(3));
}
