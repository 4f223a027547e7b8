//! Tiers. A tier changes the cadence and nothing else: no rule, no order, no
//! limit depends on it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Age beyond the cadence after which an observation counts as stale.
pub const STALE_MARGIN: Duration = Duration::from_mins(4 * 60 + 40);

/// How often a target is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    #[default]
    Unclaimed,
    Free,
    Indie,
}

impl Tier {
    pub const ALL: [Self; 3] = [Self::Unclaimed, Self::Free, Self::Indie];

    /// From one slot's start to the next.
    pub const fn cadence(self) -> Duration {
        match self {
            Self::Unclaimed => Duration::from_hours(12),
            Self::Free => Duration::from_hours(8),
            Self::Indie => Duration::from_mins(15),
        }
    }

    /// The cadence in milliseconds.
    pub const fn cadence_ms(self) -> i64 {
        // 12 hours are far below i64::MAX milliseconds.
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
        {
            self.cadence().as_millis() as i64
        }
    }

    /// Age in milliseconds from which an observation is stale: one rule for every tier.
    pub const fn stale_after_ms(self) -> i64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
        {
            self.cadence_ms() + STALE_MARGIN.as_millis() as i64
        }
    }

    /// Whole hours since `observed_at_ms`, if the observation is stale.
    pub fn stale_hours(self, observed_at_ms: i64, now_ms: i64) -> Option<i64> {
        let age_ms = now_ms.saturating_sub(observed_at_ms);
        (age_ms > self.stale_after_ms()).then_some(age_ms / 3_600_000)
    }

    /// As stored and as written in a config.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unclaimed => "unclaimed",
            Self::Free => "free",
            Self::Indie => "indie",
        }
    }

    /// The reverse of [`Tier::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.as_str() == text)
    }
}
