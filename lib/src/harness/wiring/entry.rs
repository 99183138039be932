//! One entry as it is to stand in a settings file.

use super::{HOOKS, Hook, Part, Tools, Wiring};
use crate::event::Moment;
use crate::quote;
use std::path::Path;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A person's own.
    User,
    /// A project's, committed.
    Project,
    /// The organisation's.
    Managed,
}

impl Scope {
    /// What `--scope` calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Managed => "managed",
        }
    }

    /// The scope that `--scope` calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::User, Self::Project, Self::Managed].into_iter().find(|scope| scope.name() == name)
    }
}

/// One entry: what a harness starts, when and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The part it belongs to.
    pub part: Part,
    /// The event, as the harness calls it.
    pub event: &'static str,
    /// The executables it starts, first to last.
    pub programs: Vec<&'static str>,
    /// Which tools it is for; `None` is every one.
    pub matcher: Option<&'static str>,
    /// A line for a shell, or the program alone where `args` is there.
    pub command: String,
    /// Its arguments, where no shell comes between.
    pub args: Option<Vec<String>>,
    /// How long it may take, in the harness's unit.
    pub timeout: u64,
    /// Whether the call is stopped when the hook fails.
    pub block_on_failure: bool,
}

/// The entries of `parts` for a harness. The programs lie in `bin`; entries of a project find them by themselves.
/// `closed` is whether a call is to be stopped when the guard fails.
#[must_use]
pub fn entries(wiring: &Wiring, parts: &[Part], bin: &Path, scope: Scope, closed: bool) -> Vec<Entry> {
    let wanted = HOOKS.iter().filter(|hook| parts.contains(&hook.part) && wiring.moments.contains(&hook.moment));
    wanted.map(|hook| entry(wiring, hook, bin, scope, closed)).collect()
}

fn entry(wiring: &Wiring, hook: &Hook, bin: &Path, scope: Scope, closed: bool) -> Entry {
    let (command, args) = match scope {
        Scope::Project => project(wiring, hook),
        Scope::User | Scope::Managed => absolute(wiring, hook, bin),
    };
    Entry {
        part: hook.part,
        event: hook.moment.name(),
        programs: hook.run.iter().map(|words| words[0]).collect(),
        matcher: match hook.tools {
            Tools::All => None,
            Tools::Edits => Some(wiring.edits),
            Tools::Guarded => Some(wiring.guarded),
        },
        command,
        args,
        timeout: hook.seconds * wiring.per_second,
        // Where a project's script finds no program, nothing is to happen.
        block_on_failure: closed
            && wiring.on_failure
            && scope != Scope::Project
            && hook.part == Part::Guard
            && hook.moment == Moment::PreToolUse,
    }
}

/// By absolute path: what a hook's PATH holds is the harness's affair.
fn absolute(wiring: &Wiring, hook: &Hook, bin: &Path) -> (String, Option<Vec<String>>) {
    let program = |words: &[&str]| bin.join(words[0]).to_string_lossy().into_owned();
    let rest = |words: &'static [&'static str]| ["--harness", wiring.harness].into_iter().chain(words[1..].iter().copied());
    match hook.run {
        [words] if wiring.exec => (program(words), Some(rest(words).map(str::to_owned).collect())),
        run => {
            let lines = run.iter().map(|words| {
                let all = [quote::path(program(words))].into_iter().chain(rest(words).map(str::to_owned));
                all.collect::<Vec<_>>().join(" ")
            });
            (lines.collect::<Vec<_>>().join(" | "), None)
        }
    }
}

/// By the script that the project carries.
fn project(wiring: &Wiring, hook: &Hook) -> (String, Option<Vec<String>>) {
    let names: Vec<&str> = hook.run.iter().map(|words| words[0]).collect();
    let told = [names.join("+"), wiring.harness.to_owned(), hook.moment.name().to_owned()];
    let line = |word: &&str| if *word == "{}" { told.join(" ") } else { (*word).to_owned() };
    match wiring.project_command {
        [program, args @ ..] if wiring.exec => {
            let args = args.iter().flat_map(|word| if *word == "{}" { told.to_vec() } else { vec![(*word).to_owned()] });
            ((*program).to_owned(), Some(args.collect()))
        }
        words => (words.iter().map(line).collect::<Vec<_>>().join(" "), None),
    }
}
