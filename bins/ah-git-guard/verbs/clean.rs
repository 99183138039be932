//! clean: what git does not track is removed.

use crate::call::{Call, Judged, done, fails};
use crate::hits::Hits;
use crate::invocation::Invocation;
use crate::judge::Judge;
use crate::treasure::{Holder, Kind};
use crate::verb;
use crate::world::World;
use ah::git::{CleanFlags, IgnoredFiles, Trouble};
use std::path::{Path, PathBuf};

/// `git clean`.
pub fn clean(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") || o.has("interactive") {
        return done(world);
    }
    let required = judge.switch(&world, call, "clean.requireForce").unwrap_or(true);
    if required && !o.has("force") {
        return fails(world);
    }
    let ignored = o.has("x") || o.has("X");
    let ignore_gone = world.removed.iter().any(|p| p.file_name().is_some_and(|n| n == ".gitignore"));
    let unclear = o.unclear || o.operands.iter().any(|w| w.literal().is_none());
    let hits = if unclear { Hits::all() } else { clean_hits(judge, call, ignore_gone)? };
    judge.load_untracked(&mut world, call, ignored || ignore_gone)?;
    // What the line itself staged is tracked by now, and git leaves it alone; what it made is not.
    let made: Vec<PathBuf> = world.created.iter().filter(|p| p.starts_with(&call.cwd)).cloned().collect();
    world.drop_tree(|t, p| {
        let unstaged = t.fresh && !t.in_index() && !t.listed && p.starts_with(&call.cwd);
        if (unstaged || made.iter().any(|m| m == p)) && !o.has("X") {
            return !t.holders.iter().any(|h| matches!(h, Holder::Index(q) if q == p));
        }
        let loose = !t.in_index() && (t.kind == Kind::Untracked || (t.kind == Kind::Secret && (ignored || ignore_gone)));
        loose && hits.contains(p) && !(o.has("X") && t.kind == Kind::Untracked)
    });
    if o.count("force") > 1 || unclear {
        judge.remove_nested(&mut world, call, &hits)?;
    }
    done(world)
}

/// `git clean` in a repository that the line itself has just begun: git tracks nothing there yet.
pub fn begun(judge: &mut Judge, world: &mut World, text: &str, invocation: &Invocation, cwd: &Path) -> Result<(), Trouble> {
    if invocation.verb() == Some("clean") && verb::discards(invocation) {
        judge.load_below(world, cwd)?;
        world.drop_tree(|t, p| p.starts_with(cwd) && !t.in_index());
        judge.settle(world, "tree.clean", text);
    }
    Ok(())
}

/// What git itself says that this clean would remove.
fn clean_hits(judge: &Judge, call: &Call, ignored: bool) -> Result<Hits, Trouble> {
    let o = &call.options;
    let flags = CleanFlags {
        directories: o.has("d"),
        exclude: o.values("exclude").map(|w| w.text().into()).collect(),
        force: u8::try_from(o.count("force")).unwrap_or(u8::MAX),
        ignored: if o.has("X") {
            IgnoredFiles::Only
        } else if o.has("x") || ignored {
            IgnoredFiles::Too
        } else {
            IgnoredFiles::Keep
        },
        paths: o.operands.iter().map(|w| w.text().into()).collect(),
    };
    let mut repo = judge.sites[call.site].repo.clone();
    repo.cwd.clone_from(&call.cwd);
    let root = judge.sites[call.site].root.clone();
    let paths = judge.sites[call.site].git_in(&repo, "clean -n")?.clean_preview(&flags)?;
    Ok(Hits { under: paths.into_iter().map(|p| root.join(p)).collect(), ..Hits::default() })
}
