//! What a denial or a question says: what would be lost, one safer way, who decides. At most 900 characters.

use crate::rule;
use crate::verdict::{Finding, Loss, Verdict};
use ah::quote;
use std::path::Path;

/// The longest message, in characters (spec: 900).
pub const MOST: usize = 900;
/// So many losses are named.
const NAMED: usize = 5;

/// The longest name of a file, in characters: five of them leave room for the safer way.
const NAME: usize = 72;

/// What was counted of a file: lines added and removed, where git could say.
pub type Lines<'l> = &'l dyn Fn(&Path) -> Option<(u64, u64)>;

/// The message for the worst findings of a line; `cwd` makes paths short.
pub fn text(findings: &[Finding], verdict: Verdict, cwd: &Path, lines: Lines) -> String {
    let worst: Vec<&Finding> = findings.iter().filter(|f| f.verdict == verdict).collect();
    let Some(first) = worst.first() else { return String::new() };
    let head = if verdict == Verdict::Deny { "ah-git-guard stopped this" } else { "ah-git-guard asks" };
    let command = quote::line(&first.command, 120);
    let mut losses: Vec<&Loss> = Vec::new();
    for loss in worst.iter().filter(|f| f.command == first.command).flat_map(|f| &f.losses) {
        if !losses.contains(&loss) {
            losses.push(loss);
        }
    }
    let more: usize = worst.iter().filter(|f| f.command == first.command).map(|f| f.more).sum();
    let mut out = format!("{head}: {command} {}", would(&losses, more, first));
    if !losses.is_empty() {
        let named: Vec<String> = losses.iter().take(NAMED).map(|l| one(l, cwd, lines)).collect();
        out.push_str(&format!("\n  {}", named.join("  ")));
        let rest = losses.len().saturating_sub(NAMED) + more;
        if rest > 0 {
            out.push_str(&format!("  ... and {rest} more"));
        }
    }
    if !losses.is_empty() && !first.detail.is_empty() {
        out.push_str(&format!("\n{}.", quote::line(&first.detail, 160)));
    }
    if worst.iter().any(|f| f.command != first.command) {
        out.push_str("\nAnother command of the line is stopped too.");
    }
    if let Some(safer) = rule::of(first.rule).map(|r| r.safer).filter(|s| !s.is_empty()) {
        out.push_str(&format!("\nNothing lost: {safer}"));
    }
    out.push_str(&format!("\nIf exactly this is wanted, the person runs it in their own terminal. (rule {})", first.rule));
    quote::cut(&out, MOST).into_owned()
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

fn one(loss: &Loss, cwd: &Path, lines: Lines) -> String {
    match loss {
        Loss::File { path, what, own } => {
            let name = quote::path(path.strip_prefix(cwd).unwrap_or(path));
            let name = quote::cut(&name, NAME);
            let counted = lines(path).map_or(String::new(), |(plus, minus)| format!("+{plus} -{minus}, "));
            format!("{name} ({counted}{what}{})", if *own { ", made by this session" } else { "" })
        }
        Loss::Commit(text) | Loss::Stash(text) => quote::line(text, 72),
        Loss::Other(text) => quote::line(text, 100),
    }
}

/// One line for a note.
pub fn note(findings: &[Finding]) -> String {
    let noted: Vec<String> = findings
        .iter()
        .filter(|f| f.verdict == Verdict::Note)
        .map(|f| format!("{}: {}", quote::line(&f.command, 60), quote::line(&f.detail, 120)))
        .collect();
    quote::cut(&format!("ah-git-guard notes: {}", noted.join("; ")), 300).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_message_names_five_and_counts_the_rest() {
        let losses = (0..60).map(|i| Loss::File { path: PathBuf::from(format!("/w/f{i}")), what: "untracked", own: false });
        let finding = Finding::new("tree.clean", Verdict::Deny, "git clean -fd", "").with(losses);
        let text = text(&[finding], Verdict::Deny, Path::new("/w"), &|_| Some((3, 1)));
        assert!(text.contains("60 files") && text.contains("f4 (+3 -1, untracked)") && !text.contains("f5 ("), "{text}");
        assert!(text.contains("... and 55 more") && text.contains("git stash push -u"), "{text}");
    }

    #[test]
    fn hostile_names_cannot_make_it_long_or_print_controls() {
        let losses =
            [Loss::File { path: PathBuf::from(format!("/w/\u{1b}[31m{}\n", "x".repeat(4000))), what: "untracked", own: false }];
        let finding = Finding::new("file.remove", Verdict::Deny, &format!("rm {}", "y".repeat(9000)), "").with(losses);
        let text = text(&[finding], Verdict::Deny, Path::new("/w"), &|_| None);
        assert!(text.chars().count() <= MOST && !text.contains('\u{1b}'), "{text}");
    }
}
