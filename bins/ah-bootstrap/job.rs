//! Registering and taking out: first all of it as a plan, then, if that is wanted, file by file.

use crate::CLI;
use crate::apply::Ledger;
use crate::choice::Choice;
use crate::error::Error;
use crate::managed;
use crate::plan::{self, Fate, Plan};
use crate::programs;
use crate::purge;
use crate::remove;
use crate::report::Report;
use crate::script;
use crate::source::Source;
use crate::target::{self, Target};
use ah::cli::Call;
use ah::exit;
use ah::harness::wiring::{Part, Scope};
use ah::quote;
use std::process::ExitCode;

/// What a command line without a command word asks for.
pub fn run(call: &Call) -> Result<ExitCode, Error> {
    let choice = Choice::of(call)?;
    if choice.scope == Scope::Managed {
        return managed::run(&choice, call);
    }
    let removing = call.has("remove");
    if call.has("purge") && !removing {
        return Err(Error::Usage("--purge goes with --remove".into()));
    }
    let mut report = if removing { take_out(&choice)? } else { register(&choice)? };
    if report.plans.is_empty() && !removing {
        return Err(Error::Missing("no agent is found here that takes hooks; name one by --harness".into()));
    }
    if removing {
        let question = choice.apply && !call.has("purge") && !choice.yes && !call.has("json");
        report.notes.extend(purge::after_removal(choice.apply && call.has("purge"), question)?);
    }
    exit::print(CLI.name, &if call.has("json") { report.json() } else { report.text() });
    Ok(ExitCode::from(exit::OK))
}

/// Registers what was chosen, or shows what that would change.
pub fn register(choice: &Choice) -> Result<Report, Error> {
    let targets = Target::of(choice)?;
    let entries: Vec<_> = targets.iter().flat_map(|target| choice.entries(target.wiring)).collect();
    let programs = if choice.scope == Scope::Project { Vec::new() } else { programs::look(&entries, &choice.bin)? };
    let mut ledger = Ledger::open(choice.apply)?;
    let mut plans = Vec::new();
    let top = (choice.scope == Scope::Project).then(target::project).transpose()?;
    if let Some(top) = &top {
        let path = top.join(script::PLACE);
        plans.push(script::plan(top, ledger.receipt.of(&path), true)?);
    }
    for target in &targets {
        plans.push(plan::add(target, ledger.receipt.of(&target.path), choice)?);
    }
    may_write(&plans, choice)?;
    if choice.apply {
        // The script before what names it.
        let mut done = Vec::new();
        if let Some(top) = &top {
            done.push(ledger.carry_out(&top.join(script::PLACE), &|record| script::plan(top, record, true))?);
        }
        for target in &targets {
            done.push(ledger.carry_out(&target.path, &|record| plan::add(target, record, choice))?);
        }
        ledger.programs(programs)?;
        plans = done;
    }
    let notes = notes(&plans, &targets, choice);
    Ok(Report { plans, applied: choice.apply, notes })
}

/// Takes out what was chosen, or shows what that would change.
fn take_out(choice: &Choice) -> Result<Report, Error> {
    let mut ledger = Ledger::open(choice.apply)?;
    let mut targets = Target::of(choice)?;
    // Wherever else the receipt says that something is, unless the person named where.
    for record in &ledger.receipt.files {
        let wiring =
            choice.harnesses.iter().copied().chain(if choice.named { Vec::new() } else { ah::harness::wiring::ALL.to_vec() });
        let Some(wiring) = wiring.into_iter().find(|wiring| wiring.harness == record.harness) else { continue };
        if record.scope == choice.scope.name()
            && choice.scope == Scope::User
            && targets.iter().all(|target| target.path != record.path)
        {
            let toml = record.path.extension().is_some_and(|ending| ending == "toml");
            let file = wiring.user.iter().find(|file| file.name.ends_with(".toml") == toml).unwrap_or(&wiring.user[0]);
            targets.push(Target { wiring, form: file.form, path: record.path.clone(), scope: choice.scope });
        }
    }
    let top = (choice.scope == Scope::Project && choice.parts.len() == Part::ALL.len() && !choice.named)
        .then(target::project)
        .transpose()?;
    let mut plans = Vec::new();
    for target in &targets {
        plans.push(remove::plan(target, ledger.receipt.of(&target.path), choice)?);
    }
    if let Some(top) = &top {
        plans.push(script::plan(top, ledger.receipt.of(&top.join(script::PLACE)), false)?);
    }
    may_write(&plans, choice)?;
    if choice.apply {
        let mut done = Vec::new();
        for target in &targets {
            done.push(ledger.carry_out(&target.path, &|record| remove::plan(target, record, choice))?);
        }
        if let Some(top) = &top {
            done.push(ledger.carry_out(&top.join(script::PLACE), &|record| script::plan(top, record, false))?);
        }
        plans = done;
    }
    let mut notes = Vec::new();
    let left = plans.iter().flat_map(|plan| &plan.outcomes).filter(|one| one.fate == Fate::Other).count();
    if left > 0 {
        notes.push(format!("{left} hooks that this program did not write are left: take them out by hand"));
    }
    if !choice.apply {
        notes.push(
            if plans.iter().any(Plan::changes) { "Nothing was written. To do it, add --apply." } else { "Nothing to change." }
                .into(),
        );
    }
    Ok(Report { plans, applied: choice.apply, notes })
}

/// Nothing is written anywhere while something speaks against one of the files.
fn may_write(plans: &[Plan], choice: &Choice) -> Result<(), Error> {
    for plan in plans.iter().filter(|plan| plan.changes()) {
        if let Some(why) = Source::refusal(&plan.source, choice.yes || !choice.apply) {
            return Err(Error::Refused(plan.path.clone(), why));
        }
    }
    Ok(())
}

/// What a person should know after it, or before.
fn notes(plans: &[Plan], targets: &[Target], choice: &Choice) -> Vec<String> {
    let mut notes = Vec::new();
    for plan in plans.iter().filter(|plan| plan.source.linked && plan.changes()) {
        if let Some(repository) = plan.source.repository() {
            let what = if choice.apply { "was changed" } else { "would be changed (needs --yes)" };
            notes.push(format!(
                "{} leads into the repository {}, which {what}.",
                quote::path(&plan.path),
                quote::path(repository)
            ));
        }
    }
    let changed = |target: &&Target| plans.iter().any(|plan| plan.path == target.path && plan.changes());
    for target in targets.iter().filter(changed).filter(|target| !target.wiring.then.is_empty()) {
        notes.push(target.wiring.then.to_owned());
    }
    if choice.scope == Scope::Project {
        let files: Vec<String> = plans
            .iter()
            .filter(|plan| plan.changes())
            .map(|plan| quote::path(plan.path.strip_prefix(top_of(plans)).unwrap_or(&plan.path)))
            .collect();
        if !files.is_empty() {
            notes.push(format!("For your team: git add {}", files.join(" ")));
        }
    }
    notes.push(ending(plans, choice));
    notes
}

/// The last word: whether something was written, and what then.
fn ending(plans: &[Plan], choice: &Choice) -> String {
    match (plans.iter().any(Plan::changes), choice.apply) {
        (false, _) => "Nothing to change.".into(),
        (true, false) => "Nothing was written. To do it, add --apply.".into(),
        (true, true) => "Done. Restart open sessions.".into(),
    }
}

/// The project's top: two above the script.
fn top_of(plans: &[Plan]) -> &std::path::Path {
    let script = plans.iter().find(|plan| plan.harness.is_empty());
    script.and_then(|plan| plan.path.ancestors().nth(2)).unwrap_or(std::path::Path::new("/"))
}
