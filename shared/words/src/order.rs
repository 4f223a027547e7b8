//! The order in which checks stand on every page, so that two runs can be laid
//! side by side. A test of the root package holds it to the suites' registry;
//! this crate may not depend on them.

/// Where a check stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckPlace {
    pub id: &'static str,
    pub group: &'static str,
}

/// The groups, first to last.
pub const GROUPS: [&str; 4] = ["reach", "proto", "sec", "drift"];

/// The checks of the `mcp` suite in registry order. A page lists them group by
/// group and keeps this order within a group.
pub const CHECKS: [CheckPlace; 15] = [
    place("reachability", "reach"),
    place("transport_type", "proto"),
    place("protocol_revision", "proto"),
    place("discovery_handshake", "proto"),
    place("tools_list", "proto"),
    place("toolset_fingerprint", "drift"),
    place("schema_fingerprint", "drift"),
    place("error_taxonomy", "proto"),
    place("latency_profile", "reach"),
    place("auth_metadata", "sec"),
    place("tls_certificate", "sec"),
    place("redirect_policy", "sec"),
    place("tool_description_hygiene", "sec"),
    place("toolset_unchanged_vs_approved", "drift"),
    place("schema_unchanged_vs_approved", "drift"),
];

const fn place(id: &'static str, group: &'static str) -> CheckPlace {
    CheckPlace { id, group }
}
