//! Hooks are put into a person's settings and taken out again: the whole tree is then as it was, to the byte.

use crate::bootstrap_home::Home;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

const BOTH: &[&str] = &["--harness", "all", "--apply"];
const ALL: &[&str] = &["--harness", "all", "--with", "all", "--apply"];
const REMOVE: &[&str] = &["--remove", "--apply"];
const CLAUDE: &str = ".claude/settings.json";
const CODEX: &str = ".codex/hooks.json";

/// Settings as people have them, among them those that a formatter would never give back.
fn layouts() -> Vec<(&'static str, Vec<u8>)> {
    let mine = "{\n\t\"env\": {\"A\": \"\\u00e9\\/\"},\n\t\"n\": 1.50E+2, \"hooks\": { \"PreToolUse\": [ {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]} ] , \"Stop\": []}\n}";
    let huge = format!("{{\n  \"projects\": [{}0],\n  \"hooks\": {{}}\n}}\n", "\"/some/where/long\",\n    ".repeat(200_000));
    vec![
        ("empty file", Vec::new()),
        ("blank file", b" \n\n".to_vec()),
        ("empty object", b"{}".to_vec()),
        ("existing", b"{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n".to_vec()),
        ("compact", br#"{"model":"opus","hooks":{"PreToolUse":[]}}"#.to_vec()),
        ("hooks of others", mine.as_bytes().to_vec()),
        ("crlf", b"{\r\n    \"model\": \"opus\"\r\n}\r\n".to_vec()),
        ("byte order mark", b"\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n".to_vec()),
        ("huge", huge.into_bytes()),
    ]
}

#[test]
fn every_layout_comes_back_to_the_byte() {
    for (name, bytes) in layouts() {
        for apply in [BOTH, ALL] {
            let home = Home::new();
            home.write(CLAUDE, &bytes);
            home.write(CODEX, &bytes);
            let before = home.tree();
            home.ok(&apply[..apply.len() - 1]);
            assert!(home.tree() == before, "{name}: a dry run changed something");
            home.ok(apply);
            for file in [CLAUDE, CODEX] {
                let text = home.read(file);
                let read: Value =
                    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(read["hooks"]["PreToolUse"].to_string().contains("ah-git-guard"), "{name}");
                if name == "crlf" {
                    assert!(!text.replace("\r\n", "").contains('\n'), "{name}: line ends are mixed");
                }
            }
            let registered = home.tree();
            home.ok(apply);
            assert!(home.tree() == registered, "{name}: the second time changed something");
            home.ok(REMOVE);
            assert!(home.tree() == before, "{name}: not as before");
        }
    }
}

#[test]
fn what_was_not_there_is_not_there_again() {
    let home = Home::new();
    let before = home.tree();
    assert_eq!(home.run(&["--apply"]).0, 69, "no agent is here");
    home.ok(ALL);
    let meta = |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((meta(CLAUDE), meta(".claude"), meta(".local/share/ah/receipt.json")), (0o600, 0o700, 0o600));
    home.ok(REMOVE);
    assert!(home.tree() == before);
    // Somebody else's file in a folder that was made keeps the folder.
    home.ok(BOTH);
    home.write(".claude/notes.md", "mine");
    home.ok(REMOVE);
    assert_eq!(fs::read_dir(home.path().join(".claude")).unwrap().count(), 1);
    assert!(!home.path().join(".codex").exists());
}

#[test]
fn links_stay_links_and_modes_stay() {
    let home = Home::new();
    let real = home.write("dot files/claude.json", "{\n  \"a\": 1\n}\n");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(home.path().join(".claude")).unwrap();
    symlink("../dot files/claude.json", home.path().join(CLAUDE)).unwrap();
    home.write("codex home/hooks.json", "{}");
    symlink("codex home", home.path().join(".codex")).unwrap();
    let before = home.tree();
    let said = home.ok(BOTH);
    assert!(said.contains("dot files/claude.json"), "{said}");
    assert!(home.path().join(CLAUDE).is_symlink() && home.path().join(".codex").is_symlink());
    assert!(home.read("dot files/claude.json").contains("ah-git-guard"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    home.ok(REMOVE);
    assert!(home.tree() == before);
    // A link to nowhere is followed too.
    fs::remove_file(&real).unwrap();
    let before = home.tree();
    home.ok(BOTH);
    assert!(real.exists());
    home.ok(REMOVE);
    assert!(home.tree() == before);
}

#[test]
fn a_link_into_a_repository_needs_a_word() {
    let home = Home::new();
    let repo = home.path().join("dotfiles");
    assert!(std::process::Command::new("git").args(["init", "-q"]).arg(&repo).status().unwrap().success());
    home.write("dotfiles/settings.json", "{}");
    fs::create_dir(home.path().join(".claude")).unwrap();
    symlink("../dotfiles/settings.json", home.path().join(CLAUDE)).unwrap();
    let before = home.tree();
    let shown = home.ok(&["--harness", "claude"]);
    assert!(shown.contains("leads into the repository"), "{shown}");
    let (code, text) = home.run(&["--harness", "claude", "--apply"]);
    assert!(code == 77 && text.contains("dotfiles") && text.contains("--yes"), "{code} {text}");
    assert!(home.tree() == before);
    home.ok(&["--harness", "claude", "--apply", "--yes"]);
    home.ok(&["--remove", "--apply", "--yes"]);
    assert!(home.tree() == before);
}

#[test]
fn what_cannot_be_read_or_may_not_be_written_is_left_and_nothing_else_is_written() {
    for (text, code, says) in [
        ("{\n  // a comment\n  \"a\": 1\n}\n", 65, "line 2, column 3"),
        ("{\"a\": 1,}", 65, "line 1, column 8"),
        ("{\"hooks\": {\"PreToolUse\": 1}}", 65, "line 1, column 26"),
        ("{\"a\"", 65, "line 1"),
        ("\u{0}", 65, "line 1"),
    ] {
        let home = Home::new();
        home.write(CLAUDE, text);
        home.write(CODEX, "{}");
        let before = home.tree();
        for args in [BOTH, &["--harness", "all"], &["--harness", "all", "--remove", "--apply"]] {
            let (is, said) = home.run(args);
            assert!(is == code && said.contains(says) && said.contains("settings.json"), "{text}: {is} {said}");
            assert!(home.tree() == before, "{text}");
        }
    }
    let home = Home::new();
    let file = home.write(CLAUDE, "{}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let before = home.tree();
    let (code, said) = home.run(BOTH);
    assert!(code == 77 && said.contains("read-only"), "{code} {said}");
    assert!(home.tree() == before);
    // What is no file at all.
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(home.run(BOTH).0, 73);
}

#[test]
fn hooks_of_others_stay_when_a_harness_rewrote_the_file() {
    let home = Home::new();
    home.write(
        CLAUDE,
        "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/opt/my-ah-git-guard --x\"}]}]}}",
    );
    home.ok(ALL);
    // As a program that reads and writes JSON does, with a setting more.
    let mut all: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    all["model"] = "opus".into();
    home.write(CLAUDE, serde_json::to_string_pretty(&all).unwrap());
    let said = home.ok(&["verify"]);
    assert!(said.contains("every hook stands there"), "{said}");
    home.ok(REMOVE);
    let left: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    let hook = serde_json::json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "/opt/my-ah-git-guard --x"}]}]});
    assert_eq!(left, serde_json::json!({"model": "opus", "hooks": hook}));
    assert!(!home.path().join(".local/share/ah").exists());
}

#[test]
fn a_file_that_was_made_and_then_used_by_others_stays_without_ours() {
    let home = Home::new();
    home.ok(BOTH);
    let text = home.read(CLAUDE).replacen('{', "{\n  \"model\": \"opus\",", 1);
    home.write(CLAUDE, text);
    home.ok(REMOVE);
    let left: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    assert_eq!(left, serde_json::json!({"model": "opus"}));
}

#[test]
fn what_a_person_took_out_stays_out() {
    let home = Home::new();
    let before = home.tree();
    home.ok(BOTH);
    let mut all: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    all["hooks"].as_object_mut().unwrap().remove("SessionStart");
    home.write(CLAUDE, all.to_string());
    assert_eq!(home.run(&["verify"]).0, 1);
    let said = home.ok(ALL);
    assert!(said.contains("you took it out"), "{said}");
    let now: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    assert!(!now["hooks"]["SessionStart"].to_string().contains("git-guard"), "{now}");
    // The parts that were never there are another matter, and it is still out the next time.
    assert!(now["hooks"]["SessionStart"].to_string().contains("ah-mesh"));
    home.ok(BOTH);
    assert_eq!(serde_json::from_str::<Value>(&home.read(CLAUDE)).unwrap(), now);
    home.ok(&["--harness", "claude", "--again", "--apply"]);
    let again: Value = serde_json::from_str(&home.read(CLAUDE)).unwrap();
    assert!(again["hooks"]["SessionStart"].to_string().contains("git-guard"));
    home.ok(REMOVE);
    assert!(home.tree() == before);
}

#[test]
fn an_update_changes_no_byte_and_a_move_only_the_place() {
    let home = Home::new();
    home.write(CLAUDE, "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n");
    let before = home.tree();
    home.ok(ALL);
    let (claude, codex) = (home.read(CLAUDE), home.read(CODEX));
    home.program("ah-git-guard", "echo 'ah-git-guard 0.2.0'");
    assert!(home.run(&["verify"]).1.contains("not the bytes"));
    home.ok(ALL);
    assert_eq!((home.read(CLAUDE), home.read(CODEX)), (claude.clone(), codex));
    home.ok(&["verify"]);
    // Another folder of programs, while the old one is there: the entries are good as they are.
    let other = home.path().join("../other");
    let copy = |from: &std::path::Path, to: &std::path::Path| {
        fs::create_dir_all(to).unwrap();
        for name in crate::bootstrap_home::PROGRAMS {
            fs::copy(from.join(name), to.join(name)).unwrap();
        }
    };
    copy(&home.bin(), &other);
    let moved: Vec<&str> = ALL.iter().copied().chain(["--bin", other.to_str().unwrap()]).collect();
    let run = || {
        let mut command = home.command(&[]);
        let command = command.args(&moved);
        crate::bootstrap_home::said(&command.output().unwrap())
    };
    assert_eq!(run().0, 0);
    assert_eq!(home.read(CLAUDE), claude);
    fs::remove_dir_all(home.bin()).unwrap();
    let (code, said) = run();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("told where it lies now"), "{said}");
    let now = home.read(CLAUDE);
    assert!(!now.contains("it's bin") && now.matches("ah-git-guard").count() == claude.matches("ah-git-guard").count(), "{now}");
    assert_eq!(home.run(REMOVE).0, 0);
    assert!(home.tree() == before);
}

#[test]
fn a_part_can_be_taken_out_alone() {
    let home = Home::new();
    home.write(CLAUDE, "{\n  \"a\": 1\n}\n");
    let before = home.tree();
    home.ok(BOTH);
    let guard = (home.read(CLAUDE), home.read(CODEX));
    home.ok(ALL);
    home.ok(&["--remove", "--with", "judge,mesh", "--apply"]);
    assert_eq!((home.read(CLAUDE), home.read(CODEX)), guard);
    home.ok(REMOVE);
    assert!(home.tree() == before);
}

#[test]
fn codex_settings_in_toml_get_theirs_at_the_end() {
    let text = "# mine\nmodel = \"x\"  # why\n\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine\"";
    let home = Home::new();
    home.write(".codex/config.toml", text);
    let before = home.tree();
    home.ok(&["--harness", "codex", "--with", "all", "--apply"]);
    assert!(!home.path().join(CODEX).exists());
    let now = home.read(".codex/config.toml");
    assert!(now.starts_with(text) && now.contains("ah-prefilter' --harness codex --pass | '"), "{now}");
    // Codex adds lines of its own.
    home.ok(REMOVE);
    assert!(home.tree() == before);
    // The programs move: the entries are told so.
    home.ok(&["--harness", "codex", "--with", "judge", "--apply"]);
    let count = home.read(".codex/config.toml").matches("[[hooks.").count();
    let other = home.path().join("../other");
    fs::rename(home.bin(), &other).unwrap();
    let mut moved = home.command(&["--harness", "codex", "--apply"]);
    let (code, said) = crate::bootstrap_home::said(&moved.arg("--bin").arg(&other).output().unwrap());
    let now = home.read(".codex/config.toml");
    assert!(code == 0 && said.contains("told where it lies now"), "{code} {said}");
    assert!(now.matches("[[hooks.").count() == count && !now.contains("s bin/") && now.contains("ah-judge"), "{now}");
    fs::rename(&other, home.bin()).unwrap();
    home.ok(REMOVE);
    assert!(home.tree() == before);
    home.ok(&["--harness", "codex", "--apply"]);
    let more = format!(
        "{}\n[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n",
        home.read(".codex/config.toml").replacen("# mine", "# still mine", 1)
    );
    home.write(".codex/config.toml", more);
    home.ok(REMOVE);
    let left = home.read(".codex/config.toml");
    assert!(left.starts_with("# still mine") && left.ends_with("trusted_hash = \"y\"\n") && !left.contains("ah-"), "{left}");
    home.write(".codex/config.toml", "hooks = { PreToolUse = [{ hooks = [{ type = \"command\", command = \"mine\" }] }] }\n");
    let (code, said) = home.run(&["--harness", "codex", "--apply"]);
    assert!(code == 65 && said.contains("line 1"), "{code} {said}");
}
