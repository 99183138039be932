//! Whose lessons were reversed: the reference's trust in an engineer in one area, and which lessons are hidden by it.

use crate::lesson::Lesson;
use crate::outcome::{Kind, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// What is thought of one of whom nothing is known.
pub const NEUTRAL: f64 = 0.5;

/// How often an engineer was right in an area.
#[derive(Default)]
struct Record {
    corrected: f64,
    followed: f64,
    superseded: f64,
}

/// The trust in each lesson, by its place.
pub fn trust(lessons: &[Lesson], outcomes: &[Outcome]) -> Vec<f64> {
    let by: BTreeMap<&str, &Lesson> = lessons.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    let mut records: BTreeMap<(&str, &str), Record> = BTreeMap::new();
    for lesson in lessons {
        for old in replaced(lesson, &by) {
            for engineer in &old.engineers {
                records.entry((engineer, &old.area)).or_default().superseded += 1.0;
            }
        }
    }
    for outcome in outcomes {
        let add: fn(&mut Record) = match outcome.kind {
            Kind::AskedThenCorrected | Kind::Vetoed => |record| record.corrected += 1.0,
            Kind::AskedNotCorrected => |record| record.followed += 1.0,
            _ => continue,
        };
        for lesson in outcome.lessons.iter().filter_map(|id| by.get(id.as_str())) {
            for engineer in &lesson.engineers {
                add(records.entry((engineer, &lesson.area)).or_default());
            }
        }
    }
    let of = |engineer: &str, area: &str| {
        let none = Record::default();
        let r = records.get(&(engineer, area)).unwrap_or(&none);
        (1.0 + r.followed) / (2.0 + r.followed + r.corrected + 2.0 * r.superseded)
    };
    let lesson = |lesson: &Lesson| match lesson.engineers.as_slice() {
        [] => NEUTRAL,
        all => all.iter().map(|engineer| of(engineer, &lesson.area)).sum::<f64>() / all.len() as f64,
    };
    lessons.iter().map(lesson).collect()
}

/// The lessons that one takes the place of: those that are there and do not take its own place in turn.
fn replaced<'l>(lesson: &Lesson, by: &BTreeMap<&str, &'l Lesson>) -> Vec<&'l Lesson> {
    let there = lesson.supersedes.iter().filter_map(|old| by.get(old.as_str()).copied());
    there.filter(|old| !reaches(old, &lesson.id, by)).collect()
}

fn reaches(from: &Lesson, to: &str, by: &BTreeMap<&str, &Lesson>) -> bool {
    let (mut open, mut seen) = (vec![from.id.as_str()], BTreeSet::new());
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if seen.insert(at) {
            open.extend(by.get(at).into_iter().flat_map(|lesson| lesson.supersedes.iter().map(String::as_str)));
        }
    }
    false
}

/// Each hidden lesson's place with that of its successor.
pub fn hidden(lessons: &[Lesson], trust: &[f64]) -> BTreeMap<usize, usize> {
    let by: BTreeMap<&str, &Lesson> = lessons.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    let place: BTreeMap<&str, usize> = lessons.iter().enumerate().map(|(at, lesson)| (lesson.id.as_str(), at)).collect();
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, lesson) in lessons.iter().enumerate() {
        for old in replaced(lesson, &by) {
            let under = place[old.id.as_str()];
            let shared = old.engineers.iter().any(|engineer| lesson.engineers.contains(engineer));
            if !(shared || lesson.source == "queen" || trust[at] >= trust[under]) {
                continue;
            }
            let newest = next.entry(under).or_insert(at);
            if (lesson.origin_ms, &lesson.id) > (lessons[*newest].origin_ms, &lessons[*newest].id) {
                *newest = at;
            }
        }
    }
    let end = |mut at: usize| {
        for _ in 0..lessons.len() {
            match next.get(&at) {
                Some(further) => at = *further,
                None => break,
            }
        }
        at
    };
    next.keys().map(|at| (*at, end(*at))).collect()
}
