//! `policy`: every value in force and where it came from.

use super::place;
use crate::policy::{Policies, Policy};
use crate::verdict::word;
use crate::way;
use ah::cli::{Call, Cli};
use ah::clock::utc;
use ah::config::{Origin, Severity};
use ah::exit;
use ah::quote;
use serde::Serialize;
use std::process::ExitCode;

/// `policy`: 78 where the configuration has an error.
pub fn policy(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let cwd = place(cli, call)?;
    let policy = way::policy(&Policies::from_env(), &cwd);
    let rows = rows(&policy);
    let problems: Vec<String> =
        policy.problems.iter().map(|p| format!("{}:{}:{}: {}: {}", p.file.display(), p.line, p.column, p.key, p.what)).collect();
    let text = if call.options.json {
        serde_json::to_string(&Settings { problems: &problems, v: 1, values: rows }).unwrap_or_default() + "\n"
    } else {
        let lines =
            rows.iter().map(|row| format!("{:24} {:40} {}\n", quote::line(&row.key, 80), quote::line(&row.value, 200), row.from));
        lines.chain(problems.iter().map(|p| format!("problem  {}\n", quote::line(p, 300)))).collect()
    };
    exit::print(cli.name, &text);
    let wrong = policy.problems.iter().any(|p| p.severity == Severity::Error);
    Ok(ExitCode::from(if wrong { exit::BAD_CONFIG } else { exit::OK }))
}

/// Every value in force, by key.
pub fn rows(policy: &Policy) -> Vec<Setting> {
    let guard = policy.guard();
    let from = |key: &str| policy.config.origin(&format!("git_guard.{key}"));
    let row = |key: &str, value: String, from: Origin| Setting { from: format!("{from:?}"), key: key.to_owned(), value };
    let mut rows = Vec::new();
    let day = |ms| utc(ms)[..10].to_owned();
    rows.extend(
        guard
            .allow
            .iter()
            .map(|a| row("allow", format!("{} in {} until {}: {}", a.rule, a.repo, day(a.until), a.command), a.from)),
    );
    let sink = guard.audit_file.as_ref().map(|f| f.display().to_string());
    rows.push(row("audit.file", sink.unwrap_or_else(|| "none".into()), from("audit.file")));
    let lower = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    rows.push(row("fail", lower(&guard.fail), from("fail")));
    rows.push(row("hooks", lower(&guard.hooks), from("hooks")));
    rows.push(row("no_prompt", lower(&guard.no_prompt), from("no_prompt")));
    rows.push(row("on_loss", lower(&guard.on_loss), from("on_loss")));
    rows.push(row("profile", lower(&policy.config.profile), policy.config.origin("profile")));
    // A stricter layer adds branches to those of the layers below.
    rows.push(row("protected", guard.protected.join(" "), from("protected")));
    let keyed = guard.protected.iter().enumerate().map(|(at, branch)| (format!("protected[{at}]"), branch));
    let added = keyed.filter(|(key, _)| from(key) != Origin::BuiltIn);
    rows.extend(added.map(|(key, branch)| row(&key, branch.clone(), from(&key))));
    rows.extend(guard.rules.iter().map(|r| row("rules", format!("{} {}: {}", word(r.verdict), r.run.join(" "), r.why), r.from)));
    for (key, value) in guard.snapshot.values() {
        let key = format!("snapshot.{key}");
        rows.push(row(&key, value, from(&key)));
    }
    // A floor has taken the place of where the person's own came from.
    rows.extend(guard.verdicts.iter().map(|(id, v)| {
        let key = format!("verdicts.{id}");
        let own = if guard.floors.contains_key(id) { Origin::Person } else { from(&key) };
        row(&key, word(*v).to_owned(), own)
    }));
    rows.extend(
        guard
            .floors
            .iter()
            .map(|(id, v)| row(&format!("verdicts.{id} (floor)"), word(*v).to_owned(), from(&format!("verdicts.{id}")))),
    );
    rows
}

#[derive(Serialize)]
struct Settings<'a> {
    problems: &'a [String],
    v: u32,
    values: Vec<Setting>,
}

/// A value in force.
#[derive(Serialize)]
pub struct Setting {
    /// The layer it is from.
    pub from: String,
    /// Its key below `git_guard`.
    pub key: String,
    /// The value.
    pub value: String,
}
