//! Having Codex trust the registered hooks, as its own `/hooks` does: by a person's word and no other.

use crate::CLI;
use crate::apply::Ledger;
use crate::error::Error;
use crate::plan::{Plan, mode, read, with_mark};
use crate::settle::settle;
use crate::source::{MOST, read_whole};
use crate::target::{Target, env};
use crate::text::Text;
use ah::cli::Call;
use ah::exit;
use ah::harness::wiring::{self, Form, Found, Scope, Wiring};
use ah::jsonc;
use ah::person;
use ah::quote;
use ah::receipt::{Record, State, sha256};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Where Codex keeps what it trusts.
const PLACE: &str = "config.toml";

/// Whether the harness goes by an entry of the settings file at `path`.
pub fn goes_by(wiring: &Wiring, folder: &Path, path: &Path, one: &Found) -> bool {
    if wiring.harness != "codex" {
        return true;
    }
    let Ok(bytes) = read_whole(&folder.join(PLACE), MOST) else { return false };
    jsonc::text(&bytes).is_ok_and(|(_, text)| wiring::is_trusted(text, path, one))
}

/// `--trust codex`
pub fn run(call: &Call) -> Result<ExitCode, Error> {
    let wiring = call.value("trust").filter(|name| *name == "codex").and_then(|_| Wiring::named("codex"));
    let wiring = wiring.ok_or_else(|| Error::Usage("--trust: only codex has such a step".into()))?;
    let hooks = Target::user(wiring)?;
    let folder = wiring.home(&env).unwrap_or_default();
    let target = Target { wiring, form: Form::Toml, path: folder.join(PLACE), scope: Scope::User };
    let waiting: Vec<Found> = waiting(&hooks, &folder)?;
    if waiting.is_empty() {
        exit::print(CLI.name, "Codex trusts every hook of ah that is registered.\n");
        return Ok(ExitCode::from(exit::OK));
    }
    let mut shown = format!("Codex will run these whenever it works for you ({}):\n", quote::path(&hooks.path));
    for one in &waiting {
        let _ = writeln!(shown, "  {:18} {}", one.event, quote::line(&one.command, 300));
    }
    person::confirm(&shown, "trust them", "changes nothing").map_err(|why| Error::Refused(target.path.clone(), why))?;
    let asked = |one: &Found| {
        waiting.iter().any(|shown| (&shown.event, &shown.command, shown.place) == (&one.event, &one.command, one.place))
    };
    let plan = |record: Option<&Record>| {
        // Only what was shown, even if more stands there by now.
        let now: Vec<Found> = self::waiting(&hooks, &folder)?.into_iter().filter(asked).collect();
        plan(&target, &hooks.path, &now, record)
    };
    Ledger::open(true)?.carry_out(&target.path, &plan)?;
    exit::print(CLI.name, &format!("{} hooks trusted. Restart open sessions.\n", waiting.len()));
    Ok(ExitCode::from(exit::OK))
}

/// The hooks of ours that Codex skips for want of trust.
fn waiting(hooks: &Target, folder: &Path) -> Result<Vec<Found>, Error> {
    let mut found = read(hooks)?.found;
    found.retain(|one| !one.programs.is_empty() && !goes_by(hooks.wiring, folder, &hooks.path, one));
    Ok(found)
}

/// The settings with the digests at their end.
fn plan(target: &Target, hooks: &Path, waiting: &[Found], record: Option<&Record>) -> Result<Plan, Error> {
    let read = read(target)?;
    let whole = read.source.bytes.as_ref().map(|_| &*read.text);
    let settled = settle(record, whole, read.source.bytes.as_deref(), &read.found);
    let mut text = settled.text.unwrap_or_else(|| Text::of_others(&read.text));
    let waiting: Vec<&Found> = waiting.iter().collect();
    let added = wiring::trusting(&text.whole, hooks, &waiting).map_err(|error| Error::Invalid(target.path.clone(), error))?;
    text.insert(text.whole.len(), &added);
    let after = with_mark(&read, &text.whole);
    let state = State {
        before: (!settled.created).then(|| sha256(&with_mark(&read, &text.without()))),
        after: Some(sha256(&after)),
        spans: text.spans(),
        entries: settled.entries,
        refused: settled.refused,
    };
    let (path, scope) = (target.path.clone(), target.scope.name());
    Ok(Plan {
        path,
        harness: target.wiring.harness,
        scope,
        after: Some(after),
        state,
        outcomes: Vec::new(),
        mode: mode(scope),
        source: read.source,
    })
}
