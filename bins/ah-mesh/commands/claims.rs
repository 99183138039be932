//! `claims`, `claim` and `release`: who works on which path.

use super::{directory, failed, here, time};
use crate::me::Me;
use crate::place::Place;
use ah::cli::{Call, Cli};
use ah::clock::{now_ms, utc};
use ah::exit;
use ah::mesh::{Board, Claim, Claimed};
use ah::quote;
use ah::route::{Repo, real};
use std::path::PathBuf;
use std::process::ExitCode;

/// Lists the claims that hold.
pub fn claims(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let now = now_ms();
    let mut all = place.files.claims().map_err(|error| failed(cli, "cannot read claims", &error))?;
    all.retain(|claim| claim.holds(now) && place.files.lives(&claim.by, now));
    let line = |claim: &Claim| {
        let why = if claim.why.is_empty() { String::new() } else { format!("  {}", quote::line(&claim.why, 100)) };
        format!(
            "{:24} {} UTC  {}  in {}{why}\n",
            quote::line(&claim.name, 24),
            utc(claim.touched),
            quote::path(&claim.path),
            quote::path(&claim.worktree)
        )
    };
    let text = match call.options.json {
        true => serde_json::to_string(&all).unwrap_or_default() + "\n",
        false => all.iter().map(line).collect(),
    };
    exit::print(cli.name, if text.is_empty() { "nobody holds a path\n" } else { &text });
    Ok(ExitCode::from(exit::OK))
}

/// A claim of the path on the command line, for whoever runs this.
fn wanted(cli: &Cli, call: &Call, place: &Place, me: &Me, now: u64) -> Result<Claim, ExitCode> {
    let Some(path) = call.args.first() else { return Err(cli.usage_error("which path?")) };
    let path: PathBuf = directory(call).join(path);
    let inside = || {
        let repo = Repo::around(&path)?;
        let (tree, path) = (real(&repo.root), real(&path));
        Some((tree.clone(), path.strip_prefix(&tree).ok()?.to_path_buf()))
    };
    let Some((tree, inner)) = inside() else {
        return Err(exit::fail(cli.name, exit::NO_INPUT, &format!("not in a repository: {}", quote::path(&path))));
    };
    if me.by.is_empty() {
        return Err(exit::fail(
            cli.name,
            exit::NO_PERMISSION,
            "who claims it cannot be told: no session of this mesh, and no person",
        ));
    }
    let name = me.presence.as_ref().map_or_else(|| "the person".to_owned(), |own| own.name.clone());
    Ok(Claim::of(&place.scope.repo, &tree, &inner, &me.by, &name, now))
}

/// Takes a path.
pub fn claim(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let now = now_ms();
    let me = Me::of(&place.files);
    let mut want = wanted(cli, call, &place, &me, now)?;
    want.tentative = false;
    want.until = time(cli, call)?.map_or(0, |ms| now + ms);
    want.why = call.value("why").map(|why| quote::line(&ah::redact::redact(&why.to_string_lossy()), 200)).unwrap_or_default();
    let claimed = place.files.claim(&want, now, &|session| place.files.lives(session, now));
    match claimed.map_err(|error| failed(cli, "cannot claim", &error))? {
        Claimed::Lost(held) => {
            let (path, name) = (quote::line(&held.path, 200), quote::line(&held.name, 64));
            Err(exit::fail(cli.name, exit::NO, &format!("{path}: {name} holds it since {} UTC", utc(held.t))))
        }
        Claimed::Mine | Claimed::Won(_) => {
            exit::print(cli.name, &format!("{} is yours\n", quote::path(&want.path)));
            Ok(ExitCode::from(exit::OK))
        }
    }
}

/// Gives a path back, or all.
pub fn release(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = here(cli, call)?;
    let me = Me::of(&place.files);
    let key = if call.has("all") { None } else { Some(wanted(cli, call, &place, &me, now_ms())?.key) };
    let count = match me.by.is_empty() {
        true => 0,
        false => place.files.release(&me.by, key.as_deref()).map_err(|error| failed(cli, "cannot release", &error))?,
    };
    exit::print(cli.name, &format!("{count} given back\n"));
    Ok(ExitCode::from(if count > 0 { exit::OK } else { exit::NO }))
}
