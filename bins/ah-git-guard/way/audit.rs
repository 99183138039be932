//! The audit: one line for every verdict but a silent allow.

use crate::explain;
use crate::guard::Judged;
use crate::policy::Policy;
use crate::verdict::{Finding, Loss, Verdict};
use crate::way::attempt::Attempt;
use ah::clock::now_ms;
use ah::paths::Paths;
use ah::quote::cut;
use ah::redact::redact;
use ah::route::{self, Off, Route};
use ah::{event, fs, log};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

/// Longest line, with its newline, in bytes.
const MAX_LINE: usize = 4096;
/// Size at which the audit is put aside, in bytes; one old audit is kept.
const MAX_AUDIT: u64 = 4 << 20;
/// So many losses are named in a line.
const NAMED: usize = 5;

/// One line, `"v":1`. Texts that say nothing are left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Line {
    /// 1.
    pub v: u32,
    /// When, in milliseconds since the Unix epoch.
    pub t: u64,
    /// `ask`, `deny`, `granted` (let through once, or by an `allow` entry), `let-through` (after a snapshot), `note`.
    pub verdict: String,
    /// The rules that spoke.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// The redacted command, or the tool and its file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The session's directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The repository's id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repo: String,
    /// The first losses, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// How many losses there are in all.
    #[serde(skip_serializing_if = "none")]
    pub lost: usize,
    /// The snapshot that holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// What a person names this denial by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Tells a byte-identical call in the same directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Who runs the agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// The harness's id of the session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The tool's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// Anything more there is to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

fn none(count: &usize) -> bool {
    *count == 0
}

impl Line {
    /// The line of a judged call; `verdict` is what became of it. Of a place that is off it names neither command nor path.
    pub fn of(attempt: &Attempt, judged: &Judged, verdict: &str, policy: &Policy, paths: &Paths) -> Self {
        let mut rules: Vec<String> = Vec::new();
        for rule in judged.findings.iter().filter(|f| f.verdict > Verdict::Allow).map(|f| f.rule) {
            if !rules.iter().any(|r| r == rule) {
                rules.push(rule.to_owned());
            }
        }
        let short = Self {
            v: 1,
            t: now_ms(),
            verdict: verdict.to_owned(),
            rules,
            hash: attempt.hash.clone(),
            harness: attempt.harness.to_owned(),
            session: attempt.session.clone(),
            tool: attempt.tool.clone(),
            ..Self::default()
        };
        if off(attempt, judged, policy, paths) {
            return short;
        }
        let spoke = |f: &&Finding| f.verdict > Verdict::Allow;
        let losses = judged.findings.iter().filter(spoke).flat_map(|f| &f.losses).take(NAMED).map(explain::loss);
        Self {
            command: attempt.command.clone(),
            cwd: attempt.cwd.to_string_lossy().into_owned(),
            repo: route::Repo::around(&attempt.cwd).map(|r| r.id()).unwrap_or_default(),
            losses: losses.collect(),
            lost: judged.findings.iter().filter(spoke).map(|f| f.losses.len() + f.more).sum(),
            ..short
        }
    }

    /// A line as it was written; none for what is no line, or of a newer form.
    pub fn read(text: &str) -> Option<Self> {
        // Field by field: a derived reader of all of them is a fiftieth of the executable.
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        let value = |name: &str| event::field(raw, name);
        let number = |name: &str| value(name).and_then(|v| v.get().parse::<u64>().ok()).unwrap_or_default();
        let word = |name: &str| value(name).and_then(event::text).map(Cow::into_owned);
        let text = |name: &str| word(name).unwrap_or_default();
        let list = |name: &str| value(name).and_then(|v| serde_json::from_str(v.get()).ok()).unwrap_or_default();
        (number("v") == 1).then(|| Self {
            v: 1,
            t: number("t"),
            verdict: text("verdict"),
            rules: list("rules"),
            command: text("command"),
            cwd: text("cwd"),
            repo: text("repo"),
            losses: list("losses"),
            lost: usize::try_from(number("lost")).unwrap_or_default(),
            snapshot: word("snapshot"),
            code: word("code"),
            hash: text("hash"),
            harness: text("harness"),
            session: text("session"),
            tool: text("tool"),
            detail: text("detail"),
        })
    }

    /// The text of the line: redacted, with its newline, at most 4 KiB.
    fn text(&self) -> String {
        // Redacted before it is cut: half a secret is not known as one.
        let clean = |text: &str| redact(text).into_owned();
        let command = clean(&self.command);
        let cwd = clean(&self.cwd);
        let detail = clean(&self.detail);
        let losses: Vec<String> = self.losses.iter().map(|l| clean(l)).collect();
        let mut room = MAX_LINE / 2;
        loop {
            let most = |text: &str, share: usize| cut(text, room / share).into_owned();
            let line = Self {
                command: most(&command, 1),
                cwd: most(&cwd, 2),
                detail: most(&detail, 8),
                losses: losses.iter().map(|l| most(l, 8)).collect(),
                repo: most(&self.repo, 4),
                rules: self.rules.iter().take(room / 32).cloned().collect(),
                session: most(&self.session, 16),
                tool: most(&self.tool, 16),
                ..self.clone()
            };
            let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
            if text.len() <= MAX_LINE || room == 0 {
                return text;
            }
            room = room * 3 / 4;
        }
    }
}

/// Whether any place that the call meets is one of which nothing may be recorded.
fn off(attempt: &Attempt, judged: &Judged, policy: &Policy, paths: &Paths) -> bool {
    let mut places: BTreeSet<&Path> = BTreeSet::from([attempt.cwd.as_path()]);
    places.extend(judged.seen.iter().filter_map(|s| s.cwd.as_deref()).map(Path::new));
    let files = judged.findings.iter().flat_map(|f| &f.losses).filter_map(|l| match l {
        Loss::File { path, .. } => path.parent(),
        _ => None,
    });
    places.extend(files);
    places.into_iter().any(|place| match route::route_target(&policy.config, paths, place) {
        // Outside of every repository there is none that could be off; a person who records by default sees those lines.
        Route::Off(Off::Nowhere) => policy.config.default.as_deref() == Some("off"),
        Route::Off(_) => true,
        Route::Scope(_) => false,
    })
}

/// Appends a line to the audit, and to the second file that the policy names. What cannot be written is a line in the failure
/// log: it changes no answer. Whether the audit itself has it.
pub fn write(paths: &Paths, policy: &Policy, line: &Line) -> bool {
    let text = line.text();
    let file = paths.guard_audit();
    let _ = fs::ensure_dir(paths.state_home());
    fs::rotate(&file, MAX_AUDIT);
    let put = |file: &Path| {
        let done = fs::append(file, text.as_bytes());
        if let Err(error) = &done {
            log::failure(paths, "ah-git-guard", &format!("cannot write the audit: {}: {error}", file.display()));
        }
        done.is_ok()
    };
    let kept = put(&file);
    if let Some(second) = &policy.guard().audit_file {
        put(second);
    }
    kept
}

/// Calls `visit` with the lines that contain `needle`, newest first, until it says no; at most `max` bytes are read.
pub fn back(paths: &Paths, max: u64, needle: &str, mut visit: impl FnMut(Line) -> bool) {
    let newest = paths.guard_audit();
    let mut left = max;
    for file in [fs::old(&newest), newest].iter().rev() {
        let mut go = true;
        let read = fs::lines_back(file, left, |bytes| {
            let text = std::str::from_utf8(bytes).ok().filter(|t| t.contains(needle));
            go = text.and_then(Line::read).is_none_or(&mut visit);
            go
        });
        left = left.saturating_sub(file.metadata().map_or(0, |m| m.len()));
        if !go || left == 0 || read.is_ok_and(|whole| !whole) {
            return;
        }
    }
}

/// The newest line of a denial's code.
pub fn denial(paths: &Paths, code: &str) -> Option<Line> {
    let mut found = None;
    back(paths, 2 * MAX_AUDIT, &format!("\"code\":\"{code}\""), |line| {
        found = Some(line).filter(|l| l.code.as_deref() == Some(code));
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_short_whole_and_without_secrets() {
        for text in ["x", "\0", "é\"\\\n", "\u{1f600}"] {
            let long = text.repeat(9000);
            let line = Line {
                v: 1,
                command: long.clone(),
                cwd: long.clone(),
                repo: long.clone(),
                losses: vec![long.clone(); 5],
                rules: vec!["tree.discard".into(); 60],
                session: long.clone(),
                tool: long.clone(),
                detail: long,
                ..Line::default()
            };
            let text = line.text();
            assert!(text.len() <= MAX_LINE && text.len() > 100 && text.matches('\n').count() == 1);
            assert_eq!(Line::read(&text).unwrap().v, 1);
        }
        let line = Line { command: "curl https://me:hunter2@h/ && rm x".into(), ..Line::default() };
        assert!(line.text().contains("curl") && !line.text().contains("hunter2"));
    }
}
