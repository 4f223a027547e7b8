//! `latency_profile`: how long the endpoint's answers took to begin.
//!
//! Measured and never judged. From just before a request is sent to the end of
//! its response's headers, for every request to the endpoint that got an HTTP
//! response, whatever its status; metadata requests go elsewhere and are not
//! counted.

use crate::model::Finding;
use crate::reason::{Reason, ReasonKey};
use crate::view::View;

pub(super) fn judge(view: &View<'_>) -> Finding {
    if let Some(gate) = view.handshake.gate() {
        return Finding::blocked(gate);
    }
    let mut times: Vec<u64> = view
        .endpoint_turns()
        .filter(|turn| turn.exchange.response.is_some())
        .map(|turn| turn.exchange.headers_us)
        .filter(|&us| us > 0)
        .collect();
    times.sort_unstable();
    let (Some(p50), Some(p95)) = (nearest_rank(&times, 50), nearest_rank(&times, 95)) else {
        return Finding::skipped(ReasonKey::NoTimedRequest);
    };
    Finding::verified(Reason::new(
        ReasonKey::LatencyMeasured,
        &[
            whole_ms(p50).into(),
            whole_ms(p95).into(),
            times.len().into(),
        ],
    ))
}

/// The value at rank ceil(percent · n / 100) of the sorted times.
fn nearest_rank(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.checked_sub(1)?).copied()
}

/// Begun milliseconds count, so that no answer took none.
fn whole_ms(us: u64) -> i64 {
    i64::try_from(us.div_ceil(1_000)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_the_seeds() {
        let ms = |values: &[u64]| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            (nearest_rank(&sorted, 50), nearest_rank(&sorted, 95))
        };
        let twenty: Vec<u64> = (1..=20).collect();
        for (values, p50, p95) in [
            (&[80, 70, 60, 50, 40, 30, 20, 10][..], 40, 80),
            (&twenty, 10, 19),
            (&[5, 5, 5, 9], 5, 9),
            (&[7], 7, 7),
        ] {
            assert_eq!(ms(values), (Some(p50), Some(p95)), "{values:?}");
        }
        assert_eq!(ms(&[]), (None, None));
        assert_eq!([1, 999, 1_000, 1_001].map(whole_ms), [1, 1, 1, 2]);
    }
}
