//! The run's wall clock: read once at its start, then carried on by a clock
//! that only goes forward, so that two times in one record always compare.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    started_at: SystemTime,
    started: Instant,
}

impl Clock {
    pub(super) fn starting_at(started_at: SystemTime) -> Self {
        Self {
            started_at,
            started: Instant::now(),
        }
    }

    /// Since the epoch.
    pub(super) fn now(&self) -> Duration {
        let start = self
            .started_at
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        start + self.started.elapsed()
    }

    /// Milliseconds since the epoch, as recorded.
    pub(super) fn now_ms(&self) -> i64 {
        i64::try_from(self.now().as_millis()).unwrap_or(i64::MAX)
    }
}

/// Whole microseconds, as recorded; at least 1, since 0 means "not come so far".
pub(super) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros())
        .unwrap_or(u64::MAX)
        .max(1)
}
