//! The first look at a line, without a repository: can any of its commands lose something at all?

use crate::files;
use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::own::making::{self, Making};
use crate::own::memory::Written;
use crate::place;
use crate::policy::own_rule;
use crate::switch;
use crate::unread;
use crate::verb;
use ah::config::OwnRule;
use ah::shell::{Command, Place, RedirectKind, Stdin, Word, prints};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A file larger than this is not read to tell what `sed` makes of it, in bytes.
const SUBSTITUTED: u64 = 64 << 10;

/// The machine of the first look.
pub struct Survey<'r> {
    rules: &'r [OwnRule],
    /// Something on the line may lose something.
    pub losing: bool,
    /// The line names git at all.
    pub git: bool,
    /// Files that the line writes for certain, by literal name.
    pub written: Vec<Written>,
    /// What the line is about to make in git.
    pub makings: Vec<Making>,
    /// Directories and files that the line made.
    made: Vec<PathBuf>,
    /// HEAD may have been moved by the line.
    moved: bool,
    /// What the line staged so far.
    staged: Vec<PathBuf>,
    /// The last command, for `eval "$(tool)"`.
    before: Option<Vec<Word>>,
}

impl<'r> Survey<'r> {
    /// Looks for what may lose something, and for a team's own rules.
    pub fn new(rules: &'r [OwnRule]) -> Self {
        Self {
            rules,
            losing: false,
            git: false,
            written: Vec::new(),
            makings: Vec::new(),
            made: Vec::new(),
            moved: false,
            staged: Vec::new(),
            before: None,
        }
    }

    fn unreadable(&self, command: &Command) -> bool {
        unread::why(command).is_some() && !unread::is_setup(command, self.before.as_deref())
    }

    /// Notes what the command writes: redirections, copies, new files, edits in place.
    fn write(&mut self, command: &Command) {
        let Some(cwd) = command.cwd.as_deref().filter(|_| command.place == Place::Here).map(Path::new) else { return };
        for change in files::changes(command) {
            let (to, from) = match &change {
                files::Change::Copy { from, to } | files::Change::Move { from, to, .. } => (to, Some(from)),
                files::Change::Edit(w) | files::Change::Make(w) | files::Change::Replace(w) => (w, None),
                _ => continue,
            };
            let Some(text) = to
                .literal()
                .filter(|t| !t.starts_with('-') && (!t.starts_with('/') || cwd.to_str().is_some_and(|c| t.starts_with(c))))
            else {
                continue;
            };
            let path = absolute(cwd, text);
            if let files::Change::Make(_) = change {
                self.made.push(path.clone());
            }
            let Some(from) = from else {
                let (text, adds) = self.puts(command, to, &path);
                self.written.push(Written { path, text, adds, from: None });
                continue;
            };
            // One file or directory, or several by a pattern, as they are now.
            let into = text.ends_with('/') || self.made.contains(&path) || path.is_dir();
            let sources = match from {
                Word::Literal(text) => vec![absolute(cwd, text)],
                Word::Glob(text) => crate::glob::expand(cwd, text, &BTreeSet::new(), &BTreeSet::new()),
                Word::Unknown(_) => Vec::new(),
            };
            for from in sources {
                let path = if into { path.join(from.file_name().unwrap_or_default()) } else { path.clone() };
                self.written.push(Written { path, text: None, adds: false, from: Some(from) });
            }
        }
    }

    /// The text that a command puts into a file, where it is known, and whether behind what is there.
    fn puts(&self, command: &Command, to: &Word, path: &Path) -> (Option<String>, bool) {
        let redirect = command.redirects.iter().filter(|r| r.target == *to && r.fd == 1).map(|r| r.kind).next();
        let (program, tee) = (command.program(), command.program() == Some("tee"));
        match redirect {
            Some(kind @ (RedirectKind::Append | RedirectKind::Write)) if program.is_some() => {
                (prints(command), kind == RedirectKind::Append)
            }
            None if tee => (prints(command), files::edited(command).contains(to)),
            None if program == Some("sed") && !self.written.iter().any(|w| w.path == path) => (substituted(command, path), false),
            _ => (None, false),
        }
    }

    /// Notes what a git command makes.
    fn make(&mut self, command: &Command) {
        let Some(cwd) = command.cwd.as_deref().filter(|_| command.place == Place::Here) else { return };
        let invocation = Invocation::read(command);
        let plain = invocation.git_dir.is_none() && invocation.work_tree.is_none();
        let dir = || invocation.dirs.iter().try_fold(Path::new(cwd).to_owned(), |dir, to| Some(absolute(&dir, to.literal()?)));
        let act = making::act(&invocation, &command.stdin);
        if (act.is_some() || invocation.verb() == Some("add"))
            && let Some(dir) = dir().filter(|_| plain)
        {
            self.staged.extend(making::stages(&invocation, &dir));
            if let Some(act) = act {
                let (moved, stages) = (self.moved, self.staged.clone());
                match self.makings.iter_mut().find(|m| m.dir == dir) {
                    Some(known) => {
                        known.acts.push(act);
                        known.moved |= moved;
                        known.stages = stages;
                    }
                    None => self.makings.push(Making { dir, acts: vec![act], moved, stages }),
                }
            }
        }
        self.moved |= invocation.verb().is_none_or(making::moves);
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
            self.losing = self.unreadable(command);
            return;
        };
        if program == "git" {
            self.git = true;
            let invocation = Invocation::read(command);
            let known = invocation.verb().is_none_or(verb::builtin);
            let switched = !command.env.is_empty() && invocation.verb() == Some("commit");
            self.losing = !known || switched || verb::risk(&invocation) == verb::Risk::Losing;
        } else if files::may_change(program) || other(program, command) {
            self.losing = true;
        } else {
            self.losing = self.unreadable(command);
        }
        let written = |r: &ah::shell::Redirect| {
            r.kind == RedirectKind::Write
                && !r.target.text().starts_with("/dev/")
                && (r.target.literal().is_none()
                    || command.cwd.as_ref().is_none_or(|cwd| {
                        std::fs::symlink_metadata(Path::new(cwd).join(r.target.text())).is_ok() || place::touchy(r.target.text())
                    }))
        };
        self.losing |= command.redirects.iter().any(written);
    }
}

/// What `sed -i s/text/text/ FILE` leaves.
fn substituted(command: &Command, path: &Path) -> Option<String> {
    let [sed, flag, script, _, ..] = command.words.as_slice() else { return None };
    let text = String::from_utf8(ah::fs::read(path, SUBSTITUTED).ok()?).ok()?;
    let words = vec![sed.clone(), script.clone()];
    (flag.literal() == Some("-i")).then(|| prints(&Command { words, stdin: Stdin::Text(text), ..Command::default() }))?
}

/// Programs beside git that are judged by their words: forges, other front ends, ah's own switches, harnesses.
fn other(program: &str, command: &Command) -> bool {
    let judged = matches!(program, "chmod" | "gh" | "glab" | "hub" | "jj") || switch::concerned(program, command);
    judged || files::edited(command).iter().any(|w| place::touchy(w.text()))
}

impl Survey<'_> {
    /// One simple command of the line.
    pub fn run(&mut self, command: &Command) {
        self.look(command);
        if command.program() == Some("git") {
            self.make(command);
        }
        self.write(command);
        self.before = Some(command.words.clone());
    }
}
