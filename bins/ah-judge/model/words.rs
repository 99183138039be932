//! The grader that is always there: the gate's own ranking, without a network and without a cost.

use super::{Applies, Ask, Reply};

/// Lessons that are handed over: words that match say little, and less with each rank.
const GRADES: [u8; 3] = [2, 1, 1];

/// The best of the ranking, graded by rank. With `block` the best one is worth a question.
pub fn reply(ask: &Ask, block: bool) -> Reply {
    let shown = ask.ranked.iter().filter(|id| ask.ids.contains(id));
    let graded = shown.zip(GRADES).map(|(id, grade)| {
        let grade = if block && grade == 2 { 3 } else { grade };
        Applies { grade, id: id.clone(), why: "its words match this turn's".to_owned() }
    });
    Reply { applies: graded.collect(), ..Reply::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranking_is_graded_and_only_what_was_shown() {
        let ids = |list: &[&str]| list.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let ask = Ask { ids: ids(&["a", "b", "c", "d"]), ranked: ids(&["x", "c", "a", "d", "b"]), ..Ask::default() };
        let graded = |block| reply(&ask, block).applies.into_iter().map(|one| (one.id, one.grade)).collect::<Vec<_>>();
        assert_eq!(graded(false), [("c".to_owned(), 2), ("a".to_owned(), 1), ("d".to_owned(), 1)]);
        assert_eq!(graded(true)[0], ("c".to_owned(), 3));
        assert!(reply(&Ask::default(), true).applies.is_empty());
    }
}
