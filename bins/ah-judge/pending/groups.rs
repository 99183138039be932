//! What a call is told of the deliveries that wait: groups of those that came together, some without what was declared.

use super::evidence::{after, before};
use super::{Due, Step, due};
use crate::coin::stripped;
use crate::declared::{declared, without};
use crate::model::{Group, Shown};
use std::collections::BTreeSet;

/// The deliveries that one call judges.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    deliveries: Vec<Delivery>,
    /// Lessons whose declarations this call must not see.
    hidden: BTreeSet<String>,
    stripped: BTreeSet<String>,
}

/// Lessons that came together, and the work around that.
#[derive(Clone, Debug)]
struct Delivery {
    after: String,
    before: String,
    lessons: Vec<(Due, Option<bool>)>,
}

impl Pending {
    /// What call `check` judges, after `steps` and with what the agent says `now`. `known` are the lessons of the store;
    /// `live` is a call in the background.
    pub fn of(steps: &[Step], now: &str, known: &BTreeSet<&str>, check: &str, live: bool) -> Self {
        let mut pending = Self::default();
        let all = due(steps, known, live);
        for due in &all {
            let of = if due.check.is_empty() { check } else { &due.check };
            if due.channel.asks() && stripped(of, &due.id) {
                pending.stripped.insert(due.id.clone());
            }
        }
        for same in all.chunk_by(|a, b| a.step == b.step) {
            let at = same[0].step;
            let (before, after) = (before(steps, at), after(steps, at, now));
            // Which of them is judged without its declaration must not show in what is said of the others.
            if same.iter().any(|due| pending.stripped.contains(&due.id)) {
                pending.hidden.extend(same.iter().map(|due| due.id.clone()));
            }
            let lessons = same.iter().map(|due| (due.clone(), declared(&after, &due.id))).collect();
            pending.deliveries.push(Delivery { after, before, lessons });
        }
        pending
    }

    /// Whether a question waits: what was handed over alone is worth no call.
    pub fn asks(&self) -> bool {
        self.all().any(|due| due.channel.asks())
    }

    /// The deliveries.
    pub fn all(&self) -> impl Iterator<Item = &Due> {
        self.deliveries.iter().flat_map(|delivery| delivery.lessons.iter().map(|(due, _)| due))
    }

    /// Whether the verdict on this lesson is given without its declaration.
    pub fn stripped(&self, id: &str) -> bool {
        self.stripped.contains(id)
    }

    /// A text of this call without the lines that declare what it must not see.
    pub fn strip(&self, text: &str) -> String {
        let hidden: Vec<&str> = self.hidden.iter().map(String::as_str).collect();
        if hidden.is_empty() { text.to_owned() } else { without(text, &hidden) }
    }

    /// Calls `then` with the groups as a model is told of them; `look` finds a lesson's texts.
    pub fn groups<'a, R>(&self, look: &dyn Fn(&str) -> Option<Shown<'a>>, then: impl FnOnce(&[Group]) -> R) -> R {
        let texts: Vec<(String, String)> =
            self.deliveries.iter().map(|delivery| (self.strip(&delivery.before), self.strip(&delivery.after))).collect();
        let lessons: Vec<Vec<(Shown, Option<&str>)>> = self
            .deliveries
            .iter()
            .map(|delivery| {
                let shown = |(due, said): &(Due, Option<bool>)| {
                    let said = said.filter(|_| !self.hidden.contains(&due.id));
                    Some((look(&due.id)?, said.map(|applies| if applies { "applies" } else { "skip" })))
                };
                delivery.lessons.iter().filter_map(shown).collect()
            })
            .collect();
        let groups: Vec<Group> = texts
            .iter()
            .zip(&lessons)
            .filter(|(_, lessons)| !lessons.is_empty())
            .map(|((before, after), lessons)| Group { after, before, lessons })
            .collect();
        then(&groups)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Channel;
    use super::super::tests::{shown, work};
    use super::*;

    fn look(id: &str) -> Option<Shown<'static>> {
        let id = ["a", "b", "c"].into_iter().find(|known| *known == id)?;
        Some(Shown { consequence: "it breaks", id, question: "Is it?" })
    }

    /// A check whose coin falls so for these lessons.
    fn check(a: bool, b: bool) -> String {
        (0..).map(|n| format!("{n:012x}")).find(|check| stripped(check, "a") == a && stripped(check, "b") == b).unwrap()
    }

    fn steps(check: &str, question: bool) -> Vec<Step> {
        let ids = ["a", "b"].map(|id| (id.to_owned(), check.to_owned())).to_vec();
        let channel = if question { Channel::Live } else { Channel::Early };
        let said = Step::Said("Moved it.\na: applies\nb: skip\nDone.".into());
        vec![work("let guard = lock();"), Step::Delivered { ids, channel }, work("drop(guard);"), said]
    }

    fn told(pending: &Pending) -> Vec<(String, String, Vec<Option<String>>)> {
        pending.groups(&look, |groups| {
            let said = |g: &Group| g.lessons.iter().map(|(_, said)| said.map(str::to_owned)).collect();
            groups.iter().map(|g| (g.before.to_owned(), g.after.to_owned(), said(g))).collect()
        })
    }

    #[test]
    fn one_stripped_hides_all_that_came_with_it() {
        let known = BTreeSet::from(["a", "b"]);
        let kept = Pending::of(&steps(&check(false, false), true), "", &known, "", false);
        assert_eq!(told(&kept)[0].2, [Some("applies".to_owned()), Some("skip".to_owned())]);
        assert!(told(&kept)[0].1.contains("a: applies") && !kept.stripped("a"));
        let half = Pending::of(&steps(&check(true, false), true), "b - skip\nnow", &known, "", false);
        assert_eq!(
            told(&half)[0],
            ("let guard = lock();".into(), "drop(guard);\nMoved it.\nDone.\nnow".into(), vec![None, None])
        );
        assert!(half.stripped("a") && !half.stripped("b") && half.strip("x\n[b]: applies") == "x\n");
        // What was handed over is never stripped.
        let free = Pending::of(&steps(&check(true, true), false), "", &known, "", false);
        assert!(!free.asks() && !free.stripped("a") && told(&free)[0].2[0].is_some());
    }

    #[test]
    fn groups_are_deliveries() {
        let steps = [shown(&["a", "b"], true), work("x"), shown(&["c"], true), work("y")];
        let pending = Pending::of(&steps, "end", &BTreeSet::from(["a", "b", "c"]), "", false);
        let told = told(&pending);
        assert_eq!(told.len(), 2);
        assert_eq!((told[0].1.as_str(), told[1].0.as_str(), told[1].1.as_str()), ("x\ny\nend", "x", "y\nend"));
        assert!(pending.asks() && pending.all().count() == 3);
        assert_eq!(Pending::default().all().count(), 0);
    }
}
