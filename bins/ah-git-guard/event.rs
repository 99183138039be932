//! From a hook event to an answer: which tools are judged, and what a verdict becomes.

use crate::claimed;
use crate::guard::{self, Judged};
use crate::own::memory::Memory;
use crate::plain;
use crate::policy::{Policies, Policy};
use crate::snapshot::before::before;
use crate::snapshot::{Taken, Want, turn};
use crate::tools;
use crate::verdict::Verdict;
use crate::way::Way;
use crate::way::attempt::Attempt;
use crate::way::message;
use crate::way::outcome::Outcome;
use ah::answer::Answer;
use ah::config::{Fail, Severity};
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::paths::repo_config;
use ah::quote;
use ah::session;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

/// The guard's answer to an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    let after = matches!(event.moment, Moment::PostToolUse | Moment::PostToolUseFailure);
    if !after && !matches!(event.moment, Moment::PreToolUse | Moment::SessionStart | Moment::UserPromptSubmit) {
        return Answer::Silence;
    }
    let Some(cwd) = guard::directory(&event.cwd) else { return Answer::Silence };
    let policies = Policies::from_env();
    let memory = || Memory::of(event, &policies.load(None).config, policies.paths, &cwd);
    if after {
        // What only looks made nothing.
        let looks = event.input("command").is_some_and(|text| plain::harmless(&text));
        if !looks && !context.probe && matches!(&*event.tool_name, "Bash" | "PowerShell" | "Edit" | "MultiEdit") {
            memory().became(event);
        }
        return Answer::Silence;
    }
    if event.moment != Moment::PreToolUse {
        if !context.probe {
            memory().begin(&cwd);
            turn::spawn(event, &policies, &cwd);
        }
        return if event.moment == Moment::SessionStart { start(&policies, &cwd, context) } else { Answer::Silence };
    }
    let Some(mut judged) = tools::judge(event, &cwd, &policies, &memory, context) else { return Answer::Silence };
    // A hash of the call is more than the rest of a silent one: not before something was found.
    let (outcome, mut message) = match judged.findings.is_empty() {
        true => Default::default(),
        false => through(event, &cwd, &policies, &mut judged, context),
    };
    let makes = !judged.makings.is_empty();
    let mut told = None;
    if (makes || !judged.written.is_empty()) && outcome.verdict <= Verdict::Note && !context.probe {
        let memory = memory();
        if makes {
            memory.makes(event, &judged.makings);
            told = claimed::committed(event, &judged.makings, &policies);
        }
        // A file in another work tree (a submodule, a linked one) has a memory of its own.
        let mut dirs = BTreeSet::new();
        dirs.extend(judged.written.iter().filter_map(|w| w.path.parent()));
        if !judged.written.is_empty() {
            dirs.insert(cwd.as_path());
        }
        dirs.into_iter().for_each(|dir| memory.begin(dir));
        memory.wrote(event, &judged.written);
    }
    context.explain.say(|| crate::explain::text(&judged, &outcome));
    match told {
        // What the agent can act on reaches the agent; what the person reads too has it behind.
        Some(told) if outcome.verdict == Verdict::Allow => return Answer::Context(told),
        Some(told) => message = format!("{message}\n{told}"),
        None => {}
    }
    render(outcome.verdict, message)
}

/// The way of a call in which something was found.
fn through(event: &Event, cwd: &Path, policies: &Policies, judged: &mut Judged, context: &Context) -> (Outcome, String) {
    let attempt = Attempt::of(event, context.harness.name, cwd);
    let keep = |policy: &Policy, want: &Want| match context.probe {
        true => Ok(Taken::default()),
        false => before(policies.paths, policy, want, &attempt),
    };
    let paths = policies.paths.filter(|_| !context.probe);
    Way { attempt: &attempt, can_ask: context.can_ask, keep: &keep, paths }.through(judged)
}

/// At a session's start: old logs go, and a policy that could not be read is said once.
fn start(policies: &Policies, cwd: &Path, context: &Context) -> Answer {
    let Some(paths) = &policies.paths else { return Answer::Silence };
    if !context.probe {
        // A failure to clean up is nothing that this session could mend.
        let _ = session::sweep(paths, session::Kept::default(), SystemTime::now());
    }
    let repo = cwd.ancestors().find(|d| repo_config(d).exists());
    let problems = policies.load(repo).problems;
    match problems.iter().find(|p| p.severity == Severity::Error) {
        Some(p) => Answer::Note(format!(
            "ah-git-guard: its policy could not be read, the built-in one holds: {}:{}:{}: {}",
            quote::path(&p.file),
            p.line,
            p.column,
            quote::line(&p.what, 200)
        )),
        None => Answer::Silence,
    }
}

fn render(verdict: Verdict, message: String) -> Answer {
    match verdict {
        Verdict::Allow => Answer::Silence,
        Verdict::Note => Answer::Note(message),
        Verdict::Ask => Answer::Ask(message),
        Verdict::Deny => Answer::Deny(message),
    }
}

/// The answer after a bug: the text alone decides whether it plainly names a losing operation.
pub fn panicked(text: &str) -> Answer {
    const PLAIN: &[&str] = &[
        "reset --hard", "checkout -- ", "checkout .", "clean -f", "push --force", "push -f", "stash drop", "stash clear",
        "branch -D", "rm -rf .git",
    ];
    let shell = text.contains("\"command\"");
    let closed = || Policies::from_env().load(None).guard().fail == Fail::Closed;
    match PLAIN.iter().find(|p| shell && text.contains(**p)) {
        Some(plain) => Answer::Deny(ah::quote::cut(&format!("ah-git-guard failed while it judged this ({plain}); it stops what it cannot judge. The failure is in its log."), message::MOST).into_owned()),
        None if closed() => Answer::Deny("ah-git-guard failed while it judged this, and the policy says fail: closed. The failure is in its log.".into()),
        None => Answer::Silence,
    }
}
