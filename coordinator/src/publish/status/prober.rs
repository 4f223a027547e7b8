//! The rule by which our own prober counts as observing.

use std::time::Duration;

use crate::store::read::Status;

/// Without the record of any run for longer than this, its state changes.
pub(super) const UNRECORDED_LIMIT: Duration = Duration::from_mins(20);
/// With a run that has been due and not finished for longer than this, too.
pub(super) const UNFINISHED_LIMIT: Duration = Duration::from_mins(8);

/// Our own prober, judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prober {
    pub(super) unrecorded: bool,
    pub(super) unfinished: bool,
    /// When the oldest run that is queued or leased was queued or leased.
    pub(super) unfinished_since_ms: Option<i64>,
}

impl Prober {
    pub(super) fn of(status: &Status) -> Self {
        let passed = |since_ms: i64, limit: Duration| {
            let age_ms = status.now_ms.saturating_sub(since_ms);
            u64::try_from(age_ms).is_ok_and(|age_ms| Duration::from_millis(age_ms) > limit)
        };
        let open = |region: &crate::store::read::RegionStatus| {
            [region.oldest_queued_at_ms, region.oldest_lease_at_ms]
        };
        let since_ms = status.regions.iter().flat_map(open).flatten().min();
        Self {
            unrecorded: status
                .last_result_at_ms
                .is_none_or(|last_ms| passed(last_ms, UNRECORDED_LIMIT)),
            unfinished: since_ms.is_some_and(|since_ms| passed(since_ms, UNFINISHED_LIMIT)),
            unfinished_since_ms: since_ms,
        }
    }

    pub(super) fn observes(&self) -> bool {
        !self.unrecorded && !self.unfinished
    }

    /// Why it does not, for machines.
    pub(super) fn causes(&self) -> Vec<&'static str> {
        let unrecorded = self.unrecorded.then_some("unrecorded");
        let unfinished = self.unfinished.then_some("unfinished");
        unrecorded.into_iter().chain(unfinished).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::tests::sample::{NOW_MS, status};

    #[test]
    fn twenty_minutes_without_a_record_or_eight_with_an_open_run_and_not_a_moment_before() {
        const MIN_MS: i64 = 60_000;
        for (last, queued, leased, causes) in [
            (Some(20 * MIN_MS), None, None, &[][..]),
            (Some(20 * MIN_MS + 1), None, None, &["unrecorded"]),
            (None, None, None, &["unrecorded"]),
            (Some(0), Some(8 * MIN_MS), Some(8 * MIN_MS), &[]),
            (Some(0), Some(8 * MIN_MS + 1), None, &["unfinished"]),
            (Some(0), None, Some(8 * MIN_MS + 1), &["unfinished"]),
            // A clock that was set back makes nothing old.
            (Some(-MIN_MS), Some(-MIN_MS), None, &[]),
            (
                Some(21 * MIN_MS),
                Some(9 * MIN_MS),
                Some(0),
                &["unrecorded", "unfinished"],
            ),
        ] {
            let mut status = status();
            let at = |age_ms: i64| NOW_MS - age_ms;
            status.last_result_at_ms = last.map(at);
            for region in &mut status.regions {
                region.oldest_queued_at_ms = None;
                region.oldest_lease_at_ms = None;
            }
            status.regions[0].oldest_queued_at_ms = queued.map(at);
            status.regions[1].oldest_lease_at_ms = leased.map(at);
            let prober = Prober::of(&status);
            assert_eq!(prober.causes(), causes, "{last:?} {queued:?} {leased:?}");
            assert_eq!(prober.observes(), causes.is_empty());
        }
    }
}
