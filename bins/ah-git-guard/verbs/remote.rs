//! fetch, pull, remote: names of other people's commits, and where pushes go.

use crate::call::{Call, Judged, done, either};
use crate::judge::Judge;
use crate::verdict::{Loss, Verdict};
use crate::world::{Tip, World};
use ah::git::Trouble;

/// `git fetch`.
pub fn fetch(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    let before = world.clone();
    let remote = match call.operand(0) {
        Some(name) => name.to_owned(),
        None => judge.default_remote(&mut world, call)?,
    };
    if o.has("prune") || (judge.switch(&world, call, "fetch.prune") == Some(true)) {
        prune(judge, &mut world, call, &remote)?;
    }
    forced_refspecs(judge, &mut world, call)?;
    // Only what is fetched makes a lease worthless: everything, unless branches are named.
    if o.operands.len() < 2 {
        judge.refs(&mut world, call.site)?.fetched = true;
    }
    either(world, before)
}

/// A refspec with `+` (or `--force`) writes over a local branch.
fn forced_refspecs(judge: &mut Judge, world: &mut World, call: &Call) -> Result<(), Trouble> {
    let force = call.options.has("force");
    for word in call.options.operands.iter().skip(1) {
        let text = word.text();
        let (plus, spec) = text.strip_prefix('+').map_or((false, text), |s| (true, s));
        let Some((_, to)) = spec.split_once(':') else { continue };
        let to = if to.starts_with("refs/") { to.to_owned() } else { format!("refs/heads/{to}") };
        if !(plus || force) || to.contains('*') || !to.starts_with("refs/heads/") {
            continue;
        }
        let current = judge.refs(world, call.site)?.branch() == Some(to.as_str()) && !call.options.has("update-head-ok");
        if current {
            continue;
        }
        if let Some(old) = judge.refs(world, call.site)?.names.get(&to).cloned() {
            judge.refs(world, call.site)?.names.insert(to.clone(), Tip::Unknown);
            judge.left(world, call, old, None, "branch.move", true)?;
        }
    }
    Ok(())
}

/// Remote-tracking branches that the remote no longer has go; some are the last name of somebody's commits.
fn prune(judge: &mut Judge, world: &mut World, call: &Call, remote: &str) -> Result<(), Trouble> {
    let names = judge.prunable(world, call, remote)?;
    for name in names {
        let Some(old) = judge.refs(world, call.site)?.names.remove(&name) else { continue };
        let lost = judge.commits_lost(world, call.site, &old, Some(&name))?;
        if lost.is_empty() {
            continue;
        }
        let pin = judge.pin(world, call.site, &world.real_tips([old]));
        world.findings.push(
            call.finding("remote.prune", Verdict::Deny, format!("{name} may be the last name of these commits"))
                .with(lost)
                .pinned(pin),
        );
    }
    Ok(())
}

/// `git pull`.
pub fn pull(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    let before = world.clone();
    if o.has("prune") {
        let remote = judge.default_remote(&mut world, call)?;
        prune(judge, &mut world, call, &remote)?;
    }
    forced_refspecs(judge, &mut world, call)?;
    judge.refs(&mut world, call.site)?.fetched = true;
    either(world, before)
}

/// `git remote`.
pub fn remote(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    match call.operand(0) {
        Some("set-url") => {
            let what = call.operand(1).unwrap_or("the remote").to_owned();
            // A remote that the session itself added leads where it likes.
            if !judge.memory.own_remote(&judge.sites[call.site], &what) {
                let finding = call.finding("remote.url", Verdict::Ask, "later pushes go to another place");
                world.findings.push(finding.remote().with([Loss::Other(what)]));
            }
        }
        Some("remove" | "rm") => {
            let prefix = format!("refs/remotes/{}/", call.operand(1).unwrap_or_default());
            let names: Vec<String> =
                judge.refs(&mut world, call.site)?.names.keys().filter(|n| n.starts_with(&prefix)).cloned().collect();
            let mut tips = Vec::new();
            for name in names {
                tips.extend(judge.refs(&mut world, call.site)?.names.remove(&name));
            }
            let mut lost = Vec::new();
            for tip in &tips {
                lost.extend(judge.commits_lost(&world, call.site, tip, None)?);
            }
            if !lost.is_empty() {
                let pin = judge.pin(&world, call.site, &world.real_tips(tips));
                world.findings.push(
                    call.finding("remote.prune", Verdict::Deny, "the remote's names are the last ones of these commits")
                        .with(lost)
                        .pinned(pin),
                );
            }
        }
        Some("prune") if !o.has("dry-run") => prune(judge, &mut world, call, call.operand(1).unwrap_or("origin"))?,
        Some("update") if o.has("prune") => {
            let remote = judge.default_remote(&mut world, call)?;
            prune(judge, &mut world, call, &remote)?;
        }
        _ => {}
    }
    done(world)
}
