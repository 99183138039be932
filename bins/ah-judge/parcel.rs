//! What reaches the agent in one answer, and what is written down of it: once, whatever happens in between.

use crate::desk::Desk;
use crate::ledger::{Graded, Ledger};
use crate::memory::{Memory, Waiting};
use crate::queue;
use ah::clock::now_ms;
use ah::fs::Lock;
use ah::hook::{Context, Fate};
use ah::log;
use ah::session::{Asked, Check, Entry, Logged, Queue, Session, Shown};
use std::collections::BTreeMap;

/// Entries of the queue that go out together.
#[derive(Clone, Debug, Default)]
pub struct Parcel {
    /// At which event.
    pub at: &'static str,
    /// `stop` or `live`: how its questions reach the agent.
    pub channel: &'static str,
    /// Entries that are closed without being shown: their lesson is gone, or the session had it since.
    pub gone: Vec<String>,
    /// The key of the records of its questions.
    pub key: String,
    /// Whether anything else goes on waiting.
    pub more: bool,
    /// What is shown, in the order in which it is.
    pub shown: Vec<Waiting>,
    /// The text.
    pub text: String,
}

/// What is needed once the answer is out.
struct Sent {
    checks: BTreeMap<String, Check>,
    ledger: Ledger,
    lock: Lock,
    parcel: Parcel,
    session: Session,
}

impl Parcel {
    /// Makes it ready: takes its entries, and has the rest written down when the answer is out. The lock is held until
    /// then. False where it cannot be taken: what cannot be written down would be shown for ever.
    pub fn send(self, context: &Context, desk: &Desk, memory: &Memory, lock: Lock) -> bool {
        let mut records = Vec::new();
        if !self.gone.is_empty() {
            let entries = self.gone.clone();
            let gone = Shown { at: self.at.into(), entries, kind: "gone".into(), ..Shown::default() };
            records.push(Logged::new(now_ms(), "", Entry::Shown(gone)));
        }
        if !self.shown.is_empty() {
            let entries = self.shown.iter().map(|waiting| waiting.queue.entry.clone()).collect();
            records.push(Logged::new(now_ms(), "", Entry::Take { entries }));
        }
        if let Err(error) = desk.session.log(records, Some(&lock)) {
            log::failure(desk.paths, crate::CLI.name, &format!("cannot hand over: the session cannot be written: {error}"));
            return false;
        }
        if self.shown.is_empty() {
            if !self.more {
                queue::done(&desk.session, &lock);
            }
            return false;
        }
        let sent =
            Sent { checks: memory.checks.clone(), ledger: desk.ledger(), lock, parcel: self, session: desk.session.clone() };
        let paths = desk.paths;
        context.after(move |fate| {
            if let Err(error) = sent.written(fate) {
                log::failure(paths, crate::CLI.name, &format!("cannot write down what was shown: {error}"));
            }
        });
        true
    }
}

impl Sent {
    fn written(self, fate: Fate) -> std::io::Result<()> {
        let Self { checks, ledger, lock, parcel, session } = self;
        let t = now_ms();
        if fate != Fate::Printed {
            return put_back(&session, t, &parcel.shown, &lock);
        }
        let mut records = Vec::new();
        let mut outcomes = Vec::new();
        let asks = by_check(parcel.shown.iter().filter(|waiting| waiting.asks()));
        for (check, waiting) in &asks {
            let ids: Vec<String> = waiting.iter().map(|waiting| waiting.queue.lesson.clone()).collect();
            let asked = Asked { channel: parcel.channel.into(), check: (*check).into(), ids, text: parcel.text.clone() };
            // Several checks may ask at once, and each key is one record.
            let key = if asks.len() == 1 { parcel.key.clone() } else { format!("{}:{check}", parcel.key) };
            let key = if records.is_empty() { parcel.key.clone() } else { key };
            records.push(Logged::new(t, &key, Entry::Asked(asked)));
            outcomes.push(ledger.asked(t, parcel.channel, check, &graded(&checks, waiting), applied(&checks, check)));
        }
        let mut kinds: BTreeMap<&str, Vec<&Waiting>> = BTreeMap::new();
        parcel.shown.iter().for_each(|waiting| kinds.entry(&waiting.queue.kind).or_default().push(waiting));
        for (kind, waiting) in kinds {
            let shown = Shown {
                at: parcel.at.into(),
                entries: waiting.iter().map(|waiting| waiting.queue.entry.clone()).collect(),
                ids: waiting.iter().map(|waiting| waiting.queue.lesson.clone()).collect(),
                kind: kind.into(),
                repeat: waiting.iter().any(|waiting| waiting.again),
            };
            records.push(Logged::new(t, "", Entry::Shown(shown)));
            if kind == "free" || kind == "early" {
                let channel = if kind == "free" { "queued" } else { kind };
                for (check, waiting) in by_check(waiting.into_iter()) {
                    outcomes.push(ledger.asked(t, channel, check, &graded(&checks, &waiting), applied(&checks, check)));
                }
            }
        }
        session.log(records, Some(&lock))?;
        if !parcel.more {
            queue::done(&session, &lock);
        }
        drop(lock);
        ledger.write(&outcomes)
    }
}

/// Nobody saw them: they wait as before, under new names, so that they do not count as shown once.
fn put_back(session: &Session, t: u64, shown: &[Waiting], lock: &Lock) -> std::io::Result<()> {
    let entries = shown.iter().map(|waiting| waiting.queue.entry.clone()).collect();
    let gone = Shown { entries, kind: "gone".into(), ..Shown::default() };
    let again: Vec<Queue> =
        shown.iter().map(|waiting| Queue { entry: format!("{}+", waiting.queue.entry), ..waiting.queue.clone() }).collect();
    queue::put(session, t, vec![Logged::new(t, "", Entry::Shown(gone))], &again, lock)
}

fn by_check<'w>(waiting: impl Iterator<Item = &'w Waiting>) -> BTreeMap<&'w str, Vec<&'w Waiting>> {
    let mut all: BTreeMap<&str, Vec<&Waiting>> = BTreeMap::new();
    waiting.for_each(|waiting| all.entry(&waiting.queue.check).or_default().push(waiting));
    all
}

fn graded(checks: &BTreeMap<String, Check>, waiting: &[&Waiting]) -> Vec<Graded> {
    let one = |waiting: &&Waiting| {
        let queue = &waiting.queue;
        let rank = checks.get(&queue.check).and_then(|check| check.applied.iter().find(|applied| applied.id == queue.lesson));
        Graded { grade: queue.grade, id: queue.lesson.clone(), rank: rank.map_or(0, |applied| applied.rank) }
    };
    waiting.iter().map(one).collect()
}

fn applied(checks: &BTreeMap<String, Check>, check: &str) -> u64 {
    checks.get(check).map_or(0, |check| check.applied.len() as u64)
}
