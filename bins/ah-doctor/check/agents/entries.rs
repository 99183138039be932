//! Whether what is registered is what should be: every event, once, for the right tools, with a timeout in the right unit.

use super::Settings;
use crate::finding::Finding;
use crate::ground::Ground;
use ah::config::Fail;
use ah::harness::wiring::{self, Entry, Found, Part, Scope, Wiring};
use ah::quote;
use std::path::Path;

/// No hook of ours is given longer, in seconds: a larger number was meant in milliseconds.
const LONGEST: f64 = 600.0;

/// Everything that is wrong with the entries of one harness.
pub fn look(ground: &Ground, wiring: &'static Wiring, all: &[Settings]) -> Vec<Finding> {
    let mut found = Vec::new();
    for settings in all {
        for entry in settings.ours() {
            found.extend(one(ground, wiring, settings, entry));
        }
        found.extend(twice(ground, wiring, settings));
    }
    found.extend(missing(ground, wiring, all));
    found
}

/// What is wrong with one entry by itself.
fn one(ground: &Ground, wiring: &'static Wiring, settings: &Settings, entry: &Found) -> Option<Finding> {
    let (name, at) = (wiring.harness, settings.at(entry));
    let again = mend(ground, wiring, settings, entry);
    let names = entry.names().join(" | ");
    let problem = |code, what: String| {
        Some(Finding::fail(code, name, format!("{at}: {names} at {}: {what}", quote::line(&entry.event, 40)), again.clone()))
    };
    let told: Vec<&str> = entry.args.iter().flatten().map(String::as_str).chain(entry.command.split_whitespace()).collect();
    let named = told.windows(2).find(|pair| pair[0] == "--harness").map(|pair| pair[1]);
    if named.is_some_and(|named| named != name) {
        return problem("agents.dialect", format!("is told that {} calls it", quote::line(named.unwrap_or_default(), 20)));
    }
    if settings.scope == "user" {
        for program in &entry.programs {
            if !program.is_absolute() {
                return problem(
                    "agents.relative",
                    format!("{} is looked for in whatever PATH the agent has", quote::path(program)),
                );
            }
            if !runs(program) {
                return problem("agents.dead", format!("{} is not there, or cannot be executed", quote::path(program)));
            }
            if program.parent().and_then(|dir| std::fs::canonicalize(dir).ok()).is_some_and(|dir| dir != ground.folder) {
                let what = format!("{at}: {names} is of another installation: {}", quote::path(program));
                return Some(Finding::warn("agents.foreign", name, what).mend(again));
            }
        }
    }
    let unit = wiring.per_second as f64;
    if entry.timeout.is_some_and(|timeout| timeout > LONGEST * unit) {
        return problem(
            "agents.unit",
            format!("a timeout of {} in {}'s unit is more than ten minutes", entry.timeout.unwrap_or_default(), wiring.title),
        );
    }
    let wanted = expected(wiring, ground).into_iter().find(|wanted| wanted.event == entry.event && same(wanted, entry))?;
    let covers = |matcher: &Option<String>| matches!(matcher.as_deref(), None | Some("" | "*" | ".*"));
    if !covers(&entry.matcher) && entry.matcher.as_deref() != wanted.matcher {
        let what = format!("is for the tools {}", quote::line(entry.matcher.as_deref().unwrap_or_default(), 80));
        let should = wanted.matcher.map_or("every tool".to_owned(), |matcher| matcher.to_owned());
        return problem("agents.matcher", format!("{what}, and should be for {should}"));
    }
    None
}

/// Entries of one file that start the same at the same event.
fn twice(ground: &Ground, wiring: &'static Wiring, settings: &Settings) -> Vec<Finding> {
    let ours: Vec<&Found> = settings.ours().collect();
    let again = |at: usize| ours[..at].iter().any(|first| first.event == ours[at].event && first.names() == ours[at].names());
    let double = (1..ours.len()).filter(|at| again(*at));
    double
        .map(|at| {
            let what = format!(
                "{}: {} at {} once more",
                settings.at(ours[at]),
                ours[at].names().join(" | "),
                quote::line(&ours[at].event, 40)
            );
            Finding::fail("agents.duplicate", wiring.harness, what, mend(ground, wiring, settings, ours[at]))
        })
        .collect()
}

/// What puts an entry right.
fn mend(ground: &Ground, wiring: &'static Wiring, settings: &Settings, entry: &Found) -> String {
    let meant = |wanted: &Entry| wanted.event == entry.event && wanted.programs.iter().any(|name| entry.runs(name));
    let part = expected(wiring, ground).into_iter().find(meant).map_or(Part::Guard, |wanted| wanted.part);
    let with = if part == Part::Guard { String::new() } else { format!(" --with {}", part.name()) };
    format!("ah-bootstrap --harness {} --scope {}{with} --mend --apply", wiring.harness, settings.scope)
}

/// Events of a part that is registered, but not at all of them.
fn missing(ground: &Ground, wiring: &'static Wiring, all: &[Settings]) -> Vec<Finding> {
    let ours = || all.iter().flat_map(Settings::ours);
    let mut found = Vec::new();
    for part in Part::ALL {
        let wanted: Vec<Entry> = expected(wiring, ground).into_iter().filter(|entry| entry.part == part).collect();
        let there = |entry: &Entry| ours().any(|found| found.event == entry.event && same(entry, found));
        let gone: Vec<&str> = wanted.iter().filter(|entry| !there(entry)).map(|entry| entry.event).collect();
        // What a person left out as a whole is their choice; the guard's first event is what it is for.
        let begun = gone.len() < wanted.len() && part != Part::Live;
        let blind = part == Part::Guard && gone.contains(&"PreToolUse");
        if gone.is_empty() || !begun && !blind {
            continue;
        }
        let what = format!("{} is not registered for {}", part.name(), gone.join(", "));
        let with = if part == Part::Guard { String::new() } else { format!(" --with {}", part.name()) };
        found.push(Finding::fail(
            "agents.incomplete",
            wiring.harness,
            what,
            format!("ah-bootstrap --harness {}{with} --again --apply", wiring.harness),
        ));
    }
    found
}

/// Every entry that there can be.
fn expected(wiring: &'static Wiring, ground: &Ground) -> Vec<Entry> {
    wiring::entries(wiring, &Part::ALL, &ground.folder, Scope::User, ground.config.git_guard.fail == Fail::Closed)
}

/// Whether an entry starts what is wanted; a pipe names its programs in its own order.
fn same(wanted: &Entry, found: &Found) -> bool {
    let mut programs = wanted.programs.clone();
    programs.sort_unstable();
    programs == found.names()
}

fn runs(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    program.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
