//! What each git verb may lose, told by its words alone.

use crate::invocation::Invocation;
use ah::shell::Word;

/// What a command may do, as far as its words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// It reads, or makes new things only.
    None,
    /// It saves content; of interest only before one that loses some.
    Saving,
    /// It may lose something.
    Losing,
}

/// git verbs that lose nothing, whatever their options.
const READERS: &[&str] = &[
    "annotate", "archive", "blame", "bundle", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format",
    "cherry", "clone", "column", "commit-graph", "commit-tree", "count-objects", "describe", "diagnose", "diff", "diff-files",
    "diff-index", "diff-tree", "fast-export", "fmt-merge-msg", "for-each-ref", "format-patch", "fsck", "get-tar-commit-id",
    "grep", "hash-object", "help", "init", "instaweb", "interpret-trailers", "log", "ls-files", "ls-remote", "ls-tree",
    "mailinfo", "mailsplit", "merge-base", "merge-file", "merge-tree", "mktag", "mktree", "name-rev", "patch-id", "range-diff",
    "request-pull", "rerere", "rev-list", "rev-parse", "send-email", "shortlog", "show", "show-branch", "show-ref", "status",
    "stripspace", "var", "verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "write-tree",
];

/// git verbs that are judged or saved; the rest is an alias, another program, or unknown.
pub const JUDGED: &[&str] = &[
    "add", "am", "apply", "bisect", "branch", "checkout", "checkout-index", "cherry-pick", "clean", "commit", "config",
    "fast-import", "fetch", "filter-branch", "filter-repo", "gc", "maintenance", "merge", "mv", "notes", "prune", "pull", "push",
    "read-tree", "rebase", "reflog", "remote", "repack", "replace", "reset", "restore", "revert", "rm", "stage", "stash",
    "submodule", "svn", "switch", "symbolic-ref", "tag", "update-index", "update-ref", "worktree",
];

/// Whether git knows the verb itself, so that no alias can have its name.
pub fn builtin(verb: &str) -> bool {
    READERS.binary_search(&verb).is_ok()
        || JUDGED.binary_search(&verb).is_ok()
        || matches!(
            verb,
            "difftool"
                | "mergetool"
                | "sparse-checkout"
                | "update-server-info"
                | "pack-refs"
                | "index-pack"
                | "hook"
                | "credential"
                | "daemon"
                | "gui"
                | "gitk"
                | "replay"
        )
}

/// Whether a git verb only reads.
pub fn reads(verb: &str) -> bool {
    READERS.binary_search(&verb).is_ok()
}

/// Where a reading git verb is told to write: `--output=FILE`, `archive -o FILE`.
pub fn output(invocation: &Invocation) -> Option<Word> {
    let mut args = invocation.args.iter();
    while let Some(word) = args.next() {
        let text = word.text();
        match text.split_once('=') {
            Some((name, file)) if name.len() > 3 && "--output".starts_with(name) => return Some(Word::Literal(file.to_owned())),
            _ if text.len() > 4 && "--output".starts_with(text) || (text == "-o" && invocation.verb() == Some("archive")) => {
                return args.next().cloned();
            }
            _ if text == "--" => return None,
            _ => {}
        }
    }
    None
}

/// What a git call may do.
pub fn risk(invocation: &Invocation) -> Risk {
    let Some(verb) = invocation.verb() else { return if invocation.verb.is_some() { Risk::Losing } else { Risk::None } };
    if invocation.wants_help() {
        return Risk::None;
    }
    if reads(verb) {
        return if output(invocation).is_some() { Risk::Losing } else { Risk::None };
    }
    let first = invocation.args.iter().find_map(|w| w.literal().filter(|t| !t.starts_with('-')));
    let plain = invocation.overrides.is_empty();
    let safe_words = |banned: &[char]| {
        invocation.args.iter().all(|w| {
            w.literal().is_some_and(|t| {
                let cluster = t.starts_with('-') && !t.starts_with("--");
                !(t.starts_with("--no-v") || t.starts_with("--am") || (cluster && t.contains(banned)))
            })
        })
    };
    match verb {
        "add" | "stage" => Risk::Saving,
        "commit" if plain && message_free(invocation) => Risk::Saving,
        "stash" if matches!(first, None | Some("push" | "save" | "list" | "show" | "apply" | "create")) => Risk::Saving,
        "stash" => Risk::Losing,
        "branch" | "tag"
            if safe_words(&['d', 'D', 'm', 'M', 'c', 'C', 'f'])
                && !invocation.args.iter().any(|w| w.text().starts_with("--")) =>
        {
            Risk::Saving
        }
        "merge" if safe_words(&['n']) && !invocation.args.iter().any(|w| w.text().starts_with("--a")) => Risk::Saving,
        "worktree" if first == Some("list") => Risk::None,
        "worktree" if matches!(first, Some("add")) && !invocation.args.iter().any(|w| w.text() == "-B") => Risk::Saving,
        "config"
            if invocation.args.len() < 2
                || invocation.args.iter().any(|w| w.text().starts_with("--get") || w.text() == "--list" || w.text() == "-l") =>
        {
            Risk::None
        }
        "reflog" if matches!(first, None | Some("show" | "exists" | "list")) => Risk::None,
        "remote" if matches!(first, None | Some("show" | "add" | "get-url" | "rename" | "-v")) => Risk::None,
        "bisect" if first != Some("run") && first != Some("reset") => Risk::None,
        "submodule" if matches!(first, None | Some("status" | "add" | "init" | "summary" | "sync")) => Risk::None,
        "update-index" if invocation.args.iter().any(|w| w.text().contains("remove")) => Risk::Losing,
        "update-index" => Risk::Saving,
        "maintenance" | "notes" => Risk::None,
        "push"
            if plain
                && !invocation.args.iter().any(|w| {
                    w.literal().is_none_or(|t| {
                        t.starts_with(['+', ':', '-'])
                            && !matches!(
                                t,
                                "-q" | "-u"
                                    | "-v"
                                    | "--set-upstream"
                                    | "--follow-tags"
                                    | "--tags"
                                    | "--quiet"
                                    | "--porcelain"
                                    | "--progress"
                            )
                    })
                }) =>
        {
            Risk::Saving
        }
        _ => Risk::Losing,
    }
}

/// Whether a call throws something away for certain if there is anything: what is stopped where nothing can be looked at.
pub fn discards(invocation: &Invocation) -> bool {
    let verb = invocation.verb().unwrap_or_default();
    let o = crate::options::Options::read(crate::spec::of(verb), &invocation.args);
    let first = o.operands.first().map(Word::text);
    match verb {
        "branch" => o.has("D") || (o.has("delete") && o.has("force")),
        "checkout" => o.has("force") || o.before_dashes.is_some() || matches!(first, Some("." | ":/")),
        "clean" => o.has("force") && !o.has("dry-run"),
        "filter-branch" | "filter-repo" | "read-tree" | "update-ref" => true,
        "gc" | "prune" => o.has("prune") || verb == "prune",
        "push" => {
            let spec = |w: &Word| w.text().starts_with(['+', ':']);
            ["force", "delete", "mirror", "prune"].iter().any(|f| o.has(f)) || o.operands.iter().any(spec)
        }
        "reflog" => matches!(first, Some("expire" | "delete")),
        "reset" => matches!(o.last_of(&["hard", "keep", "merge", "mixed", "soft"]), Some("hard" | "merge")),
        "restore" => !o.has("staged") || o.has("worktree"),
        "rm" | "worktree" => o.has("force"),
        "stash" => matches!(first, Some("clear" | "drop")),
        "switch" => o.has("force") || o.has("discard-changes"),
        _ => false,
    }
}

/// A commit whose options, apart from its message, can neither skip hooks nor amend.
fn message_free(invocation: &Invocation) -> bool {
    let options = crate::options::Options::read(crate::spec::of("commit"), &invocation.args);
    !options.negated("verify") && !options.has("amend") && !options.unclear
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::shell::Command;

    fn risk(line: &str) -> Risk {
        let words = line.split_whitespace().map(|w| Word::Literal(w.to_owned())).collect();
        super::risk(&Invocation::read(&Command { words, ..Command::default() }))
    }

    #[test]
    fn tables_are_sorted() {
        for table in [READERS, JUDGED] {
            assert!(table.windows(2).all(|w| w[0] < w[1]));
        }
    }

    #[test]
    fn everyday_git_is_no_risk() {
        for line in [
            "git status",
            "git log -5",
            "git diff --cached",
            "git config user.name",
            "git stash list",
            "git add -A",
            "git commit -m x",
            "git push",
            "git push -u origin HEAD",
            "git worktree list",
            "git remote -v",
            "git branch -a",
        ] {
            assert!(risk(line) < Risk::Losing, "{line}");
        }
    }

    #[test]
    fn what_may_lose_is_looked_at() {
        for line in [
            "git reset --hard",
            "git commit -nm x",
            "git commit --no-veri -m x",
            "git commit --amend",
            "git push -f",
            "git push origin +main",
            "git push origin :x",
            "git -c core.hooksPath=x commit -m x",
            "git branch -D x",
            "git stash drop",
            "git stash pop",
            "git config core.hooksPath x",
            "git checkout .",
        ] {
            assert_eq!(risk(line), Risk::Losing, "{line}");
        }
    }
}
