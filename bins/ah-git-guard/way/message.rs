//! What a denial, a question or a note says: what would be lost, one safer way, who decides. At most 900 characters.

use crate::rule;
use crate::verdict::{Finding, Loss, Verdict};
use crate::way::outcome::Outcome;
use ah::quote;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The longest message, in characters (spec: 900).
pub const MOST: usize = 900;
/// So many losses are named.
const NAMED: usize = 5;

/// The longest name of a file, in characters: five of them leave room for the safer way.
const NAME: usize = 72;

/// What was counted of files: lines added and removed, where git could say.
pub type Counts = BTreeMap<PathBuf, (u64, u64)>;

/// The message of an outcome, empty for silence; `cwd` makes paths short, `code` is what a person grants it by.
pub fn text(outcome: &Outcome, counts: &Counts, cwd: &Path, code: Option<&str>) -> String {
    match outcome.verdict {
        Verdict::Allow => String::new(),
        Verdict::Note => note(outcome),
        Verdict::Ask | Verdict::Deny => {
            let Some(first) = outcome.findings.first() else { return String::new() };
            let close = close(first, outcome.verdict, code);
            let head = head(outcome, first, counts, cwd);
            format!("{}{close}", quote::cut(&head, MOST.saturating_sub(close.chars().count())))
        }
    }
}

/// What is said the third time that one session is denied the very same call.
pub fn again(first: &Finding, code: Option<&str>) -> String {
    let command = quote::line(&first.command, 200);
    let ask = match code {
        Some(code) => format!("Ask the person: they can let it through with ah-git-guard allow {code} in their own terminal."),
        None => "Ask the person: they can run it in their own terminal.".to_owned(),
    };
    format!("ah-git-guard stopped this again: {command} (rule {}); trying once more changes nothing.\n{ask}", first.rule)
}

fn head(outcome: &Outcome, first: &Finding, counts: &Counts, cwd: &Path) -> String {
    let worst: Vec<&Finding> = outcome.findings.iter().filter(|f| f.verdict == first.verdict).collect();
    let head = match (outcome.verdict, outcome.unasked) {
        (Verdict::Ask, _) => "ah-git-guard asks",
        (_, true) => "ah-git-guard stopped this, because nobody can be asked",
        _ => "ah-git-guard stopped this",
    };
    let command = quote::line(&first.command, 120);
    let (losses, more) = losses(&worst, first);
    let mut out = format!("{head}: {command} {}", would(&losses, more, first));
    if !losses.is_empty() {
        let named: Vec<String> = losses.iter().take(NAMED).map(|l| one(l, cwd, counts)).collect();
        out.push_str(&format!("\n  {}", named.join("  ")));
        let rest = losses.len().saturating_sub(NAMED) + more;
        if rest > 0 {
            out.push_str(&format!("  ... and {rest} more"));
        }
    }
    if !losses.is_empty() && !first.detail.is_empty() {
        out.push_str(&format!("\n{}.", quote::line(&first.detail, 160)));
    }
    if let Some(missing) = &outcome.missing {
        out.push_str(&format!("\nNo snapshot could keep it: {}.", quote::line(missing, 160)));
    }
    if worst.iter().any(|f| f.command != first.command) {
        out.push_str("\nAnother command of the line is stopped too.");
    }
    if let Some(id) = &outcome.snapshot {
        out.push_str(&format!("\nKept first as snapshot {id}."));
    }
    out
}

/// What the command of the first finding would lose, each once, and how many more.
fn losses<'f>(worst: &[&'f Finding], first: &Finding) -> (Vec<&'f Loss>, usize) {
    let mut losses: Vec<&Loss> = Vec::new();
    let same = || worst.iter().filter(|f| f.command == first.command);
    for loss in same().flat_map(|f| &f.losses) {
        if !losses.contains(&loss) {
            losses.push(loss);
        }
    }
    (losses, same().map(|f| f.more).sum())
}

/// The safer way, and the way through.
fn close(first: &Finding, verdict: Verdict, code: Option<&str>) -> String {
    let safer = rule::of(first.rule).map(|r| r.safer).filter(|s| !s.is_empty());
    let safer = safer.map_or(String::new(), |s| format!("\nNothing lost: {s}"));
    let through = match (verdict, code) {
        (Verdict::Deny, Some(code)) => {
            format!("If the person wants exactly this: ah-git-guard allow {code} in their own terminal (10 minutes, once).")
        }
        (Verdict::Deny, None) => "If exactly this is wanted, the person runs it in their own terminal.".to_owned(),
        _ => String::new(),
    };
    format!("{safer}\n{through}{}(rule {})", if through.is_empty() { "" } else { " " }, first.rule)
}

/// The verb phrase: what would become of the losses.
fn would(losses: &[&Loss], more: usize, finding: &Finding) -> String {
    let count = losses.len() + more;
    let plural = |one: &str, many: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {many}") };
    match losses.first() {
        Some(Loss::File { .. }) => {
            format!("would discard {} that no commit, stash or other file holds:", plural("file", "files"))
        }
        Some(Loss::Commit(_)) => format!("would leave {} without a name:", plural("commit", "commits")),
        Some(Loss::Stash(_)) => format!("would drop {}:", plural("stash entry", "stash entries")),
        Some(Loss::Other(_)) => "would change what is shared or protects work:".into(),
        None if finding.detail.is_empty() => "would lose work".into(),
        None => quote::line(&finding.detail, 200),
    }
}

fn one(loss: &Loss, cwd: &Path, counts: &Counts) -> String {
    match loss {
        Loss::File { path, what, own } => {
            let name = quote::path(path.strip_prefix(cwd).unwrap_or(path));
            let name = quote::cut(&name, NAME);
            let counted = counts.get(path).map_or(String::new(), |(plus, minus)| format!("+{plus} -{minus}, "));
            format!("{name} ({counted}{what}{})", if *own { ", made by this session" } else { "" })
        }
        Loss::Commit(text) | Loss::Stash(text) => quote::line(text, 72),
        Loss::Other(text) => quote::line(text, 100),
    }
}

/// One line for what goes on.
fn note(outcome: &Outcome) -> String {
    if let (true, Some(id), Some(first)) = (outcome.through, &outcome.snapshot, outcome.findings.first()) {
        let worst: Vec<&Finding> = outcome.findings.iter().collect();
        let (losses, more) = losses(&worst, first);
        let would = would(&losses, more, first);
        let command = quote::line(&first.command, 80);
        let text = format!("ah-git-guard let this through, kept first as {id}: {command} {}", would.trim_end_matches(':'));
        return format!("{}; ah-git-guard undo brings it back", quote::cut(&text, 300));
    }
    let noted = outcome.findings.iter().filter(|f| f.verdict == Verdict::Note);
    let noted: Vec<String> = noted.map(|f| format!("{}: {}", quote::line(&f.command, 60), quote::line(&f.detail, 120))).collect();
    quote::cut(&format!("ah-git-guard notes: {}", noted.join("; ")), 300).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn deny(finding: Finding) -> Outcome {
        Outcome {
            verdict: finding.verdict,
            findings: vec![finding],
            snapshot: None,
            missing: None,
            unasked: false,
            through: false,
        }
    }

    #[test]
    fn a_message_names_five_and_counts_the_rest() {
        let losses = (0..60).map(|i| Loss::File { path: PathBuf::from(format!("/w/f{i}")), what: "untracked", own: false });
        let finding = Finding::new("tree.clean", Verdict::Deny, "git clean -fd", "").with(losses);
        let counts = Counts::from([(PathBuf::from("/w/f4"), (3, 1))]);
        let text = text(&deny(finding), &counts, Path::new("/w"), Some("k7f2"));
        assert!(text.contains("60 files") && text.contains("f4 (+3 -1, untracked)") && !text.contains("f5 ("), "{text}");
        assert!(text.contains("... and 55 more") && text.contains("git stash push -u"), "{text}");
        assert!(text.contains("ah-git-guard allow k7f2"), "{text}");
    }

    #[test]
    fn hostile_names_cannot_make_it_long_or_print_controls_or_hide_the_way_through() {
        let losses = (0..9).map(|i| Loss::File {
            path: PathBuf::from(format!("/w/\u{1b}[31m{i}{}\n", "x".repeat(4000))),
            what: "untracked",
            own: false,
        });
        let finding =
            Finding::new("file.remove", Verdict::Deny, &format!("rm {}", "y".repeat(9000)), "z".repeat(900)).with(losses);
        let text = text(&deny(finding), &Counts::new(), Path::new("/w"), Some("k7f2"));
        assert!(text.chars().count() <= MOST && !text.contains('\u{1b}'), "{text}");
        assert!(text.ends_with("(rule file.remove)") && text.contains("allow k7f2"), "{text}");
    }
}
