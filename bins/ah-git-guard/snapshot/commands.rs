//! Snapshots by hand: take one, list them.

use super::manifest::{Kind, Summary, path};
use super::prune::{self, Pruned};
use super::store::Store;
use super::take::{About, Untaken, take};
use super::{EMPTY_DIRECTORY, Taken, Want, turn};
use crate::guard;
use crate::policy::{Policies, Policy};
use ah::cli::{Call, Cli};
use ah::clock::Deadline;
use ah::exit;
use ah::git::{Repo, Vars};
use ah::log;
use ah::paths::Paths;
use ah::quote;
use serde::Serialize;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How long a snapshot by hand may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// Where a command works: the folders of this person, and the directory.
pub struct Place {
    /// The folders.
    pub paths: &'static Paths,
    /// The directory.
    pub cwd: PathBuf,
    /// The policy there.
    pub policy: Policy,
    /// The work tree around it.
    pub tree: Option<PathBuf>,
}

impl Place {
    /// The directory of `--cwd`, else the current one.
    ///
    /// The process moves there: no git of that repository is ever run.
    pub fn of(cli: &Cli, call: &Call) -> Result<Self, ExitCode> {
        let named = call.value("cwd").map(PathBuf::from).or_else(|| std::env::current_dir().ok()).unwrap_or_default();
        let cwd = guard::directory(&named.to_string_lossy()).ok_or_else(|| {
            exit::fail(cli.name, exit::NO_INPUT, &format!("cannot work in: {}: not a directory", quote::path(&named)))
        })?;
        let paths = Paths::from_env()
            .ok_or_else(|| exit::fail(cli.name, exit::UNAVAILABLE, "no place for snapshots: HOME is not an absolute path"))?;
        std::env::set_current_dir(&cwd)
            .map_err(|e| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot work in: {}: {e}", quote::path(&cwd))))?;
        let tree = Repo::discover(&cwd, &Vars::of_process()).ok().flatten().and_then(|repo| repo.work_tree);
        let policy = Policies::from_env().load(tree.as_deref());
        Ok(Self { paths, cwd, policy, tree })
    }
}

/// What a failure to take one exits with.
pub fn failed(cli: &Cli, untaken: &Untaken) -> ExitCode {
    let code = match untaken {
        Untaken::Busy => exit::TRY_AGAIN,
        Untaken::Nothing => exit::NO,
        Untaken::Git(_) => exit::UNAVAILABLE,
        Untaken::Store { .. } => exit::CANNOT_CREATE,
    };
    exit::fail(cli.name, code, &format!("no snapshot was taken: {untaken}"))
}

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    uncovered: &'a [super::manifest::Uncovered],
    v: u32,
}

/// `snapshot`: everything around, or some paths alone. 1 where something is not held. With `--turn`: the one of a turn, silently.
pub fn snapshot(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let text = |flag: &str| call.value(flag).map(|v| v.to_string_lossy().into_owned()).unwrap_or_default();
    let (session, bounds) = (text("session"), place.policy.guard().snapshot);
    if call.has("turn") {
        return match turn::take(place.paths, &bounds, &session, &place.cwd) {
            Ok(_) => Ok(ExitCode::SUCCESS),
            Err(untaken) => {
                // Nobody hears what it says.
                log::failure(place.paths, cli.name, &format!("no snapshot of a turn: {untaken}"));
                Err(failed(cli, &untaken))
            }
        };
    }
    let tree = || place.tree.clone().unwrap_or_else(|| place.cwd.clone());
    let want = Want {
        trees: if call.args.is_empty() { vec![tree()] } else { Vec::new() },
        paths: call.args.iter().map(|path| absolute(&place.cwd, path)).collect(),
        ..Want::default()
    };
    let about = About { kind: Kind::Manual, session, cwd: place.cwd.clone(), note: text("message"), ..About::default() };
    let taken = take(place.paths, &bounds, &want, &about, Deadline::after(PATIENCE)).map_err(|u| failed(cli, &u))?;
    let text = if call.options.json {
        let shown = Shown { id: &taken.id, uncovered: &taken.uncovered, v: 1 };
        serde_json::to_string(&shown).unwrap_or_default() + "\n"
    } else {
        describe(&taken)
    };
    exit::print(cli.name, &text);
    let whole = taken.uncovered.iter().all(|u| u.why == EMPTY_DIRECTORY);
    Ok(ExitCode::from(if whole { exit::OK } else { exit::NO }))
}

/// A path from `dir`, its `.` and `..` taken out by name.
pub fn absolute(dir: &Path, path: &OsStr) -> PathBuf {
    let mut out = PathBuf::new();
    for part in dir.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn describe(taken: &Taken) -> String {
    let mut text = format!("{}\n", taken.id);
    for left in &taken.uncovered {
        text += &format!("  not held  {}  {}\n", quote::path(path(&left.what)), quote::line(&left.why, 200));
    }
    text
}

#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    store: String,
}

#[derive(Serialize)]
struct List<'a> {
    snapshots: Vec<Listed<'a>>,
    v: u32,
}

/// `snapshots`: those of what is around, newest first; `--all`: every one.
pub fn snapshots(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let stores = if call.has("all") { Store::all(place.paths) } else { Store::around(place.paths, &place.cwd) };
    let mut all: Vec<(Summary, &Store)> = Vec::new();
    for store in &stores {
        match store.list(Deadline::after(PATIENCE)) {
            Ok(list) => all.extend(list.into_iter().map(|summary| (summary, store))),
            Err(trouble) => {
                return Err(exit::fail(
                    cli.name,
                    exit::UNAVAILABLE,
                    &format!("cannot read: {}: {trouble}", quote::path(&store.dir)),
                ));
            }
        }
    }
    all.sort_by(|(a, _), (b, _)| (b.t, &b.id).cmp(&(a.t, &a.id)));
    let text = if call.options.json {
        let listed = all.iter().map(|(summary, store)| Listed { summary, store: store.dir.to_string_lossy().into_owned() });
        let list = List { snapshots: listed.collect(), v: 1 };
        serde_json::to_string(&list).unwrap_or_default() + "\n"
    } else {
        all.iter().map(|(summary, _)| line(summary, place.tree.as_deref()) + "\n").collect()
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Report {
    busy: usize,
    bytes: u64,
    gone: usize,
    kept: usize,
    v: u32,
}

/// `prune`: lets go what is beyond the policy's bounds; `--everything`: all. 75 where a store was in use.
pub fn prune(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let failed = |what: &dyn std::fmt::Display| {
        let dir = place.paths.snapshots();
        // As often as not it runs in the background.
        log::failure(place.paths, cli.name, &format!("snapshots cannot be tidied: {what}"));
        exit::fail(cli.name, exit::UNAVAILABLE, &format!("cannot tidy: {}: {what}", quote::path(dir)))
    };
    let done = if call.has("everything") {
        prune::everything(place.paths).map_err(|e| failed(&e))?
    } else {
        prune::prune(place.paths, &place.policy.guard().snapshot).map_err(|e| failed(&e))?
    };
    let Pruned { gone, kept, bytes, busy } = done;
    let text = if call.options.json {
        serde_json::to_string(&Report { busy, bytes, gone, kept, v: 1 }).unwrap_or_default()
    } else {
        let later = if busy > 0 { format!("; {} in use, to be freed later", count(busy, "store")) } else { String::new() };
        format!("{gone} gone, {kept} kept, {:.1} MB{later}", bytes as f64 / 1e6)
    };
    exit::print(cli.name, &(text + "\n"));
    Ok(ExitCode::from(if busy > 0 { exit::TRY_AGAIN } else { exit::OK }))
}

/// A snapshot on one line: id, when, where, by whom, what for, how much.
pub fn line(summary: &Summary, tree: Option<&Path>) -> String {
    // Files in no repository are told by where the command ran.
    let root = |root: &String| path(if root.is_empty() { &summary.cwd } else { root });
    let roots: Vec<PathBuf> = summary.roots.iter().map(root).collect();
    let here = tree.is_some_and(|tree| roots.iter().any(|root| root == tree));
    let place = if here { "this worktree".to_owned() } else { roots.first().map(quote::path).unwrap_or_default() };
    let who = if summary.session.is_empty() { String::new() } else { format!("  session {}", quote::line(&summary.session, 40)) };
    let what = match summary.kind {
        Kind::Command => format!("before: {}", quote::line(&summary.command, 80)),
        Kind::Manual if summary.note.is_empty() => "by hand".to_owned(),
        Kind::Manual => format!("by hand: {}", quote::line(&summary.note, 80)),
        Kind::Turn => "at the beginning of a turn".to_owned(),
        Kind::Undo => "before an undo".to_owned(),
    };
    let mut held = vec![count(summary.files, "file")];
    held.extend((summary.staged > 0).then(|| format!("{} staged", summary.staged)));
    held.extend((summary.tips > 0).then(|| count(summary.tips, "tip")));
    held.extend((summary.uncovered > 0).then(|| format!("{} not held", summary.uncovered)));
    format!("{}  {}  {place}{who}  {what}  ({})", summary.id, summary.when, held.join(", "))
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
