//! Hooks of ours that stand in a file in another form, put right: in their places, so that no other's number changes.

use crate::error::Error;
use crate::plan::{Read, same_entry};
use crate::target::Target;
use crate::text::Text;
use ah::harness::wiring::{self, Entry, Form, Found};
use std::ops::Range;

/// What was put right.
#[derive(Debug, Default)]
pub struct Mended {
    /// How many hooks are gone: those that stood there once more.
    pub gone: usize,
    /// Entries whose hooks are gone, and that must come in anew.
    pub fresh: Vec<Entry>,
    /// Entries that stand there as they should now.
    pub right: Vec<Entry>,
}

/// Puts right what stands in `text`, which is the text of `read`, for each of `entries`.
///
/// # Errors
/// `Refused` for TOML, where only a person can.
pub fn mend(target: &Target, read: &Read, text: &mut Text, entries: &[Entry]) -> Result<Mended, Error> {
    let mut mended = Mended::default();
    let mut gone: Vec<(String, (usize, usize))> = Vec::new();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for entry in entries {
        let there: Vec<&Found> = read.found.iter().filter(|one| is_for(one, entry)).collect();
        let kept = there.iter().position(|one| is_right(one, entry));
        let alone =
            |one: &Found| read.found.iter().filter(|other| other.event == one.event && other.place.0 == one.place.0).count() == 1;
        let instead = if kept.is_some() { None } else { there.iter().position(|one| alone(one)) };
        for (at, one) in there.iter().enumerate() {
            if Some(at) == instead {
                let place = one.group.start - read.mark..one.group.end - read.mark;
                edits.push((place.clone(), wiring::instead(&read.text, &place, entry)));
                mended.right.push(entry.clone());
            } else if Some(at) != kept {
                gone.push((one.event.clone(), one.place));
            }
        }
        if !there.is_empty() && kept.is_none() && instead.is_none() {
            mended.fresh.push(entry.clone());
        }
    }
    if edits.is_empty() && gone.is_empty() {
        return Ok(mended);
    }
    if target.form == Form::Toml {
        let why = "hooks of ah in another form; take them out by hand, then register again";
        return Err(Error::Refused(target.path.clone(), why.into()));
    }
    let cuts = wiring::cuts(&read.text, target.form == Form::Jsonc, &gone)
        .map_err(|error| Error::Invalid(target.path.clone(), error))?;
    mended.gone = gone.len();
    edits.extend(cuts.into_iter().map(|range| (range, String::new())));
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    edits.into_iter().for_each(|(range, new)| text.put(range, &new));
    Ok(mended)
}

/// Whether a hook is one for this entry, in whatever form.
fn is_for(found: &Found, entry: &Entry) -> bool {
    found.event == entry.event && entry.programs.iter().any(|name| found.runs(name))
}

/// Whether it is as it should be.
fn is_right(found: &Found, entry: &Entry) -> bool {
    #[allow(clippy::cast_precision_loss, reason = "seconds or milliseconds of some minutes")]
    let timeout = found.timeout == Some(entry.timeout as f64);
    same_entry(found, entry) && found.kind == "command" && found.matcher.as_deref() == entry.matcher && timeout
}
