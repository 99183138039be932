//! How a line was read and judged, for people (`explain`, `--explain`) and for programs (`--json`).

use crate::guard::Judged;
use crate::verdict::{Loss, word};
use ah::quote;
use serde_json::{Value, json};

/// The text form.
pub fn text(judged: &Judged) -> String {
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
            "finds   {} by {}: {} {}",
            word(finding.verdict),
            finding.rule,
            quote::line(&finding.command, 120),
            quote::line(&finding.detail, 200)
        ));
        out.extend(finding.losses.iter().map(|l| format!("  loses {}", quote::line(&loss(l), 200))));
    }
    out.push(format!("verdict {}", word(judged.verdict)));
    out.join("\n")
}

fn loss(loss: &Loss) -> String {
    match loss {
        Loss::File { path, what, own } => format!("{} ({what}{})", path.display(), if *own { ", own" } else { "" }),
        Loss::Commit(text) => format!("commit {text}"),
        Loss::Stash(text) => text.clone(),
        Loss::Other(text) => text.clone(),
    }
}

/// The machine form, `"v":1`.
pub fn json(judged: &Judged) -> Value {
    let seen = judged.seen.iter().map(|s| {
        let rules: Vec<Value> = s.rules.iter().map(|(rule, verdict)| json!({"rule": rule, "verdict": word(*verdict)})).collect();
        json!({"command": s.text, "cwd": s.cwd, "via": s.via, "asked": s.asked, "rules": rules})
    });
    let findings = judged.findings.iter().map(|f| {
        let losses: Vec<String> = f.losses.iter().map(loss).collect();
        json!({"rule": f.rule, "verdict": word(f.verdict), "command": f.command, "detail": f.detail, "losses": losses, "more": f.more, "remote": f.remote})
    });
    let unread = judged.unread.iter().map(|u| json!({"why": u.why, "part": u.part}));
    json!({
        "v": 1, "verdict": word(judged.verdict), "message": judged.message, "commands": seen.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(), "unread": unread.collect::<Vec<_>>(),
    })
}
