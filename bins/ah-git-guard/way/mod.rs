//! A call's way through, between findings and the answer: a person's leave, the outcome, the code of what was stopped, the audit.

pub mod attempt;
pub mod audit;
pub mod ease;
pub mod grant;
pub mod message;
pub mod outcome;

use self::attempt::Attempt;
use self::audit::Line;
use self::ease::wanted;
use self::outcome::{Keep, Outcome};
use crate::guard::Judged;
use crate::policy::{Policies, Policy};
use crate::verdict::{Finding, Verdict, word};
use ah::clock::now_ms;
use ah::paths::Paths;
use std::path::Path;

/// So many identical denials of one session, and the next one only says whom to ask.
const ENOUGH: usize = 2;

/// One call on its way.
pub struct Way<'w> {
    /// The call.
    pub attempt: &'w Attempt,
    /// A person would see a question.
    pub can_ask: bool,
    /// How a snapshot is had.
    pub keep: Keep<'w>,
    /// ah's places; none for a probe: it is told the policy's word, and nothing is written or used up.
    pub paths: Option<&'w Paths>,
}

impl Way<'_> {
    /// What becomes of a judged call, and what is said of it.
    pub fn through(&self, judged: &mut Judged) -> (Outcome, String) {
        let excused = self.excuse(judged);
        let mut outcome = outcome::decide(judged, self.can_ask, self.keep);
        let mut code = None;
        let mut again = false;
        if let (Some(paths), Some(policy)) = (self.paths, &judged.policy) {
            let line = |verdict: &str, outcome: &Outcome| {
                let snapshot = outcome.snapshot.clone().filter(|id| !id.is_empty());
                Line { snapshot, ..Line::of(self.attempt, judged, verdict, policy, paths) }
            };
            let write = |line: &Line| audit::write(paths, policy, line);
            if let Some(line) = excused {
                write(&line);
            } else if outcome.verdict < Verdict::Ask {
                match outcome.verdict {
                    _ if outcome.through => drop(write(&line("let-through", &outcome))),
                    Verdict::Note => drop(write(&line("note", &outcome))),
                    _ => {}
                }
            } else if let Some(grant) = self.once(judged, policy, paths) {
                outcome = self.granted(judged, policy, outcome);
                let line = line("granted", &outcome);
                write(&Line { code: Some(grant.code).filter(|c| !c.is_empty()), ..line });
            } else {
                let now = now_ms();
                let own = grant::code(paths, &self.attempt.hash, now);
                again =
                    outcome.verdict == Verdict::Deny && grant::repeated(paths, &self.attempt.session, &self.attempt.hash, ENOUGH);
                let line = line(word(outcome.verdict), &outcome);
                // A code that is not on record could not be looked up.
                code = write(&Line { code: Some(own.clone()), t: now, ..line }).then_some(own);
            }
        }
        let message = match outcome.findings.first().filter(|_| again) {
            Some(first) => message::again(first, code.as_deref()),
            None => message::text(&outcome, &judged.counts, &self.attempt.cwd, code.as_deref()),
        };
        (outcome, message)
    }

    /// Takes out what `allow` entries of the policy cover, if nothing else stops the call; its line in the audit.
    fn excuse(&self, judged: &mut Judged) -> Option<Line> {
        let policy = judged.policy.as_ref().filter(|p| !p.guard().allow.is_empty())?;
        let now = now_ms();
        let covered = |f: &Finding| grant::standing(policy, self.attempt, f, now) && !grant::floor(policy, f.rule, &f.command);
        let mut stops = judged.findings.iter().filter(|f| f.verdict >= Verdict::Ask).peekable();
        stops.peek()?;
        if !stops.all(covered) {
            return None;
        }
        let line = self.paths.map(|paths| Line {
            detail: "by an allow entry of the policy".into(),
            ..Line::of(self.attempt, judged, "granted", policy, paths)
        });
        judged.findings.retain(|f| f.verdict < Verdict::Ask);
        line
    }

    /// The person's grant for exactly this call, used up now; none where the organisation's floor denies it.
    fn once(&self, judged: &Judged, policy: &Policy, paths: &Paths) -> Option<grant::Grant> {
        let mut stops = judged.findings.iter().filter(|f| f.verdict >= Verdict::Ask);
        if stops.any(|f| grant::floor(policy, f.rule, &f.command)) {
            return None;
        }
        grant::take(paths, &self.attempt.hash, now_ms())
    }

    /// What the person let through goes on, with a snapshot of what one can hold.
    fn granted(&self, judged: &Judged, policy: &Policy, stopped: Outcome) -> Outcome {
        let want = wanted(judged.findings.iter());
        let something = !want.paths.is_empty() || !want.pins.is_empty() || !want.trees.is_empty();
        let taken = || if something { (self.keep)(policy, &want).ok().map(|taken| taken.id) } else { None };
        Outcome {
            verdict: Verdict::Allow,
            findings: Vec::new(),
            snapshot: stopped.snapshot.clone().or_else(taken),
            missing: None,
            unasked: false,
            ..stopped
        }
    }
}

/// The policy for a directory.
pub fn policy(policies: &Policies, cwd: &Path) -> Policy {
    let top = ah::git::Repo::discover(cwd, &ah::git::Vars::of_process()).ok().flatten().and_then(|r| r.work_tree);
    policies.load(top.as_deref())
}
