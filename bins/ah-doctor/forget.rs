//! `forget`: what was recorded of a session, of a repository, or of everything, deleted.

use crate::examine::place;
use ah::cli::{Call, Cli};
use ah::config::Config;
use ah::exit;
use ah::fs;
use ah::paths::Paths;
use ah::quote;
use ah::route::{self, Route};
use ah::session::Session;
use serde::{Deserialize, Serialize};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How much of an audit is read, in bytes: it is put aside long before.
const MOST: u64 = 64 << 20;
/// How much of the start of a session log says whose it is, in bytes.
const FIRST: usize = 64 << 10;
/// How long hooks that are just writing are waited for.
const WAIT: Duration = Duration::from_secs(2);

/// What goes.
enum Wanted {
    All,
    Repo { id: String, store: String },
    Session(String),
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    scope: String,
}

/// Whose an audit line is.
#[derive(Deserialize)]
struct Whose {
    #[serde(default)]
    repo: String,
    #[serde(default)]
    session: String,
}

#[derive(Default, Serialize)]
struct Plan {
    /// Lines of audits that go.
    audit_lines: usize,
    /// Files and folders that go.
    files: Vec<PathBuf>,
    v: u32,
}

/// `forget --session ID | --repo DIR | --all [--yes]`.
pub fn forget(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let paths = place(cli)?;
    let wanted = wanted(cli, call, paths)?;
    let audits: Vec<PathBuf> =
        [paths.guard_audit(), fs::old(&paths.guard_audit())].into_iter().filter(|file| file.exists()).collect();
    let lines = audits.iter().map(|file| rewritten(file, &wanted).map_or(0, |(_, gone)| gone)).sum();
    let plan = Plan { audit_lines: lines, files: files(paths, &wanted), v: 1 };
    if plan.files.is_empty() && plan.audit_lines == 0 {
        exit::print(
            cli.name,
            if call.options.json { "{\"audit_lines\":0,\"files\":[],\"v\":1}\n" } else { "nothing is recorded of it\n" },
        );
        return Ok(ExitCode::SUCCESS);
    }
    let shown = text(&plan);
    if !call.has("yes") && !agreed(cli, &shown)? {
        return Ok(ExitCode::from(exit::NO));
    }
    for file in &audits {
        forget_lines(file, &wanted).map_err(|error| failed(cli, file, &error))?;
    }
    for file in &plan.files {
        let done = if file.is_dir() { std::fs::remove_dir_all(file) } else { std::fs::remove_file(file) };
        match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(cli, file, &error)),
            _ => {}
        }
    }
    let done = if call.options.json { serde_json::to_string(&plan).unwrap_or_default() + "\n" } else { format!("{shown}done\n") };
    exit::print(cli.name, &done);
    Ok(ExitCode::SUCCESS)
}

fn wanted(cli: &Cli, call: &Call, paths: &Paths) -> Result<Wanted, ExitCode> {
    let repo = call.value("repo").map(PathBuf::from);
    let session = call.value("session").map(|id| id.to_string_lossy().into_owned());
    match (call.has("all"), repo, session) {
        (true, None, None) => Ok(Wanted::All),
        (false, Some(dir), None) => {
            let none = || exit::fail(cli.name, exit::NO_INPUT, &format!("no repository: {}", quote::path(&dir)));
            let dir = std::fs::canonicalize(&dir).map_err(|_| none())?;
            // Whatever the settings say now: what was recorded before they said so is to go too.
            let config = Config::default();
            match route::route(&config, &dir) {
                Route::Scope(private) => {
                    let routed = route::route(&Config::load(paths, Some(&dir)).0, &dir).scope();
                    // A collective's own folder is that of other repositories too.
                    let store = routed.filter(|scope| scope.collective.is_none()).unwrap_or(private);
                    Ok(Wanted::Repo { id: store.repo, store: store.store })
                }
                Route::Off(_) => Err(none()),
            }
        }
        (false, None, Some(id)) => Ok(Wanted::Session(id)),
        _ => Err(cli.usage_error("one of --session ID, --repo DIR and --all")),
    }
}

/// The files that go.
fn files(paths: &Paths, wanted: &Wanted) -> Vec<PathBuf> {
    let mut files = Vec::new();
    match wanted {
        Wanted::All => {
            let state =
                ["log.jsonl", "log.old.jsonl", "meter.json", "sessions", "proved.json"].map(|name| paths.state_home().join(name));
            files.extend(state);
            files.push(paths.guard_audit());
            files.push(fs::old(&paths.guard_audit()));
            files.push(paths.data_home().join("collectives"));
        }
        Wanted::Repo { store, .. } => {
            let logs = std::fs::read_dir(paths.sessions()).into_iter().flatten().flatten().map(|entry| entry.path());
            files.extend(
                logs.filter(|file| file.extension().is_some_and(|end| end == "jsonl") && scope(file).as_ref() == Some(store)),
            );
            files.push(paths.collective(store));
        }
        Wanted::Session(id) => files.extend(Session::open(paths, id, "").map(|session| session.file().to_owned())),
    }
    let locks: Vec<PathBuf> = files.iter().filter(|file| file.is_file()).map(|file| file.with_extension("lock")).collect();
    files.extend(locks);
    files.retain(|file| file.exists());
    files.sort();
    files.dedup();
    files
}

/// The store that a session log belongs to.
fn scope(file: &Path) -> Option<String> {
    use std::io::Read;
    let mut start = Vec::new();
    std::fs::File::open(file).ok()?.take(FIRST as u64).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').next()?;
    serde_json::from_slice::<Head>(line).ok().map(|head| head.scope)
}

/// An audit without the lines that go, and how many those are.
fn rewritten(file: &Path, wanted: &Wanted) -> io::Result<(Vec<u8>, usize)> {
    let bytes = fs::read(file, MOST)?;
    let (mut kept, mut gone) = (Vec::with_capacity(bytes.len()), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let whose = serde_json::from_slice::<Whose>(line).ok();
        let goes = match wanted {
            Wanted::All => false,
            Wanted::Repo { id, .. } => whose.is_some_and(|whose| whose.repo == *id),
            Wanted::Session(id) => whose.is_some_and(|whose| whose.session == *id),
        };
        if goes {
            gone += 1;
        } else {
            kept.extend_from_slice(line);
        }
    }
    Ok((kept, gone))
}

/// Rewrites an audit under its lock, so that no line that comes meanwhile is lost.
fn forget_lines(file: &Path, wanted: &Wanted) -> io::Result<()> {
    let _lock = fs::lock(&file.with_extension("lock"), WAIT)?;
    let (kept, gone) = rewritten(file, wanted)?;
    if gone == 0 { Ok(()) } else { fs::replace(file, &kept) }
}

fn text(plan: &Plan) -> String {
    let mut text: String = plan.files.iter().map(|file| format!("  {}\n", quote::path(file))).collect();
    if plan.audit_lines > 0 {
        text += &format!("  {} lines of the guard's audit\n", plan.audit_lines);
    }
    text
}

/// Whether who sits there wants it; without a terminal `--yes` says so.
fn agreed(cli: &Cli, shown: &str) -> Result<bool, ExitCode> {
    if !io::stdin().is_terminal() {
        return Err(cli.usage_error("without a terminal to ask at, forget needs --yes"));
    }
    exit::print(cli.name, &format!("{shown}Snapshots stay (ah-git-guard prune drops them). Delete these? [y/N] "));
    let _ = io::stdout().flush();
    let mut answer = String::new();
    let _ = io::stdin().read_line(&mut answer);
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn failed(cli: &Cli, file: &Path, error: &io::Error) -> ExitCode {
    exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot forget: {}: {error}", quote::path(file)))
}
