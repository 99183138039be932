//! The command line: the table, what comes from it, and that shells can load it.

use ah::cli::{COMPLETIONS, Call, Cli, Command, EVENT, EXPLAIN, FAIL, Flag, HARNESS, HELP, JSON, JSONL, Parsed, RECORD, VERSION};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::process::Command as Process;

const CLI: Cli = Cli {
    name: "ah-sample",
    about: "shows what a table gives",
    usage: &["[--explain] < EVENT", "COMMAND [ARGUMENTS]"],
    commands: &[
        Command { name: "check", args: "[--cwd DIR] -- COMMAND", help: "judge a command; don't run it" },
        Command { name: "undo", args: "", help: "take the last one back" },
    ],
    flags: &[
        Flag { long: "cwd", short: None, value: Some("DIR"), help: "where [the command] would run: a folder" },
        COMPLETIONS,
        EVENT,
        EXPLAIN,
        FAIL,
        HARNESS,
        HELP,
        JSON,
        JSONL,
        RECORD,
        VERSION,
    ],
};

fn parse(line: &str) -> Result<Parsed, String> {
    CLI.parse(line.split_whitespace().map(OsString::from))
}

fn call(line: &str) -> Call {
    match parse(line) {
        Ok(Parsed::Run(call)) => call,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn shared_flags_own_flags_and_operands() {
    assert_eq!(call(""), Call::default());
    let hook = call("--harness codex --event=Stop --explain --jsonl --record --fail --json");
    assert_eq!((hook.options.harness.as_deref(), hook.options.event.as_deref()), (Some("codex"), Some("Stop")));
    let o = &hook.options;
    assert!(hook.command.is_none() && o.explain && o.jsonl && o.record && o.fail && o.json);
    let check = call("check --cwd a --cwd b -- git reset --hard --help");
    assert_eq!(check.command, Some("check"));
    assert_eq!(check.args, ["git", "reset", "--hard", "--help"]);
    assert_eq!(check.value("cwd").map(|dir| dir.to_str()), Some(Some("b")));
    assert!(check.has("cwd") && !check.has("json"));
    let bare = call("check --json git push --force -x -- y");
    assert_eq!(bare.args, ["git", "push", "--force", "-x", "--", "y"]);
    assert!(bare.options.json);
    assert_eq!(call("undo 3 --json").args, ["3"]);
}

#[test]
fn a_wrong_line_says_what_and_what_was_meant() {
    for (line, part) in [
        ("chekc", "unknown command: chekc; did you mean check?"),
        ("frobnicate", "unknown command: frobnicate"),
        ("--explian", "unknown flag: --explian; did you mean --explain?"),
        ("-x", "unknown flag: -x"),
        ("--harness", "--harness needs a value: NAME"),
        ("--completions tcsh", "--completions: not one of bash|zsh|fish: tcsh"),
        ("--json=yes", "--json"),
    ] {
        let what = parse(line).expect_err(line);
        assert!(what.contains(part), "{line}: {what}");
    }
    let hostile = CLI.parse([OsString::from_vec(b"--\x1b[31m\xff".to_vec())]).expect_err("unknown");
    assert!(!hostile.contains('\x1b'), "{hostile:?}");
    assert!(CLI.parse(["--event".into(), OsString::from_vec(b"\xff".to_vec())]).is_err());
    assert!(CLI.parse([OsString::from("x".repeat(1 << 20))]).expect_err("unknown").len() < 200);
}

#[test]
fn help_names_everything_once() {
    for line in ["--help", "-h", "check --help", "--help check x", "--json -h --jsonl"] {
        assert_eq!(parse(line), Ok(Parsed::Print(CLI.help())), "{line}");
    }
    assert!(parse("--help frobnicate").is_err(), "a wrong word is told of all the same");
    let help = CLI.help();
    for flag in CLI.flags {
        let named = help.lines().filter(|line| line.split_whitespace().any(|word| word == format!("--{}", flag.long)));
        assert!(named.count() >= 1 && help.contains(flag.help), "{}", flag.long);
    }
    for command in CLI.commands {
        assert!(help.contains(command.help) && help.contains(&format!("  {}", command.name)), "{}", command.name);
    }
    assert!(help.lines().all(|line| line.len() <= 100 && line.trim_end() == line), "{help}");
    assert_eq!(parse("-V"), Ok(Parsed::Print(format!("ah-sample {}\n", env!("CARGO_PKG_VERSION")))));
}

/// What bash offers for a line whose last word is being typed.
fn bash_offers(words: &[&str]) -> String {
    let script = format!(
        "{}\ncomplete -p ah-sample >/dev/null || exit 9\nCOMP_WORDS=({}); COMP_CWORD={}; _ah_sample; echo \"${{COMPREPLY[*]}}\"",
        CLI.completions("bash").expect("bash"),
        words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
        words.len() - 1,
    );
    let out = Process::new("bash").args(["--norc", "-c", &script]).output().expect("bash runs");
    assert!(out.status.success() && out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).trim().to_owned()
}

#[test]
fn bash_loads_its_completions_and_offers_from_the_table() {
    assert_eq!(bash_offers(&["ah-sample", ""]), "check undo");
    assert_eq!(bash_offers(&["ah-sample", "u"]), "undo");
    assert_eq!(bash_offers(&["ah-sample", "--ex"]), "--explain");
    assert_eq!(bash_offers(&["ah-sample", "--completions", ""]), "bash zsh fish");
    assert_eq!(bash_offers(&["ah-sample", "--cwd", ""]), "");
    assert_eq!(bash_offers(&["ah-sample", "check", ""]), "");
}

/// What `shell` prints for a script that it must take without complaint; `None` where it is not installed.
fn printed(shell: &str, flag: &str, script: &str) -> Option<String> {
    let out = Process::new(shell).args([flag, "-c", script]).output().ok()?;
    assert!(out.status.success() && out.stderr.is_empty(), "{script}\n{}", String::from_utf8_lossy(&out.stderr));
    Some(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

#[test]
fn zsh_and_fish_load_theirs_where_they_are_installed() {
    let zsh = CLI.completions("zsh").expect("zsh");
    let load = format!("autoload -Uz compinit; compinit -D -u; {zsh}\necho ${{_comps[ah-sample]}}");
    if let Some(function) = printed("zsh", "-f", &load) {
        assert_eq!(function, "_ah_sample");
    }
    let fish = CLI.completions("fish").expect("fish");
    for (line, offered) in [("", "check undo"), ("--ex", "--explain"), ("--completions ", "bash fish zsh"), ("-", "-V -h")] {
        if let Some(rows) = printed("fish", "--no-config", &format!("{fish}\ncomplete -C 'ah-sample {line}'")) {
            let mut words: Vec<&str> = rows.lines().filter_map(|row| row.split('\t').next()).collect();
            // A lone dash offers the long flags too.
            words.retain(|word| line != "-" || !word.starts_with("--"));
            words.sort_unstable();
            assert_eq!(words.join(" "), offered, "{rows}");
        }
    }
    for flag in CLI.flags {
        assert!(zsh.contains(&format!("'--{}[", flag.long)), "{zsh}");
        assert!(fish.contains(&format!(" -l {} ", flag.long)), "{fish}");
    }
    assert_eq!(CLI.completions("tcsh"), None);
}
