//! Time: now in milliseconds, and a deadline for slow work.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch; 0 when the clock stands before it.
#[must_use]
pub fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_millis() as u64)
}

/// The point after which slow work must have been given up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline `after` from now.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        Self(Instant::now() + after)
    }

    /// What is left; zero once it is past.
    #[must_use]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it is past.
    #[must_use]
    pub fn passed(self) -> bool {
        self.left().is_zero()
    }
}
