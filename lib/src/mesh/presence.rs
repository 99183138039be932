//! Who is there: one record for each session.

use super::process::{Harnessed, alive};
use serde::{Deserialize, Serialize};

/// How long a session may be quiet before it counts as idle, in milliseconds.
const QUIET: u64 = 30 * 60_000;
/// How long a record is kept that nobody renews, in milliseconds.
pub(super) const KEPT: u64 = 86_400_000;
/// How old a record may be before it is written again though nothing changed, in milliseconds.
const RENEW: u64 = 10_000;

/// What a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is over, or its process is.
    Ended,
    /// Nothing was heard of it for half an hour.
    Idle,
    /// Its turn is over.
    Waiting,
    /// Its turn goes on.
    Working,
}

impl State {
    /// As it is shown.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::Working => "working",
        }
    }
}

/// What is known of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Presence {
    /// 1.
    pub v: u32,
    /// Its id.
    pub session: String,
    /// Its name.
    pub name: String,
    /// Its harness.
    pub harness: String,
    /// Its repository's id.
    pub repo: String,
    /// Its repository's name.
    pub repo_name: String,
    /// Its work tree.
    pub worktree: String,
    /// The branch that is checked out there.
    pub branch: String,
    /// What it was asked, in a line, where its person shares that.
    pub prompt: String,
    /// The files that it edited last, the latest first.
    pub files: Vec<String>,
    /// The last event.
    pub event: String,
    /// When, in milliseconds since the epoch.
    pub t: u64,
    /// When it began.
    pub started: u64,
    /// Its harness's process; 0 where that is not known.
    pub pid: u32,
    /// When that began.
    pub born: u64,
}

impl Presence {
    /// What it does at `now_ms`.
    #[must_use]
    pub fn state(&self, now_ms: u64) -> State {
        let gone = self.pid != 0 && !alive(Harnessed { born: self.born, pid: self.pid });
        match () {
            () if gone || turn(&self.event) == State::Ended => State::Ended,
            () if now_ms.saturating_sub(self.t) > QUIET => State::Idle,
            () => turn(&self.event),
        }
    }

    /// Whether it is so old that any event renews it.
    #[must_use]
    pub fn is_due(&self, now_ms: u64) -> bool {
        self.t.abs_diff(now_ms) > RENEW
    }

    /// Whether it must be written in the place of `old`.
    #[must_use]
    pub fn differs(&self, old: Option<&Self>) -> bool {
        old.is_none_or(|old| {
            // From one tool call to the next nothing changed that anybody sees.
            let event = if turn(&self.event) == turn(&old.event) { &old.event } else { &self.event };
            let now = Self { t: old.t, event: event.clone(), ..self.clone() };
            now != *old || old.is_due(self.t)
        })
    }
}

/// What a session does after an event.
fn turn(event: &str) -> State {
    match event {
        "SessionEnd" => State::Ended,
        "Interrupt" | "SessionStart" | "Stop" => State::Waiting,
        _ => State::Working,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_states() {
        let of = |event: &str, t| Presence { event: event.into(), t, ..Presence::default() };
        let now = 10_000_000;
        assert_eq!(of("SessionEnd", now).state(now), State::Ended);
        assert_eq!(of("Stop", now).state(now), State::Waiting);
        assert_eq!(of("PostToolUse", now).state(now), State::Working);
        assert_eq!(of("PostToolUse", now - QUIET - 1).state(now), State::Idle);
        let dead = Presence { pid: 4_194_304, born: 1, ..of("Stop", now) };
        assert_eq!(dead.state(now), State::Ended);
    }

    #[test]
    fn b2_written_on_change_or_after_ten_seconds() {
        let old = Presence { t: 100_000, event: "Stop".into(), ..Presence::default() };
        assert!(!Presence { t: 110_000, ..old.clone() }.differs(Some(&old)));
        assert!(Presence { t: 110_001, ..old.clone() }.differs(Some(&old)));
        assert!(Presence { t: 100_001, event: "PostToolUse".into(), ..old.clone() }.differs(Some(&old)));
        assert!(old.differs(None));
        let tool = Presence { event: "PreToolUse".into(), ..old.clone() };
        assert!(!Presence { event: "PostToolUse".into(), ..tool.clone() }.differs(Some(&tool)));
    }
}
