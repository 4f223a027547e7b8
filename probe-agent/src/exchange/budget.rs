//! What one run may use: requests and time, held to the request and the
//! millisecond.
//!
//! A request that the budget does not cover is never sent. Time is tokio's, so
//! that tests can pause it.

use std::time::Duration;

use tokio::time::Instant;
use touchstone_proto::observation::{FailureKind, Step};

/// Largest response, in bytes, on the wire and again after content decoding.
/// One byte more stops.
pub const RESPONSE_LIMIT_BYTES: usize = 2_097_152;

/// What a run may use. [`Limits::RUN`] is what every run gets; other values
/// are for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests of a whole run, handshake and followed redirects included.
    pub requests: u32,
    /// Requests for later pages of the tool list, beyond `requests`.
    pub later_pages: u32,
    /// From the run's start to its last byte.
    pub time: Duration,
    /// Redirects followed from one metadata GET.
    pub redirects: u32,
}

impl Limits {
    pub const RUN: Self = Self {
        requests: 8,
        later_pages: 9,
        time: Duration::from_secs(10),
        redirects: 3,
    };
}

/// What is left of one run's limits.
#[derive(Debug)]
pub struct Budget {
    requests: u32,
    later_pages: u32,
    redirects: u32,
    deadline: Instant,
}

/// Which part of a budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    #[error("the run has no request left")]
    Requests,
    #[error("the run has no time left")]
    Time,
}

impl Exhausted {
    /// As recorded in the exchange that was not sent.
    pub fn kind(self) -> FailureKind {
        match self {
            Self::Requests => FailureKind::BudgetRequests,
            Self::Time => FailureKind::BudgetTime,
        }
    }
}

impl Budget {
    /// Starts the clock of a run.
    pub fn start(limits: Limits) -> Self {
        Self {
            requests: limits.requests,
            later_pages: limits.later_pages,
            redirects: limits.redirects,
            deadline: Instant::now() + limits.time,
        }
    }

    /// When the run ends, whatever it is doing.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Redirects that may be followed from one metadata GET.
    pub(super) fn redirects(&self) -> u32 {
        self.redirects
    }

    /// Whether one more such request may be sent.
    pub(super) fn covers(&mut self, step: Step, page: u32) -> Result<(), Exhausted> {
        if Instant::now() >= self.deadline {
            return Err(Exhausted::Time);
        }
        match self.allowance(step, page) {
            Some(0) => Err(Exhausted::Requests),
            _ => Ok(()),
        }
    }

    /// Takes one request from the budget.
    pub(super) fn take(&mut self, step: Step, page: u32) -> Result<(), Exhausted> {
        self.covers(step, page)?;
        if let Some(left) = self.allowance(step, page) {
            *left -= 1;
        }
        Ok(())
    }

    /// Where a request is counted: a later page of the tool list in an
    /// allowance of its own, the end of a session nowhere.
    fn allowance(&mut self, step: Step, page: u32) -> Option<&mut u32> {
        match step {
            Step::EndSession => None,
            Step::ListTools if page > 1 => Some(&mut self.later_pages),
            _ => Some(&mut self.requests),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_budget_of_a_run_is_eight_nine_and_ten_seconds() {
        let mut budget = Budget::start(Limits::RUN);
        for _ in 0..8 {
            assert_eq!(budget.take(Step::Discover, 0), Ok(()));
        }
        assert_eq!(
            budget.take(Step::ResourceMetadata, 0),
            Err(Exhausted::Requests)
        );
        assert_eq!(budget.take(Step::ListTools, 1), Err(Exhausted::Requests));
        for page in 2..=10 {
            assert_eq!(budget.take(Step::ListTools, page), Ok(()));
        }
        assert_eq!(budget.take(Step::ListTools, 11), Err(Exhausted::Requests));
        assert_eq!(budget.take(Step::EndSession, 0), Ok(()));

        tokio::time::advance(Duration::from_millis(9_999)).await;
        assert_eq!(budget.take(Step::EndSession, 0), Ok(()));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(budget.take(Step::EndSession, 0), Err(Exhausted::Time));
        assert_eq!(RESPONSE_LIMIT_BYTES, 2 * 1024 * 1024);
    }
}
