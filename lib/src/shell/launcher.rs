//! Launchers with a syntax of their own: `flock`, `su`, `script`, `watch`, `wsl`, `hyperfine`.

use super::command::Word;
use super::wrapper::{Inner, joined, options, via};

pub(super) fn flock(words: &[Word]) -> Inner {
    let at = options(words, 1, "wE", &["timeout", "wait", "conflict-exit-code"]) + 1;
    let change = via("flock");
    match words.get(at).and_then(Word::literal) {
        Some("-c" | "--command") if words.len() > at + 1 => Inner::Text(change, words[at + 1].clone(), Vec::new()),
        _ if at < words.len() => Inner::Words(change, words[at..].to_vec()),
        _ => Inner::Itself,
    }
}

/// Every operand is a shell text.
pub(super) fn texts(words: &[Word], short: &str) -> Inner {
    let at = options(
        words,
        1,
        short,
        &[
            "warmup", "min-runs", "max-runs", "runs", "setup", "prepare", "cleanup", "parameter-scan", "parameter-list", "shell",
            "style", "export-json", "export-markdown",
        ],
    );
    let name = words[0].text().to_owned();
    Inner::Several(words[at..].iter().map(|word| Inner::Text(via(&name), word.clone(), Vec::new())).collect())
}

pub(super) fn user(name: &str, words: &[Word]) -> Inner {
    let mut at = 1;
    let mut operands = Vec::new();
    let mut text = None;
    let mut direct = false;
    while let Some(word) = words.get(at) {
        let option = word.literal().unwrap_or("");
        at += 1;
        match option {
            "-c" | "--command" | "--session-command" => {
                text = words.get(at).cloned();
                at += 1;
            }
            "-u" | "--user" if name == "runuser" => {
                direct = true;
                at += 1;
            }
            "-s" | "--shell" | "-g" | "--group" | "-G" | "--supp-group" | "-w" | "--whitelist-environment" => at += 1,
            "--" if direct => break,
            "-" | "--" => {}
            _ if option.starts_with("--command=") => text = Some(Word::Literal(option["--command=".len()..].to_owned())),
            _ if option.starts_with('-') && !option.starts_with("--") && option.ends_with('c') => {
                text = words.get(at).cloned();
                at += 1;
            }
            _ if option.starts_with('-') => {}
            _ if direct => {
                at -= 1;
                break;
            }
            _ => operands.push(word.clone()),
        }
    }
    let change = via(name);
    if let Some(text) = text {
        return Inner::Text(change, text, operands.into_iter().skip(1).collect());
    }
    if direct && at < words.len() {
        return Inner::Words(change, words[at..].to_vec());
    }
    Inner::Stdin(change, Vec::new())
}

pub(super) fn script(words: &[Word]) -> Inner {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        if let Some(command) = text.strip_prefix("--command=") {
            return Inner::Text(via("script"), Word::Literal(command.to_owned()), Vec::new());
        }
        if text == "--command" || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')) {
            return match words.get(at + 1) {
                Some(word) => Inner::Text(via("script"), word.clone(), Vec::new()),
                None => Inner::Itself,
            };
        }
        if !text.starts_with('-') || text == "--" {
            break;
        }
        at += 1;
    }
    // The BSD form: script FILE COMMAND ...
    if words.len() > at + 1 { Inner::Words(via("script"), words[at + 1..].to_vec()) } else { Inner::Itself }
}

pub(super) fn watch(words: &[Word]) -> Inner {
    let at = options(words, 1, "nqs", &["interval", "equexit", "shotsdir"]);
    if at >= words.len() {
        return Inner::Itself;
    }
    let exec = words[1..at].iter().any(|word| matches!(word.text(), "-x" | "--exec"));
    if exec {
        return Inner::Words(via("watch"), words[at..].to_vec());
    }
    Inner::Text(via("watch"), joined(&words[at..]), Vec::new())
}

pub(super) fn wsl(words: &[Word]) -> Inner {
    let mut at = 1;
    while let Some(text) = words.get(at).and_then(Word::literal) {
        match text {
            "-d" | "-u" | "--distribution" | "--user" | "--cd" => at += 2,
            "--" | "-e" | "--exec" => {
                at += 1;
                break;
            }
            _ if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    if at < words.len() { Inner::Words(via("wsl"), words[at..].to_vec()) } else { Inner::Itself }
}

/// A command behind one of these words, or behind the options.
pub(super) fn behind(words: &[Word], marks: &[&str]) -> Inner {
    let name = words[0].text().rsplit('/').next().unwrap_or("").to_owned();
    match words.iter().position(|word| marks.contains(&word.text())) {
        Some(found) if found + 1 < words.len() => Inner::Words(via(&name), words[found + 1..].to_vec()),
        _ => Inner::Itself,
    }
}

/// `nix develop -c command ...`, `nix shell x --command command ...`, `nix-shell --run TEXT`.
pub(super) fn nix(words: &[Word]) -> Inner {
    let name = words[0].text().rsplit('/').next().unwrap_or("").to_owned();
    let at = |marks: &[&str]| words.iter().position(|word| marks.contains(&word.text())).filter(|at| at + 1 < words.len());
    if name == "nix-shell" {
        return match at(&["--run", "--command"]) {
            Some(found) => Inner::Text(via(&name), words[found + 1].clone(), Vec::new()),
            None => Inner::Itself,
        };
    }
    match at(&["-c", "--command"]) {
        Some(found) => Inner::Words(via(&name), words[found + 1..].to_vec()),
        None => Inner::Itself,
    }
}
