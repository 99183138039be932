//! An agent that would switch the guard off is asked about, whichever way it goes about it.

use std::fs;

use serde_json::json;

use crate::guard_run::{call, claude, hook};
use crate::support::TestRepo;

/// A repository and a home whose settings register the guard.
fn registered() -> TestRepo {
    let t = TestRepo::new();
    let settings = r#"{"hooks": {"PreToolUse": "/usr/bin/ah-git-guard"}}"#;
    for dir in ["home/.claude", "home/.config/ah", "work/.claude"] {
        fs::create_dir_all(t.root().join(dir)).expect("a folder");
    }
    fs::write(t.root().join("home/.claude/settings.json"), settings).expect("settings");
    fs::write(t.root().join("home/.config/ah/config.json"), "{}").expect("settings");
    t.write(".claude/settings.json", settings);
    t.git(["add", "-A"]);
    t.git(["commit", "-qm", "settings"]);
    t
}

#[test]
fn by_a_command() {
    let t = registered();
    for line in [
        "sed -i 's/ah-git-guard/true/' ~/.claude/settings.json",
        "perl -pi -e 's/a/b/' ~/.config/ah/config.json",
        "echo '{\"off\": true}' >> ~/.config/ah/config.json",
        "echo '{}' > .claude/settings.json",
        "jq 'del(.hooks)' .claude/settings.json > t && mv t .claude/settings.json",
        "mv .claude/settings.json /tmp/",
        "rm -rf ~/.config",
        "rm -rf ~/.claude",
        "python3 -c \"open('.claude/settings.json','w').write('{}')\"",
        "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json",
        "AH_OFF=1 claude -p 'git reset --hard'",
        "export AH_OFF=1; codex exec hi",
        "env AH_OFF=1 bash -c 'claude -p hi'",
        "ah-doctor off",
        "ah-bootstrap --remove --apply",
        "ah-git-guard prune --everything",
        "AH_CONFIG_HOME=/tmp/x claude -p hi",
        "AH_STATE_HOME=/tmp/x claude",
        "export AH_HOME=/tmp/x; codex exec hi",
        "AH_PROFILE=ci gemini",
        "AH_ON_LOSS=snapshot qwen",
        "env AH_HOOKS=off opencode",
    ] {
        let run = call(&t, ["check", "--", line]);
        assert_eq!(run.code, Some(3), "{line}: {run:?}");
        assert!(run.stdout.contains("(rule ah.disarm)"), "{line}: {run:?}");
    }
    for line in [
        "cat ~/.claude/settings.json",
        "ah-git-guard policy",
        "git checkout -- .claude/settings.json",
        "echo '{}' > settings.json",
        "sed -i s/a/b/ a.txt",
        "rm -rf ~/.cache",
        "AH_HOME=/tmp/x ah-git-guard policy",
        "AH_OFF= claude -p hi",
        "ah-git-guard log --since 2h",
        "ah-git-guard check -- \"$x\"",
        "ah-git-guard check -- ah-git-guard allow",
        "echo 'run ah-git-guard allow k7f2'",
        "grep -rn 'ah-git-guard allow' .",
        "git commit --allow-empty -m 'docs: ah-git-guard allow k7f2'",
        "tmux send-keys -t 0 'make test' Enter",
        "mkdir -p state/ah-notes; touch share/ah.txt",
    ] {
        assert_eq!(call(&t, ["check", "--", line]).code, Some(0), "{line}");
    }
}

#[test]
fn by_giving_a_persons_word() {
    let t = registered();
    t.write("x.exp", "spawn ah-git-guard allow k7f2\nsend \"y\\r\"\n");
    t.write("x.sh", "exec ah-git-guard allow \"$1\"\n");
    for line in [
        "ah-git-guard allow k7f2",
        "/usr/local/bin/ah-git-guard --json allow",
        "ah-git-guard --cwd check allow -- git reset --hard",
        "g=ah-git-guard; $g allow k7f2",
        "ah-git-guard $WHAT k7f2",
        "\"$(command -v ah-git-guard)\" al\"low\" k7f2",
        "yes | script -qc 'ah-git-guard allow k7f2' /dev/null",
        "script -qec 'yes | ah-git-guard allow k7f2' /dev/null",
        "setsid -f script -qc 'ah-git-guard allow k7f2' /dev/null",
        "nohup ah-git-guard allow k7f2 &",
        "tmux send-keys -t 0 'ah-git-guard allow k7f2' Enter",
        "tmux send-keys ah-git-guard Space allow Space k7f2 Enter",
        "tmux new-session -d 'ah-git-guard allow k7f2'",
        "tmux set-buffer 'ah-git-guard allow k7f2'; tmux paste-buffer",
        "screen -S x -X stuff 'ah-git-guard allow k7f2^M'",
        "expect -c 'spawn ah-git-guard allow k7f2; send \"y\\r\"'",
        "expect <<< 'spawn ah-git-guard allow k7f2'",
        "expect x.exp",
        "sh x.sh k7f2",
        "python3 -c 'import pty; pty.spawn([\"ah-git-guard\",\"allow\",\"k7f2\"])'",
        "python3 -c \"import os; os.system('ah-git-guard allow k7f2')\"",
        "socat - EXEC:'ah-git-guard allow k7f2',pty,setsid,ctty",
        "echo 'ah-git-guard allow k7f2' | at now",
        "systemd-run --user ah-git-guard allow k7f2",
        "unbuffer ah-git-guard allow k7f2",
        "wezterm cli send-text 'ah-git-guard allow k7f2'",
    ] {
        let run = call(&t, ["check", "--", line]);
        assert_eq!(run.code, Some(3), "{line}: {run:?}");
        assert!(run.stdout.contains("(rule ah.disarm)"), "{line}: {run:?}");
    }
}

#[test]
fn in_ahs_own_folders_there_are_no_new_files() {
    let t = registered();
    fs::create_dir_all(t.root().join("ah/state")).expect("a folder");
    let state = t.root().join("ah/state").display().to_string();
    for line in [
        format!("echo '{{}}' >> {state}/allow.jsonl"),
        format!("echo '{{}}' > {state}/allow.jsonl"),
        format!("cp a.txt {state}/allow.jsonl"),
        format!("mv a.txt {state}/allow.jsonl"),
        format!("tee {state}/allow.jsonl < a.txt"),
        format!("touch {state}/off/all"),
        format!("mkdir -p {state}/off && touch {state}/off/ah-git-guard"),
        format!("rm -rf {state}"),
        format!("rm -rf {}/ah", t.root().display()),
        "touch ~/.local/state/ah/off/all".to_owned(),
        "echo '{}' > ~/.local/state/ah/allow.jsonl".to_owned(),
    ] {
        let run = call(&t, ["check", "--", &line]);
        assert!(run.code == Some(3) && run.stdout.contains("(rule ah.disarm)"), "{line}: {run:?}");
    }
    let write = claude(&t.work(), "Write", json!({"file_path": format!("{state}/allow.jsonl"), "content": "{}"}));
    assert_eq!(hook(&t, &write).verdict(), "ask");
    assert_eq!(crate::guard_allow::audit(&t).pop().expect("a line")["rules"][0], "ah.disarm");
    fs::remove_dir_all(t.root().join("home/.config/ah")).expect("it was there");
    assert_eq!(call(&t, ["check", "--", "rm -rf ~/.config"]).code, Some(0), "nothing of ah's is there");
}

#[test]
fn by_a_file_tool() {
    let t = registered();
    let at = |name: &str| t.work().join(name);
    let edit = json!({"file_path": at(".claude/settings.json"), "old_string": "ah-git-guard", "new_string": "true"});
    let write = json!({"file_path": at(".claude/settings.local.json"), "content": "{\"disableAllHooks\": true}"});
    for (tool, input) in [("Edit", edit), ("Write", write)] {
        let (verdict, text) = hook(&t, &claude(&t.work(), tool, input)).answer();
        assert_eq!(verdict, "ask", "{tool}");
        assert!(text.contains("(rule ah.disarm)"), "{text}");
    }
    let harmless = json!({"file_path": at(".claude/settings.local.json"), "content": "{\"model\": \"x\"}"});
    assert_eq!(hook(&t, &claude(&t.work(), "Write", harmless)).verdict(), "allow");
}

#[test]
fn where_nobody_can_be_asked_it_is_stopped() {
    let t = registered();
    let mut event = claude(&t.work(), "Bash", json!({"command": "rm ~/.config/ah/config.json"}));
    event["permission_mode"] = "bypassPermissions".into();
    assert_eq!(hook(&t, &event).verdict(), "deny");
    let mut event = claude(&t.work(), "Bash", json!({"command": "ah-git-guard allow k7f2"}));
    event["permission_mode"] = "dontAsk".into();
    assert_eq!(hook(&t, &event).verdict(), "deny");
    let line = crate::guard_allow::audit(&t).pop().expect("a line");
    assert_eq!((&line["verdict"], &line["rules"][0]), (&"deny".into(), &"ah.disarm".into()));
}
