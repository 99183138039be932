//! `tally`: what was asked, skipped and spent.

use ah::cli::{Call, Cli};
use ah::exit;
use ah::paths::Paths;
use ah::quote;
use ah::tally::{Amounts, Tally, tally as count};
use std::path::PathBuf;
use std::process::ExitCode;

/// Counts a folder of logs; without one, our own.
pub fn tally(cli: &Cli, call: &Call) -> Result<ExitCode, ExitCode> {
    let dir = match call.args.as_slice() {
        [] => Paths::from_env().map(Paths::sessions).ok_or_else(|| exit::fail(cli.name, exit::UNAVAILABLE, "HOME is not set"))?,
        [dir] => PathBuf::from(dir),
        _ => return Err(cli.usage_error("tally counts one folder")),
    };
    let cannot = |error| exit::fail(cli.name, exit::NO_INPUT, &format!("cannot count: {}: {error}", quote::path(&dir)));
    let tally = count(&dir, 0).map_err(cannot)?;
    let text = match (call.has("compat"), call.options.json) {
        (true, _) => format!("{}\n", tally.compat()),
        (false, true) => format!("{}\n", serde_json::to_string(&tally).unwrap_or_default()),
        (false, false) => shown(&tally),
    };
    exit::print(cli.name, &text);
    Ok(ExitCode::from(exit::OK))
}

fn shown(tally: &Tally) -> String {
    let spent = |amounts: &Amounts| match amounts.is_empty() {
        true => "nothing".to_owned(),
        false => amounts.iter().map(|(unit, amount)| format!("{amount} {unit}")).collect::<Vec<_>>().join(", "),
    };
    let Tally { asked, cost, failed, free, free_lessons, judged, judge_resolved, .. } = tally;
    let Tally { live_checks, live_cost, live_lessons, questions, rounds, skipped, .. } = tally;
    [
        format!("turns skipped        {skipped}"),
        format!("stops that asked     {asked}, spent {}", spent(cost)),
        format!("background checks    {live_checks}, lessons {live_lessons}, spent {}", spent(live_cost)),
        format!("calls that failed    {failed}"),
        format!("blocks               {rounds}, questions {questions}"),
        format!("handed over free     {free}, lessons {free_lessons}"),
        format!("verdicts             {judged}, standing {judge_resolved}"),
    ]
    .map(|line| line + "\n")
    .concat()
}
