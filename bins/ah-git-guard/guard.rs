//! One line from text to findings: the first look, the second with the repository, the policy.

use crate::files::{self, Change};
use crate::judge::Judge;
use crate::look::Look;
use crate::machine::{Guard, Seen};
use crate::own::making::Making;
use crate::own::memory::{Recall, Written};
use crate::plain;
use crate::policy::{Policies, Policy};
use crate::removal::Act;
use crate::rule;
use crate::site;
use crate::survey::Survey;
use crate::verdict::{Finding, Verdict};
use crate::way::message::Counts;
use crate::world::World;
use ah::git::{Trouble, Vars};
use ah::shell::{Source, Start, Unread, Variables, walk};
use std::path::{Path, PathBuf};

/// A judged line.
#[derive(Debug, Default)]
pub struct Judged {
    /// Lines added and removed in files at stake.
    pub counts: Counts,
    /// What was found, worst first.
    pub findings: Vec<Finding>,
    /// The policy it was judged by; none where the first look was enough, and then nothing was found.
    pub policy: Option<Policy>,
    /// Every command read, in order; empty when the first look was enough and nobody asked for more.
    pub seen: Vec<Seen>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// Files that the call writes, where that is certain.
    pub written: Vec<Written>,
    /// What it is about to make in git.
    pub makings: Vec<Making>,
}

impl Judged {
    fn silent(unread: Vec<Unread>, written: Vec<Written>, makings: Vec<Making>) -> Self {
        Self { unread, written, makings, ..Self::default() }
    }

    /// How bad it is, before anything is made of it.
    pub fn verdict(&self) -> Verdict {
        self.findings.first().map_or(Verdict::Allow, |f| f.verdict)
    }
}

/// Judges a command line that is to run in `cwd`. `thorough`: take the second look even where the first was enough.
pub fn line(text: &str, source: Source, cwd: &Path, policies: &Policies, memory: Recall, thorough: bool) -> Judged {
    let rules = policies.own_rules(cwd);
    if rules.is_empty() && source == Source::Shell && !thorough && plain::harmless(text) {
        return Judged::silent(Vec::new(), Vec::new(), Vec::new());
    }
    let start = start(cwd);
    let mut look = Look::First(Survey::new(&rules));
    let first = walk(text, source, &start, &mut look, World::default());
    let Look::First(survey) = look else { unreachable!("the first look stays the first") };
    let unread = !first.unread.is_empty() && (survey.git || may_lose(text, &first.unread));
    if !survey.losing && !unread && !thorough {
        return Judged::silent(first.unread, survey.written, survey.makings);
    }
    let vars = Vars::of_process();
    let top = ah::git::Repo::discover(cwd, &vars).ok().flatten().and_then(|r| r.work_tree);
    let policy = policies.load(top.as_deref());
    let memory = memory();
    let mut judge = Judge::new(cwd, &policy, &memory, vars, site::deadline());
    let mut look = Look::Second(Guard::new(&mut judge, cwd.to_owned()));
    let walked = walk(text, source, &start, &mut look, World::default());
    let Look::Second(guard) = look else { unreachable!("the second look stays the second") };
    let seen = guard.seen;
    let mut findings: Vec<Finding> = Vec::new();
    for finding in walked.worlds.into_iter().flat_map(|w| w.findings) {
        match findings.iter().position(|f| f.like(&finding)) {
            Some(at) => findings[at] = findings[at].clone().join(finding),
            None => findings.push(finding),
        }
    }
    if may_lose(text, &walked.unread) {
        let stake = judge.site_at(cwd).ok().flatten().is_some_and(|id| judge.at_stake(id));
        if stake {
            let part = walked.unread.iter().map(|u| u.part.as_str()).find(|p| !p.trim().is_empty()).unwrap_or(text);
            findings.push(Finding::new("line.unread", Verdict::Ask, part, "this part of the line cannot be read"));
        }
    }
    let (findings, counts) = conclude(&judge, findings);
    let (written, makings) = (survey.written, survey.makings);
    Judged { counts, findings, policy: Some(policy), seen, unread: walked.unread, written, makings }
}

/// Files that a line writes for certain.
pub fn written(text: &str, cwd: &Path) -> Vec<PathBuf> {
    let mut look = Look::First(Survey::new(&[]));
    walk(text, Source::Shell, &start(cwd), &mut look, World::default());
    let Look::First(survey) = look else { unreachable!("the first look stays the first") };
    survey.written.into_iter().map(|written| written.path).collect()
}

/// Whether a line that was not read whole may lose something by what its text names; beyond the bounds of the reader, where
/// no ordinary line gets, a program that removes files is enough.
fn may_lose(text: &str, unread: &[Unread]) -> bool {
    let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    !unread.is_empty()
        && (text.split(word).any(|w| w == "git" || w.starts_with("git-"))
            || unread.iter().any(|u| u.why != "syntax") && text.split(word).any(files::may_change))
}

/// Judges what a file tool does.
pub fn changes(changes: &[Change], tool: &str, cwd: &Path, policies: &Policies, memory: Recall) -> Judged {
    let vars = Vars::of_process();
    let top = ah::git::Repo::discover(cwd, &vars).ok().flatten().and_then(|r| r.work_tree);
    let policy = policies.load(top.as_deref());
    let memory = memory();
    let mut judge = Judge::new(cwd, &policy, &memory, vars, site::deadline());
    let mut world = World::default();
    for change in changes {
        let text = format!("{tool} {}", change.path());
        let act = Act { cwd, text: &text };
        if let Err(trouble) = judge.change(&mut world, &act, change)
            && !matches!(trouble, Trouble::Dubious | Trouble::NotARepository)
        {
            world.findings.push(Finding::new(
                "line.unread",
                Verdict::Ask,
                &text,
                format!("the repository could not be asked: {trouble}"),
            ));
        }
    }
    if matches!(changes, [Change::Write(_)]) {
        // Written over on purpose, with the whole text at hand: kept in a snapshot, else asked about; not stopped.
        for finding in world.findings.iter_mut().filter(|f| rule::of(f.rule).is_some_and(|rule| rule.local)) {
            finding.verdict = finding.verdict.min(Verdict::Ask);
            finding.rewrite = true;
        }
    }
    let (findings, counts) = conclude(&judge, world.findings);
    Judged { counts, findings, policy: Some(policy), ..Judged::default() }
}

/// Findings as the policy has them, the worst first, and what can be counted of them.
fn conclude(judge: &Judge, mut findings: Vec<Finding>) -> (Vec<Finding>, Counts) {
    findings.iter_mut().for_each(|f| judge.policy.apply(f));
    // The worst first, else in the order of the line.
    let worst_first = [Verdict::Deny, Verdict::Ask, Verdict::Note];
    let findings: Vec<Finding> =
        worst_first.iter().flat_map(|v| findings.iter().filter(move |f| f.verdict == *v).cloned()).collect();
    // Of what may go on after a snapshot nobody reads the numbers.
    let told = findings.iter().any(|f| f.verdict >= Verdict::Ask && !f.own && !f.rewrite);
    let counts = if told { judge.line_counts(&findings) } else { Counts::new() };
    (findings, counts)
}

/// Where the line starts: its directory and the whole environment of the hook, which the command inherits.
fn start(cwd: &Path) -> Start {
    Start { cwd: cwd.to_str().map(str::to_owned), variables: Variables::read_by(environment), ..Start::default() }
}

fn environment() -> Vec<(String, String)> {
    std::env::vars_os().filter_map(|(n, v)| Some((n.into_string().ok()?, v.into_string().ok()?))).collect()
}

/// The session's directory, links resolved; `None` where it does not exist any more.
pub fn directory(cwd: &str) -> Option<PathBuf> {
    std::fs::canonicalize(cwd).ok().filter(|p| p.is_dir())
}
