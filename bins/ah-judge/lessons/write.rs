//! `lessons add`, `edit` and `retire`.

use super::place::{Place, named, operand};
use crate::learn::Texts;
use ah::cli::{Call, Cli};
use ah::clock::now_ms;
use ah::exit;
use ah::lesson::{Lesson, Reach};
use ah::quote;
use ah::redact::redact;
use std::process::ExitCode;

/// An id that a text always has, so that adding it twice adds it once.
pub fn id(letter: char, text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    format!("{letter}{}", &blake3::hash(words.join(" ").as_bytes()).to_hex()[..10])
}

/// `lessons add --question TEXT ...`.
pub fn add(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if call.args.len() > 1 {
        return Err(cli.usage_error("lessons add: say it with --question"));
    }
    if call.value("question").is_none() {
        return Err(cli.usage_error("lessons add needs --question"));
    }
    let place = Place::of(cli, call)?;
    let mut lesson = Lesson { origin_ms: now_ms(), repo: place.scope.name.clone(), version: 1, support: 1, ..Lesson::default() };
    set(cli, call, &mut lesson)?;
    lesson.id = id('H', &lesson.question);
    let lessons = place.read(cli)?;
    if let Some(other) = lessons.live.iter().find(|l| l.id == lesson.id && l.reach != Reach::Personal) {
        return Err(exit::fail(cli.name, exit::NO, &format!("there already: {}", quote::line(&other.id, 100))));
    }
    // A retired one comes back as its next version.
    lesson.version = lessons.live.iter().find(|l| l.id == lesson.id).map_or(1, |l| l.version + 1);
    place.append(cli, std::slice::from_ref(&lesson))?;
    exit::print(cli.name, &format!("{}\n", lesson.id));
    Ok(ExitCode::SUCCESS)
}

/// `lessons edit ID --question TEXT ...`: what is not named stays.
pub fn edit(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    operand(cli, call, "lesson's ID")?;
    let place = Place::of(cli, call)?;
    let mut lesson = named(cli, call, &place.read(cli)?)?;
    if lesson.reach == Reach::Personal {
        return Err(exit::fail(cli.name, exit::NO, &format!("retired: {}", quote::line(&lesson.id, 100))));
    }
    let before = lesson.clone();
    set(cli, call, &mut lesson)?;
    if lesson == before {
        return Err(cli.usage_error("lessons edit: nothing to change; --question, --consequence, --situation, ... say what"));
    }
    lesson.version += 1;
    place.append(cli, &[lesson])?;
    Ok(ExitCode::SUCCESS)
}

/// `lessons retire ID`: it is never asked or handed over again; its text goes from the store's newest line.
pub fn retire(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lesson = named(cli, call, &place.read(cli)?)?;
    if lesson.reach != Reach::Personal {
        place.append(cli, &[tombstone(&lesson)])?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The line that takes a lesson out of the store.
pub fn tombstone(lesson: &Lesson) -> Lesson {
    Lesson {
        id: lesson.id.clone(),
        origin_ms: lesson.origin_ms,
        question: "(retired)".to_owned(),
        reach: Reach::Personal,
        repo: lesson.repo.clone(),
        version: lesson.version + 1,
        ..Lesson::default()
    }
}

/// The texts of a lesson that the flags name, for `learn`.
pub fn said(cli: &Cli, call: &Call) -> Result<Texts, ExitCode> {
    let mut lesson = Lesson::default();
    set(cli, call, &mut lesson)?;
    let Lesson { consequence, question, scope, situations, .. } = lesson;
    Ok(Texts { consequence, question, repo_only: lesson.reach == Reach::Repo, scope, situations })
}

/// Sets what the flags name.
fn set(cli: &Cli, call: &Call, lesson: &mut Lesson) -> Result<(), ExitCode> {
    let text = |name: &str| -> Result<Option<String>, ExitCode> {
        let Some(value) = call.value(name) else { return Ok(None) };
        let text = value.to_str().ok_or_else(|| cli.usage_error(&format!("--{name}: not text")))?;
        Ok(Some(redact(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()))
    };
    let all = |name: &str| -> Vec<String> {
        let given = call.flags.iter().filter(|(flag, _)| *flag == name).filter_map(|(_, value)| value.as_ref());
        given.map(|value| redact(&value.to_string_lossy()).trim().to_owned()).filter(|text| !text.is_empty()).collect()
    };
    if let Some(question) = text("question")? {
        if question.is_empty() || question.chars().count() > 1_000 {
            return Err(cli.usage_error("--question: expected 1 to 1000 characters"));
        }
        lesson.question = question;
    }
    if let Some(consequence) = text("consequence")? {
        lesson.consequence = consequence;
    }
    if let Some(overrides) = text("overrides")? {
        lesson.overrides = overrides;
    }
    if let Some(area) = text("area")? {
        lesson.area = area;
    }
    if call.has("situation") {
        lesson.situations = all("situation");
    }
    if call.has("scope") {
        lesson.scope = all("scope");
    }
    match call.value("reach").and_then(|value| value.to_str()) {
        Some("repo") => lesson.reach = Reach::Repo,
        Some("team") => lesson.reach = Reach::Team,
        _ => {}
    }
    Ok(())
}
