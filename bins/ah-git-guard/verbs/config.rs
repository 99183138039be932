//! config: settings that disarm, redirect or hide what later commands do.

use crate::call::{Call, Judged, done};
use crate::judge::Judge;
use crate::verdict::{Loss, Verdict};
use crate::world::World;
use ah::shell::Word;

/// What `git config` is asked to do.
enum Change {
    Set(String, String),
    Unset(String),
    None,
}

/// `git config`.
pub fn config(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let change = read(call);
    let (key, value) = match change {
        Change::Set(key, value) => (key, Some(value)),
        Change::Unset(key) => (key, None),
        Change::None => return done(world),
    };
    let lower = key.to_ascii_lowercase();
    if lower == "core.hookspath" {
        hooks_path(judge, &mut world, call, value.as_deref());
    } else if lower.starts_with("remote.") && (lower.ends_with(".url") || lower.ends_with(".pushurl")) && value.is_some() {
        world.findings.push(
            call.finding("remote.url", Verdict::Ask, "later pushes go to another place")
                .remote()
                .with([Loss::Other(key.clone())]),
        );
    } else if let Some(value) = value.as_deref().filter(|v| disarms(&lower, v)) {
        world.findings.push(call.finding(
            "config.disarm",
            Verdict::Ask,
            format!("{key}={value} takes a protection away from later commands"),
        ));
    }
    world.settings.push((call.site, key, value));
    done(world)
}

/// Hooks pointed elsewhere: a protection is taken away where some would have run, else they are installed.
fn hooks_path(judge: &Judge, world: &mut World, call: &Call, value: Option<&str>) {
    let all = ["commit-msg", "pre-commit", "pre-push"];
    let installed = judge.hooks(call, &all);
    let exists = value.is_some_and(|v| judge.hooks_in(call, v));
    let finding = match (installed, exists) {
        (true, false) => call
            .finding("hooks.disarm", Verdict::Deny, "the hooks of this repository would no longer run")
            .with([Loss::Other(judge.hook_names(call.site, &all))]),
        (false, _) if value.is_none() => return,
        _ => call.finding("hooks.install", Verdict::Note, "changes which hooks run"),
    };
    world.findings.push(finding);
}

/// Settings that make git forget sooner, delete without being told, or let itself be overwritten.
fn disarms(key: &str, value: &str) -> bool {
    let now = |v: &str| matches!(v, "now" | "0" | "all");
    match key {
        "gc.reflogexpire" | "gc.reflogexpireunreachable" | "gc.pruneexpire" => now(value),
        "receive.denynonfastforwards" | "receive.denydeletes" => ah::git::truth(Some(value)) == Some(false),
        "core.logallrefupdates" => ah::git::truth(Some(value)) == Some(false),
        _ => false,
    }
}

fn read(call: &Call) -> Change {
    let o = &call.options;
    let reads = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool", "edit"];
    if reads.iter().any(|r| o.has(r)) || o.value("blob").is_some() {
        return Change::None;
    }
    let mut words: Vec<&str> = o.operands.iter().map(Word::text).collect();
    match words.first() {
        Some(&"set") => {
            words.remove(0);
        }
        Some(&"unset") => return words.get(1).map_or(Change::None, |k| Change::Unset((*k).to_owned())),
        Some(&("list" | "get" | "edit" | "rename-section")) => return Change::None,
        Some(&"remove-section") => return Change::None,
        _ => {}
    }
    match (words.first(), words.get(1)) {
        (Some(key), _) if o.has("unset") || o.has("unset-all") => Change::Unset((*key).to_owned()),
        (Some(key), Some(value)) => Change::Set((*key).to_owned(), (*value).to_owned()),
        _ => Change::None,
    }
}
