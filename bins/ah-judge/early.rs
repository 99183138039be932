//! Lessons whose name comes up for the first time in a session: handed over at that prompt, before the mistake.

use crate::check_id::check_id;
use crate::desk::Desk;
use crate::memory::{Memory, Waiting};
use crate::queue;
use crate::scopes::Topic;
use crate::stock::Stock;
use ah::clock::now_ms;
use ah::compat::Bm25;
use ah::event::Event;
use ah::fs::Lock;
use ah::lesson::Lesson;
use ah::log;
use ah::session::{Entry, Logged, Queue};
use ah::tokens;

/// How often in a session.
const TIMES: usize = 3;
/// Most lessons at once.
const LESSONS: usize = 5;
/// The part of the best match that a lesson must reach.
const NEAR: f64 = 0.5;

/// Puts lessons of these topics into the queue, and among what is known to wait; the topics that are new.
pub fn put(event: &Event, desk: &Desk, memory: &mut Memory, topics: &[Topic], lock: &Lock) -> Vec<String> {
    let fresh: Vec<Topic> = topics.iter().filter(|topic| !memory.topics.contains(&topic.name)).cloned().collect();
    if fresh.is_empty() || memory.early >= TIMES {
        return Vec::new();
    }
    let chosen = match choose(desk, memory, &fresh, &event.prompt) {
        Ok(chosen) if !chosen.is_empty() => chosen,
        Ok(_) => return Vec::new(),
        Err(error) => {
            log::failure(desk.paths, crate::CLI.name, &format!("cannot read the lessons: {error}"));
            return Vec::new();
        }
    };
    let t = now_ms();
    let check = check_id(&event.session_id, "early", t.cast_signed(), std::process::id());
    let entries: Vec<Queue> = chosen.iter().map(|lesson| queue::entry(&check, &lesson.id, 0, "early")).collect();
    let names: Vec<String> = fresh.into_iter().map(|topic| topic.name).collect();
    let record = Logged::new(t, &format!("early:{check}"), Entry::Early { topics: names.clone() });
    if let Err(error) = queue::put(&desk.session, t, vec![record], &entries, lock) {
        log::failure(desk.paths, crate::CLI.name, &format!("cannot hand over: the session cannot be written: {error}"));
        return Vec::new();
    }
    memory.waiting.extend(entries.into_iter().map(|queue| Waiting { queue, again: false }));
    names
}

/// The lessons about these topics that match the prompt best.
fn choose(desk: &Desk, memory: &Memory, topics: &[Topic], prompt: &str) -> std::io::Result<Vec<Lesson>> {
    let skip = memory.had_or_waiting();
    let ids = topics.iter().flat_map(|topic| &topic.lessons).map(String::as_str);
    let mut lessons = Stock::named(&desk.store, ids)?;
    lessons.retain(|id, lesson| {
        let about = topics.iter().any(|topic| lesson.scope.iter().any(|name| name.trim() == topic.name));
        about && lesson.deliverable(&desk.scope.name) && !skip.contains(id)
    });
    let lessons: Vec<Lesson> = lessons.into_values().collect();
    let documents: Vec<Vec<Vec<String>>> = lessons.iter().map(|lesson| vec![tokens::tokens(&lesson.question)]).collect();
    let scores = Bm25::new(&documents).scores(&tokens::tokens(prompt));
    let best = scores.iter().copied().fold(0.0, f64::max);
    let mut ranked: Vec<(f64, Lesson)> = scores.into_iter().zip(lessons).filter(|(score, _)| *score >= NEAR * best).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.origin_ms.cmp(&a.1.origin_ms)));
    Ok(ranked.into_iter().take(LESSONS).map(|(_, lesson)| lesson).collect())
}
