//! add, commit, merge, rebase, cherry-pick, revert, am, apply, filter-branch, filter-repo: commits made and rewritten.

use crate::call::{Call, Judged, done, either, fails, succeeds};
use crate::hits::Hits;
use crate::judge::Judge;
use crate::treasure::{Holder, Kind};
use crate::verdict::{Finding, Loss, Verdict};
use crate::world::{Head, Tip, World};
use ah::git::Trouble;
use ah::shell::Word;
use std::path::{Path, PathBuf};

/// `git add`: the file's content is in the index too.
pub fn add(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") || o.has("patch") || o.has("interactive") || o.has("edit") || o.has("intent-to-add") {
        return done(world);
    }
    let whole = o.operands.is_empty();
    if whole && !o.has("all") && !o.has("update") {
        return fails(world);
    }
    let hits = if whole { judge.load_all(&mut world, call)? } else { judge.hits(&mut world, call, &o.operands)? };
    stage(judge, &mut world, call, &hits, !o.has("update"), o.has("force"));
    succeeds(world)
}

fn stage(judge: &Judge, world: &mut World, call: &Call, hits: &Hits, untracked: bool, ignored: bool) {
    let root = &judge.sites[call.site].root;
    for treasure in &mut world.treasures {
        let takes = match treasure.kind {
            Kind::Untracked => untracked || treasure.in_index(),
            Kind::Secret | Kind::Ignored => ignored,
            _ => true,
        };
        let paths: Vec<PathBuf> =
            treasure.trees().filter(|p| takes && p.starts_with(root) && hits.contains(p)).map(Path::to_owned).collect();
        paths.into_iter().for_each(|path| treasure.hold(Holder::Index(path)));
    }
    // A file that is gone is staged as gone: the index no longer holds what it was.
    let there: Vec<PathBuf> =
        world.treasures.iter().filter(|t| t.in_index()).flat_map(|t| t.trees().map(Path::to_owned)).collect();
    let gone = |p: &Path| !there.iter().any(|t| t == p) && (world.removed.contains(p) || !p.exists());
    let gone: Vec<PathBuf> = world
        .treasures
        .iter()
        .flat_map(|t| t.holders.iter())
        .filter_map(|h| if let Holder::Index(p) = h { Some(p.clone()) } else { None })
        .filter(|p| hits.contains(p) && gone(p))
        .collect();
    world.drop_index(|p| gone.iter().any(|g| g == p));
    // What was staged before at the same path has grown into what is staged now: no loss of its own.
    let staged: Vec<_> = world.treasures.iter().filter(|t| t.in_index() && t.tree().is_some()).map(|t| t.path.clone()).collect();
    world
        .treasures
        .retain(|t| t.kind != Kind::Staged || t.tree().is_some() || !staged.contains(&t.path) || !hits.contains(&t.path));
}

/// `git commit`.
pub fn commit(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    skipped_hooks(judge, &mut world, call, &["commit-msg", "pre-commit"], o.negated("verify"));
    let before = world.clone();
    let mut paths = Hits::default();
    if o.has("all") {
        let hits = judge.load_all(&mut world, call)?;
        stage(judge, &mut world, call, &hits, false, false);
    } else if !o.operands.is_empty() {
        paths = judge.hits(&mut world, call, &o.operands)?;
        stage(judge, &mut world, call, &paths, false, false);
    } else {
        judge.load_all(&mut world, call)?;
    }
    if o.has("patch") || o.has("interactive") {
        return done(world);
    }
    let refs = judge.refs(&mut world, call.site)?;
    let head = refs.head_tip();
    let squashed = std::mem::take(&mut refs.squashed);
    let tip = if o.has("amend") {
        if let Some(old) = head.clone() {
            let published = judge.published(&world, call.site, &old)?;
            let detail = if published {
                "amends a commit that is already pushed"
            } else {
                "amends a commit; the reflog keeps the old one"
            };
            let below = judge.rev(&mut world, call, "HEAD~1")?;
            let pin = judge.pin_head(&mut world, call, below)?;
            let finding = call.finding("history.amend", Verdict::Note, detail);
            world.findings.push(Finding { pins: pin.into_iter().collect(), ..finding });
        }
        world.commit(Vec::new(), head.into_iter().chain(squashed).collect())
    } else {
        world.commit(head.into_iter().collect(), squashed)
    };
    let Tip::Made(id) = tip else { return done(world) };
    let root = judge.sites[call.site].root.clone();
    let partial = !o.operands.is_empty() && !o.has("include");
    for treasure in &mut world.treasures {
        let taken = treasure
            .holders
            .iter()
            .any(|h| matches!(h, Holder::Index(p) if p.starts_with(&root) && (!partial || paths.contains(p))));
        if taken {
            treasure.hold(Holder::Commit(id));
            treasure.release(|h| matches!(h, Holder::Index(_)));
            // Committed and unchanged: the file is clean, whatever becomes of it.
        }
    }
    set_head(judge, &mut world, call, tip)?;
    let sure = !judge.hooks(call, &["commit-msg", "pre-commit", "prepare-commit-msg"]);
    if sure { succeeds(world) } else { either(world, before) }
}

/// HEAD (and the branch it stands on) moves to a commit on top of the old one.
fn set_head(judge: &mut Judge, world: &mut World, call: &Call, tip: Tip) -> Result<(), Trouble> {
    let refs = judge.refs(world, call.site)?;
    match refs.head.clone() {
        Head::Branch(name) => {
            refs.names.insert(name, tip);
        }
        Head::Detached(_) => refs.head = Head::Detached(tip),
    }
    Ok(())
}

/// `hooks.skip`: hooks that would have run do not.
pub fn skipped_hooks(judge: &Judge, world: &mut World, call: &Call, names: &[&str], by_option: bool) {
    let how = if by_option { Some(("--no-verify", Verdict::Deny)) } else { judge.hooks_off(world, call) };
    if let Some((how, verdict)) = how
        && judge.hooks(call, names)
    {
        let detail = format!("{how} skips hooks of this repository that would run");
        world.findings.push(call.finding("hooks.skip", verdict, detail).with([Loss::Other(judge.hook_names(call.site, names))]));
    }
}

/// `git merge`, and the merging half of pull.
pub fn merge(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("abort") {
        return abort(judge, world, call);
    }
    if o.has("quit") || o.has("continue") {
        return done(world);
    }
    skipped_hooks(judge, &mut world, call, &["commit-msg", "pre-merge-commit", "pre-commit"], o.negated("verify"));
    let before = world.clone();
    let mut tips = Vec::new();
    for word in &o.operands {
        tips.push(judge.rev(&mut world, call, word.text())?.unwrap_or(Tip::Unknown));
    }
    let refs = judge.refs(&mut world, call.site)?;
    if o.has("squash") {
        refs.squashed.extend(tips);
        return either(world, before);
    }
    let parents: Vec<Tip> = refs.head_tip().into_iter().chain(tips).collect();
    let tip = world.commit(parents, Vec::new());
    set_head(judge, &mut world, call, tip)?;
    either(world, before)
}

/// `git cherry-pick`, `git revert`: commits are added, or a stopped one is thrown away.
pub fn pick(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("abort") || o.has("skip") {
        return abort(judge, world, call);
    }
    if o.has("quit") || o.has("continue") || o.negated("commit") {
        return done(world);
    }
    let before = world.clone();
    let head = judge.refs(&mut world, call.site)?.head_tip();
    let tip = world.commit(head.into_iter().collect(), Vec::new());
    set_head(judge, &mut world, call, tip)?;
    either(world, before)
}

/// An operation in progress is given up: conflicts resolved by hand go with it.
pub fn abort(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let Some(operation) = judge.sites[call.site].operation() else { return fails(world) };
    if call.invocation.verb().is_some_and(|v| v.replace('-', "") != operation) {
        return fails(world);
    }
    judge.load_all(&mut world, call)?;
    let root = judge.sites[call.site].root.clone();
    // What was changed before the operation began survives an abort; resolutions and what they staged do not.
    let lost = world.treasures.iter().any(|t| t.kind == Kind::Resolution && t.tree().is_some());
    world.drop_tree(|t, p| p.starts_with(&root) && t.kind == Kind::Resolution);
    for treasure in &mut world.treasures {
        if treasure.kind == Kind::Resolution {
            treasure.release(|h| matches!(h, Holder::Index(_)));
        }
    }
    // A commit that a rebase skips stays in the reflog: surprising, but it comes back.
    if !lost && operation == "rebase" && call.options.has("skip") {
        world.findings.push(call.finding("merge.abort", Verdict::Ask, format!("the {operation} in progress is given up")));
    }
    done(world)
}

/// `git rebase`.
pub fn rebase(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("abort") || o.has("skip") {
        return abort(judge, world, call);
    }
    if ["quit", "continue", "edit-todo", "show-current-patch"].iter().any(|f| o.has(f)) {
        return done(world);
    }
    skipped_hooks(judge, &mut world, call, &["pre-rebase"], o.negated("verify"));
    if judge.nothing_to_rebase(&mut world, call)? {
        return done(world);
    }
    let upstream = o.operands.first().map_or("@{upstream}", Word::text).to_owned();
    let below = judge.rev(&mut world, call, &upstream)?;
    let pin = judge.pin_head(&mut world, call, below)?;
    let finding = call.finding("history.rebase", Verdict::Note, "rewrites commits; the reflog keeps the old ones");
    world.findings.push(Finding { pins: pin.into_iter().collect(), ..finding });
    match o.value("onto").and_then(Word::literal).map(str::to_owned) {
        Some(onto) => move_onto(judge, &mut world, call, &onto)?,
        None => rewrite_head(judge, &mut world, call)?,
    }
    let before = world.clone();
    either(world, before)
}

/// `rebase --onto NEW UPSTREAM`: what lies between the two is left out.
fn move_onto(judge: &mut Judge, world: &mut World, call: &Call, onto: &str) -> Result<(), Trouble> {
    let upstream = call.operand(0).unwrap_or("@{upstream}").to_owned();
    let (Some(onto), Some(upstream)) = (judge.rev(world, call, onto)?, judge.rev(world, call, &upstream)?) else {
        return rewrite_head(judge, world, call);
    };
    let head = judge.refs(world, call.site)?.head_tip();
    let tip = world.commit(vec![onto], Vec::new());
    set_head(judge, world, call, tip.clone())?;
    judge.left(world, call, upstream, None, "commit.drop", true)?;
    if let Tip::Made(id) = tip
        && let Some(made) = world.made.get_mut(id as usize)
    {
        made.covers.extend(head);
    }
    Ok(())
}

/// HEAD's commits are made anew with the same content.
fn rewrite_head(judge: &mut Judge, world: &mut World, call: &Call) -> Result<(), Trouble> {
    let head = judge.refs(world, call.site)?.head_tip();
    let tip = world.commit(Vec::new(), head.into_iter().collect());
    set_head(judge, world, call, tip)
}

/// `git am`, `git apply`.
pub fn am(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("abort") || o.has("skip") {
        return abort(judge, world, call);
    }
    skipped_hooks(judge, &mut world, call, &["applypatch-msg", "pre-applypatch"], o.negated("verify"));
    done(world)
}

/// `git apply`: a patch turned backwards takes the very edits away that it was made of.
pub fn apply(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if ["check", "stat", "numstat", "summary", "cached"].iter().any(|f| o.has(f)) {
        return done(world);
    }
    let Some(source) = judge.patch_source() else { return done(world) };
    // The work tree's own diff, backwards: by -R here or there, not by both.
    if source.own_diff && (o.has("reverse") != source.reversed) {
        let hits = judge.hits(&mut world, call, &source.paths)?;
        judge.load_all(&mut world, call)?;
        world.drop_tracked(|t, p| matches!(t.kind, Kind::Edit | Kind::Staged) && (source.paths.is_empty() || hits.contains(p)));
        if source.cached {
            world.drop_index(|p| source.paths.is_empty() || hits.contains(p));
        }
    }
    done(world)
}

/// `git filter-branch`, `git filter-repo`, `git fast-import --force`: whole histories made anew.
pub fn filter(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") || o.has("analyze") || call.invocation.args.is_empty() {
        return done(world);
    }
    let repo = call.invocation.verb() == Some("filter-repo");
    let (verdict, detail) = if repo && o.has("force") {
        (Verdict::Deny, "rewrites every ref, expires the reflogs and removes the old objects")
    } else if repo {
        (Verdict::Ask, "rewrites every ref of a fresh clone and removes the old objects")
    } else {
        (Verdict::Ask, "rewrites history; refs/original keeps the old commits")
    };
    let pin = judge.pin_whole(call.site)?;
    world.findings.push(call.finding("history.rewrite", verdict, detail).pinned(pin));
    rewrite_head(judge, &mut world, call)?;
    done(world)
}
