//! Tells the judge of every simple command of a line: git verbs, programs that change files, and what cannot be read.

use crate::call::{Call, Ends, Judged};
use crate::files::{self, Change};
use crate::forge;
use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::judge::Judge;
use crate::listing;
use crate::options::Options;
use crate::policy::own_rule;
use crate::removal::{Act, real};
use crate::survey;
use crate::verbs::{clean, config, history, push, refs, remote, stash, store, submodule, tree, worktree};
use crate::verdict::{Finding, Verdict};
use crate::world::World;
use ah::git::{Config, Trouble};
use ah::shell::{Command, End, HOLE, Known, Place, Step, Word};
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
    fn troubled(&self, mut world: World, text: &str, trouble: &Trouble) -> Ends {
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

    fn git(&mut self, command: &Command, cwd: &Path, mut world: World) -> Step<World> {
        let invocation = Invocation::read(command);
        let text = words(&command.words);
        if invocation.verb.is_none() || invocation.wants_help() {
            return done(world);
        }
        let mut cwd = cwd.to_owned();
        let mut lost = command.cwd.is_none() && command.place == Place::Here;
        for dir in &invocation.dirs {
            match dir.literal() {
                Some(dir) => cwd = absolute(&cwd, dir),
                None => lost = true,
            }
        }
        let cwd = real(&cwd);
        let Some(verb) = invocation.verb() else { return self.unread(command, &cwd, world, "git runs a verb that is not known") };
        if !survey::builtin(verb) {
            return self.alias(command, &invocation, &cwd, world);
        }
        if let Some(step) = self.runs(&invocation, &cwd, &mut world) {
            return step;
        }
        if let Some(output) = self.prints(&invocation, &cwd) {
            return Step::Done(vec![End { state: world, ok: Some(true), output: Some(output) }]);
        }
        if survey::git_risk(&invocation) == survey::Risk::None {
            return done(world);
        }
        if elsewhere(command) {
            if survey::git_risk(&invocation) == survey::Risk::Losing {
                world.findings.push(Finding::new(
                    "line.elsewhere",
                    Verdict::Deny,
                    &text,
                    "it would run where nothing can be looked at first",
                ));
            }
            return done(world);
        }
        if let Some(file) = survey::output(&invocation).filter(|_| survey::reads(verb)) {
            let act = Act { cwd: &cwd, text: &text };
            if let Err(trouble) = self.judge.change(&mut world, &act, &Change::Replace(file)) {
                return ends(self.troubled(world, &text, &trouble));
            }
            return done(world);
        }
        let before = world.clone();
        let site = match self.judge.site_of(&cwd, &invocation, command) {
            Ok(Some(site)) => site,
            Ok(None) => return Step::Done(vec![End { state: world, ok: Some(false), output: None }]),
            Err(trouble) => return ends(self.troubled(world, &text, &trouble)),
        };
        let key = match (verb, invocation.args.first().and_then(Word::literal)) {
            ("reflog", Some(sub @ ("expire" | "delete"))) => format!("reflog {sub}"),
            _ => verb.to_owned(),
        };
        let options = Options::read(crate::spec::of(&key), &invocation.args);
        if options.refused {
            return done(world);
        }
        let call = Call { command, cwd, invocation: &invocation, options, site, text: text.clone() };
        let count = world.findings.len();
        match self.verb(verb, world, &call) {
            Ok(mut ended) => {
                for (world, _) in &mut ended {
                    self.judge.settle(world, rule_of(verb), &text);
                    if lost {
                        cap(world, count);
                    }
                }
                ends(ended)
            }
            Err(trouble) => ends(self.troubled(before, &text, &trouble)),
        }
    }

    fn verb(&mut self, verb: &str, world: World, call: &Call) -> Judged {
        let judge = &mut *self.judge;
        match verb {
            "add" | "stage" => history::add(judge, world, call),
            "am" => history::am(judge, world, call),
            "apply" => history::apply(judge, world, call),
            "branch" => refs::branch(judge, world, call),
            "checkout" => tree::checkout(judge, world, call),
            "checkout-index" => tree::checkout_index(judge, world, call),
            "cherry-pick" | "revert" => history::pick(judge, world, call),
            "clean" => clean::clean(judge, world, call),
            "commit" => history::commit(judge, world, call),
            "config" => config::config(judge, world, call),
            "fetch" => remote::fetch(judge, world, call),
            "filter-branch" | "filter-repo" => history::filter(judge, world, call),
            "gc" => store::gc(judge, world, call),
            "merge" => history::merge(judge, world, call),
            "mv" => tree::mv(judge, world, call),
            "prune" => store::prune(judge, world, call),
            "pull" => remote::pull(judge, world, call),
            "push" => push::push(judge, world, call),
            "read-tree" => tree::read_tree(judge, world, call),
            "rebase" => history::rebase(judge, world, call),
            "reflog" if call.operand(0) == Some("expire") => store::reflog_expire(judge, world, call),
            "reflog" => refs::reflog_delete(judge, world, call),
            "remote" => remote::remote(judge, world, call),
            "repack" => store::repack(judge, world, call),
            "replace" => refs::replace(judge, world, call),
            "reset" => tree::reset(judge, world, call),
            "restore" => tree::restore(judge, world, call),
            "rm" => tree::rm(judge, world, call),
            "stash" => stash::stash(judge, world, call),
            "submodule" => submodule::submodule(judge, world, call),
            "svn" => forge::svn(world, call),
            "switch" => tree::switch(judge, world, call),
            "symbolic-ref" => refs::symbolic_ref(judge, world, call),
            "tag" => refs::tag(judge, world, call),
            "update-index" => refs::update_index(judge, world, call),
            "update-ref" => refs::update_ref(judge, world, call),
            "worktree" => worktree::worktree(judge, world, call),
            _ => crate::call::done(world),
        }
    }

    /// Verbs that run another command.
    fn runs(&mut self, invocation: &Invocation, cwd: &Path, world: &mut World) -> Option<Step<World>> {
        let args = &invocation.args;
        let at = args.iter().position(|w| w.literal().is_some_and(|t| !t.starts_with('-')))?;
        match (invocation.verb()?, args[at].literal()?) {
            ("submodule", "foreach") => {
                let rest: Vec<&Word> =
                    args[at + 1..].iter().skip_while(|w| w.literal().is_some_and(|t| t.starts_with('-'))).collect();
                let text = rest.iter().map(|w| w.text()).collect::<Vec<_>>().join(" ");
                let id = self.judge.site_at(cwd).ok()??;
                let site = &self.judge.sites[id];
                let links = site.git("submodules").ok()?.gitlinks(ah::git::Paths::All).ok()?;
                let each: Vec<String> =
                    links.iter().map(|(p, _)| format!("(cd '{}' && {text}\n)", site.root.join(p).display())).collect();
                Some(Step::Shell {
                    text: each.join(";"),
                    args: Vec::new(),
                    cwd: None,
                    via: "git submodule foreach".into(),
                    state: std::mem::take(world),
                })
            }
            ("bisect", "run") => {
                let words = args[at + 1..].to_vec();
                (!words.is_empty()).then(|| Step::Words { words, via: "git bisect run".into(), state: std::mem::take(world) })
            }
            ("rebase", _) => {
                let options = Options::read(crate::spec::of("rebase"), args);
                let text: Vec<String> = options.values("exec").map(|w| w.text().to_owned()).collect();
                (!text.is_empty()).then(|| Step::Shell {
                    text: text.join("\n"),
                    args: Vec::new(),
                    cwd: None,
                    via: "git rebase --exec".into(),
                    state: std::mem::take(world),
                })
            }
            _ => None,
        }
    }

    /// The known output of a git call that only prints.
    fn prints(&mut self, invocation: &Invocation, cwd: &Path) -> Known {
        let words: Vec<&str> = invocation.args.iter().map(Word::literal).collect::<Option<_>>()?;
        let verb = invocation.verb()?;
        if !matches!(verb, "branch" | "diff" | "ls-files" | "rev-parse" | "symbolic-ref") {
            return None;
        }
        let id = self.judge.site_at(cwd).ok()??;
        let site = &self.judge.sites[id];
        if let Some(which) = listing::of_git(verb, &words) {
            return listing::names(site, cwd, &which);
        }
        let branch = || site.repo.head().ok()?.branch().map(str::to_owned);
        let text = match (verb, words.as_slice()) {
            ("rev-parse", ["--show-toplevel"]) => site.root.display().to_string(),
            ("rev-parse", ["--git-dir" | "--absolute-git-dir"]) => site.repo.git_dir.display().to_string(),
            ("rev-parse", ["HEAD"]) => site.resolve("HEAD")?,
            ("rev-parse", ["--abbrev-ref", "HEAD"]) | ("branch", ["--show-current"]) | ("symbolic-ref", ["--short", "HEAD"]) => {
                branch()?
            }
            _ => return None,
        };
        Some(text + "\n")
    }

    /// Not git's own verb: an alias of the repository, the person or the line, else another program.
    fn alias(&mut self, command: &Command, invocation: &Invocation, cwd: &Path, world: World) -> Step<World> {
        let verb = invocation.verb().unwrap_or_default();
        let site = self.judge.site_of(cwd, invocation, command).ok().flatten();
        let (text, root) = match site {
            Some(id) => (self.judge.sites[id].config().alias(verb).map(str::to_owned), Some(self.judge.sites[id].root.clone())),
            None => {
                let mut vars = self.judge.vars.clone();
                for (key, value) in &invocation.overrides {
                    vars.add_config(key, value.as_ref().and_then(Word::literal));
                }
                (Config::load(None, &vars).alias(verb).map(str::to_owned), None)
            }
        };
        let hidden = invocation.overrides.iter().any(|(k, v)| {
            crate::invocation::same_key(k, &format!("alias.{verb}")) && v.as_ref().is_some_and(|w| w.literal().is_none())
        });
        if hidden {
            return self.unread(command, cwd, world, "the alias is not known");
        }
        let via = format!("git alias {verb}");
        match text {
            Some(text) => match text.strip_prefix('!') {
                Some(shell) => Step::Shell {
                    text: format!("{shell} \"$@\""),
                    args: invocation.args.clone(),
                    cwd: root.map(|r| r.display().to_string()),
                    via,
                    state: world,
                },
                None => {
                    let globals = command.words.len() - invocation.args.len() - 1;
                    let mut words: Vec<Word> = command.words[..globals].to_vec();
                    words.extend(split(&text).into_iter().map(Word::Literal));
                    words.extend(invocation.args.iter().cloned());
                    Step::Words { words, via, state: world }
                }
            },
            None => done(world),
        }
    }

    /// A command that cannot be read: asked about where something could be lost.
    fn unread(&mut self, command: &Command, cwd: &Path, mut world: World, why: &str) -> Step<World> {
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
        if let Some(finding) = forge::judge(&program, command, &text) {
            world.findings.push(finding);
        }
        if let Some(why) = survey::unread(command)
            && !(program == "eval" && survey::is_setup(self.judge.before.as_ref().map(|b| b.0.as_slice())))
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
                world.drop_tree(|t, p| p.starts_with(&root) && t.kind == crate::treasure::Kind::Edit);
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
}

impl Guard<'_, '_> {
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
fn elsewhere(command: &Command) -> bool {
    let local = command
        .via
        .iter()
        .any(|v| v.starts_with("docker") || v.starts_with("podman") || v.starts_with("tmux") || v.starts_with("screen"));
    (command.place == Place::Elsewhere && !local)
        || command.via.iter().any(|v| v == "su" || v.starts_with("su ") || v.starts_with("runuser"))
}

/// What happens in a directory that is not known is at most asked about.
fn cap(world: &mut World, from: usize) {
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

fn done(world: World) -> Step<World> {
    Step::Done(vec![End { state: world, ok: None, output: None }])
}

fn ends(all: Ends) -> Step<World> {
    Step::Done(all.into_iter().map(|(state, ok)| End { state, ok, output: None }).collect())
}

fn real_dir(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A command as a person would write it; what is not known is `…`.
pub fn words(words: &[Word]) -> String {
    let one = |w: &Word| {
        let text = w.text().replace(HOLE, "…");
        if text.is_empty() || text.contains([' ', '\n', '\t', '"', '\'', ';', '&', '|', '$', '`']) {
            format!("'{}'", text.replace('\'', "'\\''"))
        } else {
            text
        }
    };
    words.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Splits an alias as git does: blanks, single and double quotes, backslashes.
fn split(text: &str) -> Vec<String> {
    let (mut out, mut word, mut quote, mut some) = (Vec::new(), String::new(), None, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', q) if q != Some('\'') => {
                word.extend(chars.next());
                some = true;
            }
            (c @ ('\'' | '"'), None) => {
                quote = Some(c);
                some = true;
            }
            (c, Some(q)) if c == q => quote = None,
            (c, None) if c.is_whitespace() => {
                if some || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                some = false;
            }
            (c, _) => word.push(c),
        }
    }
    if some || !word.is_empty() {
        out.push(word);
    }
    out
}

/// The rule under which lost content of a verb is reported.
fn rule_of(verb: &str) -> &'static str {
    match verb {
        "clean" => "tree.clean",
        "stash" => "stash.drop",
        "rm" => "tree.remove",
        "mv" => "file.move",
        "submodule" => "submodule.update",
        "worktree" => "worktree.remove",
        "am" | "cherry-pick" | "merge" | "rebase" | "revert" => "merge.abort",
        _ => "tree.discard",
    }
}
