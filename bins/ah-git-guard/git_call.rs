//! A `git` call: aliases expanded, commands that git runs handed on, the verb judged in its repository.

use crate::call::{Call, Judged};
use crate::files::Change;
use crate::forge;
use crate::hits::absolute;
use crate::invocation::Invocation;
use crate::listing;
use crate::machine::{Guard, cap, done, elsewhere, ends};
use crate::options::Options;
use crate::removal::{Act, real};
use crate::verb;
use crate::verbs::{clean, config, history, paths, push, refs, remote, stash, store, submodule, tree, worktree};
use crate::verdict::{Finding, Verdict};
use crate::words::{split, words};
use crate::world::World;
use ah::git::Config;
use ah::shell::{Command, End, Known, Place, Step, Word};
use std::path::Path;

impl Guard<'_, '_> {
    /// Judges one git call.
    pub fn git(&mut self, command: &Command, cwd: &Path, mut world: World) -> Step<World> {
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
        if !verb::builtin(verb) {
            return self.alias(command, &invocation, &cwd, world);
        }
        if let Some(step) = self.runs(&invocation, &cwd, &mut world) {
            return step;
        }
        if let Some(output) = self.prints(&invocation, &cwd) {
            return Step::Done(vec![End { state: world, ok: Some(true), output: Some(output) }]);
        }
        if verb == "init" && !elsewhere(command) {
            let into = invocation.args.iter().find_map(|w| w.literal().filter(|t| !t.starts_with('-')));
            let git_dir = into.map_or_else(|| cwd.clone(), |to| real(&absolute(&cwd, to))).join(".git");
            let there = git_dir.exists() || invocation.args.iter().any(|w| w.text() == "--bare");
            world.created.extend((!there).then_some(git_dir));
            return Step::Done(vec![End { state: world, ok: Some(true), output: None }]);
        }
        if verb::risk(&invocation) == verb::Risk::None {
            let here = !lost && !elsewhere(command) && surely_succeeds(&invocation);
            let repository = here && matches!(self.judge.site_of(&cwd, &invocation, command), Ok(Some(_)));
            return Step::Done(vec![End { state: world, ok: repository.then_some(true), output: None }]);
        }
        if elsewhere(command) {
            if verb::discards(&invocation) {
                world.findings.push(Finding::new(
                    "line.elsewhere",
                    Verdict::Deny,
                    &text,
                    "it would run where nothing can be looked at first",
                ));
            }
            return done(world);
        }
        if let Some(file) = verb::output(&invocation).filter(|_| verb::reads(verb)) {
            let act = Act { cwd: &cwd, text: &text };
            if let Err(trouble) = self.judge.change(&mut world, &act, &Change::Replace(file)) {
                return ends(self.troubled(world, &text, &trouble));
            }
            return done(world);
        }
        if let Some(git_dir) = cwd.ancestors().map(|d| d.join(".git")).find(|d| world.created.contains(d) || d.exists())
            && world.created.contains(&git_dir)
        {
            if let Err(trouble) = clean::begun(self.judge, &mut world, &text, &invocation, &cwd) {
                return ends(self.troubled(world, &text, &trouble));
            }
            let all = |w: &Word| matches!(w.text(), "." | ":/" | "-A" | "--all");
            if matches!(verb, "add" | "stage") && invocation.args.iter().any(all) {
                // From now on it tracks everything that clean would take.
                world.created.remove(&git_dir);
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
            "mv" => paths::mv(judge, world, call),
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
            "rm" => paths::rm(judge, world, call),
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

/// `git status` in the ways that have nothing to fail at in a repository.
fn surely_succeeds(invocation: &Invocation) -> bool {
    const PLAIN: &[&str] = &["--branch", "--porcelain", "--short", "-b", "-s", "-sb", "-uall", "-uno"];
    invocation.verb() == Some("status")
        && invocation.args.iter().all(|word| word.literal().is_some_and(|text| PLAIN.contains(&text)))
}
