//! What would become of a settings file whose hooks of ours are taken out.

use crate::choice::Choice;
use crate::error::Error;
use crate::plan::{Fate, Outcome, Plan, line, mode, put, read, same, with_mark};
use crate::settle::{Settled, is, settle};
use crate::target::Target;
use crate::text::Text;
use ah::harness::wiring::{self, Form, Part, Scope};
use ah::receipt::{Line, Record, State, sha256};

/// Plans to take hooks out of a file: to the byte where what is ours is as it was written, else hook by hook.
pub fn plan(target: &Target, record: Option<&Record>, choice: &Choice) -> Result<Plan, Error> {
    let read = read(target)?;
    let whole = read.source.bytes.as_ref().map(|_| &*read.text);
    let Settled { text, created, entries, .. } = settle(record, whole, read.source.bytes.as_deref(), &read.found);
    let goes = |line: &Line| {
        choice.entries(target.wiring).iter().any(|entry| same(line, entry)) || choice.parts.len() == Part::ALL.len()
    };
    let (gone, kept): (Vec<Line>, Vec<Line>) = entries.into_iter().partition(goes);
    // Those that nobody's receipt has, but that say exactly what is written here: a colleague's, in a project.
    let mine: Vec<Line> = choice.entries(target.wiring).iter().map(line).collect();
    let unrecorded =
        |one: &&wiring::Found| record.is_none() && target.scope == Scope::Project && mine.iter().any(|line| is(one, line));
    let mut rest = text.unwrap_or_else(|| Text::of_others(&read.text)).without();
    let found = wiring::found(target.form, rest.as_bytes()).map_err(|error| Error::Invalid(target.path.clone(), error))?;
    let left: Vec<_> = found.iter().filter(|one| gone.iter().any(|line| is(one, line)) || unrecorded(one)).collect();
    let mut outcomes: Vec<Outcome> = gone
        .iter()
        .map(|line| Outcome { event: line.event.clone(), programs: line.programs.clone(), fate: Fate::Removed })
        .collect();
    let told = |one: &&&wiring::Found| !gone.iter().any(|line| is(one, line));
    outcomes.extend(left.iter().filter(told).map(|one| Outcome {
        event: one.event.clone(),
        programs: one.names().iter().map(|name| (*name).into()).collect(),
        fate: Fate::Removed,
    }));
    rest = match target.form {
        Form::Toml => without_blocks(&rest, &gone),
        form => {
            let places: Vec<_> = left.iter().map(|one| (one.event.clone(), one.place)).collect();
            let cuts =
                wiring::cuts(&rest, form == Form::Jsonc, &places).map_err(|error| Error::Invalid(target.path.clone(), error))?;
            cuts.into_iter().rev().for_each(|range| rest.replace_range(range, ""));
            rest
        }
    };
    // What a hook of another is registered as stays as it is: it is the person's own.
    let now = wiring::found(target.form, rest.as_bytes()).map_err(|error| Error::Invalid(target.path.clone(), error))?;
    outcomes.extend(now.iter().filter(|one| !one.programs.is_empty() && !kept.iter().any(|line| is(one, line))).map(|one| {
        Outcome { event: one.event.clone(), programs: one.names().iter().map(|name| (*name).into()).collect(), fate: Fate::Other }
    }));
    let empty = created && matches!(&*rest.split_whitespace().collect::<String>(), "" | "{}");
    let bytes = (!empty && read.source.bytes.is_some()).then(|| with_mark(&read, &rest));
    let before = bytes.as_deref().map(sha256);
    let plan = Plan {
        path: target.path.clone(),
        harness: target.wiring.harness,
        scope: target.scope.name(),
        state: State { before: before.clone(), after: before, ..State::default() },
        after: bytes,
        outcomes,
        mode: mode(target.scope.name()),
        source: read.source,
    };
    if kept.is_empty() { Ok(plan) } else { keep(target, &kept, plan, choice) }
}

/// The file with only some hooks taken out: all go, and the others come in again as they were.
fn keep(target: &Target, kept: &[Line], bare: Plan, choice: &Choice) -> Result<Plan, Error> {
    let all = Choice { parts: Part::ALL.to_vec(), ..choice.clone() };
    let entries: Vec<_> =
        all.entries(target.wiring).into_iter().filter(|entry| kept.iter().any(|line| same(line, entry))).collect();
    let bytes = bare.after.clone().unwrap_or_default();
    let invalid = |error| Error::Invalid(target.path.clone(), error);
    let (mark, text) = ah::jsonc::text(&bytes).map_err(invalid)?;
    let mut text = Text::of_others(text);
    put(&mut text, target, &entries).map_err(invalid)?;
    let after = [&bytes[..mark], text.whole.as_bytes()].concat();
    let state = State {
        before: bare.state.before.clone(),
        after: Some(sha256(&after)),
        spans: text.spans(),
        entries: entries.iter().map(line).collect(),
        refused: Vec::new(),
    };
    Ok(Plan { after: Some(after), state, ..bare })
}

/// A text of TOML without the tables of some hooks, where they stand by themselves as they were written.
fn without_blocks(text: &str, gone: &[Line]) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    for line in gone {
        let (group, hook) = (format!("[[hooks.{}]]", line.event), format!("[[hooks.{}.hooks]]", line.event));
        let command = format!("command = {}", serde_json::to_string(&line.command).unwrap_or_default());
        let Some(at) = lines.iter().position(|text| text.trim() == command) else { continue };
        let Some(from) = lines[..at].iter().rposition(|text| text.trim() == group) else { continue };
        let to = lines[at..].iter().position(|text| text.starts_with('[')).map_or(lines.len(), |more| at + more);
        let ours = |text: &&str| {
            let text = text.trim();
            text.is_empty() || text == group || text == hook || KEYS.iter().any(|key| text.starts_with(key))
        };
        if lines[from..to].iter().all(ours) {
            lines.drain(from..to);
        }
    }
    lines.concat()
}

/// How the lines of a table of ours begin.
const KEYS: &[&str] = &["command = ", "matcher = ", "timeout = ", "type = "];
