//! push: what a remote would lose.

use crate::call::{Call, Judged, done, either};
use crate::judge::Judge;
use crate::remotes::There;
use crate::verdict::{Loss, Verdict};
use crate::world::{Tip, World};
use ah::git::Trouble;

/// One ref that a push would write.
#[derive(Debug, Clone)]
struct Target {
    /// What is sent; `None`: the ref is deleted.
    source: Option<String>,
    /// Short or full name on the remote.
    name: String,
    /// By `+`, `--force`, or the configuration.
    force: bool,
}

/// How the overwriting is guarded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lease {
    None,
    Bare,
    /// With the expected commit, or with `--force-if-includes`.
    Sure,
}

/// `git push`.
pub fn push(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.has("dry-run") {
        return done(world);
    }
    super::history::skipped_hooks(judge, &mut world, call, &["pre-push"], o.negated("verify"));
    let remote = match o.operands.first().or_else(|| o.value("repo")) {
        Some(word) => judge.remote_called(call, word.text()),
        None => judge.default_remote(&mut world, call)?,
    };
    let before = world.clone();
    if o.has("mirror") || (judge.switch(&world, call, &format!("remote.{remote}.mirror")) == Some(true)) {
        mirror(judge, &mut world, call, &remote)?;
        return either(world, before);
    }
    let lease = match o.value("force-with-lease") {
        Some(value) if value.text().contains(':') => Lease::Sure,
        _ if o.has("force-with-lease")
            && (o.has("force-if-includes") || (judge.switch(&world, call, "push.useForceIfIncludes") == Some(true))) =>
        {
            Lease::Sure
        }
        _ if o.has("force-with-lease") => Lease::Bare,
        _ => Lease::None,
    };
    let targets = targets(judge, &mut world, call, &remote)?;
    for target in &targets {
        one(judge, &mut world, call, &remote, target, lease)?;
    }
    if o.has("prune") {
        prune(judge, &mut world, call, &remote, &targets)?;
    }
    either(world, before)
}

/// Every ref that would be written, from the words or from the configuration.
fn targets(judge: &mut Judge, world: &mut World, call: &Call, remote: &str) -> Result<Vec<Target>, Trouble> {
    let o = &call.options;
    let force = o.has("force");
    let mut specs: Vec<String> = o.operands.iter().skip(1).map(|w| w.text().to_owned()).collect();
    let current = judge.refs(world, call.site)?.branch().map(str::to_owned);
    let mut out = Vec::new();
    if o.has("all") || o.has("branches") {
        let names: Vec<String> =
            judge.refs(world, call.site)?.names.keys().filter(|n| n.starts_with("refs/heads/")).cloned().collect();
        return Ok(names.into_iter().map(|n| Target { source: Some(n.clone()), name: n, force }).collect());
    }
    if specs.is_empty() && !o.has("delete") {
        specs = judge.settings(world, call, &format!("remote.{remote}.push"));
    }
    if specs.is_empty() && !o.has("tags") {
        if judge.setting(world, call, "push.default").as_deref() == Some("matching") {
            specs.push(":".into());
        } else if let Some(branch) = &current {
            let upstream = judge.push_name(world, call, branch);
            out.push(Target { source: Some(branch.clone()), name: upstream, force });
        }
    }
    let mut words = specs.into_iter();
    while let Some(spec) = words.next() {
        if spec == "tag" {
            if let Some(name) = words.next() {
                out.push(Target { source: Some(format!("refs/tags/{name}")), name: format!("refs/tags/{name}"), force });
            }
            continue;
        }
        let (plus, spec) = spec.strip_prefix('+').map_or((false, spec.as_str()), |s| (true, s));
        let force = force || plus;
        if o.has("delete") {
            out.push(Target { source: None, name: spec.to_owned(), force });
            continue;
        }
        match spec.split_once(':') {
            Some(("", "")) => {
                let names = judge.matching(world, call, remote)?;
                out.extend(names.into_iter().map(|n| Target { source: Some(n.clone()), name: n, force }));
            }
            Some((from, to)) if from.contains('*') => {
                let names: Vec<String> = judge.refs(world, call.site)?.names.keys().cloned().collect();
                let (head, tail) = from.split_once('*').unwrap_or_default();
                let pairs = names.iter().filter_map(|n| Some((n, n.strip_prefix(head)?.strip_suffix(tail)?)));
                out.extend(pairs.map(|(n, middle)| Target { source: Some(n.clone()), name: to.replacen('*', middle, 1), force }));
            }
            Some(("", to)) => out.push(Target { source: None, name: to.to_owned(), force }),
            Some((from, to)) => out.push(Target { source: Some(from.to_owned()), name: to.to_owned(), force }),
            None => {
                let name = if spec == "HEAD" || spec == "@" { current.clone().unwrap_or_default() } else { spec.to_owned() };
                out.push(Target { source: Some(spec.to_owned()), name, force });
            }
        }
    }
    Ok(out)
}

/// Judges one ref.
fn one(judge: &mut Judge, world: &mut World, call: &Call, remote: &str, target: &Target, lease: Lease) -> Result<(), Trouble> {
    let name = judge.remote_name(world, call, &target.name)?;
    if remote == "." {
        return here(judge, world, call, &name, target);
    }
    let tracking = judge.tracking(call.site, remote, &name);
    let there = judge.there(world, call, remote, &name, tracking.as_deref())?;
    let Some(source) = &target.source else {
        if there.certain && there.tip.is_none() {
            // Git refuses a short name that the remote does not have; of a full one it drops what is tracked here.
            return match tracking.filter(|_| target.name.starts_with("refs/")) {
                Some(tracked) => drop_tracking(judge, world, call, &tracked),
                None => Ok(()),
            };
        }
        return delete(judge, world, call, remote, &name, tracking, &there);
    };
    if source.contains(ah::shell::HOLE) && target.force {
        world.findings.push(call.finding("push.force", Verdict::Ask, "the branch that would be forced cannot be read").remote());
        return Ok(());
    }
    let new = judge.rev(world, call, source)?.unwrap_or(Tip::Unknown);
    let same = there.tip.as_ref() == Some(&new);
    let forward = same || judge.grows(world, call.site, there.tip.as_ref(), &new)?;
    if let Some(tracking) = tracking {
        judge.refs(world, call.site)?.names.insert(tracking, new);
    }
    let fetched = judge.refs(world, call.site)?.fetched;
    let bare = lease == Lease::Bare && fetched;
    let forced = target.force && (lease == Lease::None || bare || call.options.has("force"));
    let leased = lease != Lease::None && !bare && !forced;
    if !(forced || leased || bare) {
        return Ok(());
    }
    let short = name.strip_prefix("refs/heads/").unwrap_or(&name);
    let protected = judge.protected(call, remote, short);
    let (verdict, detail) = if name.starts_with("refs/tags/") {
        if there.tip.is_none() || same {
            return Ok(());
        }
        (Verdict::Ask, format!("moves the published tag {short}"))
    } else if same || (forward && there.certain) {
        (Verdict::Note, format!("forces {short}, where nothing would be overwritten"))
    } else if bare && (protected || !forward) {
        (if protected { Verdict::Deny } else { Verdict::Ask }, "a lease right after a fetch protects nothing".to_owned())
    } else if forced && protected {
        (Verdict::Deny, format!("forces the shared branch {short} without a lease"))
    } else if forced && !forward {
        (Verdict::Deny, format!("rewrites the published branch {short} without a lease"))
    } else if leased && protected && !forward {
        (Verdict::Deny, format!("rewrites the shared branch {short}"))
    } else if forced {
        (Verdict::Note, format!("forces {short}, which nobody is known to have changed"))
    } else if !forward {
        (Verdict::Note, format!("rewrites {short} with a lease; this clone has the old commits"))
    } else {
        return Ok(());
    };
    let losses = match (&there.tip, verdict) {
        (Some(old), Verdict::Deny | Verdict::Ask) => judge.commits_between(world, call.site, old)?,
        _ => Vec::new(),
    };
    world.findings.push(call.finding("push.force", verdict, detail).remote().with(losses));
    Ok(())
}

/// `git push .`: a branch of this repository is written.
fn here(judge: &mut Judge, world: &mut World, call: &Call, name: &str, target: &Target) -> Result<(), Trouble> {
    let new = match &target.source {
        Some(source) => Some(judge.rev(world, call, source)?.unwrap_or(Tip::Unknown)),
        None => None,
    };
    let Some(old) = judge.refs(world, call.site)?.names.get(name).cloned() else { return Ok(()) };
    let forward = match &new {
        Some(new) => judge.grows(world, call.site, Some(&old), new)?,
        None => false,
    };
    if !(forward || target.force || new.is_none()) {
        return Ok(());
    }
    let deleted = new.is_none();
    let names = &mut judge.refs(world, call.site)?.names;
    match new {
        Some(new) => names.insert(name.to_owned(), new),
        None => names.remove(name),
    };
    let rule = if deleted { "branch.delete" } else { "branch.move" };
    judge.left(world, call, old, deleted.then_some(name), rule, !deleted)
}

/// A remote-tracking branch goes, perhaps the last name of somebody's commits.
fn drop_tracking(judge: &mut Judge, world: &mut World, call: &Call, name: &str) -> Result<(), Trouble> {
    match judge.refs(world, call.site)?.names.remove(name) {
        Some(old) => judge.left(world, call, old, Some(name), "remote.prune", false),
        None => Ok(()),
    }
}

/// A published name is deleted.
fn delete(
    judge: &mut Judge,
    world: &mut World,
    call: &Call,
    remote: &str,
    name: &str,
    tracking: Option<String>,
    there: &There,
) -> Result<(), Trouble> {
    let short = name.strip_prefix("refs/heads/").unwrap_or(name);
    let mut losses = match &there.tip {
        Some(tip) => judge.commits_lost(world, call.site, tip, tracking.as_deref())?,
        None => Vec::new(),
    };
    if let Some(tracking) = tracking {
        judge.refs(world, call.site)?.names.remove(&tracking);
    }
    let verdict = if losses.is_empty() && !judge.protected(call, remote, short) { Verdict::Ask } else { Verdict::Deny };
    losses.push(Loss::Other(format!("{short} on {remote}")));
    world.findings.push(call.finding("push.delete", verdict, "deletes a published name").remote().with(losses));
    Ok(())
}

/// `--mirror`: the remote becomes what this clone is, whatever it has.
fn mirror(judge: &mut Judge, world: &mut World, call: &Call, remote: &str) -> Result<(), Trouble> {
    let mut losses = Vec::new();
    let prefix = format!("refs/remotes/{remote}/");
    let names: Vec<(String, Tip)> = judge
        .refs(world, call.site)?
        .names
        .iter()
        .filter(|(n, _)| n.starts_with(&prefix) && !n.ends_with("/HEAD"))
        .map(|(n, t)| (n.clone(), t.clone()))
        .collect();
    for (tracking, old) in names {
        let branch = format!("refs/heads/{}", &tracking[prefix.len()..]);
        let new = judge.refs(world, call.site)?.names.get(&branch).cloned();
        match new {
            None => losses.push(Loss::Other(format!("{} on {remote}", &tracking[prefix.len()..]))),
            Some(new) if new == old || judge.grows(world, call.site, Some(&old), &new)? => {}
            Some(_) => losses.push(Loss::Other(format!("{} on {remote} is rewound", &tracking[prefix.len()..]))),
        }
    }
    let verdict = if losses.is_empty() { Verdict::Ask } else { Verdict::Deny };
    world.findings.push(
        call.finding("push.mirror", verdict, "forces and deletes refs until the remote equals this clone").remote().with(losses),
    );
    Ok(())
}

/// `--prune`: remote branches without a counterpart here are deleted.
fn prune(judge: &mut Judge, world: &mut World, call: &Call, remote: &str, targets: &[Target]) -> Result<(), Trouble> {
    let prefix = format!("refs/remotes/{remote}/");
    let refs = judge.refs(world, call.site)?;
    let gone: Vec<String> = refs
        .names
        .keys()
        .filter_map(|n| n.strip_prefix(&prefix))
        .filter(|n| *n != "HEAD" && !refs.names.contains_key(&format!("refs/heads/{n}")))
        .map(str::to_owned)
        .collect();
    let wide = targets.iter().any(|t| t.name.contains("refs/heads/")) || call.options.has("all");
    if !gone.is_empty() && wide {
        let losses = gone.into_iter().map(|n| Loss::Other(format!("{n} on {remote}")));
        world.findings.push(
            call.finding("push.delete", Verdict::Deny, "deletes branches that exist on the remote alone").remote().with(losses),
        );
    }
    Ok(())
}
