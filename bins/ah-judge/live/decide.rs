//! Whether a background check begins now, and whether one has covered a turn.

/// The time between the beginnings of two checks, in milliseconds: the reference system's.
pub const DEBOUNCE: u64 = 45_000;

/// The most that failures make of the time between, in milliseconds.
const MOST: u64 = 30 * 60_000;

/// What the last completed check left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// How many changes of the session it had seen.
    pub covered: u64,
    /// When it began, in milliseconds since the Unix epoch.
    pub started: u64,
    /// The turn it belonged to.
    pub turn: u64,
}

/// Why no check begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The last one began too short a time ago.
    Debounce,
    /// The mode is not live.
    Hook,
    /// All changes are covered.
    Nothing,
    /// One is running.
    Running,
}

impl Wait {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::Debounce => "debounce",
            Self::Hook => "hook mode",
            Self::Nothing => "nothing new",
            Self::Running => "running",
        }
    }
}

/// Decides for a session with `count` changes at `now` (milliseconds since the Unix epoch); `held` says that a check
/// holds the session. The first change begins one at once.
pub fn decide(live: bool, held: bool, count: u64, mark: Option<Mark>, now: u64, debounce: u64) -> Result<(), Wait> {
    match mark {
        _ if !live => Err(Wait::Hook),
        _ if held => Err(Wait::Running),
        _ if count <= mark.map_or(0, |mark| mark.covered) => Err(Wait::Nothing),
        Some(mark) if now.saturating_sub(mark.started) < debounce => Err(Wait::Debounce),
        _ => Ok(()),
    }
}

/// The time between two checks after `failures` in a row: it doubles with each, up to half an hour.
pub fn debounce(base: u64, failures: u32) -> u64 {
    base.saturating_mul(1 << failures.min(20)).min(MOST.max(base))
}

/// Whether a check of this turn has seen every change, so that the stop need not look again.
pub fn covered(count: u64, mark: Option<Mark>, turn: u64) -> bool {
    count > 0 && mark.is_some_and(|mark| mark.covered == count && mark.turn == turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn golden() {
        let golden: Value = serde_json::from_str(include_str!("../../../tests/data/golden/live_decide.json")).unwrap();
        assert_eq!(golden["debounce_ms"], DEBOUNCE);
        let cases = golden["decide"].as_array().unwrap();
        assert_eq!(cases.len(), 11);
        for case in cases {
            let number = |value: &Value| value.as_u64().unwrap();
            let mark = case["mark"].as_array().map(|m| Mark { covered: number(&m[0]), started: number(&m[1]), turn: 0 });
            let (live, held) = (case["mode"] == "live", case["lock"] == "Held");
            let result = decide(live, held, number(&case["count"]), mark, number(&case["now"]), DEBOUNCE);
            assert_eq!(result.map_or_else(Wait::text, |()| "start"), case["result"].as_str().unwrap(), "{case}");
        }
        for case in golden["covered"].as_array().unwrap() {
            let number = |at: usize| case[at].as_u64().unwrap();
            let mark = Mark { covered: number(1), started: 0, turn: number(2) };
            assert_eq!(covered(number(0), Some(mark), number(3)), case[4].as_bool().unwrap(), "{case}");
        }
        assert!(!covered(1, None, 0));
    }

    #[test]
    fn failures_make_it_wait_longer() {
        assert_eq!([0, 1, 3, 9, 99].map(|n| debounce(DEBOUNCE, n)), [45_000, 90_000, 360_000, MOST, MOST]);
        assert_eq!(debounce(u64::MAX, 99), u64::MAX);
        assert_eq!(debounce(0, 5), 0);
    }
}
