//! `env`: assignments, a directory, and a command in one text.

use super::command::{EnvValue, HOLE, Word};
use super::wrapper::{Change, Inner, via};

/// `NAME=value` as a change of the environment.
pub(super) fn assignment(word: &Word) -> Option<(String, EnvValue)> {
    let (name, value) = word.text().split_once('=')?;
    if name.is_empty() || !name.bytes().all(super::parse::name_byte) {
        return None;
    }
    let value =
        if value.contains(HOLE) || matches!(word, Word::Glob(_)) { EnvValue::Unknown } else { EnvValue::Set(value.to_owned()) };
    Some((name.to_owned(), value))
}

/// `env`: options may be followed by assignments, `-S` by a whole command.
pub(super) fn environment(words: &[Word]) -> Inner {
    let mut change = via("env");
    let mut at = 1;
    let mut front: Vec<Word> = Vec::new();
    while let Some(text) = words.get(at).and_then(Word::literal) {
        let next = words.get(at + 1);
        if text == "--" {
            at += 1;
            break;
        }
        if let Some(name) = text.strip_prefix("--") {
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(Word::Literal(value.to_owned()))),
                None => (name, None),
            };
            let valued = ["unset", "chdir", "split-string"].iter().find(|long| !name.is_empty() && long.starts_with(name));
            if let Some(long) = valued {
                let word = match value {
                    Some(word) => Some(word),
                    None => {
                        at += 1;
                        next.cloned()
                    }
                };
                apply(&mut change, &mut front, long, word);
            } else if name == "ignore-environment" {
                change.clear = true;
            }
            at += 1;
        } else if text == "-" {
            change.clear = true;
            at += 1;
        } else if text.starts_with('-') && text.len() > 1 {
            for (index, letter) in text.char_indices().skip(1) {
                let long = match letter {
                    'i' => {
                        change.clear = true;
                        continue;
                    }
                    'u' => "unset",
                    'C' => "chdir",
                    'S' => "split-string",
                    _ => continue,
                };
                let rest = &text[index + 1..];
                let word = if rest.is_empty() {
                    at += 1;
                    next.cloned()
                } else {
                    Some(Word::Literal(rest.to_owned()))
                };
                apply(&mut change, &mut front, long, word);
                break;
            }
            at += 1;
        } else {
            break;
        }
        if !front.is_empty() {
            break;
        }
    }
    let mut all = front;
    all.extend_from_slice(words.get(at.min(words.len())..).unwrap_or_default());
    let mut skip = 0;
    // A text of -S may begin with options and assignments of its own.
    while let Some(word) = all.get(skip) {
        if let Some(entry) = assignment(word) {
            change.env.push(entry);
            skip += 1;
        } else if matches!(word.literal(), Some("-i" | "--" | "-v")) {
            skip += 1;
        } else {
            break;
        }
    }
    all.drain(..skip);
    if all.is_empty() { Inner::Itself } else { Inner::Words(change, all) }
}

pub(super) fn apply(change: &mut Change, front: &mut Vec<Word>, long: &str, word: Option<Word>) {
    let Some(word) = word else { return };
    match long {
        "unset" => change.env.push((word.text().to_owned(), EnvValue::Unset)),
        "chdir" => change.cwd = Some(word),
        _ => front.extend(split(&word)),
    }
}

/// Splits a text at blanks, quotes honoured: `env -S`, items of `xargs`.
pub(super) fn split(word: &Word) -> Vec<Word> {
    let mut out = Vec::new();
    let mut current = String::new();
    let mut open = false;
    let mut quote = None;
    let mut chars = word.text().chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(mark), char) if mark == char => quote = None,
            (Some('\''), char) => current.push(char),
            (_, '\\') => {
                if let Some(next) = chars.next() {
                    match next {
                        '_' if quote.is_none() => {
                            out.push(super::flow::unknown_or(&std::mem::take(&mut current)));
                            open = false;
                            continue;
                        }
                        '_' => current.push(' '),
                        next => current.push(next),
                    }
                    open = true;
                }
            }
            (Some(_), char) => current.push(char),
            (None, '\'' | '"') => {
                quote = Some(char);
                open = true;
            }
            (None, ' ' | '\t' | '\n') => {
                if open {
                    out.push(super::flow::unknown_or(&std::mem::take(&mut current)));
                }
                open = false;
            }
            (None, char) => {
                current.push(char);
                open = true;
            }
        }
    }
    if open {
        out.push(super::flow::unknown_or(&current));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_split_with_quotes() {
        let words = split(&Word::Literal("git 'a b' \"c d\" e\\ f".to_owned()));
        let words: Vec<&str> = words.iter().map(Word::text).collect();
        assert_eq!(words, ["git", "a b", "c d", "e f"]);
    }
}
