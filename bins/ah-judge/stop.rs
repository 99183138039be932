//! The agent wants to stop: one question to the model where the gate says so, and at most one block.

use crate::check::{self, Done, Plan};
use crate::deliver::fitting;
use crate::desk::Desk;
use crate::live;
use crate::memory::{Memory, Waiting, ask_key};
use crate::model::Ask;
use crate::order::shuffle;
use crate::parcel::Parcel;
use crate::pending::Channel;
use crate::settings::Model;
use crate::stock::Stock;
use crate::wording;
use ah::answer::Answer;
use ah::clock::{Deadline, now_ms};
use ah::event::{Event, Moment};
use ah::harness;
use ah::hook::{Context, Edges};
use ah::lesson::Lesson;
use ah::log;
use ah::session::{Closer, Entry, Home, Logged};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::{Duration, Instant};

/// What the harness gives a stop: the time that ah registers it with.
const BUDGET: Duration = Duration::from_secs(90);
/// What is left of it for everything but the model.
const SPARE: Duration = Duration::from_secs(3);
/// How long the session's lock is waited for.
const WAIT: Duration = Duration::from_secs(2);
/// Most characters of what the agent says to a question.
const ANSWER: usize = 4_000;

/// What the gate says of a turn: the `"ah"` field of a pipeline.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Gate {
    /// The key of the closing line.
    open: String,
    /// Lessons, best first.
    shortlist: Vec<String>,
    /// `waiting`: not the score opened it.
    why: String,
}

/// The judge's answer at a stop.
pub fn stop(event: &Event, context: &Context, desk: &Desk) -> Answer {
    let begun = Instant::now();
    let say = |text: &str| context.explain.say(|| text.to_owned());
    if context.probe {
        say("a probe: no model is asked");
        return Answer::Silence;
    }
    let fail = |what: &str, error: &std::io::Error| {
        let text = format!("{what}: {error}");
        log::failure(desk.paths, crate::CLI.name, &text);
        say(&format!("could not run: {text}"));
        Answer::Silence
    };
    // What was answered is kept whatever comes of the rest.
    if let Err(error) = answered(event, desk) {
        return fail("cannot write down what was answered", &error);
    }
    if ah::mesh::paused(desk.paths, &event.session_id, now_ms()).is_some() {
        say("a person has paused this session: no model is asked");
        return Answer::Silence;
    }
    if event.stop_hook_active {
        say("this stop follows a question: never a second one");
        return Answer::Silence;
    }
    let gate = match gate(event, desk) {
        Ok(Some(gate)) => gate,
        Ok(None) => {
            say("the gate says that this turn is worth no model");
            return Answer::Silence;
        }
        Err(error) => return fail("cannot close the turn", &error),
    };
    // A check that runs is waited for, and none begins until this stop is over.
    let live = match live::at_stop(desk, &desk.live, &gate.open, BUDGET) {
        Ok(live) => live,
        Err(error) => return fail("cannot wait for the live check", &error),
    };
    let memory = match Memory::with_turn(&desk.session, Some(&gate.open)) {
        Ok(memory) => memory,
        Err(error) => return fail("cannot read the session", &error),
    };
    let may_ask = may_ask(event, context, desk, &memory);
    context.explain.say(|| match &may_ask {
        Ok(()) => "a question may stop this turn".to_owned(),
        Err(why) => format!("no question stops this turn: {why}"),
    });
    let live_waits = memory.waiting.iter().any(|waiting| waiting.queue.kind == "live");
    if live.covered || live.running {
        say(if live.covered { "a live check has seen every change" } else { "a live check still runs" });
    } else if !(gate.why == "waiting" && live_waits) {
        let left = BUDGET.saturating_sub(SPARE).saturating_sub(begun.elapsed());
        let plan = Plan {
            channel: Channel::Stop,
            deadline: Deadline::after(left.min(desk.settings.timeout)),
            judges: true,
            may_ask: may_ask.is_ok(),
            of: &gate.open,
            said: &event.last_assistant_message,
            shortlist: &gate.shortlist,
        };
        match check::run(desk, &plan, &memory) {
            Ok(done) => say(&told(&done)),
            Err(error) => return fail("cannot check the turn", &error),
        }
    }
    if may_ask.is_err() {
        return Answer::Silence;
    }
    block(event, context, desk).unwrap_or_else(|error| fail("cannot ask", &error))
}

/// What this stop would ask the model, without asking; `None` where there is nothing to ask about.
///
/// # Errors
/// The session or the lessons cannot be read.
pub fn question(event: &Event, desk: &Desk) -> std::io::Result<Option<Ask>> {
    let gate = event.ah.and_then(passed).unwrap_or_default();
    let memory = Memory::with_turn(&desk.session, Some(gate.open.as_str()).filter(|open| !open.is_empty()))?;
    let plan = Plan {
        channel: Channel::Stop,
        deadline: Deadline::after(desk.settings.timeout),
        judges: true,
        may_ask: false,
        of: &gate.open,
        said: &event.last_assistant_message,
        shortlist: &gate.shortlist,
    };
    check::question(desk, &plan, &memory)
}

/// The three outcomes, for people.
fn told(done: &Done) -> String {
    match done {
        Done::Answered { ask, free } if ask.is_empty() => format!("nothing to ask; {free} to be handed over"),
        Done::Answered { ask, free } => format!("to ask: {}; {free} to be handed over", ask.join(", ")),
        Done::Failed(why) => format!("could not run: {why}"),
        Done::Skipped(why) => format!("nothing to ask: {why}"),
    }
}

/// What the gate says: passed on by the program before this one in the pipe, else found out here, which closes the turn;
/// `None` where it is worth no model.
fn gate(event: &Event, desk: &Desk) -> std::io::Result<Option<Gate>> {
    if let Some(ah) = event.ah {
        return Ok(passed(ah).filter(|gate| !gate.open.is_empty()));
    }
    let Some(home) = Home::of(desk.paths, event, &|_| ())? else { return Ok(None) };
    let Closer { key, open, shortlist, why, .. } = ah::stop::stop(&home, &desk.store, event)?;
    Ok(open.then_some(Gate { open: key, shortlist, why }))
}

fn passed(ah: &RawValue) -> Option<Gate> {
    serde_json::from_str(ah.get()).ok()
}

/// Whether a question may stop this turn, or why not.
fn may_ask(event: &Event, context: &Context, desk: &Desk, memory: &Memory) -> Result<(), &'static str> {
    if !context.harness.can.block.contains(&Moment::Stop) {
        return Err("this harness cannot be told to go on");
    }
    if harness::headless(Edges::SYSTEM.env) && !desk.settings.block_headless {
        return Err("nobody watches (judge.block_headless)");
    }
    if desk.settings.model == Model::Words && !desk.settings.words_block {
        return Err("words alone ask nothing (judge.words.block)");
    }
    if memory.stopped(&event.prompt_id) {
        return Err("it was stopped already");
    }
    Ok(())
}

/// Keeps what the agent says at the first stop after a question.
fn answered(event: &Event, desk: &Desk) -> std::io::Result<()> {
    let memory = Memory::of(&desk.session)?;
    if memory.unanswered.is_empty() {
        return Ok(());
    }
    let text = event.last_assistant_message.chars().take(ANSWER).collect();
    let key = memory.last_ask.unwrap_or_default();
    let answer = Entry::Answer { ids: memory.unanswered.clone(), text };
    desk.session.log(vec![Logged::new(now_ms(), &format!("answer:{key}:{}", memory.unanswered.join(",")), answer)], None)
}

/// Asks what waits to be asked, by a block.
fn block(event: &Event, context: &Context, desk: &Desk) -> std::io::Result<Answer> {
    let lock = desk.session.lock(WAIT)?;
    let memory = Memory::of(&desk.session)?;
    if memory.stopped(&event.prompt_id) {
        return Ok(Answer::Silence);
    }
    let asks: Vec<&Waiting> = memory.waiting.iter().filter(|waiting| waiting.queue.kind == "live").collect();
    if asks.is_empty() {
        return Ok(Answer::Silence);
    }
    let lessons = Stock::named(&desk.store, asks.iter().map(|waiting| waiting.queue.lesson.as_str()))?;
    let (usable, gone): (Vec<&Waiting>, Vec<&Waiting>) = asks.into_iter().partition(|waiting| {
        let id = &waiting.queue.lesson;
        !memory.asked.contains(id) && lessons.get(id).is_some_and(|lesson| lesson.deliverable(&desk.scope.name))
    });
    let mut shown = fitting(usable, &lessons);
    shuffle(&desk.session_id, &mut shown);
    let texts: Vec<&Lesson> = shown.iter().filter_map(|waiting| lessons.get(&waiting.queue.lesson)).collect();
    let text = if texts.is_empty() { String::new() } else { wording::block(&texts, shown.iter().any(|w| w.again)) };
    let parcel = Parcel {
        at: Moment::Stop.name(),
        channel: "stop",
        gone: gone.iter().map(|waiting| waiting.queue.entry.clone()).collect(),
        key: match &*event.prompt_id {
            "" => ask_key(&format!("at:{}", now_ms())),
            prompt => ask_key(prompt),
        },
        more: shown.len() + gone.len() < memory.waiting.len(),
        shown: shown.into_iter().cloned().collect(),
        text: text.clone(),
    };
    Ok(if parcel.send(context, desk, &memory, lock) { Answer::Block(text) } else { Answer::Silence })
}
