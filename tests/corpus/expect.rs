//! What a run of the suite is expected to say: all fifteen checks, the
//! signature, the revision. Written as a base and what differs from it.

use touchstone_proto::vocabulary::{Execution, State};
use touchstone_suites::registry::{CHECKS, CheckId};

pub type Outcome = (State, Execution, &'static str);

pub const fn verified(key: &'static str) -> Outcome {
    (State::Verified, Execution::Completed, key)
}

pub const fn failed(key: &'static str) -> Outcome {
    (State::Failed, Execution::Completed, key)
}

pub const fn risk(key: &'static str) -> Outcome {
    (State::ObservedRisk, Execution::Completed, key)
}

/// Ran to its end and could not conclude.
pub const fn unclear(key: &'static str) -> Outcome {
    (State::Unverified, Execution::Completed, key)
}

pub const fn errored(key: &'static str) -> Outcome {
    (State::Unverified, Execution::Errored, key)
}

pub const fn skipped(key: &'static str) -> Outcome {
    (State::Unverified, Execution::Skipped, key)
}

pub const fn blocked(key: &'static str) -> Outcome {
    (State::Unverified, Execution::Blocked, key)
}

/// Full, limited, or none with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    Full,
    Limited,
    None(&'static str),
}

#[derive(Clone, Debug)]
pub struct Expect {
    pub outcomes: [Outcome; 15],
    pub signing: Signing,
    pub revision: Option<&'static str>,
    /// The requests that the server must have seen, where the case turns on
    /// them: see [`super::server::Server::asked`].
    pub asked: Option<&'static str>,
}

use CheckId as C;

/// Checks that need the complete list.
const OF_THE_LIST: [CheckId; 3] = [
    C::ToolsetFingerprint,
    C::SchemaFingerprint,
    C::ToolDescriptionHygiene,
];

impl Expect {
    /// Nothing wrong: every check that can conclude over plain HTTP without an
    /// approved release does.
    fn healthy(revision: &'static str, handshake: &'static str) -> Self {
        let outcomes = CHECKS.map(|check| match check.id {
            C::Reachability => verified("answered"),
            C::TransportType => verified("transport_answered"),
            C::ProtocolRevision => verified("revision_spoken"),
            C::DiscoveryHandshake => verified(handshake),
            C::ToolsList => verified("tools_listed"),
            C::ToolsetFingerprint | C::SchemaFingerprint => verified("fingerprint_computed"),
            C::ErrorTaxonomy => verified("error_shape_fits"),
            C::LatencyProfile => verified("latency_measured"),
            C::AuthMetadata => skipped("not_observable"),
            C::TlsCertificate => skipped("plain_http"),
            C::RedirectPolicy => verified("no_cross_host_redirect"),
            C::ToolDescriptionHygiene => verified("hygiene_no_hit"),
            C::ToolsetUnchangedVsApproved | C::SchemaUnchangedVsApproved => {
                skipped("no_approved_baseline")
            }
        });
        Self {
            outcomes,
            signing: Signing::Full,
            revision: Some(revision),
            asked: None,
        }
    }

    pub fn modern() -> Self {
        Self::healthy("2026-07-28", "handshake_discovered")
    }

    pub fn legacy() -> Self {
        Self::healthy("2025-11-25", "handshake_initialized")
    }

    /// The handshake was answered and failed for this reason; no revision.
    pub fn failed_handshake(key: &'static str) -> Self {
        let mut expect = Self::legacy().unlisted(key, blocked(key), key);
        expect.revision = None;
        expect
            .with(C::ProtocolRevision, failed(key))
            .with(C::DiscoveryHandshake, failed(key))
            .with(C::ToolsList, blocked(key))
    }

    /// The handshake was answered with what says nothing about the server.
    pub fn not_met(key: &'static str) -> Self {
        Self::failed_handshake(key)
            .with(C::ProtocolRevision, blocked(key))
            .with(C::DiscoveryHandshake, blocked(key))
    }

    /// The handshake's deciding answer was a 401 with a usable challenge.
    pub fn gated_handshake() -> Self {
        let mut expect = Self::not_met("credential_required")
            .with(C::LatencyProfile, blocked("credential_required"))
            .with(C::AuthMetadata, verified("challenge_well_formed"));
        expect.signing = Signing::Limited;
        expect
    }

    /// The run ended before the handshake did. What the endpoint's first
    /// answers showed, if it gave any, the case adds.
    pub fn broke(key: &'static str) -> Self {
        let mut expect = Self::failed_handshake(key)
            .with(C::AuthMetadata, blocked(key))
            .with(C::LatencyProfile, skipped("no_timed_request"))
            .with(C::RedirectPolicy, blocked(key));
        for check in [
            C::Reachability,
            C::TransportType,
            C::ProtocolRevision,
            C::DiscoveryHandshake,
        ] {
            expect = expect.with(check, errored(key));
        }
        expect
    }

    /// The first page was answered and is no valid list.
    pub fn bad_list(self, key: &'static str) -> Self {
        self.unlisted(key, blocked("probe_tool_name_unverifiable"), key)
            .with(C::ToolsList, failed(key))
    }

    /// The list was read in part.
    pub fn part_of_list(self) -> Self {
        let key = "tools_list_incomplete";
        self.unlisted(key, blocked("probe_tool_name_unverifiable"), key)
            .with(C::ToolsList, verified("tools_listed_in_part"))
            .with(C::ToolDescriptionHygiene, unclear(key))
    }

    /// No list, for `key`.
    fn unlisted(mut self, key: &'static str, taxonomy: Outcome, signing: &'static str) -> Self {
        self.signing = Signing::None(signing);
        for check in OF_THE_LIST {
            self = self.with(check, blocked(key));
        }
        self.with(C::ErrorTaxonomy, taxonomy)
    }

    pub fn with(mut self, check: CheckId, outcome: Outcome) -> Self {
        self.outcomes[check as usize] = outcome;
        self
    }

    pub fn signed(mut self, signing: Signing) -> Self {
        self.signing = signing;
        self
    }

    pub fn revision(mut self, revision: Option<&'static str>) -> Self {
        self.revision = revision;
        self
    }

    pub fn asked(mut self, asked: &'static str) -> Self {
        self.asked = Some(asked);
        self
    }
}
