//! A fleet with a region in the dark and a run that waits for the signer.

use super::NOW_MS;
use crate::signer::Isolation;
use crate::store::read::{MissedCause, RegionStatus, Status, StoreHealth};

pub(in crate::publish) fn status() -> Status {
    let region = |region: &str, agents: u32, last_ms: Option<i64>| RegionStatus {
        region: region.to_owned(),
        agents_connected: agents,
        agents_enrolled: 2,
        last_result_at_ms: last_ms,
        leased: 0,
        oldest_lease_at_ms: None,
        queued: 0,
        oldest_queued_at_ms: None,
    };
    Status {
        now_ms: NOW_MS,
        last_result_at_ms: Some(NOW_MS - 3_000),
        targets: 7,
        runs: 1_234,
        conflicts: 1,
        pending: 1,
        oldest_pending_at_ms: Some(NOW_MS - 2_000),
        signer_reachable: true,
        signer_isolation: Isolation::Weak {
            missing: vec!["landlock"],
        },
        store: StoreHealth::Ok,
        regions: vec![
            RegionStatus {
                leased: 1,
                oldest_lease_at_ms: Some(NOW_MS - 2_000),
                queued: 4,
                oldest_queued_at_ms: Some(NOW_MS - 9_000),
                ..region("local", 1, Some(NOW_MS - 3_000))
            },
            region("fra-1", 0, None),
        ],
        slots_with_result: 1_200,
        slots_missed: vec![(MissedCause::NoAgent, 34)],
    }
}
