//! `allow`: the last denials, and a person's word that lets one of them through once.

use super::{denial, line, paths, place};
use crate::explain;
use crate::guard;
use crate::own::memory::Memory;
use crate::policy::{Policies, Policy};
use crate::verdict::Verdict;
use crate::way;
use crate::way::attempt::Attempt;
use crate::way::audit::{self, Line};
use crate::way::grant;
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::paths::Paths;
use ah::person;
use ah::quote;
use ah::shell::Source;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// So many denials are listed.
const LISTED: usize = 20;
/// How much of the audit is looked through for them, in bytes.
const LOOK_BACK: u64 = 1 << 20;

#[derive(Serialize)]
struct Denials {
    denials: Vec<Line>,
    v: u32,
}

/// `allow`, `allow CODE`, `allow -- COMMAND`: 77 where no person is known to ask for it.
pub fn allow(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let policies = Policies::from_env();
    let paths = paths(cli)?;
    if std::env::args_os().any(|a| a == "--") {
        return typed(cli, call, &policies, paths);
    }
    let [code] = call.args.as_slice() else {
        return if call.args.is_empty() { list(cli, call, paths) } else { Err(cli.usage_error("one code, or -- and a command")) };
    };
    let wanted = denial(cli, paths, code)?;
    let policy = if wanted.cwd.is_empty() { policies.load(None) } else { way::policy(&policies, Path::new(&wanted.cwd)) };
    give(cli, paths, &policy, &wanted)
}

/// The last denials, each code once.
fn list(cli: &Cli, call: &Call, paths: &Paths) -> Result<ExitCode, ExitCode> {
    let mut denials: Vec<Line> = Vec::new();
    audit::back(paths, LOOK_BACK, "\"code\":", |line| {
        let stopped = matches!(line.verdict.as_str(), "ask" | "deny");
        if stopped && !denials.iter().any(|d| d.code == line.code) {
            denials.push(line);
        }
        denials.len() < LISTED
    });
    let text = if call.options.json {
        serde_json::to_string(&Denials { denials, v: 1 }).unwrap_or_default() + "\n"
    } else {
        let row = |d: &Line| {
            let code = quote::line(d.code.as_deref().unwrap_or_default(), 8);
            format!("{code}  {:>10}  {:16}  {}\n", ago(d.t), quote::line(&d.rules.join(" "), 60), command(d))
        };
        denials.iter().map(row).collect()
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// A command that was not stopped yet.
fn typed(cli: &Cli, call: &Call, policies: &Policies, paths: &Paths) -> Result<ExitCode, ExitCode> {
    let text = line(cli, call)?;
    let cwd = place(cli, call)?;
    let attempt = Attempt::typed(text, &cwd);
    let judged = guard::line(&attempt.command, Source::Shell, &cwd, policies, &Memory::default, false);
    let stops = || judged.findings.iter().filter(|f| f.verdict >= Verdict::Ask);
    let mut rules: Vec<String> = stops().map(|f| f.rule.to_owned()).collect();
    rules.dedup();
    let wanted = Line {
        command: attempt.command.clone(),
        cwd: cwd.to_string_lossy().into_owned(),
        hash: attempt.hash,
        losses: stops().flat_map(|f| &f.losses).take(5).map(explain::loss).collect(),
        lost: stops().map(|f| f.losses.len() + f.more).sum(),
        rules,
        ..Line::default()
    };
    give(cli, paths, &way::policy(policies, &cwd), &wanted)
}

/// Asks the person, and lets the call through once.
fn give(cli: &Cli, paths: &Paths, policy: &Policy, wanted: &Line) -> Result<ExitCode, ExitCode> {
    let code = wanted.code.as_deref().unwrap_or_default();
    let floor = wanted.rules.iter().find(|rule| grant::floor(policy, rule, &wanted.command));
    let confirmed = match floor {
        Some(rule) => Err(format!("the organisation decides {} (/etc/ah/config.json)", quote::line(rule, 60))),
        None => person::confirm(&shown(wanted), "let it through once", "leaves it stopped"),
    };
    if let Err(why) = confirmed {
        let line = Line {
            v: 1,
            t: now_ms(),
            verdict: "deny".into(),
            rules: vec!["ah.disarm".into()],
            command: format!("ah-git-guard allow {}", if code.is_empty() { "-- ..." } else { code }),
            detail: format!("allow refused: {why}"),
            ..Line::default()
        };
        audit::write(paths, policy, &line);
        return Err(exit::fail(cli.name, exit::NO_PERMISSION, &format!("allow refused: {why}")));
    }
    grant::give(paths, &wanted.hash, code, now_ms()).map_err(|error| {
        exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot keep the grant: {}: {error}", quote::path(paths.allow())))
    })?;
    exit::print(cli.name, "Let through once, within 10 minutes.\n");
    Ok(ExitCode::SUCCESS)
}

/// What a grant would let through.
fn shown(wanted: &Line) -> String {
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    let more = wanted.lost.saturating_sub(wanted.losses.len());
    let mut losses: Vec<String> = wanted.losses.iter().map(|l| quote::line(l, 160)).collect();
    losses.extend((more > 0).then(|| format!("and {more} more")));
    let mut out = format!("  command    {}\n", command(wanted));
    out += &format!("  directory  {}\n", or(quote::path(&wanted.cwd).trim_matches('\'').to_owned(), "(not recorded)"));
    out += &format!("  rule       {}\n", or(quote::line(&wanted.rules.join(" "), 200), "none stops it as things are"));
    out += &format!("  lost       {}\n", or(losses.join("\n             "), "nothing that has a name"));
    if wanted.t > 0 {
        out += &format!("  stopped    {}\n", ago(wanted.t));
    }
    out + "It is let through once, within 10 minutes, when exactly this is tried again in that directory."
}

/// The command for a terminal.
pub fn command(line: &Line) -> String {
    if line.command.is_empty() { "(not recorded)".to_owned() } else { quote::line(&line.command, 400) }
}

/// How long ago, for people.
fn ago(t: u64) -> String {
    let seconds = now_ms().saturating_sub(t) / 1000;
    match seconds {
        0..120 => format!("{seconds} s ago"),
        120..7200 => format!("{} min ago", seconds / 60),
        7200..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
