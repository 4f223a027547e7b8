//! How long to wait before trying again: longer each time, up to a bound, and
//! never for the same time as everyone else.

use std::time::Duration;

use crate::random::{Random, draw};

/// `first` doubled `failures` times, at most `limit`, of which the last half is
/// left to chance.
pub(crate) fn pause(
    first: Duration,
    limit: Duration,
    failures: u32,
    random: &dyn Random,
) -> Duration {
    let whole = first
        .saturating_mul(2_u32.saturating_pow(failures.min(20)))
        .min(limit);
    // Without randomness everyone waits the whole time.
    let share = draw::<1>(random).map_or_else(|_| u32::from(u8::MAX), |[byte]| u32::from(byte));
    whole / 2 + whole / 2 * share / u32::from(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::CountedRandom;

    #[test]
    fn it_grows_to_its_limit_and_stays_within_it() {
        let (first, limit) = (Duration::from_millis(250), Duration::from_secs(30));
        let random = CountedRandom::default();
        for failures in 0..100 {
            let whole = first.saturating_mul(1 << failures.min(20)).min(limit);
            let pause = pause(first, limit, failures, &random);
            assert!(
                pause >= whole / 2 && pause <= whole,
                "{failures}: {pause:?}"
            );
        }
    }
}
