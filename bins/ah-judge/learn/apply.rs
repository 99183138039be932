//! What a draft changes in the store.

use super::draft::{Draft, Texts};
use crate::episode::{Episode, State};
use ah::lesson::{Lesson, Reach};
use ah::outcome::Kind;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// From which share of common words (Dice) on two questions are one.
const ALIKE: f64 = 0.9;

/// What is to be written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What becomes of the episode.
    pub state: State,
    /// The lesson as it is to be, if there is one.
    pub lesson: Option<Lesson>,
    /// The lesson that it comes from or takes the place of.
    pub before: Option<Lesson>,
    /// What the correction says of a lesson that had been asked before it.
    pub corrected: Option<(Kind, String)>,
    /// Why nothing was learned.
    pub why: String,
}

/// What `draft` makes of an episode among `lessons`. A new lesson that asks what one of them asks already is that one.
pub fn change(draft: Draft, episode: &Episode, lessons: &[Lesson]) -> Change {
    let find = |id: &str| lessons.iter().find(|lesson| lesson.id == id).cloned();
    let none = |why: String| Change { state: State::Nothing, lesson: None, before: None, corrected: None, why };
    let (of, texts) = match draft {
        Draft::Nothing(why) => return none(why),
        Draft::New(texts) => match lessons.iter().find(|l| l.reach != Reach::Personal && alike(&l.question, &texts.question)) {
            Some(same) => return merged(same.clone(), texts, episode),
            None => (None, texts),
        },
        Draft::Same(id, texts) => match find(&id) {
            Some(same) => return merged(same, texts, episode),
            None => (None, texts),
        },
        Draft::Contradicts(id, texts) => (find(&id), texts),
    };
    let mut lesson = fresh(texts, episode, lessons);
    let corrected = of.as_ref().and_then(|old| corrected(&old.id, episode));
    let state = if of.is_some() { State::Superseded } else { State::Learned };
    lesson.supersedes = of.iter().map(|old| old.id.clone()).collect();
    // Who shares an author may replace; a person's word stands over the older one whoever gave that.
    if let Some(old) = &of {
        lesson.engineers.extend(old.engineers.iter().cloned());
        lesson.engineers.sort();
        lesson.engineers.dedup();
    }
    Change { state, lesson: Some(lesson), before: of, corrected, why: String::new() }
}

fn fresh(texts: Texts, episode: &Episode, lessons: &[Lesson]) -> Lesson {
    let start: String = episode.session.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
    let mut ms = episode.ms;
    let mut id = format!("L{start}-{ms}");
    while lessons.iter().any(|lesson| lesson.id == id) {
        ms += 1;
        id = format!("L{start}-{ms}");
    }
    let mut lesson = Lesson {
        id,
        consequence: texts.consequence,
        engineers: Some(&episode.engineer).filter(|e| !e.is_empty()).cloned().into_iter().collect(),
        origin_ms: episode.ms,
        question: texts.question,
        reach: if texts.repo_only { Reach::Repo } else { Reach::Team },
        repo: episode.repo.clone(),
        scope: texts.scope,
        situations: texts.situations,
        support: 1,
        version: 1,
        ..Lesson::default()
    };
    came_from(&mut lesson, episode);
    lesson
}

/// The lesson with one more episode, worded as the draft says.
fn merged(old: Lesson, texts: Texts, episode: &Episode) -> Change {
    let mut lesson = old.clone();
    lesson.question = texts.question;
    if !texts.consequence.is_empty() {
        lesson.consequence = texts.consequence;
    }
    let mut seen = BTreeSet::new();
    let both = texts.situations.into_iter().chain(lesson.situations);
    lesson.situations = both.filter(|situation| seen.insert(situation.to_lowercase())).take(3).collect();
    // What was learned in a second repository is no habit of the first.
    if lesson.reach == Reach::Repo && !lesson.repo.eq_ignore_ascii_case(&episode.repo) {
        lesson.reach = Reach::Team;
    }
    if !episode.engineer.is_empty() && !lesson.engineers.contains(&episode.engineer) {
        lesson.engineers.push(episode.engineer.clone());
    }
    lesson.version += 1;
    lesson.support += 1;
    came_from(&mut lesson, episode);
    let corrected = corrected(&old.id, episode);
    Change { state: State::Merged, lesson: Some(lesson), before: Some(old), corrected, why: String::new() }
}

/// The same concern, corrected although it had been asked.
fn corrected(id: &str, episode: &Episode) -> Option<(Kind, String)> {
    episode.asked.iter().any(|asked| asked == id).then(|| (Kind::AskedThenCorrected, id.to_owned()))
}

fn came_from(lesson: &mut Lesson, episode: &Episode) {
    let mut all = episodes(lesson);
    all.push(episode.id.clone());
    lesson.extra.insert("episodes".to_owned(), json!(all));
}

/// The episodes that a lesson came from.
pub fn episodes(lesson: &Lesson) -> Vec<String> {
    let all = lesson.extra.get("episodes").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        parts.map(str::to_lowercase).collect()
    };
    let (one, other) = (words(one), words(other));
    let both = one.intersection(&other).count() as f64;
    both > 0.0 && 2.0 * both / (one.len() + other.len()) as f64 >= ALIKE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &str) -> Texts {
        let situations = vec!["retry a call".into()];
        Texts { consequence: "it piles up".into(), question: question.into(), repo_only: true, scope: vec![], situations }
    }

    fn episode(asked: &[&str]) -> Episode {
        let asked = asked.iter().map(|id| (*id).to_owned()).collect();
        Episode {
            id: "e2".into(),
            ms: 9,
            repo: "w".into(),
            session: "ab-cd-ef-012345".into(),
            engineer: "a@x".into(),
            asked,
            ..Episode::default()
        }
    }

    fn old() -> Lesson {
        let mut lesson = Lesson {
            id: "L-1".into(),
            question: "Does each retry wait before it tries again?".into(),
            situations: vec!["Retry a call".into(), "call a server".into()],
            repo: "other".into(),
            reach: Reach::Repo,
            version: 4,
            support: 2,
            ..Lesson::default()
        };
        lesson.extra.insert("episodes".into(), json!(["e1"]));
        lesson
    }

    #[test]
    fn a_lesson_of_its_own() {
        let change = change(Draft::New(texts("Is the pool used?")), &episode(&[]), &[old()]);
        let lesson = change.lesson.unwrap();
        assert_eq!((change.state, lesson.id.as_str(), lesson.origin_ms, lesson.version), (State::Learned, "Labcdef01-9", 9, 1));
        assert_eq!((episodes(&lesson), lesson.reach, lesson.supersedes.len()), (vec!["e2".to_owned()], Reach::Repo, 0));
        let again = super::change(Draft::New(texts("Is it safe?")), &episode(&[]), &[Lesson { id: lesson.id.clone(), ..old() }]);
        assert_eq!(again.lesson.unwrap().id, "Labcdef01-10");
    }

    #[test]
    fn what_is_asked_already_is_made_stronger() {
        let same = Draft::Same("L-1".into(), texts("Does each retry wait longer than the one before?"));
        let twin = Draft::New(texts("does each retry wait before it tries again"));
        for draft in [same, twin] {
            let change = change(draft, &episode(&["L-1"]), &[old()]);
            let lesson = change.lesson.unwrap();
            assert_eq!((change.state, lesson.id.as_str(), lesson.version, lesson.support), (State::Merged, "L-1", 5, 3));
            assert_eq!((episodes(&lesson), lesson.reach), (vec!["e1".to_owned(), "e2".to_owned()], Reach::Team));
            assert_eq!(lesson.situations, ["retry a call", "call a server"]);
            assert_eq!(change.corrected, Some((Kind::AskedThenCorrected, "L-1".to_owned())));
        }
    }

    #[test]
    fn the_opposite_takes_its_place_and_nothing_is_nothing() {
        let made = change(Draft::Contradicts("L-1".into(), texts("Is there no retry?")), &episode(&[]), &[old()]);
        assert_eq!((made.state, made.lesson.unwrap().supersedes), (State::Superseded, vec!["L-1".to_owned()]));
        assert_eq!((made.corrected, made.before.unwrap().id), (None, "L-1".to_owned()));
        let none = change(Draft::Nothing("a taste".into()), &episode(&[]), &[old()]);
        assert_eq!((none.state, none.lesson, none.why.as_str()), (State::Nothing, None, "a taste"));
    }
}
