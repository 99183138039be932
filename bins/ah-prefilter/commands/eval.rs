//! `eval`: what the gate makes of turns, a JSON line for each.

use crate::lessons::Lessons;
use crate::turns;
use ah::cli::{Call, Cli};
use ah::compat;
use ah::exit;
use ah::gate::{Evaluated, Turn, evaluate};
use std::process::ExitCode;

/// Scores each turn and ranks the lessons for it, in the turns' order.
pub fn eval(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    if !call.args.is_empty() {
        return Err(cli.usage_error("eval takes no operand"));
    }
    let file = call.value("turns").ok_or_else(|| cli.usage_error("eval needs --turns FILE"))?;
    let turns = turns::of_file(cli, file)?;
    let lessons = Lessons::needed(cli, call)?;
    let mut text = String::new();
    for turn in &turns {
        text += &serde_json::to_string(&measured(cli, call, &lessons, turn)?).unwrap_or_default();
        text.push('\n');
    }
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

/// What the gate makes of a turn; with `--compat` the reference's.
pub fn measured(cli: &Cli, call: &Call, lessons: &Lessons, turn: &Turn) -> Result<Evaluated, ExitCode> {
    if call.has("compat") {
        let scored = compat::score(&lessons.list, &[], &turn.text());
        let (ranked, scores) = (scored.turn_ids, scored.turn_scores);
        return Ok(Evaluated { id: turn.id.clone(), ranked, score: scored.score, scores, words: scored.qtokens });
    }
    evaluate(&lessons.index, turn)
        .map_err(|error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot read the lessons: {error}")))
}
