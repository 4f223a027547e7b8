//! The fifteen checks of the suite `mcp`, in the order in which every record
//! and every page lists them.
//!
//! What a check looks at and what it cannot show is prose and lives in `words`;
//! here stands only what is fixed: its id, its group, the worst it can say and
//! the version of its meaning.

use touchstone_proto::vocabulary::State;

/// The suite's name in payloads.
pub const SUITE: &str = "mcp";
/// The suite's version: moves whenever the meaning of any check does.
pub const SUITE_VERSION: &str = "1.0.0";

/// One check, by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckId {
    Reachability,
    TransportType,
    ProtocolRevision,
    DiscoveryHandshake,
    ToolsList,
    ToolsetFingerprint,
    SchemaFingerprint,
    ErrorTaxonomy,
    LatencyProfile,
    AuthMetadata,
    TlsCertificate,
    RedirectPolicy,
    ToolDescriptionHygiene,
    ToolsetUnchangedVsApproved,
    SchemaUnchangedVsApproved,
}

/// The question a check belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Does it answer, and how fast.
    Reach,
    /// Does it speak the protocol it claims.
    Proto,
    /// Security properties that anybody can observe from outside.
    Sec,
    /// Did the tools change unnoticed.
    Drift,
}

impl Group {
    /// In the order of the methodology page.
    pub const ALL: [Self; 4] = [Self::Reach, Self::Proto, Self::Sec, Self::Drift];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reach => "reach",
            Self::Proto => "proto",
            Self::Sec => "sec",
            Self::Drift => "drift",
        }
    }
}

/// What is fixed about one check.
#[derive(Clone, Copy, Debug)]
pub struct CheckSpec {
    pub id: CheckId,
    /// As in payloads: stable, snake_case.
    pub name: &'static str,
    pub group: Group,
    /// The worst state that this check can conclude; `None` for a check that
    /// only observes and can be no worse than UNVERIFIED.
    pub worst_state: Option<State>,
    /// Version of the check's text, `vX.Y.Z`.
    pub docs_version: &'static str,
}

/// Every check, exactly once, in registry order.
pub const CHECKS: [CheckSpec; 15] = {
    use CheckId as C;
    use Group::{Drift, Proto, Reach, Sec};
    const FAILED: Option<State> = Some(State::Failed);
    const RISK: Option<State> = Some(State::ObservedRisk);
    [
        check(C::Reachability, "reachability", Reach, None),
        check(C::TransportType, "transport_type", Proto, None),
        check(C::ProtocolRevision, "protocol_revision", Proto, FAILED),
        check(C::DiscoveryHandshake, "discovery_handshake", Proto, FAILED),
        check(C::ToolsList, "tools_list", Proto, FAILED),
        check(C::ToolsetFingerprint, "toolset_fingerprint", Drift, FAILED),
        check(C::SchemaFingerprint, "schema_fingerprint", Drift, FAILED),
        check(C::ErrorTaxonomy, "error_taxonomy", Proto, RISK),
        check(C::LatencyProfile, "latency_profile", Reach, None),
        check(C::AuthMetadata, "auth_metadata", Sec, RISK),
        check(C::TlsCertificate, "tls_certificate", Sec, FAILED),
        check(C::RedirectPolicy, "redirect_policy", Sec, RISK),
        check(
            C::ToolDescriptionHygiene,
            "tool_description_hygiene",
            Sec,
            RISK,
        ),
        check(
            C::ToolsetUnchangedVsApproved,
            "toolset_unchanged_vs_approved",
            Drift,
            FAILED,
        ),
        check(
            C::SchemaUnchangedVsApproved,
            "schema_unchanged_vs_approved",
            Drift,
            FAILED,
        ),
    ]
};

impl CheckId {
    pub fn spec(self) -> &'static CheckSpec {
        // The variants are declared in registry order; a test below holds both together.
        &CHECKS[self as usize]
    }

    /// As in payloads.
    pub fn as_str(self) -> &'static str {
        self.spec().name
    }
}

const fn check(
    id: CheckId,
    name: &'static str,
    group: Group,
    worst_state: Option<State>,
) -> CheckSpec {
    CheckSpec {
        id,
        name,
        group,
        worst_state,
        docs_version: "v1.0.0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_finds_its_own_row() {
        for (place, spec) in CHECKS.iter().enumerate() {
            assert_eq!(spec.id as usize, place, "{}", spec.name);
            assert_eq!(spec.id.as_str(), spec.name);
        }
    }

    #[test]
    fn groups_have_the_seeds_members() {
        let of = |group| CHECKS.iter().filter(|c| c.group == group).count();
        assert_eq!(Group::ALL.map(of), [2, 5, 4, 4]);
    }

    #[test]
    fn only_observing_checks_have_no_worst_state() {
        let observing: Vec<_> = CHECKS
            .iter()
            .filter(|c| c.worst_state.is_none())
            .map(|c| c.name)
            .collect();
        assert_eq!(
            observing,
            ["reachability", "transport_type", "latency_profile"]
        );
    }
}
