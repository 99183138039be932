//! Models that are left alone for a while because they failed.

use crate::finding::Finding;
use crate::ground::Ground;
use ah::clock::utc;
use ah::meter::Meter;
use ah::quote;

/// Each breaker that holds.
pub fn look(ground: &Ground) -> Vec<Finding> {
    let held = Meter::of(ground.paths).breakers(ground.now);
    if held.is_empty() {
        return vec![Finding::ok("breaker.ok", "breaker", "no model is being left alone")];
    }
    let say = |(model, breaker): &(String, ah::meter::Breaker)| {
        let what = format!(
            "{} failed {} times in a row ({}); it is not asked until {} UTC",
            quote::line(model, 60),
            breaker.failures,
            quote::line(&breaker.why, 120),
            utc(breaker.until)
        );
        Finding::warn("breaker.open", "breaker", what).mend("ah-judge request --send < question")
    };
    held.iter().map(say).collect()
}
