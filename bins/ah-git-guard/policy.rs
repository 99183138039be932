//! The policy in force: the configuration's guard section, and what it makes of a finding.

use crate::glob;
use crate::verdict::{Finding, Verdict};
use ah::config::{Config, GitGuard, Hooks, Problem};
use ah::paths::Paths;
use ah::shell::{Command, Word};
use std::path::Path;

/// The policy and where it came from.
pub struct Policy {
    /// The whole configuration, for `policy`.
    pub config: Config,
    /// What was wrong with it.
    pub problems: Vec<Problem>,
}

impl Policy {
    /// The policy for a repository; the built-in one where no place for a configuration is known.
    pub fn load(paths: Option<&Paths>, repo: Option<&Path>) -> Self {
        let (config, problems) = paths.map_or_else(|| (Config::default(), Vec::new()), |p| Config::load(p, repo));
        Self { config, problems }
    }

    /// The guard's section.
    pub fn guard(&self) -> &GitGuard {
        &self.config.git_guard
    }

    /// Whether a branch of a remote is protected by name.
    pub fn protects(&self, branch: &str) -> bool {
        self.guard().protected.iter().any(|pattern| glob::matches(pattern, branch))
    }

    /// A finding as the policy wants it: the group of hooks, then the rule's own verdict.
    pub fn apply(&self, finding: &mut Finding) {
        let builtin = match (finding.rule, self.guard().hooks) {
            ("hooks.skip" | "hooks.disarm", Hooks::Off) => Verdict::Allow,
            ("hooks.skip" | "hooks.disarm", Hooks::Ask) => finding.verdict.min(Verdict::Ask),
            _ => finding.verdict,
        };
        finding.verdict = self.guard().verdict(finding.rule, builtin);
    }

    /// A finding of a team's own rules: the longest argument vector that the command begins with.
    pub fn own_rule(&self, command: &Command, text: &str) -> Option<Finding> {
        let begins = |run: &[String]| {
            run.iter().enumerate().all(|(at, want)| match command.words.get(at) {
                Some(Word::Literal(word)) if at == 0 => word.rsplit('/').next() == Some(want.as_str()) || word == want,
                Some(word) => word.literal() == Some(want),
                None => false,
            })
        };
        let rule = self.guard().rules.iter().filter(|r| !r.run.is_empty() && begins(&r.run)).max_by_key(|r| r.run.len())?;
        Some(Finding::new("own.rule", rule.verdict, text, rule.why.clone()))
    }
}
