//! The policy in force: the configuration's guard section, and what it makes of a finding.

use crate::verdict::{Finding, Verdict};
use ah::config::{Config, GitGuard, Hooks, OwnRule, Problem, Profile};
use ah::paths::{Paths, repo_config};
use ah::shell::{Command, Word, matches};
use std::path::Path;

/// Where policies come from: read only once one is needed.
pub struct Policies {
    /// ah's places; `None` where no HOME is known, and then the built-in policy holds.
    pub paths: Option<&'static Paths>,
}

impl Policies {
    /// By the environment.
    pub fn from_env() -> Self {
        Self { paths: Paths::from_env() }
    }

    /// The policy for a repository.
    pub fn load(&self, repo: Option<&Path>) -> Policy {
        Policy::load(self.paths, repo)
    }

    /// Rules of a team's own, for a session in `cwd`; where no configuration exists, that costs a few failed looks.
    pub fn own_rules(&self, cwd: &Path) -> Vec<OwnRule> {
        let Some(paths) = self.paths else { return Vec::new() };
        let repo = cwd.ancestors().find(|d| repo_config(d).exists());
        if repo.is_none() && !paths.config_file().exists() && !paths.system_config().exists() {
            return Vec::new();
        }
        self.load(repo).config.git_guard.rules
    }
}

/// The rule of a team's own whose words a command begins with; the strictest one, for none loosens another, then the longest.
pub fn own_rule<'r>(rules: &'r [OwnRule], command: &Command) -> Option<&'r OwnRule> {
    let begins = |run: &[String]| {
        run.iter().enumerate().all(|(at, want)| match command.words.get(at).and_then(Word::literal) {
            Some(word) if at == 0 => word == want || word.rsplit('/').next() == Some(want.as_str()),
            word => word == Some(want.as_str()),
        })
    };
    rules.iter().filter(|r| !r.run.is_empty() && begins(&r.run)).max_by_key(|r| (r.verdict, r.run.len()))
}

/// The policy and where it came from.
#[derive(Debug)]
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
        self.guard().protected.iter().any(|pattern| matches(pattern, branch))
    }

    /// Whether the person or a floor says what becomes of a rule: then no snapshot changes it.
    pub fn decides(&self, rule: &str) -> bool {
        self.guard().verdicts.contains_key(rule) || self.guard().floors.contains_key(rule)
    }

    /// A finding as the policy wants it: the group of hooks, then the rule's own verdict.
    pub fn apply(&self, finding: &mut Finding) {
        // A machine of CI has no person's work to lose; what it shares with people is guarded as ever.
        let group = finding.rule.split('.').next().unwrap_or_default();
        let shared = finding.remote || matches!(group, "ah" | "config" | "hooks" | "own" | "push" | "remote");
        if self.config.profile == Profile::Ci && !shared {
            finding.verdict = Verdict::Allow;
            return;
        }
        let builtin = match (finding.rule, self.guard().hooks) {
            ("hooks.skip" | "hooks.disarm", Hooks::Off) => Verdict::Allow,
            ("hooks.skip" | "hooks.disarm", Hooks::Ask) => finding.verdict.min(Verdict::Ask),
            _ => finding.verdict,
        };
        finding.verdict = self.guard().verdict(finding.rule, builtin);
    }
}
