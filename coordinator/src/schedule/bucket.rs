//! A token bucket. Slots that are run late, after a start or a long sleep, pass
//! through one, so that a restart is no surge.

/// Late runs that may start at once.
pub const CATCH_UP_BURST: u32 = 64;
/// Milliseconds until one more late run may start: 25 a second, so that some
/// six thousand targets are caught up with in four minutes.
pub const CATCH_UP_INTERVAL_MS: i64 = 40;

/// Holds at most [`CATCH_UP_BURST`] tokens and gains one every
/// [`CATCH_UP_INTERVAL_MS`].
#[derive(Clone, Debug)]
pub struct Bucket {
    tokens: u32,
    /// When the newest token that is counted came.
    filled_at_ms: i64,
}

impl Bucket {
    /// A full one.
    pub fn new(now_ms: i64) -> Self {
        Self {
            tokens: CATCH_UP_BURST,
            filled_at_ms: now_ms,
        }
    }

    /// Takes a token if there is one.
    pub fn take(&mut self, now_ms: i64) -> bool {
        self.fill(now_ms);
        if self.tokens == 0 {
            return false;
        }
        self.tokens -= 1;
        true
    }

    /// When the next token comes; only of interest when there is none.
    pub fn next_at_ms(&self) -> i64 {
        self.filled_at_ms.saturating_add(CATCH_UP_INTERVAL_MS)
    }

    fn fill(&mut self, now_ms: i64) {
        // A clock that was set back begins a new count and gives nothing.
        let passed_ms = now_ms.saturating_sub(self.filled_at_ms);
        if passed_ms < 0 {
            self.filled_at_ms = now_ms;
            return;
        }
        let gained = passed_ms / CATCH_UP_INTERVAL_MS;
        let missing = i64::from(CATCH_UP_BURST - self.tokens);
        if gained >= missing {
            self.tokens = CATCH_UP_BURST;
            self.filled_at_ms = now_ms;
        } else {
            // Below the burst, so it fits.
            self.tokens += u32::try_from(gained).unwrap_or(0);
            self.filled_at_ms += gained * CATCH_UP_INTERVAL_MS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gives_a_burst_and_then_a_steady_drip() {
        let mut bucket = Bucket::new(0);
        let taken = |bucket: &mut Bucket, now_ms| {
            let mut count = 0;
            while bucket.take(now_ms) {
                count += 1;
            }
            count
        };
        assert_eq!(taken(&mut bucket, 0), CATCH_UP_BURST);
        assert_eq!(taken(&mut bucket, CATCH_UP_INTERVAL_MS - 1), 0);
        assert_eq!(bucket.next_at_ms(), CATCH_UP_INTERVAL_MS);
        assert_eq!(taken(&mut bucket, 1_000), 25);
        assert_eq!(taken(&mut bucket, 10_000_000), CATCH_UP_BURST);
        assert_eq!(taken(&mut bucket, 0), 0);
        assert_eq!(taken(&mut bucket, 80), 2);
    }
}
