//! What a verdict becomes: a line of the session's log, and what is learned of the lesson.

use crate::ledger::Ledger;
use crate::model::{Reply, Resolved, Verdict};
use crate::pending::{Due, Fate, Pending};
use ah::outcome::{Kind, Outcome};

/// The version of the text by which verdicts are given.
const JUDGE: u64 = 3;

/// A verdict on a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The work no longer leads to the consequence.
    pub avoids: bool,
    /// The check that had chosen the lesson.
    pub check: String,
    /// The lesson.
    pub id: String,
    /// What was said.
    pub verdict: Verdict,
    /// It was said without what the agent had declared.
    pub stripped: bool,
}

fn kind(verdict: Verdict, avoids: bool) -> Kind {
    match verdict {
        Verdict::Changed if avoids => Kind::AskedThenChanged,
        Verdict::Unchanged => Kind::AskedIgnored,
        Verdict::Changed | Verdict::Unclear => Kind::AskedUnclear,
    }
}

/// The verdicts of a reply on what waited, each lesson once, and their outcomes. What the reply says nothing of goes
/// on waiting.
pub fn of(pending: &Pending, reply: &Reply, ledger: &Ledger, ms: u64) -> (Vec<Judged>, Vec<Outcome>) {
    let mut judged = Vec::new();
    let mut outcomes = Vec::new();
    for due in pending.all() {
        let Some(said) = reply.resolved.iter().find(|said| said.id == due.id) else { continue };
        let (one, outcome) = one(due, said, pending.stripped(&due.id), ledger, ms);
        judged.push(one);
        outcomes.push(outcome);
    }
    (judged, outcomes)
}

fn one(due: &Due, said: &Resolved, stripped: bool, ledger: &Ledger, ms: u64) -> (Judged, Outcome) {
    let outcome = Outcome {
        channel: due.channel.text().into(),
        check: due.check.clone(),
        judge: JUDGE,
        stripped,
        ..ledger.line(kind(said.verdict, said.avoids), ms, vec![due.id.clone()])
    };
    let judged = Judged { avoids: said.avoids, check: due.check.clone(), id: due.id.clone(), verdict: said.verdict, stripped };
    (judged, outcome)
}

/// What is written when a session ends: that it did, and of each delivery how it was left.
pub fn settled(fates: &[Fate], ledger: &Ledger, ms: u64) -> Vec<Outcome> {
    let mut all = vec![ledger.line(Kind::Ended, ms, Vec::new())];
    for fate in fates {
        all.push(Outcome {
            check: fate.due.check.clone(),
            reason: fate.why.into(),
            ..ledger.line(Kind::AskedNotCorrected, ms, vec![fate.due.id.clone()])
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pending::{Channel, Step};
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    #[test]
    fn each_verdict_has_its_kind() {
        use Verdict::{Changed, Unchanged, Unclear};
        let kinds = [(Changed, true), (Changed, false), (Unchanged, true), (Unclear, true)].map(|(v, a)| kind(v, a));
        assert_eq!(kinds, [Kind::AskedThenChanged, Kind::AskedUnclear, Kind::AskedIgnored, Kind::AskedUnclear]);
    }

    #[test]
    fn only_what_waited_is_judged_and_once() {
        let ids = vec![("L-a".to_owned(), "c1".to_owned()), ("L-b".to_owned(), "c1".to_owned())];
        let steps = [Step::Delivered { ids, channel: Channel::Stop }, Step::Work("x".into())];
        let pending = Pending::of(&steps, "", &BTreeSet::from(["L-a", "L-b"]), "", false);
        let say = |id: &str, verdict| Resolved { avoids: true, id: id.into(), verdict };
        let resolved = vec![say("L-a", Verdict::Changed), say("L-x", Verdict::Changed), say("L-a", Verdict::Unclear)];
        let ledger = Ledger { log: PathBuf::new(), repo: "w".into(), session: "s".into() };
        let (judged, outcomes) = of(&pending, &Reply { resolved, ..Reply::default() }, &ledger, 9);
        assert_eq!((judged.len(), judged[0].id.as_str(), judged[0].check.as_str()), (1, "L-a", "c1"));
        assert_eq!(
            (outcomes[0].kind, outcomes[0].lessons.as_slice(), outcomes[0].check.as_str()),
            (Kind::AskedThenChanged, ["L-a".to_owned()].as_slice(), "c1")
        );
        assert_eq!(outcomes[0].stripped, crate::coin::stripped("c1", "L-a"));
        let left = settled(&crate::pending::fates(&steps), &ledger, 9);
        assert_eq!(
            left.iter().map(|o| o.kind).collect::<Vec<_>>(),
            [Kind::Ended, Kind::AskedNotCorrected, Kind::AskedNotCorrected]
        );
        assert_eq!(left[1].reason, "no_call");
    }
}
