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
    ] {
        assert_eq!(call(&t, ["check", "--", line]).code, Some(0), "{line}");
    }
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
}
