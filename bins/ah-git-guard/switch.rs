//! Commands that switch ah off, loosen it, or give a person's word in their place: by name, by variable, typed into a terminal.

use crate::hits::absolute;
use crate::script;
use crate::verdict::{Finding, Loss, Verdict};
use ah::person;
use ah::shell::{Command, EnvValue, Stdin, Word};
use std::ffi::OsString;
use std::path::Path;

/// Programs that type text into a terminal, or run it on one or later.
const TYPISTS: &[&str] = &[
    "abduco", "at", "batch", "dtach", "expect", "kitten", "kitty", "osascript", "screen", "script", "socat", "tmux", "ttyd",
    "unbuffer", "wezterm", "wtype", "xdotool", "ydotool", "zellij",
];

/// Whether the words alone concern ah: one of its programs, a variable of it, or its name typed into a terminal.
pub fn concerned(program: &str, command: &Command) -> bool {
    program.starts_with("ah-") || set(command) || TYPISTS.binary_search(&program).is_ok() && types(command)
}

/// Switching ah off or loosening it, a harness that starts so, a person's word.
pub fn disarm(program: &str, command: &Command, text: &str) -> Option<Finding> {
    let words: Vec<&str> = command.words[1..].iter().map(Word::text).collect();
    let plain = || words.iter().copied().filter(|a| !a.starts_with('-'));
    let has = |names: &[&str]| words.iter().any(|w| names.contains(w));
    let what = match program {
        "ah-doctor" if plain().next() == Some("off") => "switches ah itself off",
        "ah-bootstrap" if has(&["--remove", "--uninstall"]) => "switches ah itself off",
        "ah-git-guard" if allows(command) => "lets a stopped call through, which is for a person to do",
        "ah-git-guard" if has(&["--everything"]) => "removes every snapshot",
        _ if person::named(program) && set(command) => "starts an agent with ah switched off or set otherwise",
        _ if TYPISTS.contains(&program) && types(command) => "lets a stopped call through, which is for a person to do",
        _ => return None,
    };
    Some(Finding::new("ah.disarm", Verdict::Ask, text, what).with([Loss::Other("the guard".into())]))
}

/// Whether a call of the guard is, or may be, `allow`.
fn allows(command: &Command) -> bool {
    let words = || command.words[1..].iter().map(|w| OsString::from(w.text()));
    match crate::CLI.parse(words()) {
        Ok(ah::cli::Parsed::Run(call)) => call.command == Some("allow"),
        Ok(ah::cli::Parsed::Print(_)) => false,
        // What is refused as it reads may be a word that is not known.
        Err(_) => command.words[1..].iter().any(|w| w.literal().is_none()),
    }
}

/// Whether the line sets one of ah's variables for the command.
fn set(command: &Command) -> bool {
    let ours = command.env.range("AH_".to_owned()..).take_while(|(name, _)| name.starts_with("AH_"));
    ours.into_iter().any(|(_, value)| !matches!(value, EnvValue::Unset) && *value != EnvValue::Set(String::new()))
}

/// Whether what is typed, or a script that is named, speaks of the guard's `allow`.
fn types(command: &Command) -> bool {
    let mut text = command.words[1..].iter().map(Word::text).collect::<Vec<_>>().join(" ");
    if let Stdin::Text(fed) = &command.stdin {
        text = text + " " + fed;
    }
    let speaks = |text: &str| text.split_once("ah-git-guard").is_some_and(|(_, rest)| rest.contains("allow"));
    let cwd = command.cwd.as_deref().unwrap_or("/");
    let scripts = || command.words[1..].iter().filter_map(Word::literal).filter(|w| !w.starts_with('-'));
    let named = |w: &str| script::read(&absolute(Path::new(cwd), w).to_string_lossy()).is_some_and(|t| speaks(&t));
    speaks(&text) || command.program() == Some("expect") && scripts().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TYPISTS.is_sorted());
    }
}
