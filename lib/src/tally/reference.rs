//! The reference's `.ctx` and `.cost` files, counted as it counts them.

use super::{Amounts, TOKENS, Tally, USD, add};
use crate::fs;
use std::path::Path;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// What only adds up over all files.
#[derive(Default)]
pub(super) struct Sums {
    asked: u64,
    cost: Amounts,
    live: u64,
}

impl Sums {
    /// A text of a session: what it skipped, and what its calls cost.
    pub fn context(&mut self, file: &Path, tally: &mut Tally) {
        for line in text(file).lines() {
            if line.starts_with("#borg-skip") {
                tally.skipped += 1;
            } else if let Some(amount) = line.strip_prefix("#borg-predict-cost ") {
                self.asked += 1;
                let amount = amount.trim().parse().unwrap_or(0.0);
                add(&mut self.cost, unit(amount), amount);
            }
        }
    }

    /// A file of deliveries and calls.
    pub fn cost(&mut self, file: &Path, tally: &mut Tally) {
        for line in text(file).lines() {
            let Some((kind, rest)) = line.split_once(' ') else { continue };
            let word = |name: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(name));
            let number = |name: &str| word(name).and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
            match kind {
                "block" => {
                    tally.rounds += 1;
                    tally.questions += number("questions=");
                    tally.block_chars += number("chars=");
                }
                "free" => {
                    tally.free += 1;
                    tally.free_lessons += number("lessons=");
                    tally.free_chars += number("chars=");
                }
                "judge" => {
                    tally.judge_calls += 1;
                    tally.judged += number("pending=");
                    tally.judge_resolved += number("resolved=");
                    tally.judge_chars += number("chars=");
                }
                "live" => {
                    self.live += 1;
                    tally.live_lessons += number("lessons=");
                    let spent = word("usd=").and_then(|value| value.parse().ok()).unwrap_or(0.0);
                    add(&mut tally.live_cost, unit(spent), spent);
                }
                _ => {}
            }
        }
    }

    /// A background check's call is among the calls of its session's text: taken out of them.
    pub fn settle(self, tally: &mut Tally) {
        tally.live_checks += self.live;
        tally.asked += self.asked.saturating_sub(self.live);
        for (name, amount) in self.cost {
            let live = tally.live_cost.get(&name).copied().unwrap_or(0.0);
            add(&mut tally.cost, &name, (amount - live).max(0.0));
        }
    }
}

fn unit(amount: f64) -> &'static str {
    if amount >= 1.0 && amount.fract() == 0.0 { TOKENS } else { USD }
}

fn text(file: &Path) -> String {
    String::from_utf8_lossy(&fs::read(file, LARGEST).unwrap_or_default()).into_owned()
}
