//! A session's end: what was not judged is settled, what was not shown is said so.

use crate::desk::Desk;
use crate::ledger::Ledger;
use crate::pending::{fates, steps_of};
use crate::verdict::settled;
use ah::clock::now_ms;
use ah::event::Event;
use ah::session::{Entry, Logged};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

/// How long the session's lock is waited for.
const WAIT: Duration = Duration::from_millis(500);

/// Writes down how each delivery since the last end was left. An end after which nothing was shown is none.
///
/// # Errors
/// The system's; a lock that another holds too long.
pub fn at_end(event: &Event, desk: &Desk) -> io::Result<()> {
    let lock = desk.session.lock(WAIT)?;
    let mut lines: Vec<Logged> = Vec::new();
    desk.session.entries_back(|logged| {
        let ended = matches!(logged.entry, Entry::Ended { .. });
        if !ended {
            lines.push(logged);
        }
        !ended
    })?;
    lines.reverse();
    let waiting = waiting(&lines);
    let fates = fates(&steps_of(lines));
    if fates.is_empty() && waiting.is_empty() {
        return Ok(());
    }
    let ms = now_ms();
    let session = event.session_id.to_string();
    let ledger = Ledger { log: desk.store.outcomes_file(), repo: desk.scope.name.clone(), session };
    let mut outcomes: Vec<_> =
        waiting.into_iter().map(|(check, lessons)| ledger.never_delivered(ms, &check, lessons.into_iter().collect())).collect();
    outcomes.extend(settled(&fates, &ledger, ms));
    ledger.write(&outcomes)?;
    let entry = Entry::Ended { reason: ah::quote::line(&event.reason, 60) };
    desk.session.log(vec![Logged::new(ms, &format!("end:{ms}"), entry)], Some(&lock))
}

/// Lessons that wait in the queue, by the check that chose them.
fn waiting(lines: &[Logged]) -> BTreeMap<String, BTreeSet<String>> {
    let mut open: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for logged in lines {
        match &logged.entry {
            Entry::Queue(queue) => {
                open.insert(&queue.entry, (&queue.check, &queue.lesson));
            }
            Entry::Shown(shown) => shown.entries.iter().for_each(|entry| {
                open.remove(entry.as_str());
            }),
            _ => {}
        }
    }
    let mut by_check: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (check, lesson) in open.into_values() {
        by_check.entry(check.to_owned()).or_default().insert(lesson.to_owned());
    }
    by_check
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::session::{Queue, Shown};

    #[test]
    fn what_was_not_shown_waits() {
        let queue = |entry: &str, lesson: &str| {
            let queue = Queue { check: "c".into(), entry: entry.into(), lesson: lesson.into(), ..Queue::default() };
            Logged::new(1, "", Entry::Queue(queue))
        };
        let shown = Shown { entries: vec!["e1".into(), "none".into()], ..Shown::default() };
        let lines = [queue("e1", "a"), queue("e2", "b"), queue("e3", "b"), Logged::new(1, "", Entry::Shown(shown))];
        assert_eq!(waiting(&lines), BTreeMap::from([("c".to_owned(), BTreeSet::from(["b".to_owned()]))]));
    }
}
