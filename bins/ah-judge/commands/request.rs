//! `request`: what the model would be sent, and with `--send` what it answers.

use crate::desk::Desk;
use crate::model::{self, Ask, Group, Outcome, Parts, Shown};
use crate::settings::Judge;
use crate::stop;
use ah::cli::{Call, Cli};
use ah::clock::Deadline;
use ah::config::{Config, Severity};
use ah::exit;
use ah::harness::{self, Harness};
use ah::hook::Edges;
use ah::paths::Paths;
use ah::quote;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

/// The longest input, in bytes.
const MOST: u64 = 16 << 20;

/// What tells an event from a question.
#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    hook_event_name: Option<String>,
}

/// A question, as it can be written by hand.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Question {
    lessons: Vec<Lesson>,
    pending: Vec<Earlier>,
    ranked: Vec<String>,
    session: String,
    turn: String,
    work: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lesson {
    consequence: String,
    declared: Option<String>,
    id: String,
    question: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Earlier {
    after: String,
    before: String,
    lessons: Vec<Lesson>,
}

impl Lesson {
    fn shown(&self) -> Shown<'_> {
        Shown { consequence: &self.consequence, id: &self.id, question: &self.question }
    }
}

impl Question {
    fn ask(&self) -> Ask {
        let lessons: Vec<Shown> = self.lessons.iter().map(Lesson::shown).collect();
        let pending: Vec<Vec<_>> =
            self.pending.iter().map(|group| group.lessons.iter().map(|l| (l.shown(), l.declared.as_deref())).collect()).collect();
        let groups = self.pending.iter().zip(&pending);
        let groups: Vec<Group> =
            groups.map(|(group, lessons)| Group { after: &group.after, before: &group.before, lessons }).collect();
        let Self { session, turn, work, .. } = self;
        Ask::of(&Parts { lessons: &lessons, pending: &groups, ranked: &self.ranked, session, turn, work })
    }
}

#[derive(Serialize)]
struct Told<'a> {
    outcome: &'static str,
    model: &'a str,
    ms: u64,
    usage: &'a BTreeMap<String, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applies: Option<Vec<Applied<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<Vec<Resolved<'a>>>,
}

#[derive(Serialize)]
struct Applied<'a> {
    id: &'a str,
    grade: u8,
    why: &'a str,
}

#[derive(Serialize)]
struct Resolved<'a> {
    id: &'a str,
    verdict: &'static str,
    avoids_consequence: bool,
}

/// `request [--send]`: reads a question, or the event of a stop, from standard input.
pub fn request(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if io::stdin().is_terminal() {
        return Err(cli.usage_error("request reads a question from standard input"));
    }
    let fail = |code, text: &str| Err(exit::fail(cli.name, code, text));
    let mut bytes = Vec::new();
    if let Err(error) = io::stdin().lock().take(MOST).read_to_end(&mut bytes) {
        return fail(exit::NO_INPUT, &format!("cannot read the question: {error}"));
    }
    let Some(paths) = Paths::from_env() else {
        return fail(exit::UNAVAILABLE, "no place for its state is known: HOME is not set");
    };
    // A list would be read as an object without names.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return fail(exit::BAD_DATA, "question not read: it is no JSON object");
    }
    let (settings, ask) = match serde_json::from_slice::<Kind>(&bytes) {
        Ok(kind) if kind.hook_event_name.is_some() => event(cli, call, &bytes)?,
        Ok(_) => (settings(cli, paths)?, written(cli, &bytes)?),
        Err(error) => return fail(exit::BAD_DATA, &format!("question not read: {}", quote::line(&error.to_string(), 200))),
    };
    if let Some(problem) = settings.problems.first() {
        return fail(exit::BAD_CONFIG, &format!("{}: {problem}", quote::path(paths.config_file())));
    }
    if !call.has("send") {
        exit::print(cli.name, &model::request::shown(&settings, &ask, Some(paths)));
        return Ok(ExitCode::from(exit::OK));
    }
    let outcome = model::ask(&settings, &ask, Deadline::after(settings.timeout), Some(paths));
    exit::print(cli.name, &told(&outcome));
    let failed = matches!(outcome, Outcome::Failed { .. });
    Ok(ExitCode::from(if failed { exit::UNAVAILABLE } else { exit::OK }))
}

/// The settings outside of any repository: no repository has a say in them.
fn settings(cli: &Cli, paths: &Paths) -> Result<Judge, ExitCode> {
    let (config, problems) = Config::load(paths, None);
    match problems.iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(Judge::of(&config)),
        Some(problem) => {
            let what = quote::line(&problem.what, 200);
            let place = format!("{}:{}:{}", quote::path(&problem.file), problem.line, problem.column);
            Err(exit::fail(cli.name, exit::BAD_CONFIG, &format!("{place}: {what}")))
        }
    }
}

/// A question that somebody wrote.
fn written(cli: &Cli, bytes: &[u8]) -> Result<Ask, ExitCode> {
    let wrong = |error: serde_json::Error| {
        exit::fail(cli.name, exit::BAD_DATA, &format!("question not read: {}", quote::line(&error.to_string(), 200)))
    };
    Ok(serde_json::from_slice::<Question>(bytes).map_err(wrong)?.ask())
}

/// The question of a stop, as a harness sends it.
fn event(cli: &Cli, call: &Call, bytes: &[u8]) -> Result<(Judge, Ask), ExitCode> {
    let named = call.options.harness.as_deref().and_then(Harness::named);
    let fail = |code, text: &str| exit::fail(cli.name, code, text);
    let (_, event) = harness::read(bytes, named, call.options.event.as_deref(), Edges::SYSTEM.env)
        .map_err(|why| fail(exit::BAD_DATA, &format!("event not read: {why}")))?;
    let said = RefCell::new("it is of no repository that is recorded".to_owned());
    let desk = Desk::of(&event, &|why| why.clone_into(&mut said.borrow_mut()));
    let desk = desk.ok_or_else(|| fail(exit::UNAVAILABLE, &format!("no session: {}", said.borrow())))?;
    match stop::question(&event, &desk) {
        Ok(Some(ask)) => Ok((desk.settings, ask)),
        Ok(None) => Err(fail(exit::NO, "nothing to ask: no lesson may apply, and none waits for a verdict")),
        Err(error) => Err(fail(exit::NO_INPUT, &format!("cannot read the session: {error}"))),
    }
}

/// An outcome as one line of JSON.
fn told(outcome: &Outcome) -> String {
    let told = match outcome {
        Outcome::Answered(reply, usage) => Told {
            outcome: "answered",
            model: &usage.model,
            ms: usage.ms,
            usage: &usage.units,
            reason: None,
            text: None,
            moves: Some(&reply.moves),
            applies: Some(reply.applies.iter().map(|a| Applied { id: &a.id, grade: a.grade, why: &a.why }).collect()),
            resolved: Some(
                reply
                    .resolved
                    .iter()
                    .map(|r| Resolved { id: &r.id, verdict: r.verdict.text(), avoids_consequence: r.avoids })
                    .collect(),
            ),
        },
        Outcome::Failed { reason, usage } => Told {
            outcome: "failed",
            model: &usage.model,
            ms: usage.ms,
            usage: &usage.units,
            reason: Some(reason.code.text()),
            text: Some(&reason.text),
            moves: None,
            applies: None,
            resolved: None,
        },
    };
    serde_json::to_string(&told).unwrap_or_default() + "\n"
}
