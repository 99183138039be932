//! Which lessons are hidden because another has taken their place.

use crate::lesson::Lesson;
use std::collections::{BTreeMap, BTreeSet};

/// Each hidden lesson with the one at the end of its chain. A lesson that is not there hides nothing, and two that would
/// replace each other, directly or by others, both stay. Of several that hide one, the newest is its successor.
pub fn hidden(lessons: &[Lesson]) -> BTreeMap<String, String> {
    let by: BTreeMap<&str, &Lesson> = lessons.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    let mut next: BTreeMap<&str, &Lesson> = BTreeMap::new();
    for lesson in lessons {
        for old in lesson.supersedes.iter().filter_map(|old| by.get(old.as_str())) {
            if reaches(old, &lesson.id, &by) {
                continue;
            }
            let newest = next.entry(&old.id).or_insert(lesson);
            if (lesson.origin_ms, &lesson.id) > (newest.origin_ms, &newest.id) {
                *newest = lesson;
            }
        }
    }
    let end = |start: &str| {
        let mut at = start;
        let mut seen = BTreeSet::new();
        while let Some(to) = next.get(at).filter(|_| seen.insert(at)) {
            at = &to.id;
        }
        at.to_owned()
    };
    next.keys().map(|id| ((*id).to_owned(), end(id))).collect()
}

/// Whether `from` supersedes `to`, directly or by others.
fn reaches(from: &Lesson, to: &str, by: &BTreeMap<&str, &Lesson>) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(lesson) = open.pop() {
        if lesson.id == to {
            return true;
        }
        if seen.insert(&lesson.id) {
            open.extend(lesson.supersedes.iter().filter_map(|id| by.get(id.as_str()).copied()));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(id: &str, origin_ms: u64, supersedes: &[&str]) -> Lesson {
        let supersedes = supersedes.iter().map(|id| (*id).to_owned()).collect();
        Lesson { id: id.into(), origin_ms, supersedes, ..Lesson::default() }
    }

    #[test]
    fn chains_end_and_circles_hide_nothing() {
        let all = [lesson("a", 1, &[]), lesson("b", 2, &["a"]), lesson("c", 3, &["b", "none"]), lesson("d", 4, &["a"])];
        let hidden = hidden(&all);
        assert_eq!(hidden, BTreeMap::from([("a".into(), "d".into()), ("b".into(), "c".into())]));
        let circle = [lesson("a", 1, &["c"]), lesson("b", 2, &["a"]), lesson("c", 3, &["b"]), lesson("x", 1, &["x"])];
        assert!(super::hidden(&circle).is_empty());
    }
}
