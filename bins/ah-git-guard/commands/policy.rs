//! `policy`: every value in force and where it came from.

use super::place;
use crate::policy::Policies;
use crate::verdict::word;
use ah::cli::{Call, Cli};
use ah::config::Severity;
use ah::exit;
use ah::quote;
use serde::Serialize;
use std::process::ExitCode;

/// `policy`: every value in force and where it came from; 78 where the configuration has an error.
pub fn policy(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
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
