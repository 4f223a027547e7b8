//! What the fleet looks like now, for pages and for the health check.

use std::collections::BTreeMap;

/// A picture of all regions, made anew after every change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetView {
    pub regions: BTreeMap<String, RegionView>,
}

/// A region now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionView {
    /// Agents connected.
    pub agents: u32,
    /// Runs leased, and when the oldest of these leases was given.
    pub leased: u32,
    pub oldest_lease_at_ms: Option<i64>,
    /// Runs that wait for an agent, and since when the oldest does.
    pub queued: u32,
    pub oldest_queued_at_ms: Option<i64>,
}
