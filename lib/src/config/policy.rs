//! Reads the guard's section of a config file.

use super::Origin;
use super::guard::{Allow, Fail, GuardLayer, Hooks, NoPrompt, OnLoss, OwnRule, Snapshot, Verdict};
use super::reader::{Field, Reader};
use crate::clock;
use jsonc_parser::ast::Value;

/// The keys of `git_guard`.
const GUARD_KEYS: &[&str] =
    &["allow", "audit", "fail", "hooks", "no_prompt", "on_loss", "protected", "rules", "snapshot", "verdicts"];

/// What a repository may set of the guard; each only more strictly.
const REPO_GUARD_KEYS: &[&str] = &["fail", "hooks", "no_prompt", "on_loss", "protected", "rules", "verdicts"];

pub(super) const FAIL: &[(&str, Fail)] = &[("closed", Fail::Closed), ("open", Fail::Open)];
pub(super) const HOOKS: &[(&str, Hooks)] = &[("ask", Hooks::Ask), ("deny", Hooks::Deny), ("off", Hooks::Off)];
pub(super) const NO_PROMPT: &[(&str, NoPrompt)] = &[("deny", NoPrompt::Deny), ("snapshot", NoPrompt::Snapshot)];
pub(super) const ON_LOSS: &[(&str, OnLoss)] = &[("deny", OnLoss::Deny), ("own", OnLoss::Own), ("snapshot", OnLoss::Snapshot)];
const VERDICT: &[(&str, Verdict)] =
    &[("allow", Verdict::Allow), ("ask", Verdict::Ask), ("deny", Verdict::Deny), ("note", Verdict::Note)];

impl Reader<'_> {
    /// What the section says; with mistakes noted, whatever could be read.
    pub(super) fn guard(&mut self, field: &Field<'_>, from: Origin) -> GuardLayer {
        let mut guard = GuardLayer::default();
        for field in self.object(field) {
            let name = field.name();
            if from == Origin::Repo && GUARD_KEYS.contains(&name) && !REPO_GUARD_KEYS.contains(&name) {
                self.warn(&field, "a repository may not set this; left out");
                continue;
            }
            match name {
                "allow" => guard.allow = self.allow(&field, from),
                "audit" => {
                    for field in self.object(&field) {
                        match field.name() {
                            "file" => guard.audit_file = self.path(&field),
                            _ => self.unknown(&field, &["file"]),
                        }
                    }
                }
                "fail" => guard.fail = self.word(&field, FAIL),
                "hooks" => guard.hooks = self.word(&field, HOOKS),
                "no_prompt" => guard.no_prompt = self.word(&field, NO_PROMPT),
                "on_loss" => guard.on_loss = self.word(&field, ON_LOSS),
                "protected" => guard.protected = Some(self.texts(&field, "a branch or a pattern like \"release/*\"")),
                "rules" => guard.rules = self.rules(&field, from),
                "snapshot" => self.snapshot(&field, &mut guard),
                "verdicts" => {
                    for field in self.object(&field) {
                        if let Some(verdict) = self.word(&field, VERDICT) {
                            guard.verdicts.insert(field.name().to_owned(), verdict);
                        }
                    }
                }
                _ => self.unknown(&field, if from == Origin::Repo { REPO_GUARD_KEYS } else { GUARD_KEYS }),
            }
        }
        guard
    }

    fn snapshot(&mut self, field: &Field<'_>, guard: &mut GuardLayer) {
        if let Value::StringLit(lit) = field.value
            && lit.value == "always"
        {
            guard.snapshot.insert("always", 1);
            return;
        }
        let known = Snapshot::KEYS.map(|(key, _, _)| key);
        for field in self.object(field) {
            let Some((key, least, most)) = Snapshot::KEYS.into_iter().find(|(key, _, _)| *key == field.name()) else {
                self.unknown(&field, &known);
                continue;
            };
            let value = if most == 1 { self.boolean(&field).map(u64::from) } else { self.number(&field, least, most) };
            if let Some(value) = value {
                guard.snapshot.insert(key, value);
            }
        }
    }

    fn rules(&mut self, field: &Field<'_>, from: Origin) -> Vec<OwnRule> {
        let mut rules = Vec::new();
        for element in self.list(field) {
            let (mut run, mut verdict, mut why) = (Vec::new(), None, String::new());
            for field in self.object(&element) {
                match field.name() {
                    "run" => run = self.texts(&field, "a word of the command"),
                    // An own rule never loosens another.
                    "verdict" => verdict = self.word(&field, &VERDICT[1..]),
                    "why" => why = self.text(&field, "a text").unwrap_or_default(),
                    _ => self.unknown(&field, &["run", "verdict", "why"]),
                }
            }
            match verdict {
                Some(verdict) if !run.is_empty() => rules.push(OwnRule { from, run, verdict, why }),
                _ => self.error(&element, "expected the keys \"run\" with at least one word, and \"verdict\""),
            }
        }
        rules
    }

    fn allow(&mut self, field: &Field<'_>, from: Origin) -> Vec<Allow> {
        const KEYS: [&str; 4] = ["command", "repo", "rule", "until"];
        let mut allow = Vec::new();
        for element in self.list(field) {
            let mut found: [Option<String>; 4] = Default::default();
            let mut until = None;
            for field in self.object(&element) {
                match KEYS.iter().position(|key| *key == field.name()) {
                    Some(n) => found[n] = self.text(&field, "a text"),
                    None => self.unknown(&field, &KEYS),
                }
                if let ("until", Some(text)) = (field.name(), &found[3]) {
                    until = clock::day_end_ms(text);
                    if until.is_none() {
                        self.wrong(&field, "a day like \"2026-12-31\"");
                    }
                }
            }
            match (found, until) {
                ([Some(command), Some(repo), Some(rule), Some(_)], Some(until)) => {
                    allow.push(Allow { command, from, repo, rule, until });
                }
                _ => self.error(&element, "expected the keys \"command\", \"repo\", \"rule\" and \"until\""),
            }
        }
        allow
    }
}
