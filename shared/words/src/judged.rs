//! Which reasons each check can give, and beside which state: what a page about
//! a check lists. A test of the root package holds it to the suites' own list
//! of reasons; this crate may not depend on them.

/// States in the order in which every page shows them.
pub const STATES: [&str; 4] = ["FAILED", "OBSERVED_RISK", "UNVERIFIED", "VERIFIED"];

/// What one check can answer.
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    pub check: &'static str,
    failed: &'static [&'static [&'static str]],
    observed_risk: &'static [&'static str],
    unverified: &'static [&'static [&'static str]],
    verified: &'static [&'static str],
}

impl Answers {
    /// The reason keys beside one state; none when the check never gives it.
    pub fn beside(&self, state: &str) -> Vec<&'static str> {
        match state {
            "FAILED" => self.failed.concat(),
            "OBSERVED_RISK" => self.observed_risk.to_vec(),
            "UNVERIFIED" => self.unverified.concat(),
            "VERIFIED" => self.verified.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The states that it can give, in the order of [`STATES`].
    pub fn states(&self) -> impl Iterator<Item = &'static str> + '_ {
        STATES
            .into_iter()
            .filter(|state| !self.beside(state).is_empty())
    }
}

/// What a check can answer; `None` for a check that this version does not know.
pub fn answers(check: &str) -> Option<&'static Answers> {
    ANSWERS.iter().find(|answers| answers.check == check)
}

/// What can end a run before a check came to its verdict.
const STOPPED: &[&str] = &[
    "rate_limited",
    "response_too_large",
    "response_headers_too_large",
    "dns_failed",
    "connection_failed",
    "tls_failed",
    "response_undecodable",
    "budget_exhausted",
    "policy_refused",
    "resolver_unavailable",
    "agent_fault",
    "not_recorded",
];
/// An answer that we could not read for a limit of our own.
const UNREAD: &[&str] = &["response_too_deep"];
/// What stands between us and the server.
const WALL: &[&str] = &["credential_required", "edge_challenge"];
/// What a limited signature leaves out although it was seen.
const LEFT_OUT: &[&str] = &["outside_limited_scope"];
/// A handshake that names no revision, or none that there is.
const NO_REVISION: &[&str] = &["revision_unknown"];
/// A handshake that failed before a revision was known.
const NO_HANDSHAKE: &[&str] = &[
    "handshake_refused",
    "handshake_http_error",
    "handshake_redirected",
    "handshake_not_jsonrpc",
    "handshake_jsonrpc_error",
    "handshake_sse_transport",
    "protocol_version_missing",
    "handshake_result_invalid",
];
/// A handshake that failed at its last step.
const NOT_ACKNOWLEDGED: &[&str] = &["acknowledgement_refused"];
/// A first page that is no tool list.
const NO_LIST: &[&str] = &[
    "tools_list_http_error",
    "tools_list_redirected",
    "tools_list_not_jsonrpc",
    "tools_list_jsonrpc_error",
    "tools_list_not_array",
    "tools_list_entry_invalid",
    "tools_list_result_type",
];
/// A list that was not read to its end.
const INCOMPLETE: &[&str] = &["tools_list_incomplete"];
/// What leaves a run without a complete list.
const WITHOUT_LIST: [&[&str]; 8] = [
    INCOMPLETE,
    UNREAD,
    NO_LIST,
    NO_REVISION,
    NO_HANDSHAKE,
    NOT_ACKNOWLEDGED,
    WALL,
    STOPPED,
];
/// The same beside a comparison, which needs an approved release besides.
const NOT_COMPARED: [&[&str]; 9] = [
    &[
        "no_approved_baseline",
        "baseline_unusable",
        "comparison_unavailable",
    ],
    INCOMPLETE,
    UNREAD,
    NO_LIST,
    NO_REVISION,
    NO_HANDSHAKE,
    NOT_ACKNOWLEDGED,
    WALL,
    STOPPED,
];

/// One entry a check, in registry order.
pub const ANSWERS: [Answers; 15] = [
    Answers {
        check: "reachability",
        failed: &[],
        observed_risk: &[],
        unverified: &[STOPPED],
        verified: &["answered"],
    },
    Answers {
        check: "transport_type",
        failed: &[],
        observed_risk: &[],
        unverified: &[STOPPED],
        verified: &["transport_answered"],
    },
    Answers {
        check: "protocol_revision",
        failed: &[NO_REVISION, NO_HANDSHAKE],
        observed_risk: &[],
        unverified: &[UNREAD, WALL, LEFT_OUT, STOPPED],
        verified: &["revision_spoken"],
    },
    Answers {
        check: "discovery_handshake",
        failed: &[NO_HANDSHAKE, NOT_ACKNOWLEDGED],
        observed_risk: &[],
        unverified: &[NO_REVISION, UNREAD, WALL, LEFT_OUT, STOPPED],
        verified: &["handshake_discovered", "handshake_initialized"],
    },
    Answers {
        check: "tools_list",
        failed: &[NO_LIST],
        observed_risk: &[],
        unverified: &[
            UNREAD,
            NO_REVISION,
            NO_HANDSHAKE,
            NOT_ACKNOWLEDGED,
            WALL,
            STOPPED,
        ],
        verified: &["tools_listed", "tools_listed_in_part"],
    },
    Answers {
        check: "toolset_fingerprint",
        failed: &[&["fingerprint_not_canonical"]],
        observed_risk: &[],
        unverified: &WITHOUT_LIST,
        verified: &["fingerprint_computed"],
    },
    Answers {
        check: "schema_fingerprint",
        failed: &[&["input_schema_missing", "fingerprint_not_canonical"]],
        observed_risk: &[],
        unverified: &WITHOUT_LIST,
        verified: &["fingerprint_computed"],
    },
    Answers {
        check: "error_taxonomy",
        failed: &[],
        observed_risk: &[
            "error_as_result",
            "error_as_success",
            "error_not_jsonrpc",
            "error_object_malformed",
        ],
        unverified: &[
            &["probe_tool_name_unverifiable", "probe_tool_name_collision"],
            UNREAD,
            NO_REVISION,
            NO_HANDSHAKE,
            NOT_ACKNOWLEDGED,
            WALL,
            STOPPED,
        ],
        verified: &["error_shape_fits"],
    },
    Answers {
        check: "latency_profile",
        failed: &[],
        observed_risk: &[],
        unverified: &[&["no_timed_request", "credential_required"], LEFT_OUT],
        verified: &["latency_measured"],
    },
    Answers {
        check: "auth_metadata",
        failed: &[],
        observed_risk: &[
            "challenge_malformed",
            "challenge_parameter_repeated",
            "challenge_quoting",
            "challenge_metadata_url_invalid",
            "challenge_metadata_url_credentials",
            "challenge_scope_unsupported",
            "metadata_http_error",
            "metadata_malformed",
            "metadata_resource_mismatch",
            "metadata_issuer_mismatch",
            "server_metadata_not_found",
        ],
        unverified: &[
            &["not_observable", "edge_challenge", "too_many_redirects"],
            UNREAD,
            STOPPED,
        ],
        verified: &["challenge_well_formed", "metadata_well_formed"],
    },
    Answers {
        check: "tls_certificate",
        failed: &[&[
            "certificate_expired",
            "certificate_not_yet_valid",
            "certificate_name_mismatch",
            "certificate_untrusted",
            "certificate_broken",
        ]],
        observed_risk: &[],
        unverified: &[&["plain_http"], LEFT_OUT, STOPPED],
        verified: &["certificate_valid"],
    },
    Answers {
        check: "redirect_policy",
        failed: &[],
        observed_risk: &["cross_host_redirect"],
        unverified: &[&["nothing_exchanged"], STOPPED],
        verified: &["no_cross_host_redirect"],
    },
    Answers {
        check: "tool_description_hygiene",
        failed: &[],
        observed_risk: &["hygiene_hits"],
        unverified: &WITHOUT_LIST,
        verified: &["hygiene_no_hit"],
    },
    Answers {
        check: "toolset_unchanged_vs_approved",
        failed: &[&["toolset_changed"]],
        observed_risk: &[],
        unverified: &NOT_COMPARED,
        verified: &["toolset_unchanged"],
    },
    Answers {
        check: "schema_unchanged_vs_approved",
        failed: &[&["schemas_changed"]],
        observed_risk: &[],
        unverified: &NOT_COMPARED,
        verified: &["schemas_unchanged"],
    },
];
