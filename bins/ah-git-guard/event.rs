//! From a hook event to an answer: which tools are judged, and what a verdict becomes.

use crate::guard::{self, Judged};
use crate::memory::Memory;
use crate::message;
use crate::policy::Policy;
use crate::tools;
use crate::verdict::Verdict;
use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::paths::Paths;
use std::path::Path;

/// The guard's answer to an event.
pub fn answer(event: &Event, context: &Context) -> Answer {
    if !matches!(event.moment, Moment::PreToolUse | Moment::SessionStart | Moment::UserPromptSubmit) {
        return Answer::Silence;
    }
    let Some(cwd) = guard::directory(&event.cwd) else { return Answer::Silence };
    let paths = Paths::from_env();
    let policy = |repo: Option<&Path>| Policy::load(paths.as_ref(), repo);
    let memory = || Memory::of(event, &policy(None).config, paths.as_ref(), &cwd);
    if event.moment != Moment::PreToolUse {
        if !context.probe {
            memory().begin(&cwd);
        }
        return Answer::Silence;
    }
    let judged = tools::judge(event, &cwd, &policy, &memory, context);
    let Some(judged) = judged else { return Answer::Silence };
    if !judged.written.is_empty() && judged.verdict <= Verdict::Note && !context.probe {
        let memory = memory();
        memory.begin(&cwd);
        memory.wrote(event, &judged.written);
    }
    context.explain.say(|| crate::explain::text(&judged));
    render(if context.can_ask { judged } else { guard::unattended(judged) })
}

fn render(judged: Judged) -> Answer {
    match judged.verdict {
        Verdict::Allow => Answer::Silence,
        Verdict::Note => Answer::Note(judged.message),
        Verdict::Ask => Answer::Ask(judged.message),
        Verdict::Deny => Answer::Deny(judged.message),
    }
}

/// The answer after a bug: the text alone decides whether it plainly names a losing operation.
pub fn panicked(text: &str) -> Answer {
    const PLAIN: &[&str] = &[
        "reset --hard",
        "checkout -- ",
        "checkout .",
        "clean -f",
        "push --force",
        "push -f",
        "stash drop",
        "stash clear",
        "branch -D",
        "rm -rf .git",
    ];
    let shell = text.contains("\"command\"");
    match PLAIN.iter().find(|p| shell && text.contains(**p)) {
        Some(plain) => Answer::Deny(ah::quote::cut(&format!("ah-git-guard failed while it judged this ({plain}); it stops what it cannot judge. The failure is in its log."), message::MOST).into_owned()),
        None => Answer::Silence,
    }
}
