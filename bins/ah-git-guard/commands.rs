//! What a person runs by hand: check, explain, policy, rules.

use crate::explain;
use crate::guard::{self, Judged};
use crate::memory::Memory;
use crate::message;
use crate::outcome::{self, Outcome};
use crate::policy::Policies;
use crate::rule::{self, RULES};
use crate::snapshot::Taken;
use crate::verdict::{Verdict, word};
use ah::cli::{Call, Cli};
use ah::config::Severity;
use ah::exit;
use ah::quote;
use ah::shell::Source;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// The directory of `--cwd`, else the current one.
fn place(cli: &Cli, call: &Call) -> Result<PathBuf, ExitCode> {
    let named = call.value("cwd").map(PathBuf::from);
    let dir = named.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    guard::directory(&dir.to_string_lossy())
        .ok_or_else(|| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot work in: {}: not a directory", quote::path(&dir))))
}

/// A line judged as if a person could be asked and a snapshot could be taken, and what would be said.
fn judge(cli: &Cli, call: &Call, thorough: bool) -> Result<(Judged, Outcome, String), ExitCode> {
    let line = call.args.iter().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
    if line.trim().is_empty() {
        return Err(cli.usage_error("no command to judge: ah-git-guard check -- COMMAND"));
    }
    let cwd = place(cli, call)?;
    let judged = guard::line(&line, Source::Shell, &cwd, &Policies::from_env(), &Memory::default, thorough);
    let outcome = outcome::decide(&judged, true, &|_| Ok(Taken::default()));
    let message = message::text(&outcome, &judged.counts, &cwd, None);
    Ok((judged, outcome, message))
}

/// `check -- COMMAND`: 0 allow or note, 1 deny, 3 ask.
pub fn check(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let (judged, outcome, message) = judge(cli, call, call.options.explain)?;
    if call.options.explain {
        ah::hook::Explain::ON.say(|| explain::text(&judged, &outcome));
    }
    let text = match (call.options.json, message.is_empty()) {
        (true, _) => explain::json(&judged, &outcome, &message) + "\n",
        (false, true) => String::new(),
        (false, false) => message + "\n",
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(match outcome.verdict {
        Verdict::Allow | Verdict::Note => exit::OK,
        Verdict::Ask => exit::ASK,
        Verdict::Deny => exit::NO,
    }))
}

/// `explain -- COMMAND`.
pub fn explain(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let (judged, outcome, message) = judge(cli, call, true)?;
    let text = if call.options.json { explain::json(&judged, &outcome, &message) } else { explain::text(&judged, &outcome) };
    exit::print(cli.name, &(text + "\n"));
    Ok(ExitCode::SUCCESS)
}

/// `policy`: every value in force and where it came from; 78 where the configuration has an error.
pub fn show_policy(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let cwd = place(cli, call)?;
    let top = ah::git::Repo::discover(&cwd, &ah::git::Vars::of_process()).ok().flatten().and_then(|r| r.work_tree);
    let policy = Policies::from_env().load(top.as_deref());
    let guard = policy.guard();
    let from = |key: &str| format!("{:?}", policy.config.origin(&format!("git_guard.{key}")));
    let mut rows = vec![
        ("fail".to_owned(), format!("{:?}", guard.fail).to_lowercase(), from("fail")),
        ("hooks".to_owned(), format!("{:?}", guard.hooks).to_lowercase(), from("hooks")),
        ("no_prompt".to_owned(), format!("{:?}", guard.no_prompt).to_lowercase(), from("no_prompt")),
        ("on_loss".to_owned(), format!("{:?}", guard.on_loss).to_lowercase(), from("on_loss")),
        ("protected".to_owned(), guard.protected.join(" "), from("protected")),
    ];
    rows.extend(
        guard.verdicts.iter().map(|(id, v)| (format!("verdicts.{id}"), word(*v).to_owned(), from(&format!("verdicts.{id}")))),
    );
    rows.extend(
        guard
            .floors
            .iter()
            .map(|(id, v)| (format!("verdicts.{id} (floor)"), word(*v).to_owned(), from(&format!("verdicts.{id}")))),
    );
    rows.extend(
        guard.rules.iter().map(|r| {
            ("rules".to_owned(), format!("{} {}: {}", word(r.verdict), r.run.join(" "), r.why), format!("{:?}", r.from))
        }),
    );
    let problems: Vec<String> =
        policy.problems.iter().map(|p| format!("{}:{}:{}: {}: {}", p.file.display(), p.line, p.column, p.key, p.what)).collect();
    let text = if call.options.json {
        let values = rows.iter().map(|(key, value, from)| Setting { from, key, value }).collect();
        serde_json::to_string(&Settings { problems: &problems, v: 1, values }).unwrap_or_default() + "\n"
    } else {
        let lines = rows.iter().map(|(k, v, f)| format!("{k:24} {:40} {f}\n", quote::line(v, 200)));
        lines.chain(problems.iter().map(|p| format!("problem  {}\n", quote::line(p, 300)))).collect()
    };
    exit::print(cli.name, &text);
    let wrong = policy.problems.iter().any(|p| p.severity == Severity::Error);
    Ok(ExitCode::from(if wrong { exit::BAD_CONFIG } else { exit::OK }))
}

#[derive(Serialize)]
struct Settings<'a> {
    problems: &'a [String],
    v: u32,
    values: Vec<Setting<'a>>,
}

#[derive(Serialize)]
struct Setting<'a> {
    from: &'a str,
    key: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct Rules<'a> {
    rules: Vec<&'a rule::Rule>,
    v: u32,
}

/// `rules [ID]`.
pub fn rules(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let shown: Vec<&rule::Rule> = match call.args.first() {
        None => RULES.iter().collect(),
        Some(id) => match rule::of(&id.to_string_lossy()) {
            Some(rule) => vec![rule],
            None => {
                return Err(exit::fail(
                    cli.name,
                    exit::NO,
                    &format!("no such rule: {}: ah-git-guard rules lists them", quote::path(id)),
                ));
            }
        },
    };
    let text = if call.options.json {
        serde_json::to_string(&Rules { rules: shown, v: 1 }).unwrap_or_default() + "\n"
    } else if call.args.is_empty() {
        shown.iter().map(|r| format!("{:18} {}\n", r.id, r.protects)).collect()
    } else {
        let rule = shown[0];
        format!(
            "{}\n  protects  {}\n  lost      {}\n  harmless  {}\n  safer     {}\n",
            rule.id,
            rule.protects,
            rule.lost,
            rule.harmless,
            if rule.safer.is_empty() { "-" } else { rule.safer }
        )
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}
