//! How a line was read and judged, for people (`explain`, `--explain`) and for programs (`--json`).

use crate::guard::Judged;
use crate::verdict::{Loss, word};
use crate::way::outcome::Outcome;
use ah::quote;
use serde::Serialize;

/// The text form.
pub fn text(judged: &Judged, outcome: &Outcome) -> String {
    let mut out = Vec::new();
    for seen in &judged.seen {
        let via = if seen.via.is_empty() { String::new() } else { format!("  (via {})", seen.via.join(", ")) };
        out.push(format!("read    {}{}", quote::line(&seen.text, 200), quote::line(&via, 200)));
        out.push(format!("  in    {}", seen.cwd.as_deref().map_or("a directory that is not known".into(), quote::path)));
        if !seen.asked.is_empty() {
            out.push(format!("  asked {}", seen.asked.join(", ")));
        }
        for (rule, verdict) in &seen.rules {
            out.push(format!("  rule  {rule}: {}", word(*verdict)));
        }
    }
    for unread in &judged.unread {
        out.push(format!("unread  {} ({})", quote::line(&unread.part, 100), unread.why));
    }
    for finding in &judged.findings {
        out.push(format!(
            "finds   {} by {}{}: {} {}",
            word(finding.verdict),
            finding.rule,
            if finding.own { ", own" } else { "" },
            quote::line(&finding.command, 120),
            quote::line(&finding.detail, 200)
        ));
        out.extend(finding.losses.iter().map(|l| format!("  loses {}", quote::line(&loss(l), 200))));
    }
    let after = if outcome.through { ", after a snapshot" } else { "" };
    out.push(format!("verdict {}{after}", word(outcome.verdict)));
    out.join("\n")
}

/// A loss in words.
pub fn loss(loss: &Loss) -> String {
    match loss {
        Loss::File { path, what, own } => format!("{} ({what}{})", path.display(), if *own { ", own" } else { "" }),
        Loss::Commit(text) => format!("commit {text}"),
        Loss::Stash(text) => text.clone(),
        Loss::Other(text) => text.clone(),
    }
}

/// The machine form, `"v":1`.
pub fn json(judged: &Judged, outcome: &Outcome, message: &str) -> String {
    let commands = judged.seen.iter().map(|s| Command {
        asked: &s.asked,
        command: &s.text,
        cwd: s.cwd.as_deref(),
        rules: s.rules.iter().map(|(rule, verdict)| Rule { rule, verdict: word(*verdict) }).collect(),
        via: &s.via,
    });
    let findings = judged.findings.iter().map(|f| Found {
        command: &f.command,
        detail: &f.detail,
        losses: f.losses.iter().map(loss).collect(),
        more: f.more,
        own: f.own,
        remote: f.remote,
        rule: f.rule,
        verdict: word(f.verdict),
    });
    let whole = Whole {
        commands: commands.collect(),
        findings: findings.collect(),
        message,
        snapshot: outcome.through,
        unread: judged.unread.iter().map(|u| Part { part: &u.part, why: u.why }).collect(),
        v: 1,
        verdict: word(outcome.verdict),
    };
    serde_json::to_string(&whole).unwrap_or_default()
}

#[derive(Serialize)]
struct Whole<'a> {
    commands: Vec<Command<'a>>,
    findings: Vec<Found<'a>>,
    message: &'a str,
    /// It goes on only after a snapshot.
    snapshot: bool,
    unread: Vec<Part<'a>>,
    v: u32,
    verdict: &'a str,
}

#[derive(Serialize)]
struct Command<'a> {
    asked: &'a [String],
    command: &'a str,
    cwd: Option<&'a str>,
    rules: Vec<Rule<'a>>,
    via: &'a [String],
}

#[derive(Serialize)]
struct Found<'a> {
    command: &'a str,
    detail: &'a str,
    losses: Vec<String>,
    more: usize,
    own: bool,
    remote: bool,
    rule: &'a str,
    verdict: &'a str,
}

#[derive(Serialize)]
struct Part<'a> {
    part: &'a str,
    why: &'a str,
}

#[derive(Serialize)]
struct Rule<'a> {
    rule: &'a str,
    verdict: &'a str,
}
