//! stash: content goes into entries, comes back, or is dropped with them.

use crate::call::{Call, Judged, done, either, fails, succeeds};
use crate::judge::Judge;
use crate::treasure::{Holder, Kind};
use crate::verdict::{Loss, Verdict};
use crate::world::{Stash, World};
use ah::git::Trouble;
use ah::shell::Word;
use std::collections::BTreeSet;

/// `git stash` and its subcommands.
pub fn stash(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let operands = &call.options.operands;
    let verb = match operands.first() {
        None => "push",
        Some(word) => match word.literal() {
            Some(text) => text,
            None => return unclear(judge, world, call),
        },
    };
    match verb {
        "push" | "save" => push(judge, world, call, if verb == "push" { operands.get(1..).unwrap_or_default() } else { &[] }),
        "pop" => pop(judge, world, call),
        "drop" => {
            judge.stashes(&mut world, call.site)?;
            let at = entry(judge, &world, call, operands.get(1));
            remove(judge, world, call, at)
        }
        "clear" => {
            let count = judge.stashes(&mut world, call.site)?.len();
            let mut ends = vec![world];
            for _ in 0..count {
                let world = ends.pop().unwrap_or_default();
                ends = remove(judge, world, call, Some(0))?.into_iter().map(|e| e.0).collect();
            }
            succeeds(ends.pop().unwrap_or_default())
        }
        "apply" => apply(judge, world, call),
        "branch" => pop(judge, world, call),
        "create" | "list" | "show" | "store" => done(world),
        // `git stash -u` and the like: an option before any subcommand means push.
        _ => push(judge, world, call, &[]),
    }
}

/// A subcommand that cannot be read: the worst one, dropping, is assumed where there is something to drop.
fn unclear(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    if !judge.stashes(&mut world, call.site)?.is_empty() {
        world.findings.push(call.finding("line.unread", Verdict::Ask, "the stash subcommand cannot be read"));
    }
    done(world)
}

fn push(judge: &mut Judge, mut world: World, call: &Call, paths: &[Word]) -> Judged {
    let o = &call.options;
    if o.has("patch") {
        return done(world);
    }
    judge.stashes(&mut world, call.site)?;
    let untracked = o.has("include-untracked") || o.has("all");
    let hits = if paths.is_empty() { judge.load_all(&mut world, call)? } else { judge.hits(&mut world, call, paths)? };
    judge.load_hidden(&mut world, call.site)?;
    if o.has("all") {
        judge.load_untracked(&mut world, call, true)?;
    }
    let id = world.serial();
    let root = judge.sites[call.site].root.clone();
    let mut took = false;
    for treasure in &mut world.treasures {
        let tree = treasure.trees().any(|p| p.starts_with(&root) && hits.contains(p));
        let staged = treasure.in_index();
        let taken = match treasure.kind {
            Kind::Untracked if !staged => untracked,
            Kind::Secret | Kind::Ignored => o.has("all"),
            Kind::Resolution => false,
            _ => !o.has("staged") || staged,
        };
        let indexed = treasure.holders.iter().any(|h| matches!(h, Holder::Index(p) if p.starts_with(&root) && hits.contains(p)));
        if !taken || (!tree && !indexed) {
            continue;
        }
        took = true;
        treasure.hold(Holder::Stash(id));
        let keep = o.has("keep-index") && staged;
        if !keep {
            treasure.release(|h| matches!(h, Holder::Index(p) | Holder::Tree(p) if p.starts_with(&root) && hits.contains(p)));
        }
    }
    if took {
        world.stashes.entry(judge.first(call.site)).or_default().insert(0, Stash { applied: false, id, oid: None });
    }
    succeeds(world)
}

/// The content of an entry is in the files too.
fn apply(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    judge.stashes(&mut world, call.site)?;
    let at = entry(judge, &world, call, call.options.operands.get(1));
    let list = world.stashes.entry(judge.first(call.site)).or_default();
    let Some(at) = at.filter(|at| *at < list.len()) else { return fails(world) };
    let entry = list[at].clone();
    let before = world.clone();
    if let Some(stash) = world.stashes.get_mut(&judge.first(call.site)).and_then(|l| l.get_mut(at)) {
        stash.applied = true;
    }
    for treasure in &mut world.treasures {
        if treasure.holders.contains(&Holder::Stash(entry.id)) {
            let path = treasure.path.clone();
            treasure.hold(Holder::Tree(path));
        }
    }
    match judge.pop_is_clean(&before, call, &entry)? {
        Some(true) => succeeds(world),
        Some(false) => fails(before),
        None => either(world, before),
    }
}

fn pop(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    judge.stashes(&mut world, call.site)?;
    let at = entry(judge, &world, call, call.options.operands.get(1));
    let list = world.stashes.entry(judge.first(call.site)).or_default();
    let Some(at) = at.filter(|at| *at < list.len()) else { return fails(world) };
    let entry = list[at].clone();
    let kept = world.clone();
    if let Some(oid) = &entry.oid
        && let Some(whose) = judge.foreign_stash(call.site, oid)
    {
        judge.refs(&mut world, call.site)?;
        let pin = judge.pin(&world, call.site, &BTreeSet::from([oid.clone()]));
        world.findings.push(
            call.finding("stash.foreign", Verdict::Ask, format!("the entry was made on {whose}, in another work tree"))
                .with([Loss::Stash(whose)])
                .pinned(pin),
        );
    }
    let mut popped = world;
    if let Some(list) = popped.stashes.get_mut(&judge.first(call.site)) {
        list.remove(at);
    }
    for treasure in &mut popped.treasures {
        if treasure.holders.contains(&Holder::Stash(entry.id)) {
            let path = treasure.path.clone();
            treasure.release(|h| *h == Holder::Stash(entry.id));
            treasure.hold(Holder::Tree(path));
        }
    }
    match judge.pop_is_clean(&kept, call, &entry)? {
        Some(true) => succeeds(popped),
        Some(false) => fails(kept),
        None => either(popped, kept),
    }
}

/// The number of the entry that a word names: `stash@{1}`, `1`, or the newest without a word.
fn entry(judge: &Judge, world: &World, call: &Call, word: Option<&Word>) -> Option<usize> {
    let Some(word) = word else { return Some(0) };
    let text = word.literal()?;
    let text = text.strip_prefix("refs/").unwrap_or(text);
    let number = text.strip_prefix("stash@{").and_then(|t| t.strip_suffix('}')).unwrap_or(text);
    if number == "stash" {
        return Some(0);
    }
    number.parse().ok().or_else(|| {
        let list = world.stashes.get(&judge.first(call.site))?;
        let oid = judge.sites[call.site].resolve(text)?;
        list.iter().position(|s| s.oid.as_deref() == Some(&oid))
    })
}

/// Drops entry `at`; `None`: any entry, so the worst.
pub fn remove(judge: &mut Judge, mut world: World, call: &Call, at: Option<usize>) -> Judged {
    let list = world.stashes.entry(judge.first(call.site)).or_default();
    if list.is_empty() || at.is_some_and(|at| at >= list.len()) {
        return fails(world);
    }
    let entry = list.remove(at.unwrap_or(0));
    if let Some(oid) = entry.oid.filter(|_| !entry.applied) {
        drops(judge, &mut world, call, oid)?;
    }
    succeeds(world)
}

/// An entry of before is gone.
pub fn drops(judge: &Judge, world: &mut World, call: &Call, oid: String) -> Result<(), Trouble> {
    let site = &judge.sites[call.site];
    let (name, own) = (site.stash_label(&oid), judge.memory.own_stash(site, &oid));
    judge.refs(world, call.site)?;
    let pin = judge.pin(world, call.site, &BTreeSet::from([oid]));
    world.findings.push(call.finding("stash.drop", Verdict::Deny, "").own(own).with([Loss::Stash(name)]).pinned(pin));
    Ok(())
}
