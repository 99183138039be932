//! branch, tag, update-ref, symbolic-ref, replace: names that hold commits.

use crate::call::{Call, Judged, done, fails, succeeds};
use crate::hits::absolute;
use crate::judge::Judge;
use crate::verdict::{Loss, Verdict};
use crate::world::{Head, Tip, World};
use ah::git::Trouble;
use ah::shell::{Stdin, Word};

/// `git branch`.
pub fn branch(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let prefix = if o.has("remotes") { "refs/remotes/" } else { "refs/heads/" };
    let delete = o.has("D") || o.has("delete");
    if delete {
        // `-d` alone refuses what is not merged; `-d -f` is `-D`.
        if !(o.has("D") || o.has("force")) && prefix == "refs/heads/" {
            return safe_delete(judge, world, call);
        }
        return delete_refs(judge, world, call, prefix, "branch.delete");
    }
    if o.has("move") || o.has("M") || o.has("copy") || o.has("C") {
        return rename(judge, world, call);
    }
    let listing = [
        "list", "show-current", "all", "remotes", "contains", "merged", "points-at", "format", "sort", "edit-description",
        "unset-upstream",
    ];
    if o.operands.is_empty() || o.value("set-upstream-to").is_some() || listing.iter().any(|l| o.has(l) || o.negated(l)) {
        return done(world);
    }
    let Some(name) = call.operand(0).map(|n| format!("refs/heads/{n}")) else { return done(world) };
    let at = match o.operands.get(1) {
        Some(word) => judge.rev(&mut world, call, word.text())?.unwrap_or(Tip::Unknown),
        None => judge.refs(&mut world, call.site)?.head_tip().unwrap_or(Tip::Unknown),
    };
    let old = judge.refs(&mut world, call.site)?.names.get(&name).cloned();
    let current = judge.refs(&mut world, call.site)?.branch() == Some(name.as_str());
    if old.is_some() && (!o.has("force") || current) {
        return fails(world);
    }
    judge.refs(&mut world, call.site)?.names.insert(name, at);
    if let Some(old) = old {
        judge.left(&mut world, call, old, None, "branch.move", true)?;
    }
    succeeds(world)
}

/// `git branch -d`: git itself refuses what is not merged into HEAD or the upstream.
fn safe_delete(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    for word in &call.options.operands {
        if let Some(name) = word.literal() {
            let name = format!("refs/heads/{name}");
            let refs = judge.refs(&mut world, call.site)?;
            let Some(tip) = refs.names.get(&name).cloned() else { return fails(world) };
            let head = refs.head_tip();
            if head.as_ref() != Some(&tip) && !judge.merged(&world, call.site, &tip, &name)? {
                return fails(world);
            }
            judge.refs(&mut world, call.site)?.names.remove(&name);
        }
    }
    succeeds(world)
}

/// `-M`, `-m -f`, `-C`: a name written over.
fn rename(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let copy = o.has("copy") || o.has("C");
    let force = o.has("M") || o.has("C") || o.has("force");
    let current = judge.refs(&mut world, call.site)?.branch().map(str::to_owned);
    let (from, to) = match (call.operand(0), call.operand(1)) {
        (Some(from), Some(to)) => (Some(format!("refs/heads/{from}")), to),
        (Some(to), None) => (current.clone(), to),
        _ => return done(world),
    };
    let to = format!("refs/heads/{to}");
    let refs = judge.refs(&mut world, call.site)?;
    let Some(tip) = from.as_ref().and_then(|f| refs.names.get(f).cloned()) else { return done(world) };
    let old = refs.names.get(&to).cloned();
    if old.is_some() && !force {
        return fails(world);
    }
    refs.names.insert(to.clone(), tip);
    if let Some(from) = from.filter(|f| !copy && *f != to) {
        refs.names.remove(&from);
        if current.as_ref() == Some(&from) {
            refs.head = Head::Branch(to.clone());
        }
    }
    if let Some(old) = old {
        judge.left(&mut world, call, old, Some(&to), "branch.move", false)?;
    }
    succeeds(world)
}

/// `git tag`.
pub fn tag(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("delete") {
        return delete_refs(judge, world, call, "refs/tags/", "tag.delete");
    }
    let listing = ["list", "verify", "contains", "merged", "points-at", "n"];
    if o.operands.is_empty() || listing.iter().any(|l| o.has(l) || o.negated(l)) {
        return done(world);
    }
    let Some(name) = call.operand(0).map(|n| format!("refs/tags/{n}")) else { return done(world) };
    let at = match o.operands.get(1) {
        Some(word) => judge.rev(&mut world, call, word.text())?.unwrap_or(Tip::Unknown),
        None => judge.refs(&mut world, call.site)?.head_tip().unwrap_or(Tip::Unknown),
    };
    let old = judge.refs(&mut world, call.site)?.names.insert(name.clone(), at);
    match old {
        Some(_) if !o.has("force") => fails(world),
        Some(old) => {
            judge.left(&mut world, call, old, Some(&name), "tag.delete", false)?;
            succeeds(world)
        }
        None => succeeds(world),
    }
}

/// Deletes every named ref below `prefix`; an unknown name means any of them.
pub fn delete_refs(judge: &mut Judge, mut world: World, call: &Call, prefix: &str, rule: &'static str) -> Judged {
    let words = call.options.operands.clone();
    let mut any = false;
    for word in &words {
        let names: Vec<String> = match word.literal() {
            Some(name) => vec![format!("{prefix}{name}")],
            None => judge.refs(&mut world, call.site)?.names.keys().filter(|n| n.starts_with(prefix)).cloned().collect(),
        };
        let sure = word.literal().is_some();
        for name in names {
            any |= drop_ref(judge, &mut world, call, &name, rule, sure)?;
        }
    }
    if any { succeeds(world) } else { fails(world) }
}

/// Removes one ref and judges what it alone held; false where there is no such ref.
fn drop_ref(
    judge: &mut Judge,
    world: &mut World,
    call: &Call,
    name: &str,
    rule: &'static str,
    sure: bool,
) -> Result<bool, Trouble> {
    if name == "refs/stash" {
        judge.stashes(world, call.site)?;
        for entry in world.stashes.remove(&judge.first(call.site)).unwrap_or_default() {
            let Some(oid) = entry.oid else { continue };
            super::stash::drops(judge, world, call, oid)?;
        }
        world.stashes.insert(judge.first(call.site), Vec::new());
        return Ok(true);
    }
    let refs = judge.refs(world, call.site)?;
    if refs.branch() == Some(name) && call.invocation.verb() == Some("branch") {
        return Ok(false);
    }
    let Some(old) = refs.names.remove(name) else { return Ok(false) };
    let before = world.findings.len();
    judge.left(world, call, old.clone(), Some(name), rule, false)?;
    if !sure && world.findings.len() > before {
        // One of many that may be meant: put it back, so that the next is judged on its own.
        for finding in &mut world.findings[before..] {
            finding.verdict = finding.verdict.min(Verdict::Ask);
        }
    }
    Ok(true)
}

/// `git update-ref`.
pub fn update_ref(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("stdin") {
        let Stdin::Text(text) = &call.command.stdin else {
            world.findings.push(call.finding("line.unread", Verdict::Ask, "the refs come on standard input and cannot be read"));
            return done(world);
        };
        for line in text.split(['\n', '\0']) {
            let mut words = line.split_whitespace();
            match (words.next(), words.next(), words.next()) {
                (Some("delete"), Some(name), _) => {
                    drop_ref(judge, &mut world, call, name, "ref.write", true)?;
                }
                (Some("update" | "create"), Some(name), Some(at)) => write_ref(judge, &mut world, call, name, at)?,
                _ => {}
            }
        }
        return done(world);
    }
    let Some(name) = o.operands.first() else { return done(world) };
    let Some(name) = name.literal() else {
        world.findings.push(call.finding("line.unread", Verdict::Ask, "the name of the ref cannot be read"));
        return done(world);
    };
    if o.has("d") {
        let found = drop_ref(judge, &mut world, call, name, "ref.write", true)?;
        return if found { succeeds(world) } else { fails(world) };
    }
    if let Some(at) = o.operands.get(1) {
        write_ref(judge, &mut world, call, name, at.text())?;
    }
    done(world)
}

fn write_ref(judge: &mut Judge, world: &mut World, call: &Call, name: &str, at: &str) -> Result<(), Trouble> {
    let tip = judge.rev(world, call, at)?;
    let head = judge.refs(world, call.site)?.branch().map(str::to_owned);
    let current = name == "HEAD" || head.as_deref() == Some(name);
    // A commit of plumbing on the current branch runs none of the hooks that `git commit` would.
    if current && tip.as_ref().is_none_or(|t| *t == Tip::Unknown) && judge.hooks(call, &["commit-msg", "pre-commit"]) {
        world.findings.push(
            call.finding("hooks.skip", Verdict::Deny, "a commit made by plumbing does not run the commit hooks")
                .with([Loss::Other("commit hooks".into())]),
        );
    }
    let full = if name == "HEAD" { head.unwrap_or_else(|| name.to_owned()) } else { name.to_owned() };
    let refs = judge.refs(world, call.site)?;
    let old = refs.names.insert(full, tip.clone().unwrap_or(Tip::Unknown));
    // A tip that cannot be known is a new commit in all likelihood, on top of the old one.
    if let (Some(old), Some(Tip::Real(_))) = (old, tip) {
        judge.left(world, call, old, None, "ref.write", true)?;
    }
    Ok(())
}

/// `git update-index`: entries taken out of the index.
pub fn update_index(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("force-remove") || o.has("remove") {
        let hits = judge.hits(&mut world, call, &o.operands)?;
        let forced = o.has("force-remove");
        // `--remove` takes only what is gone from the work tree.
        world.drop_index(|p| hits.contains(p) && (forced || !p.exists()));
    }
    if o.negated("skip-worktree") || o.negated("assume-unchanged") {
        // What git left alone because of the flag is an edit like any other from now on.
        for word in o.operands.iter().filter_map(Word::literal) {
            judge.load_path(&mut world, &absolute(&call.cwd, word))?;
        }
    }
    done(world)
}

/// `git symbolic-ref`.
pub fn symbolic_ref(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    if let (Some("HEAD"), Some(to)) = (call.operand(0), call.operand(1)) {
        let to = to.to_owned();
        let old = std::mem::replace(&mut judge.refs(&mut world, call.site)?.head, Head::Branch(to));
        if let Head::Detached(tip) = old {
            judge.left(&mut world, call, tip, None, "commit.drop", true)?;
        }
    }
    done(world)
}

/// `git replace`: other objects appear in the place of the real ones.
pub fn replace(_: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.operands.len() > 1 && !o.has("delete") && !o.has("list") {
        world.findings.push(call.finding(
            "history.rewrite",
            Verdict::Note,
            "replaces what an object id stands for in this clone",
        ));
    }
    done(world)
}

/// `git reflog` with its subcommands, but for `expire`, which `store` judges.
pub fn reflog_delete(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    for word in o.operands.iter().skip(1) {
        let text = word.text();
        if text.starts_with("stash") || text.starts_with("refs/stash") {
            judge.stashes(&mut world, call.site)?;
            let at = text.split_once("@{").and_then(|(_, n)| n.strip_suffix('}')?.parse().ok());
            let ends = super::stash::remove(judge, world, call, at)?;
            world = ends.into_iter().next().map(|e| e.0).unwrap_or_default();
            continue;
        }
        judge.entry_deleted(&mut world, call, word)?;
    }
    done(world)
}
