//! Whether a tool call changes anything, as the reference tells it: by words, its mistakes with them.

use crate::event::{field, text};
use serde_json::value::RawValue;

/// What is taken out of a command first, in this order.
const SILENT: [&str; 5] = ["2>&1", "&>/dev/null", "2>/dev/null", ">/dev/null", "> /dev/null"];

/// Programs that read.
const READERS: &[&str] = &[
    "ag", "awk", "basename", "cat", "cd", "cmp", "column", "cut", "date", "df", "diff", "dirname", "du", "echo", "egrep", "env",
    "fd", "file", "find", "grep", "head", "id", "jq", "less", "ls", "more", "nl", "printenv", "printf", "ps", "pwd", "realpath",
    "rg", "sed", "sort", "stat", "tail", "tr", "tree", "true", "type", "uname", "uniq", "wc", "whereis", "which", "whoami", "yq",
];

/// Subcommands of git that read.
const GIT_READERS: [&str; 11] =
    ["blame", "branch", "describe", "diff", "grep", "log", "ls-files", "remote", "rev-parse", "shortlog", "show"];

/// Words that make them write.
const GIT_WRITES: [&str; 9] = ["--delete", "-D", "-M", "-d", "-m", "add", "remove", "rename", "set-url"];

/// Whether a call changes anything.
#[must_use]
pub fn changes(tool: &str, input: &RawValue) -> bool {
    match tool.to_lowercase().as_str() {
        "edit" | "multiedit" | "notebookedit" | "write" => true,
        "bash" => command(&field(input, "command").and_then(text).unwrap_or_default()),
        _ => false,
    }
}

fn command(command: &str) -> bool {
    let text = SILENT.iter().fold(command.to_owned(), |text, silent| text.replace(silent, " "));
    text.contains('>') || text.split(['\n', ';', '|', '&', '(', ')', '`']).any(part)
}

fn part(part: &str) -> bool {
    let mut words = part.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with('-'));
    let Some(first) = words.next() else { return false };
    let rest: Vec<&str> = words.collect();
    match first.rsplit('/').next().unwrap_or(first) {
        "git" => git(&rest),
        "sed" => rest.iter().any(|word| word.starts_with("-i") || *word == "--in-place"),
        "find" => rest.iter().any(|word| matches!(*word, "-delete" | "-exec" | "-execdir" | "-ok")),
        program => READERS.binary_search(&program).is_err(),
    }
}

fn git(words: &[&str]) -> bool {
    let mut at = 0;
    while at < words.len() && words[at].starts_with('-') {
        at += if matches!(words[at], "-C" | "-c") { 2 } else { 1 };
    }
    let Some(verb) = words.get(at) else { return true };
    let reads = *verb == "status" || GIT_READERS.contains(verb);
    !reads || words[at + 1..].iter().any(|word| GIT_WRITES.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_sorted() {
        assert!(READERS.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
