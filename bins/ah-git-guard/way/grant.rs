//! What a person lets through: once by a denial's code, or for a time by an `allow` entry of the policy.

use crate::policy::Policy;
use crate::verdict::{Finding, Verdict};
use crate::way::attempt::Attempt;
use crate::way::audit;
use ah::config::Origin;
use ah::paths::Paths;
use ah::person::letters;
use ah::{event, fs, shell};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io;
use std::path::Path;
use std::time::Duration;

/// How long a grant and a code hold, in milliseconds.
pub const LIFE: u64 = 10 * 60 * 1000;
/// How much of the audit is looked through for earlier denials, in bytes.
const LOOK_BACK: u64 = 1 << 20;
/// The longest file of grants that is read, in bytes.
const MOST: u64 = 1 << 20;
/// How long one process waits for another that changes the grants.
const WAIT: Duration = Duration::from_secs(2);

/// One line of the file of grants: one call that a person let through and that has not run yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// 1.
    pub v: u32,
    /// When it was granted, in milliseconds since the Unix epoch.
    pub t: u64,
    /// When it ends.
    pub until: u64,
    /// Which call: [`Attempt::hash`].
    pub hash: String,
    /// The code it was granted by; empty for a command that was typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
}

impl Grant {
    fn read(line: &[u8]) -> Option<Self> {
        let raw: &RawValue = serde_json::from_slice(line).ok()?;
        let number = |name: &str| event::field(raw, name)?.get().parse::<u64>().ok();
        let text = |name: &str| event::field(raw, name).and_then(event::text).unwrap_or_default().into_owned();
        (number("v")? == 1).then_some(())?;
        Some(Self { v: 1, t: number("t")?, until: number("until")?, hash: text("hash"), code: text("code") })
    }
}

/// The code of a call that is denied now: the one it has if it was denied within ten minutes, else a new one.
pub fn code(paths: &Paths, hash: &str, now: u64) -> String {
    let mut taken = Vec::new();
    let mut own = None;
    audit::back(paths, LOOK_BACK, "", |line| {
        let recent = line.t.saturating_add(LIFE) > now;
        if line.hash == hash && recent {
            // What was let through since has had its use of the code.
            own = line.code.filter(|_| line.verdict != "granted");
            return false;
        }
        taken.extend(line.code);
        recent
    });
    own.unwrap_or_else(|| {
        let fresh = |n: u64| letters(blake3::hash(format!("{hash} {now} {n}").as_bytes()).as_bytes());
        (0..100).map(fresh).find(|code| !taken.contains(code)).unwrap_or_else(|| fresh(100))
    })
}

/// Whether a session was denied this call so often since it was last let through; no more than that is read.
pub fn repeated(paths: &Paths, session: &str, hash: &str, often: usize) -> bool {
    let mut count = 0;
    if session.is_empty() {
        return false;
    }
    audit::back(paths, LOOK_BACK, hash, |line| {
        let same = line.hash == hash;
        count += usize::from(same && line.session == session && line.verdict == "deny");
        count < often && !(same && line.verdict == "granted")
    });
    count >= often
}

/// Whether the organisation's floor denies what this rule stops, so that nobody here can let it through.
pub fn floor(policy: &Policy, rule: &str, command: &str) -> bool {
    let guard = policy.guard();
    let denied = guard.floors.get(rule) == Some(&Verdict::Deny);
    let own = || {
        guard.rules.iter().any(|r| r.from == Origin::System && r.verdict == Verdict::Deny && command.contains(&r.run.join(" ")))
    };
    denied && policy.config.origin(&format!("git_guard.verdicts.{rule}")) == Origin::System || rule == "own.rule" && own()
}

/// Whether `allow` entries of the policy let a finding through. A pattern is for the one simple command that was found, so that
/// it does not cover what stands beside it on the line.
pub fn standing(policy: &Policy, attempt: &Attempt, finding: &Finding, now: u64) -> bool {
    let repo = ah::route::Repo::around(&attempt.cwd);
    policy.guard().allow.iter().any(|entry| {
        let here = || repo.as_ref().is_some_and(|r| entry.repo == r.id() || Path::new(&entry.repo) == r.root);
        let command = entry.command == attempt.command.trim() || shell::matches(&entry.command, &finding.command);
        entry.rule == finding.rule && entry.until > now && command && (entry.repo == "*" || here())
    })
}

/// Lets a call through once.
///
/// # Errors
/// The system's: the grant could not be kept.
pub fn give(paths: &Paths, hash: &str, code: &str, now: u64) -> io::Result<()> {
    fs::ensure_dir(paths.state_home())?;
    let _lock = lock(paths)?;
    let mut live = live(paths, now)?;
    // Granted twice is still let through once.
    live.retain(|g| g.hash != hash);
    live.push(Grant { v: 1, t: now, until: now + LIFE, hash: hash.to_owned(), code: code.to_owned() });
    keep(paths, &live)
}

/// Takes the grant of a call, if there is one: whoever gets it runs the call, and nobody else does.
pub fn take(paths: &Paths, hash: &str, now: u64) -> Option<Grant> {
    if !paths.allow().exists() {
        return None;
    }
    let _lock = lock(paths).ok()?;
    let mut live = live(paths, now).ok()?;
    let at = live.iter().position(|g| g.hash == hash)?;
    let taken = live.remove(at);
    keep(paths, &live).ok()?;
    Some(taken)
}

fn lock(paths: &Paths) -> io::Result<fs::Lock> {
    fs::lock(&paths.allow().with_extension("lock"), WAIT)
}

/// The grants that still hold.
fn live(paths: &Paths, now: u64) -> io::Result<Vec<Grant>> {
    let bytes = match fs::read(&paths.allow(), MOST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other?,
    };
    let lines = bytes.split(|b| *b == b'\n').filter_map(Grant::read);
    // One that ends later than any could is not one of ours.
    Ok(lines.filter(|g| g.until > now && g.until <= now + LIFE).collect())
}

fn keep(paths: &Paths, live: &[Grant]) -> io::Result<()> {
    let text: String = live.iter().map(|g| serde_json::to_string(g).unwrap_or_default() + "\n").collect();
    fs::replace(&paths.allow(), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn paths(dir: &Path) -> Paths {
        Paths::new(&|name| (name == "HOME").then(|| OsString::from(dir))).unwrap().with_system(dir.join("etc"))
    }

    fn policy(dir: &Path, person: &str, system: &str, repo: &str) -> Policy {
        let write = |file: PathBuf, text: &str| {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let paths = paths(dir);
        write(paths.config_file(), person);
        write(paths.system_config(), system);
        write(dir.join("repo/.ah/config.json"), repo);
        let policy = Policy::load(Some(&paths), Some(&dir.join("repo")));
        assert!(!policy.config.invalid, "{:?}", policy.problems);
        policy
    }

    #[test]
    fn a_grant_is_taken_by_one() {
        let dir = tempfile::tempdir().unwrap();
        let paths = paths(dir.path());
        assert_eq!(take(&paths, "h", 1000), None);
        give(&paths, "h", "k7f2", 1000).unwrap();
        give(&paths, "h", "k7f2", 1001).unwrap();
        give(&paths, "other", "", 1001).unwrap();
        assert_eq!(take(&paths, "h", 1001 + LIFE), None, "it ends");
        let taken: usize = std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| usize::from(take(&paths, "h", 2000).is_some()))).collect();
            all.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(taken, 1);
        assert!(take(&paths, "other", 2000).is_some());
        std::fs::write(paths.allow(), "{\"v\":1,\"t\":1,\"until\":99999999999999,\"hash\":\"x\"}\n\0\n{}\n").unwrap();
        assert_eq!(take(&paths, "x", 2000), None, "no grant lasts so long");
    }

    #[test]
    fn only_the_organisation_holds_against_a_person() {
        let dir = tempfile::tempdir().unwrap();
        let mine = r#"{"git_guard": {"verdicts": {"stash.drop": "deny"}}}"#;
        let floor = r#"{"git_guard": {"verdicts": {"push.force": "deny", "tag.delete": "ask"},
            "rules": [{"run": ["terraform", "destroy"], "verdict": "deny"}]}}"#;
        let team = r#"{"git_guard": {"verdicts": {"tree.clean": "deny", "tag.delete": "deny"}}}"#;
        let policy = policy(dir.path(), mine, floor, team);
        let holds = |rule: &str, command: &str| floor_of(&policy, rule, command);
        assert!(holds("push.force", "git push -f") && holds("own.rule", "terraform destroy -auto-approve"));
        for rule in ["stash.drop", "tree.clean", "tag.delete", "tree.discard"] {
            assert!(!holds(rule, "terraform destroy"), "{rule}");
        }
        assert!(!holds("own.rule", "make wipe"));
    }

    fn floor_of(policy: &Policy, rule: &str, command: &str) -> bool {
        super::floor(policy, rule, command)
    }

    #[test]
    fn an_entry_is_for_a_rule_a_place_a_command_and_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap().join("repo");
        std::fs::create_dir_all(root.join(".git")).unwrap();
        let entry = |rule: &str, repo: &str, command: &str| {
            format!(r#"{{"rule": "{rule}", "repo": "{repo}", "command": "{command}", "until": "2026-12-31"}}"#)
        };
        let here = root.display().to_string();
        let all = [
            entry("push.force", &here, "git push -f *"),
            entry("tree.clean", "*", "cd x && git clean -fd"),
            entry("stash.drop", "/other", "*"),
        ];
        let policy = policy(dir.path(), &format!(r#"{{"git_guard": {{"allow": [{}]}}}}"#, all.join(",")), "{}", "{}");
        let stands = |rule: &'static str, line: &str, command: &str, now: u64| {
            let finding = Finding::new(rule, Verdict::Deny, command, "");
            standing(&policy, &Attempt::typed(line.into(), &root), &finding, now)
        };
        let now = 1_700_000_000_000;
        assert!(stands("push.force", "true; git push -f o x", "git push -f o x", now));
        assert!(!stands("push.force", "git push -f o x", "git push -f o x", now + 1_000_000_000_000), "it ends");
        assert!(!stands("push.delete", "git push -f o x", "git push -f o x", now), "another rule");
        assert!(!stands("push.force", "git push -f o x; git push --mirror", "git push --mirror", now), "what stands beside it");
        assert!(stands("tree.clean", "cd x && git clean -fd", "git clean -fd", now));
        assert!(!stands("tree.clean", "git clean -fd", "git clean -fd", now), "another line");
        assert!(!stands("stash.drop", "git stash drop", "git stash drop", now), "another place");
    }
}
