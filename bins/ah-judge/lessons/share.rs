//! A repository's own lessons, `.ah/lessons.jsonl`: shared with whoever clones it, used once a person here trusts them.

use super::import::lines;
use super::place::{Place, named};
use super::write::tombstone;
use ah::cli::{Call, Cli};
use ah::exit;
use ah::fs;
use ah::lesson::{Lesson, Reach};
use ah::paths::repo_lessons;
use ah::person;
use ah::quote;
use ah::redact::redact;
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Largest file of a repository that is read, in bytes.
const MAX: u64 = 4 << 20;

/// How the source of a repository's lesson begins; a hash of the trusted content follows.
pub const SOURCE: &str = "repo:";

/// `lessons share ID`: appends it to the repository's own lessons.
pub fn share(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lesson = named(cli, call, &place.read(cli)?)?;
    if lesson.reach == Reach::Personal {
        return Err(exit::fail(cli.name, exit::NO, &format!("retired: {}", quote::line(&lesson.id, 100))));
    }
    let file = repo_lessons(&place.root);
    let cannot = |error: std::io::Error| {
        exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot share: {}: {error}", quote::path(&file)))
    };
    let there = match fs::read(&file, MAX) {
        Ok(bytes) => lines(&bytes).lessons,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(cannot(error)),
    };
    let text = |text: &String| redact(text).into_owned();
    // People, episodes and other stores' ids are nobody else's business.
    let shared = Lesson {
        id: lesson.id.clone(),
        area: lesson.area.clone(),
        consequence: text(&lesson.consequence),
        origin_ms: lesson.origin_ms,
        overrides: text(&lesson.overrides),
        question: text(&lesson.question),
        scope: lesson.scope.clone(),
        situations: lesson.situations.iter().map(text).collect(),
        support: lesson.support,
        version: lesson.version,
        ..Lesson::default()
    };
    if there.iter().any(|other| other.id == shared.id && other.version >= shared.version) {
        exit::print(cli.name, "there already\n");
        return Ok(ExitCode::SUCCESS);
    }
    std::fs::create_dir_all(file.parent().unwrap_or(&place.root)).map_err(cannot)?;
    fs::append(&file, format!("{}\n", shared.to_line().trim_end()).as_bytes()).map_err(cannot)?;
    exit::print(cli.name, &format!("{}\n", quote::path(&file)));
    Ok(ExitCode::SUCCESS)
}

/// `lessons trust`: takes the repository's own lessons, as they are now, on a person's word. Those that a person
/// trusted before and that are no longer there go.
pub fn trust(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if call.args.len() > 1 {
        return Err(cli.usage_error("lessons trust takes no operand"));
    }
    let place = Place::of(cli, call)?;
    let file = repo_lessons(&place.root);
    let bytes = fs::read(&file, MAX)
        .map_err(|error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(&file))))?;
    let batch = lines(&bytes);
    let lessons = place.read(cli)?;
    let source = format!("{SOURCE}{}", &blake3::hash(&bytes).to_hex()[..16]);
    let theirs = |lesson: &Lesson| lesson.source.starts_with(SOURCE) && lesson.repo == place.scope.name;
    let known = |id: &str| lessons.live.iter().find(|lesson| lesson.id == id);
    let mut changes: Vec<Lesson> = Vec::new();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    for lesson in &batch.lessons {
        named.insert(&lesson.id);
        // A repository says nothing about a lesson that a person here has, and none holds beyond it.
        let version = match known(&lesson.id) {
            None => 1,
            Some(here) if theirs(here) && here.source != source => here.version + 1,
            Some(_) => continue,
        };
        changes.push(Lesson {
            id: lesson.id.clone(),
            area: lesson.area.clone(),
            consequence: lesson.consequence.clone(),
            origin_ms: lesson.origin_ms,
            overrides: lesson.overrides.clone(),
            question: lesson.question.clone(),
            reach: Reach::Repo,
            repo: place.scope.name.clone(),
            scope: lesson.scope.clone(),
            situations: lesson.situations.clone(),
            source: source.clone(),
            support: 1,
            version,
            ..Lesson::default()
        });
    }
    let gone = |l: &&Lesson| theirs(l) && l.reach != Reach::Personal && !named.contains(l.id.as_str());
    let gone: Vec<Lesson> =
        lessons.live.iter().filter(gone).map(|l| Lesson { source: l.source.clone(), ..tombstone(l) }).collect();
    if changes.is_empty() && gone.is_empty() {
        exit::print(cli.name, "trusted already, as they are\n");
        return Ok(ExitCode::SUCCESS);
    }
    let mut shown = format!("Lessons of {}:\n", quote::path(&file));
    changes.iter().for_each(|l| shown += &format!("  [{}] {}\n", quote::line(&l.id, 60), quote::line(&l.question, 200)));
    gone.iter().for_each(|l| shown += &format!("  [{}] no longer there\n", quote::line(&l.id, 60)));
    if let Err(why) = person::confirm(shown.trim_end(), "have the agent asked these", "leaves them unused") {
        return Err(exit::fail(cli.name, exit::NO_PERMISSION, &format!("not trusted: {why}")));
    }
    let (taken, left) = (changes.len(), gone.len());
    changes.extend(gone);
    place.append(cli, &changes)?;
    exit::print(cli.name, &format!("{taken} taken, {left} gone\n"));
    Ok(ExitCode::SUCCESS)
}
