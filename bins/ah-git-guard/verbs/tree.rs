//! reset, checkout, switch, restore, checkout-index, read-tree: what the work tree and the index hold.

use crate::call::{Call, Judged, done, either, fails, succeeds};
use crate::hits::Hits;
use crate::judge::Judge;
use crate::treasure::Kind;
use crate::world::{Head, Tip, World};
use ah::git::Trouble;
use ah::shell::Word;
use std::path::Path;

/// `git reset`.
pub fn reset(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("patch") {
        return done(world);
    }
    let (rev, paths) = rev_and_paths(judge, &mut world, call)?;
    if !paths.is_empty() || o.value("pathspec-from-file").is_some() {
        let hits = judge.hits(&mut world, call, &paths)?;
        world.drop_index(|p| hits.contains(p));
        return done(world);
    }
    let keep = o.last_of(&["hard", "keep", "merge", "mixed", "soft"]).unwrap_or("mixed");
    if keep != "soft" {
        judge.load_all(&mut world, call)?;
    }
    match keep {
        "hard" => discard_tracked(judge, &mut world, call, &Hits::all(), rev.as_deref())?,
        "merge" => discard_staged(judge, &mut world, call),
        "keep" | "mixed" => {
            let root = judge.sites[call.site].root.clone();
            world.drop_index(|p| p.starts_with(&root));
        }
        _ => {}
    }
    if keep == "hard" && (o.has("recurse-submodules") || judge.sites[call.site].flag("submodule.recurse")) {
        judge.discard_submodules(&mut world, call)?;
    }
    if matches!(keep, "soft" | "mixed") {
        // The commits' content stays in the index or the files: rewriting, not losing.
        // Of more than one commit only the last one's content stays: the others are left to the reflog.
        let several = match &rev {
            Some(rev) => judge.drops_several(&mut world, call, rev)?,
            None => false,
        };
        let refs = judge.refs(&mut world, call.site)?;
        let old = refs.head_tip().filter(|_| !several);
        refs.squashed.extend(old);
    } else {
        for tip in std::mem::take(&mut judge.refs(&mut world, call.site)?.squashed) {
            judge.left(&mut world, call, tip, None, "commit.drop", true)?;
        }
    }
    if let Some(rev) = rev {
        judge.move_head(&mut world, call, &rev, "commit.drop")?;
    }
    succeeds(world)
}

/// `git checkout`.
pub fn checkout(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("patch") {
        return done(world);
    }
    for (option, force) in [("b", false), ("B", true)] {
        if let Some(name) = o.value(option) {
            return create_branch(judge, world, call, name.clone(), o.operands.first().cloned(), force);
        }
    }
    if let Some(name) = o.value("orphan") {
        return orphan(judge, world, call, name.clone());
    }
    let (rev, paths) = rev_and_paths(judge, &mut world, call)?;
    let listed = o.value("pathspec-from-file").is_some();
    let sides = o.has("ours") || o.has("theirs") || (o.has("merge") && !paths.is_empty());
    if paths.is_empty() && !listed && !sides {
        return switch_to(judge, world, call, rev, o.has("force"));
    }
    let hits = judge.hits(&mut world, call, &paths)?;
    if judge.unmatched(&world, call, &paths, &hits) {
        return fails(world);
    }
    if o.has("conflict") || sides {
        world.drop_tree(|t, p| t.kind == Kind::Resolution && hits.contains(p));
    }
    if rev.is_none() && !sides && !o.has("force") && conflicts(&world, &hits) {
        return fails(world);
    }
    replace_paths(judge, &mut world, call, &hits, rev.as_deref(), true, o.negated("overlay"))?;
    succeeds(world)
}

/// `git switch`.
pub fn switch(judge: &mut Judge, world: World, call: &Call) -> Judged {
    let o = &call.options;
    for (option, force) in [("create", false), ("force-create", true)] {
        if let Some(name) = o.value(option) {
            return create_branch(judge, world, call, name.clone(), o.operands.first().cloned(), force);
        }
    }
    if let Some(name) = o.value("orphan") {
        return orphan(judge, world, call, name.clone());
    }
    let rev = o.operands.first().map(|w| w.text().to_owned());
    switch_to(judge, world, call, rev, o.has("force") || o.has("discard-changes"))
}

/// `git restore`.
pub fn restore(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("patch") {
        return done(world);
    }
    let staged = o.has("staged");
    let tree = o.has("worktree") || !staged;
    if o.operands.is_empty() && o.value("pathspec-from-file").is_none() {
        return fails(world);
    }
    let hits = judge.hits(&mut world, call, &o.operands)?;
    if judge.unmatched(&world, call, &o.operands, &hits) {
        return fails(world);
    }
    let source = o.value("source").map(|w| w.text().to_owned());
    let sides = o.has("ours") || o.has("theirs") || o.has("merge") || o.has("conflict");
    if tree && !staged && source.is_none() && !sides && !o.has("ignore-unmerged") && conflicts(&world, &hits) {
        return fails(world);
    }
    if sides {
        world.drop_tree(|t, p| t.kind == Kind::Resolution && hits.contains(p));
    }
    match (tree, staged) {
        (true, true) => replace_paths(judge, &mut world, call, &hits, Some(source.as_deref().unwrap_or("HEAD")), true, true)?,
        (true, false) => replace_paths(judge, &mut world, call, &hits, source.as_deref(), false, true)?,
        _ => world.drop_index(|p| hits.contains(p)),
    }
    succeeds(world)
}

/// Whether a path is in conflict: from the index alone git cannot restore it, and refuses.
fn conflicts(world: &World, hits: &Hits) -> bool {
    world.treasures.iter().any(|t| t.kind == Kind::Resolution && t.trees().any(|p| hits.contains(p)))
}

/// `git checkout-index`.
pub fn checkout_index(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if !o.has("force") || o.has("temp") || o.value("prefix").is_some() {
        return done(world);
    }
    let hits = if o.has("all") || o.has("stdin") {
        judge.load_all(&mut world, call)?
    } else {
        judge.hits(&mut world, call, &o.operands)?
    };
    replace_paths(judge, &mut world, call, &hits, None, false, true)?;
    done(world)
}

/// `git read-tree`.
pub fn read_tree(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") || o.value("index-output").is_some() || o.value("prefix").is_some() {
        return done(world);
    }
    if o.has("reset") && o.has("u") {
        judge.load_all(&mut world, call)?;
        let rev = call.operand(0).map(str::to_owned);
        discard_tracked(judge, &mut world, call, &Hits::all(), rev.as_deref())?;
    } else if o.has("m") && o.operands.len() == 1 && o.has("u") {
        // One tree: what is staged gives way to it, unsaved edits make git refuse or stay.
        judge.load_all(&mut world, call)?;
        discard_staged(judge, &mut world, call);
    } else if !o.has("m") || o.operands.len() == 1 {
        judge.load_all(&mut world, call)?;
        let root = judge.sites[call.site].root.clone();
        world.drop_index(|p| p.starts_with(&root));
    }
    done(world)
}

/// Staged changes go, in the files too where these are as staged; unsaved edits stay.
fn discard_staged(judge: &Judge, world: &mut World, call: &Call) {
    let root = &judge.sites[call.site].root;
    world.drop_tracked(|t, p| p.starts_with(root) && (t.in_index() || t.kind == Kind::Resolution));
    world.drop_index(|p| p.starts_with(root));
}

/// Splits operands into a revision (for reset and checkout) and paths, as git tells them apart.
fn rev_and_paths(judge: &mut Judge, world: &mut World, call: &Call) -> Result<(Option<String>, Vec<Word>), Trouble> {
    let o = &call.options;
    let words = &o.operands;
    if let Some(n) = o.before_dashes {
        let rev = words.first().filter(|_| n > 0).map(|w| w.text().to_owned());
        return Ok((rev, words[n..].to_vec()));
    }
    let Some(first) = words.first() else { return Ok((None, Vec::new())) };
    let is_rev = match first.literal() {
        Some("-") => true,
        Some(text) => judge.rev(world, call, text)?.is_some(),
        // Unknown: a revision when it stands alone after an option that wants one, else it may be any path.
        None => call.invocation.verb() == Some("reset") && words.len() == 1,
    };
    if is_rev || (words.len() == 1 && !judge.path_exists(call, first) && judge.remote_branch(call, first)) {
        return Ok((Some(first.text().to_owned()), words[1..].to_vec()));
    }
    Ok((None, words.clone()))
}

/// Every tracked change in `hits` is thrown away, as `reset --hard` does; files of `rev` replace untracked ones.
fn discard_tracked(judge: &mut Judge, world: &mut World, call: &Call, hits: &Hits, rev: Option<&str>) -> Result<(), Trouble> {
    judge.load_hidden(world, call.site)?;
    let root = judge.sites[call.site].root.clone();
    let tracked: Vec<_> = world.treasures.iter().filter(|t| t.in_index()).filter_map(|t| t.tree().map(Path::to_owned)).collect();
    world.drop_tracked(|t, p| {
        p.starts_with(&root)
            && hits.contains(p)
            && (matches!(t.kind, Kind::Edit | Kind::Staged | Kind::Resolution) || tracked.iter().any(|q| q == p))
    });
    world.drop_index(|p| p.starts_with(&root) && hits.contains(p));
    // Without a revision too: what was taken out of the index comes back over the file that stayed.
    let rev = rev.or_else(|| judge.sites[call.site].taken_out().then_some("HEAD"));
    collide(judge, world, call, rev, true)
}

/// Files of `rev` take the place of untracked (`all`) or only of ignored ones.
fn collide(judge: &mut Judge, world: &mut World, call: &Call, rev: Option<&str>, all: bool) -> Result<(), Trouble> {
    let Some(rev) = rev else { return Ok(()) };
    let loose = world.treasures.iter().any(|t| t.kind == Kind::Untracked && t.tree().is_some());
    if !all || loose || judge.sites[call.site].has_ignored() {
        let site = call.site;
        let paths = judge.tree_paths(site, rev)?;
        judge.load_ignored(world, site, &paths)?;
        world.drop_tree(|t, p| {
            !t.in_index()
                && paths.contains(p)
                && (matches!(t.kind, Kind::Secret | Kind::Ignored) || (all && t.kind == Kind::Untracked))
        });
    }
    Ok(())
}

/// The work tree's copy of `hits` is replaced from the index, or with `rev` from that tree (and the index with it).
/// `exact`: what the tree lacks is removed (restore), else it stays (checkout).
fn replace_paths(
    judge: &mut Judge,
    world: &mut World,
    call: &Call,
    hits: &Hits,
    rev: Option<&str>,
    index: bool,
    exact: bool,
) -> Result<(), Trouble> {
    judge.load_hidden(world, call.site)?;
    let Some(rev) = rev else {
        world.drop_tracked(|t, p| {
            hits.contains(p) && (matches!(t.kind, Kind::Edit | Kind::Resolution) || (t.kind == Kind::Staged && t.in_index()))
        });
        return Ok(());
    };
    let site = call.site;
    let paths = judge.tree_paths(site, rev)?;
    let hit = |p: &Path| hits.contains(p) && (exact || paths.contains(p));
    world.drop_tracked(|t, p| {
        hit(p)
            && (matches!(t.kind, Kind::Edit | Kind::Staged | Kind::Resolution)
                || (t.kind == Kind::Untracked && (t.in_index() || paths.contains(p))))
    });
    if index {
        world.drop_index(hit);
    }
    Ok(())
}

/// Goes to another branch or commit.
fn switch_to(judge: &mut Judge, mut world: World, call: &Call, rev: Option<String>, force: bool) -> Judged {
    let o = &call.options;
    let before = world.clone();
    let rev = rev.or_else(|| o.has("detach").then(|| "HEAD".to_owned()));
    if force {
        judge.load_all(&mut world, call)?;
        discard_tracked(judge, &mut world, call, &Hits::all(), rev.as_deref())?;
    } else if let Some(rev) = &rev
        && !o.negated("overwrite-ignore")
    {
        collide(judge, &mut world, call, Some(rev), false)?;
    }
    let Some(rev) = rev else { return succeeds(world) };
    let refs = judge.refs(&mut world, call.site)?;
    let branch = format!("refs/heads/{rev}");
    let old = refs.head.clone();
    if rev == "-" || rev == "@{-1}" {
        // The branch before: whichever it is, nothing but a detached HEAD can be left.
        refs.head = Head::Branch("refs/heads/\u{0}previous".into());
    } else if refs.names.contains_key(&branch) && !o.has("detach") {
        refs.head = Head::Branch(branch);
    } else if let Some(tip) = judge.rev(&mut world, call, &rev)? {
        judge.refs(&mut world, call.site)?.head = Head::Detached(tip);
    } else if judge.remote_branch(call, &Word::Literal(rev.clone())) {
        judge.refs(&mut world, call.site)?.head = Head::Branch(branch);
    } else if rev.contains(ah::shell::HOLE) {
        judge.refs(&mut world, call.site)?.head = Head::Branch("refs/heads/\u{0}unknown".into());
    } else {
        return fails(before);
    }
    if let Head::Detached(tip) = old {
        judge.left(&mut world, call, tip, None, "commit.drop", true)?;
    }
    if force { succeeds(world) } else { either(world, before) }
}

/// A new branch, or with `force` an old name at a new place.
fn create_branch(judge: &mut Judge, mut world: World, call: &Call, name: Word, start: Option<Word>, force: bool) -> Judged {
    // On a branch without commits there is nothing to go back to.
    let born = judge.refs(&mut world, call.site)?.head_tip().is_some();
    let discard = born && (call.options.has("force") || call.options.has("discard-changes"));
    if discard {
        judge.load_all(&mut world, call)?;
        discard_tracked(judge, &mut world, call, &Hits::all(), start.as_ref().map(Word::text))?;
    }
    let Some(name) = name.literal().map(|n| format!("refs/heads/{n}")) else { return done(world) };
    let at = match &start {
        Some(word) => judge.rev(&mut world, call, word.text())?.unwrap_or(Tip::Unknown),
        None => judge.refs(&mut world, call.site)?.head_tip().unwrap_or(Tip::Unknown),
    };
    let refs = judge.refs(&mut world, call.site)?;
    let old = refs.names.get(&name).cloned();
    if old.is_some() && !force {
        return fails(world);
    }
    let head = refs.head.clone();
    refs.names.insert(name.clone(), at.clone());
    refs.head = Head::Branch(name.clone());
    if let Some(old) = old.filter(|old| *old != at) {
        judge.left(&mut world, call, old, None, "branch.move", true)?;
    }
    if let Head::Detached(tip) = head {
        judge.left(&mut world, call, tip, None, "commit.drop", true)?;
    }
    succeeds(world)
}

/// HEAD becomes a branch without commits. (`switch --orphan` empties the tree too, but refuses where something would be lost.)
fn orphan(judge: &mut Judge, mut world: World, call: &Call, name: Word) -> Judged {
    let head =
        std::mem::replace(&mut judge.refs(&mut world, call.site)?.head, Head::Branch(format!("refs/heads/{}", name.text())));
    if let Head::Detached(tip) = head {
        if call.invocation.verb() == Some("switch") {
            judge.left(&mut world, call, tip, None, "commit.drop", true)?;
        } else {
            // The index keeps the content of the commit for the first one of the new branch.
            judge.refs(&mut world, call.site)?.squashed.push(tip);
        }
    }
    succeeds(world)
}
