//! `score`, `features`, `turn`: what the gate makes of a session's text in the reference's form.

use crate::lessons;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use ah::gate::{Calibration, Query, Settings, Work, measure};
use ah::outcome::{self, Outcome};
use ah::store::Store;
use serde::Serialize;
use serde_json::{Value, json};
use std::process::ExitCode;

/// What is computed of a text, by either formula.
#[derive(Serialize)]
struct Features {
    n: usize,
    qtokens: usize,
    score: f64,
    shortlist: Vec<String>,
    turn_chars: usize,
    turn_ids: Vec<String>,
    turn_scores: Vec<f64>,
}

/// So many lessons `features` lists, as the reference does.
const LISTED: usize = 20;

/// The text, split into its turn and the whole.
struct Texts {
    turn: String,
    whole: String,
}

fn texts(cli: &Cli, call: &Call) -> Result<Texts, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("this command takes no operand"));
    }
    let whole = lessons::text(cli, call, "context")?;
    Ok(Texts { turn: compat::turn(&whole).to_owned(), whole })
}

/// Prints the present turn: as it is, or with `--json` also the words of it that are work.
pub fn turn(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let Texts { turn, .. } = texts(cli, call)?;
    let text = if call.options.json {
        format!("{}\n", json!({ "turn": turn, "turn_work_text": compat::work_text(&turn) }))
    } else {
        turn
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// Prints the score of the present turn beside the threshold, and the lessons that it is about. Exit 0, whatever it is.
pub fn score(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let texts = texts(cli, call)?;
    let (features, threshold) = measured(cli, call, &texts)?;
    let skips = features.score < threshold;
    let ranked: Vec<(&String, f64)> = features.turn_ids.iter().zip(features.turn_scores.iter().copied()).collect();
    let text = if call.options.json {
        let skip = skips.then_some(features.score);
        let mut all = json!({ "n": features.n, "ranked": ranked, "score": features.score, "skip": skip, "threshold": threshold });
        if call.has("compat") {
            all["idf_max"] = json!(compat::idf_max(features.n));
        }
        format!("{all}\n")
    } else {
        let verdict = if skips { "skip" } else { "open" };
        let lines = ranked.iter().map(|(id, score)| format!("{score:9.4}  {}\n", ah::quote::line(id, 80)));
        format!("{verdict}: score {:.4}, threshold {threshold:.4}, {} lessons\n", features.score, features.n)
            + &lines.collect::<String>()
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::SUCCESS)
}

/// Prints what a learner of the gate's weights would want to see, one JSON object.
pub fn features(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let texts = texts(cli, call)?;
    let (features, _) = measured(cli, call, &texts)?;
    let value: Value = json!(features);
    exit::print(cli.name, &format!("{value}\n"));
    Ok(ExitCode::SUCCESS)
}

/// The features and the threshold in force.
fn measured(cli: &Cli, call: &Call, texts: &Texts) -> Result<(Features, f64), ExitCode> {
    if call.has("compat") { reference(cli, call, texts) } else { ours(cli, call, texts) }
}

fn reference(cli: &Cli, call: &Call, texts: &Texts) -> Result<(Features, f64), ExitCode> {
    let store = lessons::store(cli, call)?;
    let read = store.read().map_err(|error| lessons::unread(cli, store.lessons_file().as_os_str(), &error))?;
    let scored = compat::score(&read.live, &outcomes(cli, &store)?, &texts.whole);
    let compat::Scored { n, qtokens, score, shortlist, turn_chars, turn_ids, turn_scores } = scored;
    Ok((Features { n, qtokens, score, shortlist, turn_chars, turn_ids, turn_scores }, compat::THRESHOLD))
}

fn outcomes(cli: &Cli, store: &Store) -> Result<Vec<Outcome>, ExitCode> {
    outcome::read(&store.outcomes_file()).map_err(|error| lessons::unread(cli, store.outcomes_file().as_os_str(), &error))
}

fn ours(cli: &Cli, call: &Call, texts: &Texts) -> Result<(Features, f64), ExitCode> {
    let index = lessons::index(cli, call)?;
    let store = lessons::store(cli, call)?;
    let failed = |error: std::io::Error| lessons::unread(cli, store.lessons_file().as_os_str(), &error);
    let measure_of = |text: &str| -> Result<(usize, f64, Vec<(String, f64)>), ExitCode> {
        let work = Work { prompt: text, ..Work::default() };
        let query = Query::of(&work);
        let mut measured = measure(&index, &query, &work).map_err(failed)?;
        let scored = measured.scored().map_err(failed)?;
        Ok((query.words.len(), measured.score, scored))
    };
    let now = compat::work_text(&texts.turn);
    let (qtokens, score, mut ranked) = measure_of(&now)?;
    let (_, _, mut all) = measure_of(&compat::work_text(&texts.whole))?;
    ranked.truncate(LISTED);
    all.truncate(LISTED);
    let settings = super::threshold::settings();
    let features = Features {
        n: index.live() as usize,
        qtokens,
        score,
        shortlist: all.into_iter().map(|(id, _)| id).collect(),
        turn_chars: now.len(),
        turn_scores: ranked.iter().map(|(_, score)| *score).collect(),
        turn_ids: ranked.into_iter().map(|(id, _)| id).collect(),
    };
    let calibration = if call.value("lessons").is_some() { Calibration::default() } else { Calibration::read(&store) };
    Ok((features, Settings::threshold(&settings, &calibration).value))
}
