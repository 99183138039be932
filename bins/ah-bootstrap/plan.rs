//! What would become of one settings file: its new text, and why each hook is or is not put in.

use crate::choice::Choice;
use crate::error::Error;
use crate::mend::{Mended, mend};
use crate::settle::{Settled, is, settle};
use crate::source::Source;
use crate::target::Target;
use crate::text::Text;
use ah::harness::wiring::{self, Entry, Form, Found, Part};
use ah::jsonc;
use ah::receipt::{Line, Record, State, sha256};
use std::ops::Range;
use std::path::PathBuf;

/// What a hook is to this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is put in.
    Added,
    /// It stood there in another form, and is put right.
    Mended,
    /// It stands there already, as it should.
    There,
    /// It stands there in a form of the person's own, or of an earlier version, and stays so.
    Other,
    /// The person took it out; it stays out.
    Refused,
    /// It is taken out.
    Removed,
    /// Its program is no more where it was; it is told the new place.
    Renewed,
}

impl Fate {
    /// How a report calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Mended => "mended",
            Self::There => "there",
            Self::Other => "other",
            Self::Refused => "refused",
            Self::Removed => "removed",
            Self::Renewed => "renewed",
        }
    }
}

/// One hook and what becomes of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The event, as the harness calls it.
    pub event: String,
    /// The programs, first to last.
    pub programs: Vec<String>,
    /// What becomes of it.
    pub fate: Fate,
}

/// What would become of one file.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The file, as it is known.
    pub path: PathBuf,
    /// The harness, or none for a file that none reads.
    pub harness: &'static str,
    /// Whose settings.
    pub scope: &'static str,
    /// The file as it is.
    pub source: Source,
    /// Its bytes afterwards; none where it is not to be there.
    pub after: Option<Vec<u8>>,
    /// The record afterwards.
    pub state: State,
    /// Each hook.
    pub outcomes: Vec<Outcome>,
    /// The mode of a new file.
    pub mode: u32,
}

impl Plan {
    /// Whether the file changes.
    pub fn changes(&self) -> bool {
        self.source.bytes != self.after
    }
}

/// A file and its text, once read: what every plan begins with.
pub struct Read {
    /// The file.
    pub source: Source,
    /// Its text without a byte order mark.
    pub text: String,
    /// How many bytes that has.
    pub mark: usize,
    /// The hooks in it.
    pub found: Vec<Found>,
}

/// Reads a settings file and what stands in it.
pub fn read(target: &Target) -> Result<Read, Error> {
    let source = Source::read(&target.path)?;
    let bytes = source.bytes.clone().unwrap_or_default();
    let invalid = |error| Error::Invalid(target.path.clone(), error);
    let (mark, text) = jsonc::text(&bytes).map_err(invalid)?;
    let found = wiring::found(target.form, &bytes).map_err(invalid)?;
    Ok(Read { text: text.to_owned(), mark, found, source })
}

/// Plans to have the chosen entries in a file.
pub fn add(target: &Target, record: Option<&Record>, choice: &Choice) -> Result<Plan, Error> {
    let read = read(target)?;
    let whole = read.source.bytes.as_ref().map(|_| &*read.text);
    let Settled { text, created, mut entries, refused } = settle(record, whole, read.source.bytes.as_deref(), &read.found);
    let mut text = text.unwrap_or_else(|| Text::of_others(&read.text));
    let mut left = refused;
    let (mut outcomes, mut fresh, mut renewed) = (Vec::new(), Vec::new(), Vec::new());
    let chosen = choice.entries(target.wiring);
    let mended = if choice.mend { mend(target, &read, &mut text, &chosen)? } else { Mended::default() };
    for entry in chosen {
        let there: Vec<&Found> = read
            .found
            .iter()
            .filter(|one| one.event == entry.event && entry.programs.iter().any(|name| one.runs(name)))
            .collect();
        let fate = if mended.right.contains(&entry) {
            entries.retain(|line| !same(line, &entry));
            entries.push(line(&entry));
            Fate::Mended
        } else if mended.fresh.contains(&entry) {
            fresh.push(entry.clone());
            Fate::Mended
        } else if there.iter().any(|one| same_entry(one, &entry)) {
            Fate::There
        } else if let Some(old) = there.iter().find(|one| is_stale(one) && entries.iter().any(|line| is(one, line))) {
            renewed.push((old.group.clone(), entry.clone()));
            Fate::Renewed
        } else if !there.is_empty() {
            Fate::Other
        } else if !choice.again && left.iter().any(|line| same(line, &entry)) {
            Fate::Refused
        } else {
            fresh.push(entry.clone());
            Fate::Added
        };
        outcomes.push(Outcome {
            event: entry.event.into(),
            programs: entry.programs.iter().map(|name| (*name).into()).collect(),
            fate,
        });
    }
    renew(target, &read, &mut text, &mut entries, renewed, choice)?;
    if !fresh.is_empty() {
        put(&mut text, target, &fresh).map_err(|error| Error::Invalid(target.path.clone(), error))?;
        left.retain(|line| !fresh.iter().any(|entry| same(line, entry)));
        entries.extend(fresh.iter().map(line));
    }
    let base = text.without();
    let after = with_mark(&read, &text.whole);
    let before = with_mark(&read, &base);
    let nothing = created && base.is_empty() && !text.has_ours();
    let state = State {
        before: (!created).then(|| sha256(&before)),
        after: if nothing { None } else { Some(sha256(&after)) },
        spans: text.spans(),
        entries,
        refused: left,
    };
    check(target, &read, &after, fresh.len(), mended.gone)?;
    Ok(Plan {
        path: target.path.clone(),
        harness: target.wiring.harness,
        scope: target.scope.name(),
        after: if nothing { None } else { Some(after) },
        state,
        outcomes,
        mode: mode(target.scope.name()),
        source: read.source,
    })
}

/// Tells entries where their programs lie now: in the place of the old ones, so that no number changes. In TOML, where
/// ours stand at the end, they are written anew.
fn renew(
    target: &Target,
    read: &Read,
    text: &mut Text,
    entries: &mut Vec<Line>,
    mut renewed: Vec<(Range<usize>, Entry)>,
    choice: &Choice,
) -> Result<(), Error> {
    if renewed.is_empty() {
        return Ok(());
    }
    if target.form == Form::Toml {
        let all = Choice { parts: Part::ALL.to_vec(), ..choice.clone() }.entries(target.wiring);
        let ours: Vec<Entry> = all.into_iter().filter(|entry| entries.iter().any(|line| same(line, entry))).collect();
        *text = Text::of_others(&text.without());
        *entries = ours.iter().map(line).collect();
        return put(text, target, &ours).map_err(|error| Error::Invalid(target.path.clone(), error));
    }
    renewed.sort_by_key(|(group, _)| std::cmp::Reverse(group.start));
    for (group, entry) in &renewed {
        let place = group.start - read.mark..group.end - read.mark;
        let instead = wiring::instead(&read.text, &place, entry);
        if text.rewrite(place, &instead) {
            entries.retain(|line| !same(line, entry));
            entries.push(line(entry));
        }
    }
    Ok(())
}

/// The mode of a new settings file: a project's is for everybody who has the project.
pub fn mode(scope: &str) -> u32 {
    if scope == "project" { 0o644 } else { 0o600 }
}

/// The bytes of a text, with the byte order mark that the file had.
pub fn with_mark(read: &Read, text: &str) -> Vec<u8> {
    let mark = read.source.bytes.as_deref().unwrap_or_default().get(..read.mark).unwrap_or_default();
    [mark, text.as_bytes()].concat()
}

/// Puts entries into a text.
pub fn put(text: &mut Text, target: &Target, entries: &[Entry]) -> Result<(), jsonc::Error> {
    match target.form {
        Form::Json | Form::Jsonc => {
            let edits = wiring::insert(&text.whole, target.form == Form::Jsonc, entries)?;
            edits.into_iter().rev().for_each(|(at, added)| text.insert(at, &added));
        }
        Form::Toml => {
            let added = wiring::append(&text.whole, entries)?;
            text.insert(text.whole.len(), &added);
        }
    }
    Ok(())
}

/// What is about to be written holds every hook that was there but those that are `gone`, and as many more as were put in;
/// else nothing is.
fn check(target: &Target, read: &Read, after: &[u8], more: usize, gone: usize) -> Result<(), Error> {
    let now = wiring::found(target.form, after).map_err(|error| Error::Invalid(target.path.clone(), error))?;
    let place = |one: &Found| (one.event.clone(), one.place);
    let kept = read.found.iter().filter(|one| now.iter().any(|other| place(other) == place(one))).count();
    if kept + gone >= read.found.len() && now.len() + gone == read.found.len() + more {
        return Ok(());
    }
    Err(Error::Refused(target.path.clone(), "hooks in a form that none can be added to".into()))
}

/// Whether none of its programs is where it says.
fn is_stale(found: &Found) -> bool {
    found.programs.iter().all(|path| path.is_absolute() && !crate::programs::runnable(path))
}

/// Whether a hook runs what an entry does.
pub fn same_entry(found: &Found, entry: &Entry) -> bool {
    (&found.command, &found.args) == (&entry.command, &entry.args)
}

/// Whether a line of the receipt is about this entry, wherever its programs lie.
pub fn same(line: &Line, entry: &Entry) -> bool {
    line.event == entry.event && line.programs == entry.programs
}

/// An entry as the receipt has it.
pub fn line(entry: &Entry) -> Line {
    Line {
        event: entry.event.to_owned(),
        programs: entry.programs.iter().map(|name| (*name).to_owned()).collect(),
        command: entry.command.clone(),
        args: entry.args.clone(),
    }
}
