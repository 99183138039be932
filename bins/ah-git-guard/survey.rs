//! The first look at a line, without a repository: can any of its commands lose something at all?

use crate::files;
use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::memory::Written;
use crate::place;
use crate::policy::own_rule;
use ah::config::OwnRule;
use ah::shell::{Command, Place, RedirectKind, Stdin, Word};
use std::path::Path;

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
pub fn git_risk(invocation: &Invocation) -> Risk {
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
                !t.starts_with("--no-v")
                    && !t.starts_with("--am")
                    && !(t.starts_with('-') && !t.starts_with("--") && t.contains(banned))
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
        "notes" | "update-index" | "maintenance" => Risk::None,
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

/// A commit whose options, apart from its message, can neither skip hooks nor amend.
fn message_free(invocation: &Invocation) -> bool {
    let options = crate::options::Options::read(crate::spec::of("commit"), &invocation.args);
    !options.negated("verify") && !options.has("amend") && !options.unclear
}

/// Words that name a losing git verb: what an unknown program in front of them may be.
const LOSING: &[&str] = &[
    "branch", "checkout", "checkout-index", "clean", "filter-branch", "gc", "push", "rebase", "reflog", "reset", "restore", "rm",
    "stash", "switch", "update-ref", "worktree",
];

/// Programs whose output is meant to be evaluated by the shell, and that print settings only.
const SETUP: &[&str] = &[
    "brew", "conda", "dircolors", "direnv", "docker-machine", "fnm", "keychain", "lesspipe", "luarocks", "mamba", "minikube",
    "mise", "nodenv", "opam", "pyenv", "rbenv", "rtx", "ssh-agent", "starship", "tmutil", "zoxide",
];

/// Why a command cannot be read well enough, if so.
pub fn unread(command: &Command) -> Option<&'static str> {
    let first = command.words.first()?;
    match first {
        Word::Literal(_) => {
            let program = command.program()?;
            let shell = matches!(program, "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish");
            let unknown = |at: usize| command.words.get(at).is_some_and(|w| matches!(w, Word::Unknown(t) if !t.contains('/')));
            if program == "eval" && (1..command.words.len()).any(unknown) {
                return Some("eval of a text that is not known");
            }
            let option = command
                .words
                .iter()
                .position(|w| w.literal().is_some_and(|t| t.starts_with('-') && !t.starts_with("--") && t.contains('c')));
            if shell && option.is_some_and(|at| command.words.get(at + 1).is_some_and(|w| w.literal().is_none())) {
                return Some("a shell runs a text that is not known");
            }
            if shell
                && command.stdin == Stdin::Unknown
                && command.words[1..].iter().all(|w| w.literal().is_some_and(|t| t.starts_with('-')))
            {
                return Some("a shell reads commands that are not known");
            }
            None
        }
        Word::Unknown(_) | Word::Glob(_) => {
            let alone = command.words.len() == 1 && first.text().chars().all(|c| c == ah::shell::HOLE);
            let verb = command.words[1..]
                .iter()
                .filter_map(Word::literal)
                .find(|t| !t.starts_with('-'))
                .is_some_and(|t| LOSING.binary_search(&t).is_ok());
            let git = first.text().contains("git");
            if verb || git {
                Some("the program is not known, its arguments are git's")
            } else if alone {
                Some("the command is not known")
            } else {
                None
            }
        }
    }
}

/// Whether `eval`'s unknown text comes from a program that prints settings.
pub fn is_setup(before: Option<&[Word]>) -> bool {
    before.and_then(|w| w.first()).and_then(Word::literal).is_some_and(|p| SETUP.contains(&p.rsplit('/').next().unwrap_or(p)))
}

/// The machine of the first look.
pub struct Survey<'r> {
    rules: &'r [OwnRule],
    /// Something on the line may lose something.
    pub losing: bool,
    /// The line names git at all.
    pub git: bool,
    /// Files that the line writes for certain, by literal name.
    pub written: Vec<Written>,
    /// The last command, for `eval "$(tool)"`.
    before: Option<Vec<Word>>,
}

impl<'r> Survey<'r> {
    /// Looks for what may lose something, and for a team's own rules.
    pub fn new(rules: &'r [OwnRule]) -> Self {
        Self { rules, losing: false, git: false, written: Vec::new(), before: None }
    }

    /// Notes what the command writes: redirections, copies, new files, edits in place.
    fn write(&mut self, command: &Command) {
        let Some(cwd) = command.cwd.as_deref().filter(|_| command.place == Place::Here) else { return };
        let appended = command
            .redirects
            .iter()
            .filter(|r| matches!(r.kind, RedirectKind::Append | RedirectKind::ReadWrite))
            .map(|r| &r.target);
        let edited = command.words.iter().skip(1).filter(|_| edits(command));
        let mut targets: Vec<&Word> = appended.chain(edited).collect();
        let changes = files::changes(command);
        targets.extend(changes.iter().filter_map(|c| match c {
            files::Change::Replace(w)
            | files::Change::Make(w)
            | files::Change::Write(w)
            | files::Change::Edit(w)
            | files::Change::Move { to: w, .. }
            | files::Change::Copy { to: w, .. } => Some(w),
            _ => None,
        }));
        for path in targets.into_iter().filter_map(Word::literal).filter(|t| !t.starts_with(['-', '/']) || t.starts_with(cwd)) {
            self.written.push((absolute(Path::new(cwd), path), None));
        }
    }

    fn look(&mut self, command: &Command) {
        if self.losing {
            return;
        }
        if own_rule(self.rules, command).is_some() {
            self.losing = true;
            return;
        }
        let Some(program) = command.program() else {
            self.losing = unread(command).is_some();
            return;
        };
        if program == "git" {
            self.git = true;
            let invocation = Invocation::read(command);
            let known = invocation.verb().is_none_or(builtin);
            let switched = !command.env.is_empty() && invocation.verb() == Some("commit");
            self.losing = !known || switched || git_risk(&invocation) == Risk::Losing;
        } else if files::may_change(program) || other(program, command) {
            self.losing = true;
        } else {
            self.losing = unread(command).is_some() && !(program == "eval" && is_setup(self.before.as_deref()));
        }
        let written = |r: &ah::shell::Redirect| {
            r.kind == RedirectKind::Write
                && !r.target.text().starts_with("/dev/")
                && (r.target.literal().is_none()
                    || command.cwd.as_ref().is_none_or(|cwd| {
                        std::fs::symlink_metadata(Path::new(cwd).join(r.target.text())).is_ok()
                            || r.target.text().contains(".git")
                    }))
        };
        self.losing |= command.redirects.iter().any(written);
    }
}

/// Whether the program edits the files it names in place.
fn edits(command: &Command) -> bool {
    let option = |t: &str| t.starts_with("-i") || t == "--in-place" || t.starts_with("-pi");
    matches!(command.program(), Some("sed" | "perl" | "gsed")) && command.words.iter().filter_map(Word::literal).any(option)
}

/// Programs beside git that are judged by their words: forges, other front ends, ah's own switches, harnesses.
fn other(program: &str, command: &Command) -> bool {
    matches!(program, "gh" | "glab" | "hub" | "jj" | "chmod" | "mktemp") && program != "mktemp"
        || program.starts_with("ah-")
        || command.env.contains_key("AH_OFF")
        || (matches!(program, "sed" | "perl" | "ed" | "vi" | "vim")
            && command.words.iter().any(|w| place::disarms(Path::new(w.text()))))
}

impl Survey<'_> {
    /// One simple command of the line.
    pub fn run(&mut self, command: &Command) {
        self.look(command);
        self.write(command);
        self.before = Some(command.words.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn risk(line: &str) -> Risk {
        let words = line.split_whitespace().map(|w| Word::Literal(w.to_owned())).collect();
        git_risk(&Invocation::read(&Command { words, ..Command::default() }))
    }

    #[test]
    fn tables_are_sorted() {
        for table in [READERS, JUDGED, LOSING, SETUP] {
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
