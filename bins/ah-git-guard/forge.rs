//! Programs beside git that reach shared refs: gh, glab, hub, jj, git svn.

use crate::call::{Call, Judged, done};
use crate::switch;
use crate::verdict::{Finding, Verdict};
use crate::world::World;
use ah::shell::{Command, Word};

/// A finding about a command that is judged by its words alone.
pub fn judge(program: &str, command: &Command, text: &str) -> Option<Finding> {
    let args: Vec<&str> = command.words[1..].iter().map(Word::text).collect();
    let has = |names: &[&str]| args.iter().any(|a| names.contains(a));
    let plain: Vec<&str> = args.iter().copied().filter(|a| !a.starts_with('-')).collect();
    let remote = |verdict, detail: &str| Some(Finding::new("remote.api", verdict, text, detail).remote());
    if switch::concerned(program, command) {
        return switch::disarm(program, command, text);
    }
    match (program, plain.as_slice()) {
        ("gh" | "glab", ["repo", "sync", ..]) if has(&["--force", "-f"]) => {
            remote(Verdict::Deny, "resets the branch of a hosted repository")
        }
        ("gh" | "glab", ["repo", "delete", ..]) => remote(Verdict::Deny, "deletes a hosted repository"),
        ("gh", ["repo", "archive" | "rename", ..]) => remote(Verdict::Ask, "changes a hosted repository for everybody"),
        ("gh", ["pr", "merge", ..]) if has(&["--delete-branch", "-d"]) => {
            remote(Verdict::Ask, "merges, and deletes the shared branch")
        }
        ("glab", ["mr", "merge", ..]) if has(&["--remove-source-branch", "-d"]) => {
            remote(Verdict::Ask, "merges, and deletes the shared branch")
        }
        ("gh", ["release", "delete", ..]) => remote(Verdict::Ask, "deletes a published release"),
        ("gh" | "glab", ["api", ..]) => api(&args).and_then(|detail| remote(Verdict::Ask, detail)),
        ("hub", ["push", ..])
            if has(&["--force", "-f", "--delete", "-d", "--mirror"]) || plain.iter().any(|a| a.starts_with(['+', ':'])) =>
        {
            remote(Verdict::Ask, "forces or deletes published branches")
        }
        ("hub", ["delete", ..]) => remote(Verdict::Deny, "deletes a hosted repository"),
        ("jj", _) if plain.windows(2).any(|w| w == ["git", "push"]) && has(&["--deleted", "--all", "--force"]) => {
            remote(Verdict::Deny, "deletes or overwrites published bookmarks")
        }
        _ => None,
    }
}

/// A call of a forge's API that deletes or overwrites a ref.
fn api(args: &[&str]) -> Option<&'static str> {
    let joined = args.join(" ");
    let method = |m: &str| {
        joined.contains(&format!("-X {m}"))
            || joined.contains(&format!("-X{m}"))
            || joined.contains(&format!("--method {m}"))
            || joined.contains(&format!("--method={m}"))
    };
    if method("DELETE")
        && (joined.contains("/git/refs")
            || joined.contains("/branches")
            || joined.contains("/tags")
            || joined.contains("/releases"))
    {
        return Some("deletes a shared ref");
    }
    if method("DELETE")
        && joined
            .split_whitespace()
            .any(|a| a.trim_start_matches('/').starts_with("repos/") && a.trim_start_matches('/').matches('/').count() == 2)
    {
        return Some("deletes a hosted repository");
    }
    (method("PATCH") && joined.contains("/git/refs") && joined.contains("force")).then_some("overwrites a shared ref")
}

/// `git svn reset`: the mapping to the other history is wound back.
pub fn svn(mut world: World, call: &Call) -> Judged {
    if call.operand(0) == Some("reset") {
        world.findings.push(call.finding("history.rewrite", Verdict::Ask, "winds the record of fetched revisions back"));
    }
    done(world)
}
