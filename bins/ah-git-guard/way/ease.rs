//! What a snapshot makes of a finding: where it holds all that would be lost, the call may go on.

use crate::policy::Policy;
use crate::rule;
use crate::snapshot::Want;
use crate::verdict::{Finding, Loss, Verdict};
use ah::config::{NoPrompt, OnLoss};
use ah::git::{Repo, Vars};
use std::path::{Path, PathBuf};

/// What a finding comes to once a snapshot holds everything it is about; `None` where none could, or where the policy
/// wants it stopped all the same. `can_ask`: a person would see a question.
pub fn eased(finding: &Finding, policy: &Policy, can_ask: bool) -> Option<Verdict> {
    if !coverable(finding) || policy.decides(finding.rule) {
        return None;
    }
    let guard = policy.guard();
    match guard.on_loss {
        OnLoss::Own | OnLoss::Snapshot if finding.own || finding.rewrite => Some(Verdict::Allow),
        OnLoss::Snapshot => Some(Verdict::Note),
        OnLoss::Own | OnLoss::Deny => {
            let unasked = !can_ask && finding.verdict == Verdict::Ask && !finding.protected;
            (unasked && guard.no_prompt == NoPrompt::Snapshot).then_some(Verdict::Note)
        }
    }
}

/// Whether a snapshot could hold all that the finding is about.
fn coverable(finding: &Finding) -> bool {
    let local = rule::of(finding.rule).is_some_and(|rule| rule.local) && !finding.remote;
    let named = !finding.losses.is_empty() || !finding.pins.is_empty();
    // Ignored files are kept by name only.
    let counted = finding.more == 0 || finding.rule != "secret.remove";
    local
        && named
        && counted
        && finding.losses.iter().all(|loss| match loss {
            Loss::File { .. } => true,
            Loss::Commit(_) | Loss::Stash(_) => !finding.pins.is_empty(),
            Loss::Other(_) => finding.rule == "repo.remove" && !finding.pins.is_empty(),
        })
}

/// What a snapshot has to hold for these findings.
pub fn wanted<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Want {
    let mut want = Want::default();
    for finding in findings {
        for path in files(finding) {
            if !want.paths.iter().any(|p| p == path) {
                want.paths.push(path.to_owned());
            }
        }
        for pin in &finding.pins {
            if !want.pins.contains(pin) {
                want.pins.push(pin.clone());
            }
        }
        // Of more losses than are kept by name, the whole work trees are.
        for tree in files(finding).filter(|_| finding.more > 0).filter_map(tree) {
            if !want.trees.contains(&tree) {
                want.trees.push(tree);
            }
        }
    }
    want
}

/// Files that a finding is about.
pub fn files(finding: &Finding) -> impl Iterator<Item = &Path> {
    finding.losses.iter().filter_map(|loss| if let Loss::File { path, .. } = loss { Some(path.as_path()) } else { None })
}

fn tree(path: &Path) -> Option<PathBuf> {
    let dir = path.ancestors().find(|dir| dir.is_dir())?;
    Repo::discover(dir, &Vars::of_process()).ok().flatten()?.work_tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policies;

    fn file(rule: &'static str, verdict: Verdict) -> Finding {
        let loss = Loss::File { path: "/w/a".into(), what: "untracked", own: false };
        Finding::new(rule, verdict, "cmd", "").with([loss])
    }

    fn policy(on_loss: OnLoss, no_prompt: NoPrompt) -> Policy {
        let mut policy = Policies { paths: None }.load(None);
        policy.config.git_guard.on_loss = on_loss;
        policy.config.git_guard.no_prompt = no_prompt;
        policy
    }

    #[test]
    fn own_work_goes_on_and_a_persons_does_not() {
        let own = policy(OnLoss::Own, NoPrompt::Snapshot);
        let mine = file("file.remove", Verdict::Ask).own(true);
        assert_eq!(eased(&mine, &own, true), Some(Verdict::Allow));
        assert_eq!(eased(&file("file.remove", Verdict::Deny), &own, true), None);
        assert_eq!(eased(&file("file.remove", Verdict::Deny), &own, false), None);
        let deny = policy(OnLoss::Deny, NoPrompt::Deny);
        assert_eq!(eased(&mine, &deny, false), None);
        let all = policy(OnLoss::Snapshot, NoPrompt::Deny);
        assert_eq!(eased(&file("file.remove", Verdict::Deny), &all, true), Some(Verdict::Note));
    }

    #[test]
    fn where_nobody_can_be_asked_local_questions_go_on() {
        let own = policy(OnLoss::Own, NoPrompt::Snapshot);
        let secret = file("secret.remove", Verdict::Ask);
        assert_eq!(eased(&secret, &own, true), None);
        assert_eq!(eased(&secret, &own, false), Some(Verdict::Note));
        assert_eq!(eased(&secret, &policy(OnLoss::Own, NoPrompt::Deny), false), None);
        let protected = Finding { protected: true, ..secret };
        assert_eq!(eased(&protected, &own, false), None);
    }

    #[test]
    fn what_no_snapshot_holds_stays() {
        let all = policy(OnLoss::Snapshot, NoPrompt::Snapshot);
        assert_eq!(eased(&file("push.force", Verdict::Deny), &all, true), None);
        assert_eq!(eased(&file("file.remove", Verdict::Deny).remote(), &all, true), None);
        let commit = Finding::new("commit.drop", Verdict::Ask, "cmd", "").with([Loss::Commit("abc x".into())]);
        assert_eq!(eased(&commit, &all, true), None, "no pin says which commits");
        let mut set = policy(OnLoss::Snapshot, NoPrompt::Snapshot);
        set.config.git_guard.verdicts.insert("file.remove".into(), Verdict::Deny);
        assert_eq!(eased(&file("file.remove", Verdict::Deny), &set, true), None, "the policy says deny");
    }
}
