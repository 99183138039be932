//! What a sed script runs and writes.

use super::command::{HOLE, Redirect, RedirectKind};
use super::flow::unknown_or;
use super::script::Operation;

/// `e` and `w` of a sed script.
pub(super) fn sed(text: &str) -> Vec<Operation> {
    let mut out = Vec::new();
    for line in text.lines().take(1000) {
        for command in commands(line) {
            let body = command.trim_start().trim_start_matches(|char: char| {
                char.is_ascii_digit() || matches!(char, ',' | '$' | '!' | '~' | '+' | ' ' | '{')
            });
            let body = match body.strip_prefix('/') {
                // /pattern/command
                Some(rest) => rest.split_once('/').map_or("", |(_, rest)| rest.trim_start_matches(['I', '!', ' ', '{'])),
                None => body,
            };
            if let Some(rest) = body.strip_prefix('e') {
                let text = rest.trim();
                if text.is_empty() {
                    // The input's lines are run.
                    out.push(Operation::Shell(HOLE.to_string()));
                } else if rest.starts_with([' ', '\t']) {
                    out.push(Operation::Shell(text.to_owned()));
                }
            } else if let Some(rest) = body.strip_prefix(['w', 'W']) {
                write(rest, &mut out);
            } else if let Some(rest) = body.strip_prefix('s')
                && let Some(mark) = rest.chars().next()
            {
                let flags = rest[mark.len_utf8()..].rsplit(mark).next().unwrap_or("");
                let pieces = rest.matches(mark).count();
                if pieces >= 3 {
                    let (letters, file) = flags.split_once('w').map_or((flags, None), |(letters, file)| (letters, Some(file)));
                    if let Some(file) = file {
                        write(file, &mut out);
                    }
                    if letters.contains('e') && letters.chars().all(|char| "egpiImM0123456789".contains(char)) {
                        out.push(Operation::Shell(HOLE.to_string()));
                    }
                }
            }
        }
    }
    out
}

fn write(rest: &str, out: &mut Vec<Operation>) {
    let path = rest.trim();
    if !path.is_empty() && !path.starts_with("/dev/std") {
        out.push(Operation::Write(Redirect { fd: 1, kind: RedirectKind::Write, target: unknown_or(path) }));
    }
}

/// The commands of one line; `e`, `w` and a substitution that may contain `;` reach to its end.
fn commands(line: &str) -> Vec<&str> {
    let trimmed = line.trim_start();
    let verb = trimmed.trim_start_matches(|char: char| char.is_ascii_digit() || matches!(char, ',' | '$' | '!' | ' '));
    if verb.starts_with(['e', 'w', 'r', 'a', 'i', 'c']) || line.matches('/').count() > 3 && !line.contains(';') {
        vec![line]
    } else {
        line.split(';').collect()
    }
}
