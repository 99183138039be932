//! The steps of a session, from its log.

use super::{Channel, Step};
use ah::session::{Entry, Logged, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Most characters of one step's text.
const TEXT: usize = 4_000;

/// What happened in a session, as far back as its log is read (8 MiB), in true order. `skip` is the key of the event
/// that is being handled: what parallel hooks have recorded of it already is not yet past.
///
/// # Errors
/// The system's.
pub fn steps(session: &Session, skip: &str) -> io::Result<Vec<Step>> {
    let mut lines = Vec::new();
    session.entries_back(|logged| {
        if skip.is_empty() || logged.key != skip {
            lines.push(logged);
        }
        true
    })?;
    lines.reverse();
    Ok(of(lines))
}

/// The steps of lines, oldest first.
pub fn of(lines: Vec<Logged>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut seen = BTreeSet::new();
    // Which check put a lesson into the queue.
    let mut queued: BTreeMap<String, (String, String)> = BTreeMap::new();
    for Logged { entry, key, .. } in lines {
        // What was recorded twice happened once.
        if !key.is_empty() && !seen.insert((entry.kind(), key)) {
            continue;
        }
        match entry {
            Entry::Answer { text, .. } | Entry::Final { text } => said(&mut steps, text),
            Entry::Asked(asked) => {
                let channel = if asked.channel == "live" { Channel::Live } else { Channel::Stop };
                let ids = asked.ids.into_iter().map(|id| (id, asked.check.clone())).collect();
                steps.push(Step::Delivered { ids, channel });
            }
            Entry::Edit { paths, text, sub: _ } => steps.push(Step::Work(cut(format!("{} {text}", paths.join(" "))))),
            Entry::Judged(judged) => {
                let settled = judged.verdict == "unchanged" || judged.verdict == "changed" && judged.avoids;
                steps.push(Step::Judged { id: judged.id, settled });
            }
            Entry::Queue(queue) => {
                queued.insert(queue.entry, (queue.lesson, queue.check));
            }
            // Questions have a record of their own.
            Entry::Shown(shown) if shown.kind == "free" || shown.kind == "early" => {
                let channel = if shown.kind == "early" { Channel::Early } else { Channel::Queued };
                let check = |id: &String| {
                    let entry = shown.entries.iter().filter_map(|entry| queued.get(entry)).find(|(lesson, _)| lesson == id);
                    entry.map(|(_, check)| check.clone()).unwrap_or_default()
                };
                let ids: Vec<(String, String)> = shown.ids.iter().map(|id| (id.clone(), check(id))).collect();
                if !ids.is_empty() {
                    steps.push(Step::Delivered { ids, channel });
                }
            }
            Entry::Touch { text, tool, .. } if !text.is_empty() => steps.push(Step::Work(cut(format!("[{tool}] {text}")))),
            _ => {}
        }
    }
    steps
}

/// An answer and the closing message of one stop say the same.
fn said(steps: &mut Vec<Step>, text: String) {
    let text = cut(text);
    if !text.trim().is_empty() && steps.last() != Some(&Step::Said(text.clone())) {
        steps.push(Step::Said(text));
    }
}

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(TEXT) {
        text.truncate(end);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ah::session::{Asked, Judged, Queue, Shown};

    fn line(key: &str, entry: Entry) -> Logged {
        Logged::new(1, key, entry)
    }

    fn touch(text: &str) -> Entry {
        Entry::Touch { paths: vec![], sub: false, text: text.into(), tool: "Read".into() }
    }

    #[test]
    fn lines_become_steps_once_and_in_order() {
        let asked = Asked { channel: "stop".into(), check: "c1".into(), ids: vec!["a".into()], text: "Is it?".into() };
        let queue = Queue { check: "c2".into(), entry: "e1".into(), grade: 2, kind: "free".into(), lesson: "b".into() };
        let shown = Shown { entries: vec!["e1".into()], ids: vec!["b".into()], kind: "free".into(), ..Shown::default() };
        let live = Shown { entries: vec!["e9".into()], ids: vec!["a".into()], kind: "live".into(), ..Shown::default() };
        let judged = |verdict: &str, avoids| {
            Entry::Judged(Judged { id: "a".into(), verdict: verdict.into(), avoids, ..Judged::default() })
        };
        let lines = vec![
            line("t1", touch("a.rs")),
            line("t1", touch("a.rs")),
            line("", Entry::Asked(asked)),
            line("", Entry::Shown(live)),
            line("s1", Entry::Answer { ids: vec![], text: "a: skip".into() }),
            line("s1", Entry::Final { text: "a: skip".into() }),
            line("", Entry::Queue(queue)),
            line("", Entry::Shown(shown)),
            line("", judged("changed", false)),
            line("", judged("unchanged", false)),
            line("", Entry::Test { pass: true }),
        ];
        let delivered = |id: &str, check: &str, channel| Step::Delivered { ids: vec![(id.into(), check.into())], channel };
        let judged = |settled| Step::Judged { id: "a".into(), settled };
        let want = vec![
            Step::Work("[Read] a.rs".into()),
            delivered("a", "c1", Channel::Stop),
            Step::Said("a: skip".into()),
            delivered("b", "c2", Channel::Queued),
            judged(false),
            judged(true),
        ];
        assert_eq!(of(lines), want);
        assert_eq!(of(vec![line("", touch(&"é".repeat(9_000)))]).len(), 1);
    }
}
