//! What of ours is in a file now, by its record and its bytes: also after a run that was cut short, and after others
//! changed the file.

use crate::text::Text;
use ah::harness::wiring::Found;
use ah::receipt::{Line, Record, State, sha256};

/// What is known of a file.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// The text, with what is ours in it; `None` where the record's spans are no more as they were written.
    pub text: Option<Text>,
    /// Whether there was no file before ours.
    pub created: bool,
    /// The hooks of ours, as the record has them, that are in the file.
    pub entries: Vec<Line>,
    /// Those that the person took out, now or earlier.
    pub refused: Vec<Line>,
}

/// Settles what is so.
pub fn settle(record: Option<&Record>, whole: Option<&str>, bytes: Option<&[u8]>, found: &[Found]) -> Settled {
    let text = whole.unwrap_or_default();
    let Some(record) = record else {
        return Settled { text: Some(Text::of_others(text)), created: whole.is_none(), ..Settled::default() };
    };
    let digest = bytes.map(sha256);
    let states: Vec<&State> = record.next.iter().chain([&record.now]).collect();
    let exact = states.iter().find(|state| state.after == digest);
    let located = || states.iter().find(|state| !state.spans.is_empty() && Text::with_spans(text, &state.spans).is_some());
    if let Some(state) = exact.or_else(located) {
        return Settled {
            text: Text::with_spans(text, &state.spans),
            created: state.before.is_none(),
            entries: state.entries.clone(),
            refused: state.refused.clone(),
        };
    }
    let there = |line: &&Line| found.iter().any(|one| is(one, line));
    let (entries, gone): (Vec<&Line>, Vec<&Line>) = record.now.entries.iter().partition(there);
    let state = record.next.as_ref().filter(|_| record.now.entries.is_empty()).unwrap_or(&record.now);
    Settled {
        text: record.now.entries.is_empty().then(|| Text::of_others(text)),
        created: state.before.is_none(),
        entries: entries.into_iter().cloned().collect(),
        refused: record.now.refused.iter().chain(gone).cloned().collect(),
    }
}

/// Whether a hook that stands in a file is the one that was written.
pub fn is(found: &Found, line: &Line) -> bool {
    (&found.event, &found.command, &found.args) == (&line.event, &line.command, &line.args)
}

/// The state of a file that nothing of ours is in.
pub fn untouched(bytes: Option<&[u8]>) -> State {
    let digest = bytes.map(sha256);
    State { before: digest.clone(), after: digest, ..State::default() }
}
