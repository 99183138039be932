//! `undo` and `restore`: what a person runs to have something back.

use super::super::commands::{Place, absolute, failed, line};
use super::super::manifest::{self, Body, Kind, Manifest};
use super::super::take::Untaken;
use super::choice::{self, Chosen, Here};
use super::files::{Rule, Source};
use super::plan::{Does, Row};
use super::table::{self, Shown};
use super::{Undo, into};
use crate::guard;
use ah::cli::{Call, Cli};
use ah::clock::Deadline;
use ah::exit;
use ah::fs::{Lock, lock};
use ah::quote;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// How many snapshots are looked at for one that there is something to undo of.
const LOOKED: usize = 20;
/// How long another undo is waited for.
const WAIT: Duration = Duration::from_secs(2);
/// Where Claude Code says which session a command is run in.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// What was or would be done, as JSON.
#[derive(Serialize)]
struct Report<'r> {
    command: &'r str,
    done: bool,
    id: &'r str,
    rows: Vec<Shown>,
    session: &'r str,
    t: u64,
    v: u32,
    /// The snapshot of how it was before.
    was: Option<&'r str>,
}

/// What `undo` and `restore` share.
struct Act<'a> {
    cli: &'a Cli,
    call: &'a Call,
    place: Place,
    session: String,
    deadline: Deadline,
}

impl<'a> Act<'a> {
    fn new(cli: &'a Cli, call: &'a Call) -> Result<Self, ExitCode> {
        let named = call.value("session").map(|v| v.to_string_lossy().into_owned());
        let session = named.or_else(|| std::env::var(SESSION).ok()).unwrap_or_default();
        Ok(Self { cli, call, place: Place::of(cli, call)?, session, deadline: Deadline::after(PATIENCE) })
    }

    fn unavailable(&self, what: &str, why: &dyn std::fmt::Display) -> ExitCode {
        exit::fail(self.cli.name, exit::UNAVAILABLE, &format!("cannot {what}: {why}"))
    }

    /// One undo at a time in a store.
    fn lock(&self, chosen: &Chosen) -> Result<Lock, ExitCode> {
        lock(&chosen.store.dir.join("ah/undo.lock"), WAIT).map_err(|e| match e.kind() {
            std::io::ErrorKind::WouldBlock => exit::fail(self.cli.name, exit::TRY_AGAIN, "another undo is at work: try again"),
            _ => self.unavailable("lock", &format!("{}: {e}", quote::path(&chosen.store.dir))),
        })
    }

    fn open(&self, chosen: &Chosen) -> Result<Undo, ExitCode> {
        let id = &chosen.summary.id;
        let undo = Undo::new(chosen, self.deadline).map_err(|why| self.unavailable(&format!("read {id}"), &why))?;
        undo.ok_or_else(|| self.unavailable(&format!("read {id}"), &"it was written by another version"))
    }

    /// Shows the plan, asks, keeps how it is now, carries the plan out, says so.
    fn run(&self, chosen: &Chosen, undo: &Undo, mut rows: Vec<Row>, undone: bool) -> Result<ExitCode, ExitCode> {
        let Self { cli, place, .. } = self;
        let id = &chosen.summary.id;
        let (json, yes) = (self.call.options.json, self.call.has("yes"));
        let some = rows.iter().any(Row::changes);
        if !json {
            let head = line(&chosen.summary, place.tree.as_deref().or(Some(&place.cwd)));
            exit::print(cli.name, &format!("{head}\n{}", table::text(&rows, &undo.manifest, &place.cwd)));
        }
        if !some || json && !yes {
            if json {
                self.report(&undo.manifest, &rows, false, None);
            } else {
                exit::print(cli.name, "nothing to bring back\n");
            }
            // A person has seen what is left alone: the next undo is about the one before.
            if undone && !some && yes {
                let _ = choice::set_undone(&chosen.store, id, "");
            }
            return Ok(ExitCode::from(if some { exit::OK } else { exit::NO }));
        }
        if !yes && !self.asked(&rows)? {
            exit::print(cli.name, "nothing was done\n");
            return Ok(ExitCode::from(exit::NO));
        }
        let bounds = place.policy.guard().snapshot;
        let was = match undo.keep_now(&mut rows, place.paths, &bounds, &place.cwd, &self.session) {
            Ok(taken) => taken.id,
            // Nothing is there that could be changed.
            Err(Untaken::Nothing) => String::new(),
            Err(untaken) => return Err(failed(cli, &untaken)),
        };
        undo.apply(&mut rows);
        let broken = rows.iter().any(|row| row.does == Does::Failed);
        if undone && !broken {
            let _ = choice::set_undone(&chosen.store, id, &was);
        }
        if undo.manifest.kind == Kind::Undo {
            choice::unset_undone(place.paths, id);
        }
        if json {
            self.report(&undo.manifest, &rows, true, (!was.is_empty()).then_some(&was));
        } else {
            exit::print(cli.name, &self.end(&rows, &undo.manifest, &was));
        }
        Ok(ExitCode::from(if broken { exit::CANNOT_CREATE } else { exit::OK }))
    }

    /// The last lines: what went otherwise than planned, and the way back.
    fn end(&self, rows: &[Row], manifest: &Manifest, was: &str) -> String {
        let otherwise = |row: &&Row| {
            row.does == Does::Failed
                || row.does == Does::LeaveAlone && row.why.starts_with("cannot be kept")
                || row.does == Does::BringBack && row.why.starts_with("as ")
        };
        let rows: Vec<Row> = rows.iter().filter(otherwise).cloned().collect();
        let said = table::text(&rows, manifest, &self.place.cwd);
        let done = if rows.iter().any(|row| row.does == Does::Failed) { "done, but for what failed" } else { "done" };
        match was {
            "" => format!("{said}{done}\n"),
            _ => format!("{said}{done}; how it was a moment ago is {was} (ah-git-guard restore {was})\n"),
        }
    }

    fn report(&self, manifest: &Manifest, rows: &[Row], done: bool, was: Option<&str>) {
        let report = Report {
            command: &manifest.command,
            done,
            id: &manifest.id,
            rows: table::shown(rows, manifest),
            session: &manifest.session,
            t: manifest.t,
            v: 1,
            was,
        };
        exit::print(self.cli.name, &(serde_json::to_string(&report).unwrap_or_default() + "\n"));
    }

    /// Asks the person; 75 where there is none to be asked.
    fn asked(&self, rows: &[Row]) -> Result<bool, ExitCode> {
        if !std::io::stdin().is_terminal() {
            let again = "nobody can be asked here, and nothing was done: with --yes it is done";
            return Err(exit::fail(self.cli.name, exit::TRY_AGAIN, again));
        }
        exit::print(self.cli.name, &format!("Restore {}? [Y/n] ", table::count(rows)));
        let _ = std::io::stdout().flush();
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        // The end of input is no yes.
        Ok(read.is_ok_and(|n| n > 0) && matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
    }
}

/// `undo`: what the last command lost, or with `--turn` what the agent's last turn changed or removed.
pub fn undo(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let act = Act::new(cli, call)?;
    let turn = call.has("turn");
    let kind = if turn { Kind::Turn } else { Kind::Command };
    let here = Here::at(&act.place.cwd);
    let all = choice::all(act.place.paths, &here, &[kind], &act.session, act.deadline)
        .map_err(|trouble| act.unavailable("read the snapshots", &trouble))?;
    let (undone, open): (Vec<Chosen>, Vec<Chosen>) = all.into_iter().partition(|c| !turn && choice::is_undone(c));
    let mut brought = Vec::new();
    for before in &undone {
        brought.extend(before.store.read(&before.summary.id, act.deadline).ok().flatten().map(hashes).unwrap_or_default());
    }
    let mut first = None;
    // One whose command never ran is passed over: everything is as it was.
    for chosen in open.iter().take(if turn { 1 } else { LOOKED }) {
        let _lock = act.lock(chosen)?;
        let undo = act.open(chosen)?;
        let written = guard::written(&undo.manifest.command, &manifest::path(&undo.manifest.cwd));
        let rule = match turn {
            true => Rule::Turn,
            false => Rule::Undo { written: &written, brought: &brought, t: undo.manifest.t },
        };
        let rows = undo.plan(&rule).map_err(|trouble| act.unavailable("see what is there", &trouble))?;
        if rows.iter().any(|row| row.does != Does::AsItWas) {
            return act.run(chosen, &undo, rows, !turn);
        }
        first = first.or(Some((chosen, undo, rows)));
    }
    if let Some((chosen, undo, rows)) = first {
        return act.run(chosen, &undo, rows, false);
    }
    let of = if act.session.is_empty() { "" } else { " of this session" };
    let what = if turn { "turn" } else { "command" };
    let more = if undone.is_empty() { "" } else { " that is not undone yet" };
    let text = format!("nothing to undo: no snapshot of a {what}{of}{more} here; ah-git-guard snapshots lists what there is");
    Err(exit::fail(cli.name, exit::NO, &text))
}

/// The files of a snapshot and what is in them.
fn hashes(manifest: Manifest) -> Vec<(String, String)> {
    let files = manifest.parts.into_iter().flat_map(|part| part.files);
    files.filter_map(|f| if let Body::File { hash, .. } = f.body { Some((f.path, hash)) } else { None }).collect()
}

/// `restore ID [PATH ...]`: a snapshot as it is, or some of its files; with `--into` its files elsewhere.
pub fn restore(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let act = Act::new(cli, call)?;
    let Some((id, paths)) = call.args.split_first() else {
        return Err(cli.usage_error("which snapshot? ah-git-guard restore ID [PATH ...]"));
    };
    let id = id.to_string_lossy();
    let here = Here::at(&act.place.cwd);
    let found = choice::named(act.place.paths, &here, &id, act.deadline)
        .map_err(|trouble| act.unavailable("read the snapshots", &trouble))?;
    let none = || {
        let text = format!("no such snapshot: {}: ah-git-guard snapshots --all lists them", quote::line(&id, 40));
        exit::fail(cli.name, exit::NO, &text)
    };
    let chosen = found.first().ok_or_else(none)?;
    if found.len() > 1 && !here.is_of(&chosen.summary) {
        let text = format!("{} repositories have a snapshot {id}: call it from the one that is meant", found.len());
        return Err(exit::fail(cli.name, exit::NO, &text));
    }
    let _lock = act.lock(chosen)?;
    let undo = act.open(chosen)?;
    let named: Vec<PathBuf> = paths.iter().map(|path| absolute(&act.place.cwd, path)).collect();
    let wanted = |path: &Path| named.is_empty() || named.iter().any(|n| path.starts_with(n));
    if let Some(dir) = call.value("into") {
        return act.write_into(&undo, &absolute(&act.place.cwd, dir), &wanted);
    }
    let rule = if undo.manifest.kind == Kind::Turn { Rule::Turn } else { Rule::Always };
    let mut rows = undo.plan(&rule).map_err(|trouble| act.unavailable("see what is there", &trouble))?;
    if !named.is_empty() {
        rows.retain(|row| row.file().is_some_and(|path| wanted(&path)));
        if let Some(path) = named.iter().find(|n| !rows.iter().filter_map(Row::file).any(|path| path.starts_with(n))) {
            return Err(exit::fail(cli.name, exit::NO, &format!("{id} does not hold: {}", quote::path(path))));
        }
    }
    act.run(chosen, &undo, rows, false)
}

impl Act<'_> {
    fn write_into(&self, undo: &Undo, dir: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<ExitCode, ExitCode> {
        let cannot = |e: std::io::Error| {
            exit::fail(self.cli.name, exit::CANNOT_CREATE, &format!("cannot write into: {}: {e}", quote::path(dir)))
        };
        std::fs::create_dir_all(dir).map_err(cannot)?;
        let dir = std::fs::canonicalize(dir).map_err(cannot)?;
        let source = Source { store: &undo.store, id: &undo.manifest.id, deadline: self.deadline };
        let rows = into::write(&undo.manifest, &source, &dir, wanted);
        if self.call.options.json {
            self.report(&undo.manifest, &rows, true, None);
        } else {
            let text = table::text(&rows, &undo.manifest, &self.place.cwd);
            exit::print(self.cli.name, &format!("{text}written below {}\n", quote::path(&dir)));
        }
        let failed = rows.iter().any(|row| row.does == Does::Failed);
        Ok(ExitCode::from(match (failed, rows.is_empty()) {
            (true, _) => exit::CANNOT_CREATE,
            (false, true) => exit::NO,
            (false, false) => exit::OK,
        }))
    }
}
