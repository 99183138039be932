//! What the session's log has of the time before a prompt or an end, and the episodes that come of it.

use crate::capture::{Past, Refusal, episodes, said};
use crate::correction;
use crate::desk::Desk;
use crate::episode::{Episode, Episodes};
use ah::clock::now_ms;
use ah::event::{Event, Moment};
use ah::redact::redact;
use ah::session::{Entry, Logged, Prompt, Session};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

/// How long the session's lock is waited for.
const WAIT: Duration = Duration::from_millis(500);

/// A prompt's own record may be there already if it is no older, in milliseconds.
const SAME: u64 = 60_000;

/// Keeps what a person says against the work, at a prompt or a session's end: in `episodes.jsonl` of the store and as a
/// record of the session. Returns how many episodes there were.
///
/// # Errors
/// The system's; a lock that another holds too long.
pub fn capture(event: &Event, desk: &Desk) -> io::Result<usize> {
    let prompt = Some(&*event.prompt).filter(|text| event.moment == Moment::UserPromptSubmit && said(text));
    // A cheap look first: nearly no prompt goes further.
    if !worth(prompt, &desk.session)? {
        return Ok(0);
    }
    let _lock = desk.session.lock(WAIT)?;
    let (past, known) = past(&desk.session, prompt)?;
    let key = match &*event.prompt_id {
        "" => format!("said:{}", &blake3::hash(event.prompt.as_bytes()).to_hex()[..16]),
        id => format!("prompt:{id}"),
    };
    let base =
        Episode { ms: now_ms(), repo: desk.scope.name.clone(), session: event.session_id.to_string(), ..Episode::default() };
    let store = Episodes::of(desk.store.dir());
    let mut records = Vec::new();
    for (key, episode) in episodes(prompt.map(|text| (key.as_str(), text)), &past, &base) {
        if known.contains(&key) {
            continue;
        }
        store.add(&episode)?;
        records.push(Logged::new(episode.ms, &key, Entry::Episode { id: episode.id, text: episode.correction }));
    }
    let count = records.len();
    if count > 0 {
        desk.session.log(records, Some(&_lock))?;
    }
    Ok(count)
}

/// Whether it may be worth more: the prompt looks like a correction, or a call was refused since the last one.
fn worth(prompt: Option<&str>, session: &Session) -> io::Result<bool> {
    if prompt.is_some_and(correction::looks) {
        return Ok(true);
    }
    let mut refused = false;
    session.entries_of(&["denied", "prompt"], |logged| {
        refused |= matches!(logged.entry, Entry::Denied { .. });
        !refused && (!is_person(&logged.entry) || own(&logged, prompt))
    })?;
    Ok(refused)
}

/// What was before, and the keys of the episodes that were made of it.
fn past(session: &Session, prompt: Option<&str>) -> io::Result<(Past, BTreeSet<String>)> {
    let mut past = Past::default();
    let mut known = BTreeSet::new();
    let mut prompts = 0;
    let mut seen = BTreeSet::new();
    // What was said against the work is no task, however it was said.
    let mut against = BTreeSet::new();
    session.entries_back(|logged| {
        if is_person(&logged.entry) && !own(&logged, prompt) {
            prompts += 1;
        }
        match logged.entry {
            Entry::Prompt(one) if prompts > 0 && past.task.is_empty() && is_task(&one) && !against.contains(&one.text) => {
                past.task = one.text
            }
            Entry::Final { text } if past.agent.is_empty() => past.agent = text,
            Entry::Asked(asked) => past.asked.extend(asked.ids),
            Entry::Episode { text, .. } => {
                known.insert(logged.key);
                against.insert(text);
            }
            Entry::Denied { tool, text, words } if prompts == 0 && seen.insert(logged.key.clone()) => {
                past.refusals.push(Refusal { key: logged.key, call: format!("{tool} {text}"), words });
            }
            _ => {}
        }
        true
    })?;
    past.refusals.reverse();
    past.asked.sort();
    past.asked.dedup();
    Ok((past, known))
}

fn is_person(entry: &Entry) -> bool {
    matches!(entry, Entry::Prompt(prompt) if !prompt.machine && !prompt.sub)
}

/// Whether it is the record of this prompt itself, which a parallel hook may have written already.
fn own(logged: &Logged, prompt: Option<&str>) -> bool {
    let Entry::Prompt(one) = &logged.entry else { return false };
    prompt.is_some_and(|prompt| one.text == redact(prompt)) && now_ms().saturating_sub(logged.t) < SAME
}

fn is_task(prompt: &Prompt) -> bool {
    !prompt.machine && !prompt.sub && said(&prompt.text) && !correction::looks(&prompt.text)
}
