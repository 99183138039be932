//! What a git command is about to make: commits, stash entries, remotes. Told by its words, for the session's memory.

use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::options::Options;
use crate::spec;
use ah::session::mark;
use ah::shell::{Stdin, Word};
use std::path::{Path, PathBuf};

/// What the commands of a line are about to make from one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    /// Where git runs.
    pub dir: PathBuf,
    /// As in [`ah::session::Made`].
    pub acts: Vec<String>,
    /// HEAD is moved before.
    pub moved: bool,
    /// What is staged on the way, with everything below it.
    pub stages: Vec<PathBuf>,
}

/// What `add` stages, or `commit` takes from the work tree: by literal name, or all there is.
pub fn stages(invocation: &Invocation, dir: &Path) -> Vec<PathBuf> {
    let Some(verb) = invocation.verb().filter(|verb| matches!(*verb, "add" | "commit")) else { return Vec::new() };
    let o = Options::read(spec::of(verb), &invocation.args);
    if o.refused || o.unclear || o.has("dry-run") {
        return Vec::new();
    }
    if o.operands.is_empty() && (o.has("all") || o.has("update")) {
        return vec![PathBuf::from("/")];
    }
    o.operands.iter().filter_map(Word::literal).map(|path| absolute(dir, path)).collect()
}

/// Whether a verb may set HEAD on another commit than a new one of its own.
pub fn moves(verb: &str) -> bool {
    matches!(verb, "bisect" | "checkout" | "pull" | "rebase" | "reset" | "switch" | "update-ref" | "symbolic-ref")
}

/// What a git call makes, if it makes anything whose maker can be told afterwards.
pub fn act(invocation: &Invocation, stdin: &Stdin) -> Option<String> {
    let verb = invocation.verb()?;
    if !matches!(verb, "cherry-pick" | "commit" | "merge" | "rebase" | "remote" | "revert" | "stash") || invocation.wants_help() {
        return None;
    }
    let o = Options::read(spec::of(verb), &invocation.args);
    let ends = ["abort", "dry-run", "quit", "skip"].iter().any(|name| o.has(name));
    if ends || o.refused || o.unclear {
        return None;
    }
    let said = |n: usize| o.operands.get(n).and_then(Word::literal);
    match verb {
        "cherry-pick" if !o.negated("commit") => Some("pick:".into()),
        "revert" if !o.negated("commit") => Some("revert:".into()),
        "rebase" => Some("rebase:".into()),
        "commit" => {
            let subject = subject(&o, stdin);
            match (o.has("amend"), o.value("fixup").is_some(), subject) {
                (true, _, subject) => Some(format!("amend:{}", subject.unwrap_or_default())),
                (_, true, _) => Some("fixup:".into()),
                (_, _, subject) => subject.map(|s| format!("commit:{s}")),
            }
        }
        "merge" if !o.has("squash") && !o.negated("commit") && o.operands.len() == 1 => {
            said(0).map(|rev| format!("merge:{}", mark(rev)))
        }
        "remote" => match (said(0), said(1), said(2)) {
            (Some("add" | "set-url"), Some(name), Some(url)) if o.operands.len() == 3 => {
                Some(format!("remote:{name} {}", mark(url)))
            }
            _ => None,
        },
        "stash" => match said(0) {
            Some("save") => {
                let text: Vec<&str> = o.operands[1..].iter().map(Word::text).collect();
                Some(format!("stash:{}", if text.is_empty() { String::new() } else { mark(&text.join(" ")) }))
            }
            None | Some("push") if said(0).is_some() || o.operands.is_empty() => match o.value("message") {
                Some(Word::Literal(text)) => Some(format!("stash:{}", mark(text))),
                Some(_) => None,
                None => Some("stash:".into()),
            },
            _ => None,
        },
        _ => None,
    }
}

/// The mark of the message's first line, where the line says it.
fn subject(o: &Options, stdin: &Stdin) -> Option<String> {
    let first = o.values("message").next();
    let text = match (first, o.value("file").and_then(Word::literal), stdin) {
        (Some(word), ..) => word.literal()?,
        (None, Some("-"), Stdin::Text(text)) => text.as_str(),
        _ => return None,
    };
    text.lines().find(|line| !line.trim().is_empty()).map(mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::shell::Command;

    fn act(line: &str) -> Option<String> {
        let words = line.split(' ').map(|w| Word::Literal(w.replace('_', " "))).collect();
        super::act(&Invocation::read(&Command { words, ..Command::default() }), &Stdin::Text("\nFirst\nrest\n".into()))
    }

    #[test]
    fn what_is_made() {
        let marked = |kind: &str, text: &str| Some(format!("{kind}:{}", mark(text)));
        assert_eq!(act("git commit -am Say_it"), marked("commit", "Say it"));
        assert_eq!(act("git commit -m Say_it\n\nBecause -m more"), marked("commit", "Say it"));
        assert_eq!(act("git commit -F -"), marked("commit", "First"));
        assert_eq!(act("git commit --amend --no-edit").as_deref(), Some("amend:"));
        assert_eq!(act("git commit --fixup HEAD").as_deref(), Some("fixup:"));
        assert_eq!(act("git merge -q --no-ff topic"), marked("merge", "topic"));
        assert_eq!(act("git stash").as_deref(), Some("stash:"));
        assert_eq!(act("git stash push -q src/a.rs").as_deref(), Some("stash:"));
        assert_eq!(act("git stash -q -m wait_for_it"), marked("stash", "wait for it"));
        assert_eq!(act("git remote add b ../b.git"), Some(format!("remote:b {}", mark("../b.git"))));
        assert_eq!(act("git cherry-pick x").as_deref(), Some("pick:"));
    }

    #[test]
    fn what_is_not() {
        for line in [
            "git commit",
            "git commit -F msg.txt",
            "git commit --dry-run -m x",
            "git merge --abort",
            "git merge --squash x",
            "git stash pop",
            "git stash drop",
            "git revert -n x",
            "git rebase --abort",
            "git remote -v",
            "git log",
        ] {
            assert_eq!(act(line), None, "{line}");
        }
    }
}
