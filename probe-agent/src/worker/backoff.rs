//! How long to wait before the next attempt to reach the coordinator.

use std::time::Duration;

/// Where random numbers come from; tests hand in their own.
pub(crate) type Random = fn() -> u64;

/// Waits that double up to a cap, each drawn between nothing and its bound, so
/// that a fleet cut off at once does not come back at once.
#[derive(Debug)]
pub(crate) struct Backoff {
    first: Duration,
    cap: Duration,
    failures: u32,
    random: Random,
}

impl Backoff {
    pub(crate) fn new(first: Duration, cap: Duration, random: Random) -> Self {
        Self {
            first,
            cap,
            failures: 0,
            random,
        }
    }

    /// The wait after one more failure.
    pub(crate) fn next(&mut self) -> Duration {
        let bound = self
            .first
            .saturating_mul(2u32.saturating_pow(self.failures))
            .min(self.cap);
        self.failures = self.failures.saturating_add(1);
        let millis = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis((self.random)() % millis.saturating_add(1))
    }

    /// The coordinator was reached.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// From the machine. One that gives no random bytes waits a fixed share of each
/// bound instead: it is then merely not spread over time.
pub(crate) fn machine() -> u64 {
    getrandom::u64().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_and_start_over() {
        let bounds = |random: Random| {
            let mut backoff =
                Backoff::new(Duration::from_millis(3), Duration::from_millis(20), random);
            let mut waits: Vec<u128> = (0..5).map(|_| backoff.next().as_millis()).collect();
            backoff.reset();
            waits.push(backoff.next().as_millis());
            waits
        };
        // The bounds are 3, 6, 12, 20 and 20 ms, then 3 again.
        assert_eq!(bounds(|| 0), [0, 0, 0, 0, 0, 0]);
        assert_eq!(bounds(|| 12), [0, 5, 12, 12, 12, 0]);
        let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30), || 30_000);
        assert!((0..100).all(|_| backoff.next() <= Duration::from_secs(30)));
    }
}
