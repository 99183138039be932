//! One check: the lessons that may apply, one question to the model, and what is decided of its answer.

use crate::check_id::check_id;
use crate::desk::Desk;
use crate::ledger::Graded;
use crate::memory::Memory;
use crate::model::{self, Ask, Code, Outcome, Parts, Reply, Shown, Usage};
use crate::pending::{self, Channel, Pending};
use crate::pool::{self, Item};
use crate::queue;
use crate::rule::{self, Caps};
use crate::stock::Stock;
use crate::{verdict, wording, work};
use ah::clock::{Deadline, now_ms};
use ah::lesson::Lesson;
use ah::outcome::{self, Beliefs};
use ah::session::{Applied, Check, Entry, Judged, Logged, Queue};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

/// How long the session's lock is waited for before a call, and after one.
const WAIT: Duration = Duration::from_secs(2);

/// What is checked.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// `Stop` or `Live`.
    pub channel: Channel,
    /// When there must be an answer.
    pub deadline: Deadline,
    /// Whether deliveries that wait for a verdict are judged too.
    pub judges: bool,
    /// Whether serious lessons may become questions.
    pub may_ask: bool,
    /// The key of the turn's closing line, or `live:N`: no more than one check is of one.
    pub of: &'a str,
    /// What the agent says at this stop; empty while it works.
    pub said: &'a str,
    /// Lessons as the gate ranks them, best first.
    pub shortlist: &'a [String],
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// The model answered; what it chose is in the queue.
    Answered {
        /// Lessons to be asked, most serious first.
        ask: Vec<String>,
        /// How many are handed over.
        free: usize,
    },
    /// It could not be asked, and why.
    Failed(String),
    /// There was nothing to ask it about, and why.
    Skipped(&'static str),
}

/// A check that has begun.
struct Running<'a> {
    desk: &'a Desk,
    id: String,
    lessons: BTreeMap<&'a str, &'a Lesson>,
    pending: Pending,
    plan: &'a Plan<'a>,
    /// Ids in the order in which lessons that the gate did not rank are shown, if there is room.
    rest: Vec<String>,
}

/// Runs a check of the turn that is in `memory`.
///
/// # Errors
/// The session or the lessons cannot be read or written.
pub fn run(desk: &Desk, plan: &Plan, memory: &Memory) -> io::Result<Done> {
    with(desk, plan, memory, |running, pool| running.run(pool, memory))
}

/// What a check would ask, without one; `None` where there is nothing to ask about.
///
/// # Errors
/// The session or the lessons cannot be read.
pub fn question(desk: &Desk, plan: &Plan, memory: &Memory) -> io::Result<Option<Ask>> {
    with(desk, plan, memory, |running, pool| {
        Ok((!pool.is_empty() || running.pending.asks()).then(|| running.question(pool, memory)))
    })
}

/// Has `then` go on with a check of the lessons that may apply.
fn with<T>(desk: &Desk, plan: &Plan, memory: &Memory, then: impl FnOnce(&Running, &[&Lesson]) -> io::Result<T>) -> io::Result<T> {
    let named = memory.had.iter().chain(plan.shortlist).map(String::as_str);
    let stock = Stock::of(&desk.store, named)?;
    let outcomes = outcome::read(&desk.store.outcomes_file()).unwrap_or_default();
    let beliefs = Beliefs::of(&outcomes);
    let place = work::place(&desk.scope.name, &memory.turn, plan.said);
    let waiting: BTreeSet<&str> = memory.waiting.iter().map(|waiting| waiting.queue.lesson.as_str()).collect();
    let eligible = |lesson: &&Lesson| {
        lesson.deliverable(&desk.scope.name)
            && !memory.asked.contains(&lesson.id)
            && !waiting.contains(lesson.id.as_str())
            && lesson.in_scope(&place)
            && !beliefs.get(&lesson.id, lesson.origin_ms).muted
    };
    let pool: Vec<&Lesson> = stock.lessons.iter().filter(eligible).collect();
    let id = check_id(&desk.session_id, plan.channel.text(), now_ms().cast_signed(), std::process::id());
    let known: BTreeSet<&str> = stock.lessons.iter().map(|lesson| lesson.id.as_str()).collect();
    let pending = match plan.judges {
        true => {
            let steps = pending::steps(&desk.session, plan.of)?;
            Pending::of(&steps, plan.said, &known, &id, plan.channel == Channel::Live)
        }
        false => Pending::default(),
    };
    let lessons = stock.lessons.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    let running = Running { desk, id, lessons, pending, plan, rest: useful(&pool, &beliefs) };
    then(&running, &pool)
}

impl Running<'_> {
    fn run(&self, pool: &[&Lesson], memory: &Memory) -> io::Result<Done> {
        if pool.is_empty() && !self.pending.asks() {
            return self.skipped("empty");
        }
        if let Some(done) = self.begin()? {
            return Ok(done);
        }
        let ask = self.question(pool, memory);
        match model::ask(&self.desk.settings, &ask, self.plan.deadline, Some(self.desk.paths)) {
            Outcome::Answered(reply, usage) => self.answered(&reply, &usage),
            // Whoever switched it off needs no line in the log for each turn.
            Outcome::Failed { reason, .. } if reason.code == Code::Off => self.skipped("off"),
            Outcome::Failed { reason, usage } => {
                let why = format!("{}: {}", reason.code.text(), reason.text);
                let ledger = self.desk.ledger();
                ledger.write(&[ledger.graded(now_ms(), self.plan.channel.text(), &self.id, &[], &usage, Some(&reason))])?;
                self.log("failed", &why, &usage, Vec::new())?;
                Ok(Done::Failed(why))
            }
        }
    }

    /// Writes down that this check begins, so that no other pays for the same turn; what to do where one did before.
    fn begin(&self) -> io::Result<Option<Done>> {
        let lock = self.desk.session.lock(WAIT)?;
        let mut there = false;
        self.desk.session.entries_back(|logged| {
            there |= matches!(&logged.entry, Entry::Check(check) if check.of == self.plan.of);
            !there && logged.key != self.plan.of
        })?;
        if there {
            return Ok(Some(Done::Skipped("checked")));
        }
        let begun = self.record("started", "", &Usage::of(&self.desk.settings), Vec::new());
        self.desk.session.log(vec![Logged::new(now_ms(), &format!("begin:{}", self.id), Entry::Check(begun))], Some(&lock))?;
        Ok(None)
    }

    fn question(&self, pool: &[&Lesson], memory: &Memory) -> Ask {
        let items = pool.iter().map(|lesson| Item::new(&as_shown(lesson))).collect();
        let items = pool::fill(items, self.plan.shortlist, &self.rest, pool::BUDGET);
        let kept: BTreeSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
        let lessons: Vec<Shown> =
            pool.iter().filter(|lesson| kept.contains(lesson.id.as_str())).map(|lesson| as_shown(lesson)).collect();
        let work = self.pending.strip(&work::text(&memory.turn, self.plan.said));
        let look = |id: &str| self.lessons.get(id).map(|lesson| as_shown(lesson));
        self.pending.groups(&look, |groups| {
            Ask::of(&Parts {
                lessons: &lessons,
                pending: groups,
                ranked: self.plan.shortlist,
                session: &self.desk.session_id,
                turn: self.plan.of,
                work: &work,
            })
        })
    }

    /// Decides, and writes everything down in the order in which nothing that follows is there without what it follows
    /// from.
    fn answered(&self, reply: &Reply, usage: &Usage) -> io::Result<Done> {
        let (desk, t) = (self.desk, now_ms());
        let ledger = desk.ledger();
        let graded: Vec<Graded> =
            (0_u64..).zip(&reply.applies).map(|(rank, one)| Graded { grade: one.grade, id: one.id.clone(), rank }).collect();
        let (judged, mut outcomes) = verdict::of(&self.pending, reply, &ledger, t);
        outcomes.push(ledger.graded(t, self.plan.channel.text(), &self.id, &graded, usage, None));
        ledger.write(&outcomes)?;
        let lock = desk.session.lock(WAIT)?;
        // Other hooks went on while the model thought: what they showed is not handed over again.
        let memory = Memory::of(&desk.session)?;
        let fresh = |id: &str| !memory.asked.contains(id);
        let applied: Vec<rule::Applied> = reply
            .applies
            .iter()
            .filter(|one| fresh(&one.id))
            .filter_map(|one| {
                let lesson = self.lessons.get(one.id.as_str())?;
                Some(rule::Applied { chars: wording::item(lesson).chars().count(), grade: one.grade, id: one.id.clone() })
            })
            .collect();
        let decision = rule::decide(&applied, &memory.had_or_waiting(), self.plan.may_ask, Caps::OURS);
        let grade = |id: &String| applied.iter().find(|one| one.id == *id).map_or(0, |one| one.grade);
        let put = |id: &String, kind: &str| queue::entry(&self.id, id, grade(id), kind);
        let mut entries: Vec<Queue> = decision.ask.iter().map(|id| put(id, "live")).collect();
        entries.extend(decision.free.iter().map(|id| put(id, "free")));
        let chosen = graded.iter().map(|one| Applied { grade: one.grade, id: one.id.clone(), rank: one.rank }).collect();
        let mut records: Vec<Logged> = judged.into_iter().map(|one| self.judged(one, t)).collect();
        let check = self.record("answered", "", usage, chosen);
        records.push(Logged::new(t, &self.id, Entry::Check(check)));
        queue::put(&desk.session, t, records, &entries, &lock)?;
        Ok(Done::Answered { ask: decision.ask, free: decision.free.len() })
    }

    fn judged(&self, one: verdict::Judged, t: u64) -> Logged {
        let verdict::Judged { avoids, check, id, verdict, stripped } = one;
        let key = format!("{}:{id}", self.id);
        Logged::new(t, &key, Entry::Judged(Judged { avoids, check, id, stripped, verdict: verdict.text().to_owned() }))
    }

    fn skipped(&self, why: &'static str) -> io::Result<Done> {
        self.log("skipped", why, &Usage::of(&self.desk.settings), Vec::new())?;
        Ok(Done::Skipped(why))
    }

    fn log(&self, outcome: &str, reason: &str, usage: &Usage, applied: Vec<Applied>) -> io::Result<()> {
        let check = self.record(outcome, reason, usage, applied);
        self.desk.session.log(vec![Logged::new(now_ms(), &self.id, Entry::Check(check))], None)
    }

    fn record(&self, outcome: &str, reason: &str, usage: &Usage, applied: Vec<Applied>) -> Check {
        Check {
            applied,
            check: self.id.clone(),
            model: usage.model.clone(),
            ms: usage.ms,
            of: self.plan.of.to_owned(),
            outcome: outcome.to_owned(),
            reason: reason.to_owned(),
            usage: usage.units.clone(),
        }
    }
}

/// The ids of lessons, the most useful first, of equals the newest.
fn useful(pool: &[&Lesson], beliefs: &Beliefs) -> Vec<String> {
    let mut all: Vec<(f64, &Lesson)> =
        pool.iter().map(|lesson| (beliefs.get(&lesson.id, lesson.origin_ms).order(), *lesson)).collect();
    all.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| y.origin_ms.cmp(&x.origin_ms)));
    all.into_iter().map(|(_, lesson)| lesson.id.clone()).collect()
}

fn as_shown(lesson: &Lesson) -> Shown<'_> {
    Shown { consequence: &lesson.consequence, id: &lesson.id, question: &lesson.question }
}
