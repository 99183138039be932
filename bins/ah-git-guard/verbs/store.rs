//! gc, prune, repack, reflog expire: what rescues earlier mistakes is thrown away.

use crate::call::{Call, Judged, done};
use crate::judge::Judge;
use crate::verdict::{Loss, Verdict};
use crate::world::World;
use ah::git::Trouble;
use ah::shell::Word;

/// Whether an expiry means "at once", given as an option's value or a setting.
fn at_once(value: &str) -> bool {
    matches!(value, "now" | "all" | "0" | "0.days" | "1.second.ago" | "0.seconds.ago")
        || value.contains(ah::shell::HOLE)
        || short_age(value)
}

/// An age under two weeks (`3.days.ago`), which is what git keeps by default.
fn short_age(value: &str) -> bool {
    let mut parts = value.split(['.', ' ']);
    let (Some(count), Some(unit)) = (parts.next().and_then(|n| n.parse::<u32>().ok()), parts.next()) else { return false };
    let days = match unit.trim_end_matches('s') {
        "second" | "minute" | "hour" => 0,
        "day" => count,
        "week" => count.saturating_mul(7),
        "month" => count.saturating_mul(30),
        "year" => count.saturating_mul(365),
        _ => return false,
    };
    days < 14
}

fn soon(word: Option<&Word>) -> bool {
    word.is_some_and(|w| at_once(w.text()))
}

/// `git gc`.
pub fn gc(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if o.negated("prune") {
        return done(world);
    }
    let set = |key: &str| judge.setting(&world, call, key).is_some_and(|v| at_once(&v));
    let reflogs = set("gc.reflogExpire") || set("gc.reflogExpireUnreachable");
    let objects = soon(o.value("prune")) || set("gc.pruneExpire");
    if reflogs && objects {
        lost(judge, &mut world, call, true, true)?;
    } else if reflogs {
        lost(judge, &mut world, call, true, false)?;
    } else if objects {
        lost(judge, &mut world, call, false, true)?;
    }
    done(world)
}

/// `git prune`: without `--expire` everything unreachable goes.
pub fn prune(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if !o.has("dry-run") && (o.value("expire").is_none() || soon(o.value("expire"))) {
        lost(judge, &mut world, call, false, true)?;
    }
    done(world)
}

/// `git repack`: `-a -d` drops unreachable objects of the packs it replaces.
pub fn repack(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    let drops = (o.has("a") && o.has("d") && !o.has("keep-unreachable"))
        || soon(o.value("unpack-unreachable"))
        || soon(o.value("cruft-expiration"));
    if drops {
        lost(judge, &mut world, call, false, false)?;
    }
    done(world)
}

/// `git reflog expire`.
pub fn reflog_expire(judge: &mut Judge, mut world: World, call: &Call) -> Judged {
    let o = &call.options;
    if !o.has("dry-run") && (soon(o.value("expire")) || soon(o.value("expire-unreachable"))) {
        lost(judge, &mut world, call, true, false)?;
        let entries = world.stashes.get(&judge.first(call.site)).map_or(0, Vec::len);
        let all = o.has("all") || o.operands.iter().any(|w| w.text().contains("stash"));
        if all && soon(o.value("expire")) && judge.stashes(&mut world, call.site)?.len().max(entries) > 0 {
            world.findings.push(call.finding("stash.drop", Verdict::Deny, "the stash list is a reflog: its entries go too"));
        }
    }
    done(world)
}

/// What only reflogs hold (`logged`), or nothing at all (`loose`), is gone afterwards.
fn lost(judge: &mut Judge, world: &mut World, call: &Call, logged: bool, loose: bool) -> Result<(), Trouble> {
    let found = judge.unreachable(world, call.site, logged, loose)?;
    if found.is_empty() {
        return Ok(());
    }
    let rule = if logged { "reflog.expire" } else { "object.prune" };
    world
        .findings
        .push(call.finding(rule, Verdict::Deny, "nothing else names these any more").with(found.into_iter().map(Loss::Commit)));
    Ok(())
}
