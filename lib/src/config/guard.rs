//! The guard's policy: its values, from loose to strict, and how layers tighten it.

use super::Origin;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the guard says to one command, from loose to strict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Silence.
    #[default]
    Allow,
    /// Let through, with a snapshot and one line.
    Note,
    /// A person decides.
    Ask,
    /// Stopped.
    Deny,
}

/// What becomes of a local loss, from loose to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnLoss {
    /// Let through after a snapshot, whoever made the work.
    Snapshot,
    /// The session's own work is let through after a snapshot; a person's is stopped.
    Own,
    /// Stopped, whoever made the work.
    Deny,
}

/// What becomes of an Ask where nobody can be asked, from loose to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoPrompt {
    /// Let through if a snapshot covers all of it, else stopped.
    Snapshot,
    /// Stopped.
    Deny,
}

/// What a failure of the guard itself leads to, from loose to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fail {
    /// Silence.
    Open,
    /// The call is stopped.
    Closed,
}

/// What becomes of commands that skip the repository's hooks, from loose to strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hooks {
    /// Let through.
    Off,
    /// A person decides.
    Ask,
    /// Stopped.
    Deny,
}

/// A rule of a team's own: commands that begin with these words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRule {
    /// Which layer it is from.
    pub from: Origin,
    /// The first words of the argument vector, the program's name without directories. Never empty.
    pub run: Vec<String>,
    /// At least `Note`.
    pub verdict: Verdict,
    /// Shown with the verdict; may be empty.
    pub why: String,
}

/// What is let through although a rule would stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allow {
    /// The exact command, or a pattern for all of it with `*`.
    pub command: String,
    /// Which layer it is from.
    pub from: Origin,
    /// The repository's path or id, or `*`.
    pub repo: String,
    /// The rule's id.
    pub rule: String,
    /// The end, in milliseconds since the Unix epoch.
    pub until: u64,
}

/// What snapshots may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Taken before every deny too.
    pub always: bool,
    /// How many are kept.
    pub keep: u64,
    /// How long they are kept, in days.
    pub keep_days: u64,
    /// What all together may take, in MiB.
    pub keep_mb: u64,
    /// Largest file, in MiB.
    pub max_file_mb: u64,
    /// Most files in one.
    pub max_files: u64,
    /// Most in one, in MiB.
    pub max_mb: u64,
    /// One is taken at every turn.
    pub turns: bool,
}

/// The guard's policy in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitGuard {
    /// What is let through all the same.
    pub allow: Vec<Allow>,
    /// A second file for the audit's lines.
    pub audit_file: Option<PathBuf>,
    /// On a failure of its own.
    pub fail: Fail,
    /// Verdicts that nothing may loosen, by rule id.
    pub floors: BTreeMap<String, Verdict>,
    /// On skipped hooks.
    pub hooks: Hooks,
    /// Where nobody can be asked.
    pub no_prompt: NoPrompt,
    /// On a local loss.
    pub on_loss: OnLoss,
    /// Globs of branches; a remote's default branch is protected besides.
    pub protected: Vec<String>,
    /// Rules of a team's own.
    pub rules: Vec<OwnRule>,
    /// What snapshots may cost.
    pub snapshot: Snapshot,
    /// The person's verdicts, by rule id.
    pub verdicts: BTreeMap<String, Verdict>,
}

impl Default for GitGuard {
    /// The built-in policy.
    fn default() -> Self {
        let protected = ["main", "master", "trunk", "release/*"];
        Self {
            allow: Vec::new(),
            audit_file: None,
            fail: Fail::Open,
            floors: BTreeMap::new(),
            hooks: Hooks::Deny,
            no_prompt: NoPrompt::Snapshot,
            on_loss: OnLoss::Own,
            protected: protected.map(str::to_owned).to_vec(),
            rules: Vec::new(),
            snapshot: Snapshot {
                always: false,
                keep: 200,
                keep_days: 14,
                keep_mb: 2048,
                max_file_mb: 20,
                max_files: 20_000,
                max_mb: 200,
                turns: true,
            },
            verdicts: BTreeMap::new(),
        }
    }
}

impl GitGuard {
    /// The verdict of rule `rule`, whose own is `builtin`.
    #[must_use]
    pub fn verdict(&self, rule: &str, builtin: Verdict) -> Verdict {
        let set = self.verdicts.get(rule).copied().unwrap_or(builtin);
        set.max(self.floors.get(rule).copied().unwrap_or(Verdict::Allow))
    }
}

/// What one layer says about the guard.
#[derive(Clone, Debug, Default)]
pub(super) struct GuardLayer {
    pub allow: Vec<Allow>,
    pub audit_file: Option<PathBuf>,
    pub fail: Option<Fail>,
    pub hooks: Option<Hooks>,
    pub no_prompt: Option<NoPrompt>,
    pub on_loss: Option<OnLoss>,
    pub protected: Option<Vec<String>>,
    pub rules: Vec<OwnRule>,
    /// By key of `git_guard.snapshot`; switches are 0 and 1.
    pub snapshot: BTreeMap<&'static str, u64>,
    pub verdicts: BTreeMap<String, Verdict>,
}

/// Where each value came from, by its key; what is not listed is built in.
pub(super) type Origins = BTreeMap<String, Origin>;

impl GitGuard {
    /// Takes over a layer of the person's own: it may loosen.
    pub(super) fn set(&mut self, layer: GuardLayer, from: Origin, origins: &mut Origins) {
        let mut note = |key: &str| {
            origins.insert(format!("git_guard.{key}"), from);
        };
        put(&mut self.fail, layer.fail, || note("fail"));
        put(&mut self.hooks, layer.hooks, || note("hooks"));
        put(&mut self.no_prompt, layer.no_prompt, || note("no_prompt"));
        put(&mut self.on_loss, layer.on_loss, || note("on_loss"));
        put(&mut self.protected, layer.protected, || note("protected"));
        for (key, value) in layer.snapshot {
            self.snapshot.write(key, value);
            note(&format!("snapshot.{key}"));
        }
        if layer.audit_file.is_some() {
            self.audit_file = layer.audit_file;
            note("audit.file");
        }
        for (rule, verdict) in layer.verdicts {
            note(&format!("verdicts.{rule}"));
            self.verdicts.insert(rule, verdict);
        }
        self.allow.extend(layer.allow);
        self.rules.extend(layer.rules);
    }

    /// Takes over a layer that may only make stricter; what would loosen has no effect.
    pub(super) fn tighten(&mut self, layer: GuardLayer, from: Origin, origins: &mut Origins) {
        let mut note = |key: &str| {
            origins.insert(format!("git_guard.{key}"), from);
        };
        raise(&mut self.fail, layer.fail, || note("fail"));
        raise(&mut self.hooks, layer.hooks, || note("hooks"));
        raise(&mut self.no_prompt, layer.no_prompt, || note("no_prompt"));
        raise(&mut self.on_loss, layer.on_loss, || note("on_loss"));
        for glob in layer.protected.unwrap_or_default() {
            if !self.protected.contains(&glob) {
                note(&format!("protected[{}]", self.protected.len()));
                self.protected.push(glob);
            }
        }
        for (key, value) in layer.snapshot {
            if value > self.snapshot.read(key) {
                self.snapshot.write(key, value);
                note(&format!("snapshot.{key}"));
            }
        }
        if layer.audit_file.is_some() {
            self.audit_file = layer.audit_file;
            note("audit.file");
        }
        for (rule, verdict) in layer.verdicts {
            let floor = self.floors.entry(rule.clone()).or_insert(Verdict::Allow);
            if verdict > *floor {
                *floor = verdict;
                note(&format!("verdicts.{rule}"));
            }
        }
        self.allow.extend(layer.allow);
        self.rules.extend(layer.rules);
    }
}

/// Sets a value and says so.
fn put<T>(value: &mut T, new: Option<T>, note: impl FnOnce()) {
    if let Some(new) = new {
        *value = new;
        note();
    }
}

/// Sets a value that is stricter and says so.
fn raise<T: Ord>(value: &mut T, new: Option<T>, note: impl FnOnce()) {
    let new = new.filter(|new| new > value);
    put(value, new, note);
}

impl Snapshot {
    /// The keys of `git_guard.snapshot`, with the least and the most of each. More is stricter.
    pub(super) const KEYS: [(&'static str, u64, u64); 8] = [
        ("always", 0, 1),
        ("keep", 1, 1_000_000),
        ("keep_days", 1, 36_500),
        ("keep_mb", 1, 1_000_000),
        ("max_file_mb", 1, 100_000),
        ("max_files", 1, 10_000_000),
        ("max_mb", 1, 1_000_000),
        ("turns", 0, 1),
    ];

    /// Every key with its value, as it is written.
    #[must_use]
    pub fn values(&self) -> Vec<(&'static str, String)> {
        let text = |(key, _, most)| {
            let value = self.read(key);
            (key, if most == 1 { (value == 1).to_string() } else { value.to_string() })
        };
        Self::KEYS.map(text).to_vec()
    }

    fn read(&self, key: &str) -> u64 {
        match key {
            "always" => u64::from(self.always),
            "keep" => self.keep,
            "keep_days" => self.keep_days,
            "keep_mb" => self.keep_mb,
            "max_file_mb" => self.max_file_mb,
            "max_files" => self.max_files,
            "max_mb" => self.max_mb,
            _ => u64::from(self.turns),
        }
    }

    fn write(&mut self, key: &str, value: u64) {
        match key {
            "always" => self.always = value > 0,
            "keep" => self.keep = value,
            "keep_days" => self.keep_days = value,
            "keep_mb" => self.keep_mb = value,
            "max_file_mb" => self.max_file_mb = value,
            "max_files" => self.max_files = value,
            "max_mb" => self.max_mb = value,
            _ => self.turns = value > 0,
        }
    }
}
