//! Hands over what waits for the session with the next event that takes text for the agent.

use crate::desk::Desk;
use crate::early;
use crate::memory::{Memory, Waiting};
use crate::order::shuffle;
use crate::parcel::Parcel;
use crate::queue;
use crate::rule::Caps;
use crate::scopes;
use crate::stock::Stock;
use crate::wording::{self, HANDED};
use ah::answer::Answer;
use ah::event::{Event, Moment};
use ah::hook::Context;
use ah::lesson::Lesson;
use ah::log;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long another hook that hands over is waited for; what waits then waits for the next event.
const WAIT: Duration = Duration::from_millis(150);

/// Whether the harness gives a text at this event to the agent of the session itself.
pub fn takes(event: &Event, context: &Context) -> bool {
    let moment = matches!(event.moment, Moment::UserPromptSubmit | Moment::PostToolUse | Moment::PostToolUseFailure);
    moment && context.harness.can.context.contains(&event.moment) && !event.in_subagent() && !event.machine_prompt()
}

/// What is handed over at this event, what is named for the first time in it among that.
pub fn deliver(event: &Event, context: &Context, desk: &Desk) -> Answer {
    let topics = match event.moment {
        Moment::UserPromptSubmit => scopes::named(&desk.store, &event.prompt),
        _ => Vec::new(),
    };
    if topics.is_empty() && !queue::waits(desk.paths, &event.session_id) {
        return Answer::Silence;
    }
    if context.probe {
        return Answer::Silence;
    }
    let Ok(lock) = desk.session.lock(WAIT) else { return Answer::Silence };
    let mut memory = match Memory::of(&desk.session) {
        Ok(memory) => memory,
        Err(error) => {
            log::failure(desk.paths, crate::CLI.name, &format!("cannot read the session: {error}"));
            return Answer::Silence;
        }
    };
    let named = early::put(event, desk, &mut memory, &topics, &lock);
    let lessons = match Stock::named(&desk.store, memory.waiting.iter().map(|waiting| waiting.queue.lesson.as_str())) {
        Ok(lessons) => lessons,
        Err(error) => {
            log::failure(desk.paths, crate::CLI.name, &format!("cannot read the lessons: {error}"));
            return Answer::Silence;
        }
    };
    let mut parcel = pack(desk, &memory, &lessons, context.harness.can.text_units, &named);
    parcel.at = event.moment.name();
    parcel.channel = "live";
    parcel.key = format!("live:{}", ah::clock::now_ms());
    let text = parcel.text.clone();
    if parcel.send(context, desk, &memory, lock) { Answer::Context(text) } else { Answer::Silence }
}

/// What of the queue goes out together: questions first, then lessons that are handed over, oldest first.
fn pack(desk: &Desk, memory: &Memory, lessons: &BTreeMap<String, Lesson>, units: usize, named: &[String]) -> Parcel {
    let mut parcel = Parcel::default();
    let mut seen = BTreeSet::new();
    let mut asks: Vec<&Waiting> = Vec::new();
    let mut early: Vec<&Waiting> = Vec::new();
    let mut free: Vec<&Waiting> = Vec::new();
    for waiting in &memory.waiting {
        let id = &waiting.queue.lesson;
        let usable = lessons.get(id).is_some_and(|lesson| lesson.deliverable(&desk.scope.name));
        // What was asked is not asked again; what was seen in any way is not handed over again.
        let had = if waiting.asks() { memory.asked.contains(id) } else { memory.had.contains(id) };
        if !usable || had || !seen.insert(id) {
            parcel.gone.push(waiting.queue.entry.clone());
        } else if waiting.asks() {
            asks.push(waiting);
        } else if waiting.queue.kind == "early" {
            early.push(waiting);
        } else {
            free.push(waiting);
        }
    }
    let total = asks.len() + early.len() + free.len();
    let mut texts = Vec::new();
    let of = |waiting: &[&Waiting]| waiting.iter().filter_map(|w| lessons.get(&w.queue.lesson)).collect::<Vec<_>>();
    let mut asks = fitting(asks, lessons);
    shuffle(&desk.session_id, &mut asks);
    if !asks.is_empty() {
        texts.push(wording::meanwhile(&of(&asks), asks.iter().any(|waiting| waiting.again)));
        parcel.shown.extend(asks.into_iter().cloned());
    }
    for (group, topics) in [(early, named), (free, &[][..])] {
        // A text of the harness's own limit would be cut, and nobody would know where.
        let room = HANDED.min(units.saturating_sub(texts.iter().map(|text| text.len() + 2).sum()));
        let again = group.iter().any(|waiting| waiting.again);
        let (text, count) = wording::handed(&of(&group), room, again, topics);
        if count > 0 {
            texts.push(text);
            parcel.shown.extend(group.into_iter().take(count).cloned());
        }
    }
    parcel.more = parcel.shown.len() < total;
    parcel.text = texts.join("\n\n");
    parcel
}

/// The questions that one text may ask, oldest first.
pub fn fitting<'w>(asks: Vec<&'w Waiting>, lessons: &BTreeMap<String, Lesson>) -> Vec<&'w Waiting> {
    let mut room = Caps::OURS.chars;
    let mut fits = |waiting: &&Waiting| {
        let length = lessons.get(&waiting.queue.lesson).map_or(0, |lesson| wording::item(lesson).chars().count());
        let first = room == Caps::OURS.chars;
        match room.checked_sub(length) {
            Some(left) => {
                room = left;
                true
            }
            None => first,
        }
    };
    asks.into_iter().take(Caps::OURS.questions).take_while(&mut fits).collect()
}
