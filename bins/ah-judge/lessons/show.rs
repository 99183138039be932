//! `lessons list`, `show` and `export`.

use super::place::{Place, named};
use ah::cli::{Call, Cli};
use ah::clock;
use ah::exit;
use ah::lesson::{Lesson, Reach};
use ah::quote;
use serde::Serialize;
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::process::ExitCode;

#[derive(Serialize)]
struct Listing {
    conflicts: Vec<String>,
    hidden: Vec<(String, String)>,
    invalid: Vec<(usize, String)>,
    lessons: Vec<Box<RawValue>>,
    v: u32,
}

/// `lessons list`: those that can be asked; with `--all` the hidden and retired ones too, and what is wrong.
pub fn list(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if call.args.len() > 1 {
        return Err(cli.usage_error("lessons list takes no operand"));
    }
    let place = Place::of(cli, call)?;
    let lessons = place.read(cli)?;
    let all = call.has("all");
    let shown = lessons.live.iter().filter(|l| all || l.reach != Reach::Personal && !lessons.hidden.contains_key(&l.id));
    let text = if call.options.json {
        let raw = |l: &Lesson| RawValue::from_string(l.to_line().trim_end().to_owned()).ok();
        let listing = Listing {
            conflicts: lessons.conflicts.iter().map(ToString::to_string).collect(),
            hidden: lessons.hidden.iter().map(|(id, by)| (id.clone(), by.clone())).collect(),
            invalid: lessons.invalid.iter().map(|(line, why)| (*line, why.to_string())).collect(),
            lessons: shown.filter_map(raw).collect(),
            v: 1,
        };
        serde_json::to_string(&listing).unwrap_or_default() + "\n"
    } else {
        let mut text = String::new();
        for lesson in shown {
            let mark = match (lessons.hidden.get(&lesson.id), lesson.reach) {
                (_, Reach::Personal) => " (retired)".to_owned(),
                (Some(by), _) => format!(" (replaced by {})", quote::line(by, 40)),
                _ => String::new(),
            };
            let _ = writeln!(text, "{:20}  {}{mark}", quote::line(&lesson.id, 60), quote::line(&lesson.question, 120));
        }
        for (line, why) in lessons.invalid.iter().filter(|_| all) {
            let _ = writeln!(text, "line {line} is no lesson: {}", quote::line(&why.to_string(), 120));
        }
        text
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// `lessons show ID`.
pub fn show(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lessons = place.read(cli)?;
    let lesson = named(cli, call, &lessons)?;
    if call.options.json {
        exit::print(cli.name, &format!("{}\n", lesson.to_line().trim_end()));
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{name:12} {}", quote::line(value, 1_000));
        }
    };
    row("id", &lesson.id);
    row("question", &lesson.question);
    row("consequence", &lesson.consequence);
    lesson.situations.iter().for_each(|situation| row("situation", situation));
    row("scope", &lesson.scope.join(", "));
    row("replaces", &lesson.overrides);
    row("reach", reach(lesson.reach));
    row("repository", &lesson.repo);
    row("area", &lesson.area);
    row("from", &lesson.source);
    row("learned", &clock::utc(lesson.origin_ms));
    row("version", &lesson.version.to_string());
    row("supersedes", &lesson.supersedes.join(", "));
    row("hidden by", lessons.hidden.get(&lesson.id).map_or("", String::as_str));
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// `lessons export`: the lessons as lines that `lessons import` reads.
pub fn export(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if call.args.len() > 1 {
        return Err(cli.usage_error("lessons export prints: it takes no operand"));
    }
    let place = Place::of(cli, call)?;
    let lessons = place.read(cli)?;
    let wanted = lessons.live.iter().filter(|l| call.has("all") || l.reach != Reach::Personal);
    let text: String = wanted.map(|lesson| format!("{}\n", lesson.to_line().trim_end())).collect();
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// The word for a reach.
fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::Team => "team",
        Reach::Repo => "repo",
        Reach::Personal => "retired",
    }
}
