//! `lessons import`: rules of a CLAUDE.md or AGENTS.md, lines of a store, or the lessons that come with ah.

use super::place::{Place, operand};
use super::rules::{Rule, rules};
use super::write::id;
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::fs;
use ah::lesson::{Lesson, Reach};
use ah::quote;
use ah::redact::redact;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest file that is read, in bytes.
const MAX: u64 = 256 << 20;

/// What was read and what was not.
#[derive(Default)]
pub struct Batch {
    /// In the order of the file.
    pub lessons: Vec<Lesson>,
    /// Line numbers and what is wrong with them.
    pub wrong: Vec<(usize, String)>,
}

/// `lessons import FILE`, `lessons import --starter`.
pub fn import(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let batch = if call.has("starter") {
        if call.args.len() > 1 {
            return Err(cli.usage_error("lessons import: a file, or --starter"));
        }
        lines(include_bytes!("../../../defaults/lessons.jsonl"))
    } else {
        let mut file = PathBuf::from(operand(cli, call, "FILE")?);
        if file.is_dir() {
            file.push("lessons.jsonl");
        }
        let bytes = fs::read(&file, MAX)
            .map_err(|error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(&file))))?;
        match file.extension().and_then(|end| end.to_str()) {
            Some("md" | "mdc" | "markdown" | "txt") => of_rules(&String::from_utf8_lossy(&bytes), &file, &place),
            _ => lines(&bytes),
        }
    };
    let lessons = place.read(cli)?;
    let known: BTreeMap<&str, &Lesson> = lessons.live.iter().map(|lesson| (lesson.id.as_str(), lesson)).collect();
    // What is here in the same or a later version stays as it is: whoever changed it meant to.
    let newer = |lesson: &&Lesson| known.get(lesson.id.as_str()).is_none_or(|here| here.version < lesson.version);
    let fresh: Vec<Lesson> = batch.lessons.iter().filter(newer).cloned().collect();
    place.append(cli, &fresh)?;
    let there = batch.lessons.len() - fresh.len();
    for (line, why) in batch.wrong.iter().take(20) {
        let _ = exit::fail(cli.name, exit::BAD_DATA, &format!("not a lesson: line {line}: {}", quote::line(why, 120)));
    }
    let wrong = batch.wrong.len();
    let text = match call.options.json {
        true => format!("{{\"added\":{},\"known\":{there},\"v\":1,\"wrong\":{wrong}}}\n", fresh.len()),
        false => format!("{} added, {there} known already, {wrong} not read\n", fresh.len()),
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(if batch.lessons.is_empty() || wrong > 0 { exit::BAD_DATA } else { exit::OK }))
}

/// The lessons of lines; of an id that comes several times the last line, whatever version it says, as the reference
/// system has it.
pub fn lines(bytes: &[u8]) -> Batch {
    let mut batch = Batch::default();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    for (n, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match Lesson::read(line) {
            Ok(mut lesson) => match at.get(&lesson.id) {
                Some(place) => {
                    lesson.version = lesson.version.max(batch.lessons[*place].version);
                    batch.lessons[*place] = lesson;
                }
                None => {
                    at.insert(lesson.id.clone(), batch.lessons.len());
                    batch.lessons.push(lesson);
                }
            },
            Err(why) => batch.wrong.push((n + 1, why.to_string())),
        }
    }
    batch
}

/// One lesson for each rule of a text.
fn of_rules(text: &str, file: &Path, place: &Place) -> Batch {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let lessons = rules(text).into_iter().map(|rule| of_rule(&rule, &name, place)).collect();
    Batch { lessons, wrong: Vec::new() }
}

fn of_rule(rule: &Rule, name: &str, place: &Place) -> Lesson {
    let text = redact(&rule.text).into_owned();
    let end = if text.ends_with(['.', '!', '?', ')']) { "" } else { "." };
    Lesson {
        id: id('R', &rule.text),
        origin_ms: now_ms(),
        question: format!("Does this work keep to the rule: {text}{end}"),
        situations: rule
            .headings
            .last()
            .map(|heading| format!("work that \"{}\" of {name} is about", redact(heading)))
            .into_iter()
            .collect(),
        reach: Reach::Repo,
        repo: place.scope.name.clone(),
        source: "import".to_owned(),
        support: 1,
        version: 1,
        ..Lesson::default()
    }
}
