//! `lessons list --stat` and `lessons why`: what came of lessons.

use super::place::{Place, named};
use crate::episode::Episodes;
use crate::learn::{came_from, episode_text};
use ah::cli::{Call, Cli};
use ah::clock;
use ah::exit;
use ah::lesson::{Lesson, Reach};
use ah::outcome::{self, Belief, Beliefs, Kind, Outcome};
use ah::quote;
use serde_json::json;
use std::fmt::Write as _;
use std::process::ExitCode;

/// `--stat`: how often each lesson reached the agent, changed the work and was ignored; the most useful first.
pub fn stat(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lessons = place.read(cli)?;
    let beliefs = Beliefs::of(&outcomes(cli, &place)?);
    let mut rows: Vec<(&Lesson, Belief)> = lessons
        .live
        .iter()
        .filter(|lesson| lesson.reach != Reach::Personal && !lessons.hidden.contains_key(&lesson.id))
        .map(|lesson| (lesson, beliefs.get(&lesson.id, lesson.origin_ms)))
        .collect();
    let key = |b: &Belief| (b.order(), b.asked);
    rows.sort_by(|(_, a), (_, b)| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
    if call.options.json {
        let rows: Vec<_> = rows.iter().map(|(lesson, b)| row(lesson, b)).collect();
        exit::print(cli.name, &format!("{}\n", json!({ "v": 1, "lessons": rows })));
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::from("asked  changed  ignored  unclear  corrected  use   lesson\n");
    for (lesson, b) in &rows {
        let id = quote::line(&lesson.id, 60);
        let question = quote::line(&quote::cut(&lesson.question, 70), 140);
        let counts = [b.asked, b.changed, b.ignored, b.unclear, b.corrected];
        let [asked, changed, ignored, unclear, corrected] = counts;
        let _ =
            write!(text, "{asked:5}  {changed:7}  {ignored:7}  {unclear:7}  {corrected:9}  {:.2}  {id}  {question}", b.mean());
        text.push_str(if b.muted { "  (muted)\n" } else { "\n" });
    }
    let muted: Vec<String> = rows.iter().filter(|(_, b)| b.muted).map(|(lesson, _)| quote::line(&lesson.id, 60)).collect();
    if let Some(first) = muted.first() {
        let all = muted.join(", ");
        let _ = writeln!(text, "\nMuted, since they reached the agent often and never changed anything: {all}.");
        let _ = writeln!(text, "`ah-judge lessons unmute {first}` has one asked again; `lessons edit` words it better.");
    }
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

fn row(lesson: &Lesson, b: &Belief) -> serde_json::Value {
    json!({
        "id": lesson.id, "question": lesson.question, "asked": b.asked, "changed": b.changed, "ignored": b.ignored,
        "unclear": b.unclear, "corrected": b.corrected, "vetoed": b.vetoed, "use": b.mean(), "muted": b.muted,
    })
}

/// `lessons unmute ID`.
pub fn unmute(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lesson = named(cli, call, &place.read(cli)?)?;
    let log = place.store.outcomes_file();
    let line = Outcome::new(Kind::Unmuted, "", &place.scope.name, clock::now_ms(), vec![lesson.id]);
    let cannot = |error| exit::fail(cli.name, exit::CANNOT_CREATE, &format!("cannot write: {}: {error}", quote::path(&log)));
    outcome::append(&log, &[line]).map_err(cannot)?;
    Ok(ExitCode::SUCCESS)
}

/// `lessons why ID`: from which words of a person it came, each time it reached an agent, and what came of it.
pub fn why(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let place = Place::of(cli, call)?;
    let lesson = named(cli, call, &place.read(cli)?)?;
    let all = outcomes(cli, &place)?;
    let belief = Beliefs::of(&all).get(&lesson.id, lesson.origin_ms);
    let kept = Episodes::of(place.store.dir()).read().unwrap_or_default();
    let from = came_from(&lesson);
    let episodes: Vec<_> = kept.iter().filter(|kept| from.contains(&kept.episode.id)).map(|kept| &kept.episode).collect();
    let told: Vec<&Outcome> =
        all.iter().filter(|o| o.lessons.contains(&lesson.id) && !matches!(o.kind, Kind::Delivery | Kind::Other)).collect();
    if call.options.json {
        let line = json!({ "v": 1, "use": row(&lesson, &belief), "from": from, "episodes": episodes, "outcomes": told });
        exit::print(cli.name, &format!("{line}\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{}  {}\n", quote::line(&lesson.id, 100), quote::line(&lesson.question, 1_000));
    if episodes.is_empty() {
        let _ = writeln!(text, "no words of a person that are still kept; written by hand, brought in, or older");
    }
    episodes.iter().for_each(|episode| text.push_str(&episode_text(episode)));
    for outcome in &told {
        let _ = writeln!(text, "{}  {}", clock::utc(outcome.ms), said(outcome, &lesson.id));
    }
    let _ = writeln!(
        text,
        "asked {} times; in {} sessions the work changed, in {} it did not{}",
        belief.asked,
        belief.changed,
        belief.ignored,
        if belief.muted { "; muted" } else { "" }
    );
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// One outcome in words.
fn said(outcome: &Outcome, id: &str) -> String {
    let at = outcome.lessons.iter().position(|lesson| lesson == id).unwrap_or_default();
    let grade = outcome.grades.get(at).filter(|grade| **grade > 0).map(|grade| format!(", grade {grade}")).unwrap_or_default();
    let what = match outcome.kind {
        Kind::AppliedThenCorrected | Kind::AskedThenCorrected => "corrected by a person afterwards",
        Kind::Asked if matches!(outcome.channel.as_str(), "stop" | "live") => "asked",
        Kind::Asked => "handed over",
        Kind::AskedIgnored => "the work stayed as it was",
        Kind::AskedNotCorrected => "the session ended",
        Kind::AskedThenChanged => "the work changed and avoids it",
        Kind::AskedUnclear => "unclear",
        Kind::Graded => "a model found that it applies",
        Kind::Unmuted => "unmuted",
        Kind::Vetoed => "not wanted by a person",
        Kind::Delivery | Kind::Ended | Kind::Regretted | Kind::Tested | Kind::Other => "noted",
    };
    let session = quote::line(&quote::cut(&outcome.session, 12), 40);
    let extra = if outcome.stripped { ", judged without the declaration" } else { "" };
    let reason = if outcome.reason.is_empty() { String::new() } else { format!(" ({})", quote::line(&outcome.reason, 40)) };
    format!("{session}  {what}{grade}{extra}{reason}")
}

fn outcomes(cli: &Cli, place: &Place) -> Result<Vec<Outcome>, ExitCode> {
    let log = place.store.outcomes_file();
    let cannot = |error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read: {}: {error}", quote::path(&log)));
    outcome::read(&log).map_err(cannot)
}
