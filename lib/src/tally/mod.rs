//! What was asked, skipped and spent, counted over a folder of logs: ours, and the reference's.
//!
//! What was spent is counted by unit: dollars and tokens are never added.

mod log;
mod reference;

use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The reference's lines have no unit: a whole number of at least one is a count of tokens, anything else dollars.
const TOKENS: &str = "tokens";
/// Dollars.
const USD: &str = "usd";

/// Amounts by unit.
pub type Amounts = BTreeMap<String, f64>;

/// The counts. Lengths are bytes of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Stops that asked a model.
    pub asked: u64,
    /// Text of blocks; only the reference's logs tell.
    pub block_chars: u64,
    /// What they spent.
    pub cost: Amounts,
    /// Calls that failed, or were not made because of a budget; only our logs tell.
    pub failed: u64,
    /// Deliveries without a block.
    pub free: u64,
    /// Their text; only the reference's logs tell.
    pub free_chars: u64,
    /// Their lessons.
    pub free_lessons: u64,
    /// Calls that gave verdicts; only the reference's logs tell.
    pub judge_calls: u64,
    /// Text of those; only the reference's logs tell.
    pub judge_chars: u64,
    /// Verdicts that stand.
    pub judge_resolved: u64,
    /// Verdicts asked for.
    pub judged: u64,
    /// Background checks.
    pub live_checks: u64,
    /// What they spent.
    pub live_cost: Amounts,
    /// Lessons that they chose.
    pub live_lessons: u64,
    /// Questions of blocks.
    pub questions: u64,
    /// Blocks.
    pub rounds: u64,
    /// Turns that asked no model.
    pub skipped: u64,
}

/// Counts a folder: `*.jsonl` are ours, of these what was recorded at `since` or later, in milliseconds since the Unix
/// epoch; `*.ctx` and `*.cost` are the reference's, whose lines have no time. One that does not exist has nothing.
///
/// # Errors
/// The system's, when the folder cannot be read. A file that cannot be read counts nothing.
pub fn tally(dir: &Path, since: u64) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut reference = reference::Sums::default();
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(tally),
        Err(e) => return Err(e),
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.extension().and_then(|end| end.to_str()) {
            Some("cost") => reference.cost(&path, &mut tally),
            Some("ctx") => reference.context(&path, &mut tally),
            Some("jsonl") => log::count(&path, since, &mut tally),
            _ => {}
        }
    }
    reference.settle(&mut tally);
    Ok(tally)
}

impl Tally {
    /// As the reference shows it: one number for all costs.
    #[must_use]
    pub fn compat(&self) -> serde_json::Value {
        let sum = |amounts: &Amounts| amounts.values().sum::<f64>();
        serde_json::json!({
            "skipped": self.skipped, "asked": self.asked, "cost": sum(&self.cost), "rounds": self.rounds,
            "questions": self.questions, "block_chars": self.block_chars, "free": self.free,
            "free_lessons": self.free_lessons, "free_chars": self.free_chars, "judge_calls": self.judge_calls,
            "judged": self.judged, "judge_resolved": self.judge_resolved, "judge_chars": self.judge_chars,
            "live_checks": self.live_checks, "live_cost": sum(&self.live_cost), "live_lessons": self.live_lessons,
        })
    }
}

/// Adds amounts to amounts.
fn add(to: &mut Amounts, unit: &str, amount: f64) {
    *to.entry(unit.to_owned()).or_default() += amount;
}
