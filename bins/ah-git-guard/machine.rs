//! Tells the judge of every simple command of a line: git verbs, programs that change files, and what cannot be read.

use crate::call::Ends;
use crate::files::{self, Change};
use crate::forge;
use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::judge::Judge;
use crate::listing;
use crate::policy::own_rule;
use crate::removal::Act;
use crate::unread;
use crate::verdict::{Finding, Verdict};
use crate::words::words;
use crate::world::World;
use ah::git::Trouble;
use ah::shell::{Command, End, Place, Step, Word};
use std::path::{Path, PathBuf};

/// One simple command and what was found, for `explain`.
#[derive(Debug)]
pub struct Seen {
    /// The command as read.
    pub text: String,
    /// Where it runs; `None` when not known.
    pub cwd: Option<String>,
    /// What it was wrapped in.
    pub via: Vec<String>,
    /// Rules that spoke: id, verdict.
    pub rules: Vec<(&'static str, Verdict)>,
    /// Questions put to git meanwhile.
    pub asked: Vec<String>,
}

/// The machine of the second look.
pub struct Guard<'j, 'a> {
    /// The judge.
    pub judge: &'j mut Judge<'a>,
    /// Where the session stands; commands whose directory is unknown are judged here.
    pub cwd: PathBuf,
    /// Every command seen, in order.
    pub seen: Vec<Seen>,
    temporary: u32,
}

impl<'j, 'a> Guard<'j, 'a> {
    /// A machine for one line.
    pub fn new(judge: &'j mut Judge<'a>, cwd: PathBuf) -> Self {
        Self { judge, cwd, seen: Vec::new(), temporary: 0 }
    }

    /// Trouble with a losing command is asked about, unless git itself would refuse the command.
    pub fn troubled(&self, mut world: World, text: &str, trouble: &Trouble) -> Ends {
        if !matches!(trouble, Trouble::Dubious | Trouble::NotARepository) {
            world.findings.push(Finding::new(
                "line.unread",
                Verdict::Ask,
                text,
                format!("the repository could not be asked: {trouble}"),
            ));
        }
        vec![(world, None)]
    }

    /// A command that cannot be read: asked about where something could be lost.
    pub fn unread(&mut self, command: &Command, cwd: &Path, mut world: World, why: &str) -> Step<World> {
        let stake = self.judge.site_at(cwd).ok().flatten().is_some_and(|id| self.judge.at_stake(id));
        if stake {
            world.findings.push(Finding::new(
                "line.unread",
                Verdict::Ask,
                &words(&command.words),
                format!("cannot be read: {why}"),
            ));
        }
        done(world)
    }

    /// Everything but git: files are changed, or nothing is.
    fn program(&mut self, command: &Command, cwd: &Path, mut world: World) -> Step<World> {
        let text = words(&command.words);
        let program = command.program().unwrap_or_default().to_owned();
        let (mut output, mut ok) = (None, None);
        if command.words.first().and_then(Word::literal).is_some_and(|t| t.contains('/')) {
            world.forget_stashes();
        }
        if let Some(finding) = forge::judge(&program, command, &text) {
            world.findings.push(finding);
        }
        if let Some(why) = unread::why(command)
            && !unread::is_setup(command, self.judge.before.as_ref().map(|b| b.0.as_slice()))
        {
            return self.unread(command, cwd, world, why);
        }
        let mut changes = files::changes(command);
        match program.as_str() {
            "find" => {
                let listed = listing::find(command, cwd);
                changes.extend(listed.deleted.iter().map(|p| Change::Remove(Word::Literal(p.display().to_string()))));
                output = listed.output;
                self.judge.found = Some(listed.paths);
            }
            "echo" | "printf" => ok = Some(true),
            "ls" => output = listing::ls(command, cwd),
            "mktemp" => {
                self.temporary += 1;
                let path = format!("/tmp/ah-guard-unknown.{}", self.temporary);
                world.created.insert(PathBuf::from(&path));
                output = Some(path + "\n");
            }
            "tar" | "bsdtar" | "patch" => {
                if let Err(trouble) = self.unpacked(command, cwd, &mut world, &text) {
                    return ends(self.troubled(world, &text, &trouble));
                }
            }
            _ => {}
        }
        if elsewhere(command) {
            return Step::Done(vec![End { state: world, ok: None, output }]);
        }
        let count = world.findings.len();
        let filtered = if files::is_filter(&program) { inputs(command, cwd) } else { Vec::new() };
        for change in &changes {
            let act = Act { cwd, text: &text };
            let kept: Vec<PathBuf> = match change {
                Change::Replace(Word::Literal(to)) => filtered.iter().filter(|f| **f != absolute(cwd, to)).cloned().collect(),
                _ => Vec::new(),
            };
            for from in &kept {
                // What a filter prints of a file still is that file's content, in another place.
                let _ = self.judge.load_path(&mut world, from);
            }
            if let Err(trouble) = self.judge.change(&mut world, &act, change) {
                return ends(self.troubled(world, &text, &trouble));
            }
            if let Change::Replace(Word::Literal(to)) = change {
                for from in kept {
                    world.copy_tree(&from, &absolute(cwd, to));
                }
            }
        }
        self.judge.settle(&mut world, "file.replace", &text);
        if command.cwd.is_none() {
            cap(&mut world, count);
        }
        Step::Done(vec![End { state: world, ok, output }])
    }

    /// `git archive | tar x`, `git diff | patch -R`: what the command before put into the pipe.
    fn unpacked(&mut self, command: &Command, cwd: &Path, world: &mut World, text: &str) -> Result<(), Trouble> {
        let Some((before, at)) = self.judge.before.clone() else { return Ok(()) };
        let earlier = Command { words: before, ..Command::default() };
        if earlier.program() != Some("git") {
            return Ok(());
        }
        let invocation = Invocation::read(&earlier);
        let Some(id) = self.judge.site_at(&at)? else { return Ok(()) };
        if command.program() == Some("patch") {
            let reversed = command.words.iter().any(|w| matches!(w.text(), "-R" | "--reverse"));
            if invocation.verb() == Some("diff") && reversed {
                let entries = self.judge.sites[id].status(&at, &[], false)?;
                let root = self.judge.sites[id].root.clone();
                self.judge.learn(world, id, &entries);
                world.drop_tracked(|t, p| p.starts_with(&root) && t.kind == crate::treasure::Kind::Edit);
                self.judge.settle(world, "tree.discard", text);
            }
            return Ok(());
        }
        let extracts =
            command.words.get(1).is_some_and(|w| w.text().trim_start_matches('-').contains('x') || w.text() == "--extract");
        if invocation.verb() != Some("archive") || !extracts {
            return Ok(());
        }
        let rev = invocation.args.iter().filter_map(Word::literal).find(|t| !t.starts_with('-')).unwrap_or("HEAD").to_owned();
        let into = command
            .words
            .windows(2)
            .find(|w| w[0].text() == "-C")
            .and_then(|w| w[1].literal())
            .map_or(cwd.to_owned(), |d| absolute(cwd, d));
        let paths = self.judge.tree_paths(id, &rev)?;
        let root = self.judge.sites[id].root.clone();
        for path in paths.iter() {
            let target = into.join(path.strip_prefix(&root).unwrap_or(path));
            if target.is_file() {
                self.judge.load_path(world, &target)?;
                world.drop_tree(|_, p| p == target);
            }
        }
        self.judge.settle(world, "file.replace", text);
        Ok(())
    }

    /// One simple command of the line in one world.
    pub fn run(&mut self, command: &Command, world: World) -> Step<World> {
        let cwd = command.cwd.as_ref().map_or_else(|| self.cwd.clone(), PathBuf::from);
        let cwd = real_dir(&cwd);
        let count = world.findings.len();
        let asked: Vec<usize> = self.judge.sites.iter().map(|s| s.asked.borrow().len()).collect();
        let git = command.program() == Some("git");
        let mut world = world;
        if let Some(rule) = own_rule(&self.judge.policy.guard().rules, command) {
            world.findings.push(Finding::new("own.rule", rule.verdict, &words(&command.words), rule.why.clone()));
        }
        // Redirections happen before the program runs, git's too.
        let step = if git && !command.redirects.is_empty() {
            let bare = Command { words: vec![Word::Literal(":".into())], ..command.clone() };
            match self.program(&bare, &cwd, world) {
                Step::Done(mut all) => match all.pop() {
                    Some(end) => self.git(command, &cwd, end.state),
                    None => Step::Done(all),
                },
                other => other,
            }
        } else if git {
            self.git(command, &cwd, world)
        } else {
            self.program(command, &cwd, world)
        };
        if command.program() != Some("find") {
            self.judge.found = self.judge.found.take().filter(|_| command.via.iter().any(|v| v.starts_with("find")));
        }
        self.judge.before = Some((command.words.clone(), cwd));
        let rules = match &step {
            Step::Done(all) => {
                all.iter().flat_map(|e| e.state.findings.iter().skip(count).map(|f| (f.rule, f.verdict))).collect()
            }
            _ => Vec::new(),
        };
        let asked = self
            .judge
            .sites
            .iter()
            .enumerate()
            .flat_map(|(i, s)| s.asked.borrow().iter().skip(asked.get(i).copied().unwrap_or(0)).cloned().collect::<Vec<_>>())
            .collect();
        self.seen.push(Seen { text: words(&command.words), cwd: command.cwd.clone(), via: command.via.clone(), rules, asked });
        step
    }
}

/// A command that runs where this file system's facts do not hold.
pub fn elsewhere(command: &Command) -> bool {
    let local = command
        .via
        .iter()
        .any(|v| v.starts_with("docker") || v.starts_with("podman") || v.starts_with("tmux") || v.starts_with("screen"));
    (command.place == Place::Elsewhere && !local)
        || command.via.iter().any(|v| v == "su" || v.starts_with("su ") || v.starts_with("runuser"))
}

/// What happens in a directory that is not known is at most asked about.
pub fn cap(world: &mut World, from: usize) {
    for finding in world.findings.iter_mut().skip(from) {
        finding.verdict = finding.verdict.min(Verdict::Ask);
    }
}

/// Files that a filter reads by name.
fn inputs(command: &Command, cwd: &Path) -> Vec<PathBuf> {
    let reads = command.redirects.iter().filter(|r| r.kind == ah::shell::RedirectKind::Read).filter_map(|r| r.target.literal());
    let named = command.words[1..].iter().filter_map(Word::literal).filter(|t| !t.starts_with('-'));
    reads.chain(named).map(|t| absolute(cwd, t)).filter(|p| p.is_file()).collect()
}

pub fn done(world: World) -> Step<World> {
    Step::Done(vec![End { state: world, ok: None, output: None }])
}

pub fn ends(all: Ends) -> Step<World> {
    Step::Done(all.into_iter().map(|(state, ok)| End { state, ok, output: None }).collect())
}

fn real_dir(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
