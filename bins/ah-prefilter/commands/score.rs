//! `score` and `features`: how well a turn matches the lessons.

use super::eval::measured;
use crate::here;
use crate::lessons::Lessons;
use crate::turns;
use ah::cli::{Call, Cli};
use ah::compat::{self, Scored};
use ah::exit;
use ah::gate::Turn;
use ah::quote;
use serde_json::json;
use std::process::ExitCode;

/// So many lessons are listed, as the reference does.
const LISTED: usize = 20;

/// Prints the score and the best lessons.
pub fn score(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let Scored { score, turn_ids, turn_scores, .. } = scored(cli, call)?;
    let best = turn_ids.iter().zip(&turn_scores);
    let text = if call.options.json {
        format!("{}\n", json!({"score": score, "ranked": best.collect::<Vec<_>>()}))
    } else {
        best.fold(format!("{score:.4}\n"), |text, (id, score)| text + &format!("{score:10.4} {}\n", quote::line(id, 200)))
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

/// Prints all that is computed of a turn, as JSON.
pub fn features(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let scored = scored(cli, call)?;
    exit::print(cli.name, &format!("{}\n", serde_json::to_string(&scored).unwrap_or_default()));
    Ok(ExitCode::from(exit::OK))
}

fn scored(cli: &Cli, call: &Call) -> Result<Scored, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("it takes no operand: the turn is that of --context or of a session"));
    }
    let context = turns::context(cli, call)?;
    let turn = turns::meant(cli, call)?;
    let lessons = match (call.value("lessons"), here::store(cli)) {
        (Some(file), _) => Lessons::of_file(cli, file)?,
        (None, Ok((_, Some(store)))) => Lessons::of_store(cli, &store)?,
        (None, _) => return Err(cli.usage_error("there is no repository here: --lessons FILE is needed")),
    };
    if call.has("compat") {
        return Ok(compat::score(&lessons.list, &[], &context.unwrap_or_else(|| turn.text())));
    }
    let now = measured(cli, call, &lessons, &turn)?;
    let shortlist = match context {
        None => now.ranked.clone(),
        Some(whole) => measured(cli, call, &lessons, &Turn::of_text(&compat::work_text(&whole)))?.ranked,
    };
    Ok(Scored {
        n: lessons.list.len(),
        qtokens: now.words,
        score: now.score,
        shortlist: shortlist.into_iter().take(LISTED).collect(),
        turn_chars: turn.text().trim_end_matches('\n').len(),
        turn_ids: now.ranked.into_iter().take(LISTED).collect(),
        turn_scores: now.scores.into_iter().take(LISTED).collect(),
    })
}
