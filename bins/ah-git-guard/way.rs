//! A person's way through, between a verdict and the answer: what they let through, the code of what they did not, the audit.

use crate::attempt::Attempt;
use crate::audit::{self, Line};
use crate::grant;
use crate::guard::Judged;
use crate::message;
use crate::policy::{Policies, Policy};
use crate::verdict::{Finding, Verdict, word};
use ah::clock::now_ms;
use ah::quote;
use std::path::Path;

/// So many identical denials of one session, and the next one only says whom to ask.
const ENOUGH: usize = 2;

/// What becomes of a judged call, with its line in the audit. A probe is told the policy's word, and nothing is written or used up.
pub fn through(mut judged: Judged, attempt: &Attempt, policies: &Policies, probe: bool) -> Judged {
    if judged.verdict == Verdict::Allow {
        return judged;
    }
    let policy = policy(policies, &attempt.cwd);
    let stopped = judged.verdict;
    excuse(&mut judged, attempt, &policy);
    let Some(paths) = policies.paths.filter(|_| !probe) else { return judged };
    let line = |verdict: &str| Line::of(attempt, &judged, verdict, &policy, paths);
    if judged.verdict < stopped && stopped >= Verdict::Ask {
        let line = Line { detail: "by an allow entry of the policy".into(), ..line("granted") };
        audit::write(paths, &policy, &line);
    } else if judged.verdict == Verdict::Note {
        audit::write(paths, &policy, &line("note"));
    } else if let Some(grant) = once(&judged, attempt, &policy, policies) {
        let line = Line { code: Some(grant.code).filter(|c| !c.is_empty()), ..line("granted") };
        audit::write(paths, &policy, &line);
        release(&mut judged);
    } else {
        let now = now_ms();
        let code = grant::code(paths, &attempt.hash, now);
        let again = judged.verdict == Verdict::Deny && grant::repeats(paths, &attempt.session, &attempt.hash) >= ENOUGH;
        let line = Line { code: Some(code.clone()), t: now, ..line(word(judged.verdict)) };
        // A code that is not on record could not be looked up.
        if audit::write(paths, &policy, &line) {
            judged.message = if again { plainly(&judged, &code) } else { offered(&judged, &code) };
        }
    }
    judged
}

/// The policy for a directory.
pub fn policy(policies: &Policies, cwd: &Path) -> Policy {
    let top = ah::git::Repo::discover(cwd, &ah::git::Vars::of_process()).ok().flatten().and_then(|r| r.work_tree);
    policies.load(top.as_deref())
}

/// Takes out the findings that `allow` entries cover, if nothing else stops the call.
pub fn excuse(judged: &mut Judged, attempt: &Attempt, policy: &Policy) {
    let now = now_ms();
    let stops = |f: &&Finding| f.verdict >= Verdict::Ask;
    let covered = |f: &Finding| grant::standing(policy, attempt, f, now) && !grant::floor(policy, f.rule, &f.command);
    if !policy.guard().allow.is_empty() && judged.findings.iter().filter(stops).all(covered) {
        release(judged);
    }
}

/// The person's grant for exactly this call, used up now; none where the organisation's floor denies it.
fn once(judged: &Judged, attempt: &Attempt, policy: &Policy, policies: &Policies) -> Option<grant::Grant> {
    let mut stops = judged.findings.iter().filter(|f| f.verdict >= Verdict::Ask);
    if stops.any(|f| grant::floor(policy, f.rule, &f.command)) {
        return None;
    }
    grant::take(policies.paths?, &attempt.hash, now_ms())
}

/// What is left of a verdict once nothing stops the call any more.
fn release(judged: &mut Judged) {
    let noted = judged.findings.iter().any(|f| f.verdict == Verdict::Note);
    judged.verdict = if noted { Verdict::Note } else { Verdict::Allow };
    judged.message = if noted { message::note(&judged.findings) } else { String::new() };
}

fn rule(judged: &Judged) -> &'static str {
    judged.findings.first().map_or("", |f| f.rule)
}

/// The message with the person's way in the place of its last line.
fn offered(judged: &Judged, code: &str) -> String {
    let way = format!(
        "\nIf exactly this is wanted, the person runs `ah-git-guard allow {code}` in their own terminal, then it is tried again unchanged. (rule {})",
        rule(judged)
    );
    let said = judged.message.rfind("\nIf exactly this is wanted").map_or(judged.message.as_str(), |at| &judged.message[..at]);
    let room = message::MOST.saturating_sub(way.chars().count());
    quote::cut(said, room).into_owned() + &way
}

/// The third time and later: two lines.
fn plainly(judged: &Judged, code: &str) -> String {
    let command = judged.findings.first().map_or("", |f| f.command.as_str());
    format!(
        "ah-git-guard stopped this again, and will each time: {} (rule {})\nAsk the person: `ah-git-guard allow {code}` in their own terminal lets it through once.",
        quote::line(command, 120),
        rule(judged)
    )
}
