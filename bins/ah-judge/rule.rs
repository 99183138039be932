//! What is asked and what is handed over: the fixed rule, with caps.

use std::collections::BTreeSet;

/// How much may be asked and handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Most characters of the questions of a block, each with its line.
    pub chars: usize,
    /// Most lessons of one check.
    pub lessons: usize,
    /// Most questions of a block.
    pub questions: usize,
}

impl Caps {
    /// Ours. The reference system has the 10 only, and for threes and twos not even that.
    pub const OURS: Self = Self { chars: 3_000, lessons: 10, questions: 5 };
}

/// A lesson that the model says applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// Characters of its line in a block.
    pub chars: usize,
    /// 3: the work runs into the consequence unless it is followed; 2: probably relevant; 1: loosely related.
    pub grade: u8,
    /// The lesson.
    pub id: String,
}

/// What becomes of the lessons that apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Asked in a block, most serious first.
    pub ask: Vec<String>,
    /// Handed over at the next event that takes context, most serious first.
    pub free: Vec<String>,
}

/// Decides for lessons in the model's order.
///
/// A three makes a block: the threes, then the twos, then the ones that there is room for; what `caps` leave out is
/// handed over. Without a three, or where nobody may be asked (`may_ask`), all is handed over. What the session `had`
/// before, or what waits for it already, is never handed over again, but may be asked.
pub fn decide(applied: &[Applied], had: &BTreeSet<String>, may_ask: bool, caps: Caps) -> Decision {
    let graded = |grade: u8| applied.iter().filter(move |a| a.grade == grade);
    let serious = graded(3).count();
    let mut decision = Decision::default();
    if serious == 0 || !may_ask {
        let fresh = graded(3).chain(graded(2)).chain(graded(1)).filter(|a| !had.contains(&a.id));
        decision.free = fresh.take(caps.lessons).map(|a| a.id.clone()).collect();
        return decision;
    }
    // Threes and twos all have a place in it; ones only fill it up.
    let most = caps.lessons.max(serious + graded(2).count());
    let mut chars = 0_usize;
    let mut full = false;
    for next in graded(3).chain(graded(2)).chain(graded(1)).take(most) {
        chars = chars.saturating_add(next.chars);
        // The first is asked however long it is, and none goes before one that is more serious.
        full |= decision.ask.len() >= caps.questions || chars > caps.chars && !decision.ask.is_empty();
        if !full {
            decision.ask.push(next.id.clone());
        } else if !had.contains(&next.id) {
            decision.free.push(next.id.clone());
        }
    }
    decision
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        grades_in_model_order: String,
        had: BTreeSet<String>,
        ask: Vec<String>,
        free: Vec<String>,
    }

    const REFERENCE: Caps = Caps { chars: usize::MAX, lessons: 10, questions: usize::MAX };

    fn applied(grades: &str) -> Vec<Applied> {
        let digits = grades.chars().enumerate();
        digits.map(|(n, g)| Applied { chars: 100, grade: g.to_digit(10).unwrap() as u8, id: format!("a{n}") }).collect()
    }

    fn cases() -> Vec<Case> {
        serde_json::from_str(include_str!("../../tests/data/golden/graded.json")).unwrap()
    }

    #[test]
    fn golden() {
        assert!(cases().len() >= 20);
        for case in cases() {
            let Decision { ask, free } = decide(&applied(&case.grades_in_model_order), &case.had, true, REFERENCE);
            assert_eq!((ask, free), (case.ask, case.free), "{}", case.grades_in_model_order);
        }
    }

    #[test]
    fn caps_lose_nothing() {
        for case in cases() {
            let Decision { ask, free } = decide(&applied(&case.grades_in_model_order), &case.had, true, Caps::OURS);
            assert!(ask.len() <= 5 && case.ask.starts_with(&ask) && ask.is_empty() == case.ask.is_empty());
            let rest: Vec<String> = case.ask[ask.len()..].iter().filter(|id| !case.had.contains(*id)).cloned().collect();
            assert_eq!(free, if case.ask.is_empty() { case.free } else { rest });
        }
    }

    #[test]
    fn a_long_question_leaves_room_for_no_lesser_one() {
        let mut all = applied("3321");
        all[1].chars = 2_950;
        let Decision { ask, free } = decide(&all, &BTreeSet::new(), true, Caps::OURS);
        assert_eq!((ask, free), (vec!["a0".to_owned()], vec!["a1".to_owned(), "a2".to_owned(), "a3".to_owned()]));
        all[0].chars = 9_000;
        assert_eq!(decide(&all, &BTreeSet::new(), true, Caps::OURS).ask, ["a0"]);
    }

    #[test]
    fn where_nobody_may_be_asked_the_serious_are_handed_over_first() {
        let Decision { ask, free } = decide(&applied("1233"), &BTreeSet::from(["a2".to_owned()]), false, Caps::OURS);
        assert_eq!((ask.len(), free), (0, vec!["a3".to_owned(), "a1".to_owned(), "a0".to_owned()]));
    }
}
