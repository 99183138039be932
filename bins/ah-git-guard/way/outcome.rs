//! What becomes of a judged call: it goes on, goes on once a snapshot holds what it would lose, is asked about, or stopped.

use crate::guard::Judged;
use crate::policy::Policy;
use crate::snapshot::{Taken, Want};
use crate::verdict::{Finding, Verdict};
use crate::way::ease::{eased, files, wanted};

/// How a snapshot is had: everything wanted, or why not.
pub type Keep<'k> = &'k dyn Fn(&Policy, &Want) -> Result<Taken, String>;

/// The end of a call's way through the guard; silence, unless more is said.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What the harness is told.
    pub verdict: Verdict,
    /// The findings that this rests on, worst first.
    pub findings: Vec<Finding>,
    /// The snapshot taken before.
    pub snapshot: Option<String>,
    /// Why there is none, where one would have let the call go on.
    pub missing: Option<String>,
    /// A question that nobody could be asked.
    pub unasked: bool,
    /// It goes on only because of the snapshot.
    pub through: bool,
}

impl Outcome {
    fn of(verdict: Verdict, findings: Vec<Finding>) -> Self {
        Self { verdict, findings, snapshot: None, missing: None, unasked: false, through: false }
    }

    /// Stops or asks by findings that no snapshot changes.
    fn stop(mut findings: Vec<Finding>, can_ask: bool) -> Self {
        findings.sort_by_key(|f| std::cmp::Reverse(f.verdict));
        let verdict = findings.first().map_or(Verdict::Allow, |f| f.verdict);
        let unasked = verdict == Verdict::Ask && !can_ask;
        Self { unasked, ..Self::of(if unasked { Verdict::Deny } else { verdict }, findings) }
    }
}

/// Decides. `can_ask`: a person would see a question.
pub fn decide(judged: &Judged, can_ask: bool, keep: Keep) -> Outcome {
    let Some(policy) = &judged.policy else { return Outcome::of(Verdict::Allow, Vec::new()) };
    let (mut stays, mut eases) = (Vec::new(), Vec::new());
    for finding in &judged.findings {
        match eased(finding, policy, can_ask).filter(|_| finding.verdict >= Verdict::Ask) {
            Some(verdict) => eases.push((finding.clone(), verdict)),
            None => stays.push(finding.clone()),
        }
    }
    let all = || wanted(judged.findings.iter());
    if stays.iter().any(|f| f.verdict >= Verdict::Ask) {
        let mut outcome = Outcome::stop(stays, can_ask);
        // A person may say yes; then it is good to have one.
        if outcome.verdict == Verdict::Ask || policy.guard().snapshot.always {
            outcome.snapshot = taken(keep, policy, &all()).ok().map(|taken| taken.id);
        }
        return outcome;
    }
    if eases.is_empty() {
        let verdict = stays.first().map_or(Verdict::Allow, |f| f.verdict);
        let snapshot = if stays.is_empty() { None } else { taken(keep, policy, &all()).ok().map(|taken| taken.id) };
        return Outcome { snapshot, ..Outcome::of(verdict, stays) };
    }
    let held = taken(keep, policy, &all()).and_then(|taken| match left_out(&taken, &eases) {
        None => Ok(taken),
        Some(what) => Err(what),
    });
    match held {
        Ok(taken) => {
            let verdict = eases.iter().map(|(_, verdict)| *verdict).chain(stays.iter().map(|f| f.verdict)).max();
            let findings = eases.into_iter().map(|(finding, _)| finding).chain(stays).collect();
            let outcome = Outcome::of(verdict.unwrap_or(Verdict::Allow), findings);
            Outcome { snapshot: Some(taken.id), through: true, ..outcome }
        }
        Err(missing) => {
            let findings = eases.into_iter().map(|(finding, _)| finding).chain(stays).collect();
            Outcome { missing: Some(missing), ..Outcome::stop(findings, can_ask) }
        }
    }
}

/// A snapshot, if there is anything that one could hold.
fn taken(keep: Keep, policy: &Policy, want: &Want) -> Result<Taken, String> {
    if want.paths.is_empty() && want.pins.is_empty() && want.trees.is_empty() {
        return Err("there is nothing that one could hold".into());
    }
    keep(policy, want)
}

/// The first thing at stake that a snapshot does not hold.
fn left_out(taken: &Taken, eases: &[(Finding, Verdict)]) -> Option<String> {
    let at_stake = |what: &str| {
        // What is no path is a commit, a ref, a repository.
        !what.starts_with('/')
            || eases.iter().any(|(f, _)| f.more > 0 || files(f).any(|path| path.starts_with(what) || path.to_str() == Some(what)))
    };
    let found = taken.uncovered.iter().find(|u| u.why != crate::snapshot::EMPTY_DIRECTORY && at_stake(&u.what))?;
    Some(format!("{}: {}", found.what, found.why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policies;
    use crate::snapshot::manifest::Uncovered;
    use crate::verdict::Loss;

    fn judged(findings: Vec<Finding>) -> Judged {
        Judged { findings, policy: Some(Policies { paths: None }.load(None)), ..Judged::default() }
    }

    fn file(path: &str, verdict: Verdict, own: bool) -> Finding {
        let loss = Loss::File { path: path.into(), what: "untracked", own };
        Finding::new("file.remove", verdict, "rm", "").with([loss]).own(own)
    }

    fn kept(_: &Policy, _: &Want) -> Result<Taken, String> {
        Ok(Taken { id: "k7f2".into(), uncovered: Vec::new() })
    }

    #[test]
    fn own_work_goes_on_after_a_snapshot_and_silently() {
        let outcome = decide(&judged(vec![file("/w/a", Verdict::Ask, true)]), true, &kept);
        assert_eq!((outcome.verdict, outcome.through, outcome.snapshot.as_deref()), (Verdict::Allow, true, Some("k7f2")));
    }

    #[test]
    fn without_a_snapshot_the_verdict_falls_back() {
        let failing = |_: &Policy, _: &Want| Err("disk full".to_owned());
        let own = judged(vec![file("/w/a", Verdict::Ask, true)]);
        let outcome = decide(&own, true, &failing);
        assert_eq!((outcome.verdict, outcome.missing.as_deref()), (Verdict::Ask, Some("disk full")));
        let outcome = decide(&own, false, &failing);
        assert_eq!((outcome.verdict, outcome.unasked), (Verdict::Deny, true));
    }

    #[test]
    fn what_is_left_out_keeps_its_verdict() {
        let partly = |what: &str, why: &str| {
            let uncovered = vec![Uncovered { what: what.into(), why: why.into() }];
            decide(&judged(vec![file("/w/a", Verdict::Ask, true)]), true, &move |_: &Policy, _: &Want| {
                Ok(Taken { id: "k7f2".into(), uncovered: uncovered.clone() })
            })
            .verdict
        };
        assert_eq!(partly("/w/a", "larger than 20 MiB"), Verdict::Ask);
        assert_eq!(partly("/w/b", "larger than 20 MiB"), Verdict::Allow, "not at stake");
        assert_eq!(partly("3 commits", "larger than 200 MiB"), Verdict::Ask);
        assert_eq!(partly("/w/a", crate::snapshot::EMPTY_DIRECTORY), Verdict::Allow);
    }

    #[test]
    fn a_persons_work_decides_for_the_whole_line() {
        let both = judged(vec![file("/w/theirs", Verdict::Deny, false), file("/w/mine", Verdict::Ask, true)]);
        let outcome = decide(&both, true, &kept);
        assert_eq!((outcome.verdict, outcome.findings.len(), outcome.snapshot), (Verdict::Deny, 1, None));
    }
}
