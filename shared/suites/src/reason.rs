//! Why an assertion says what it says: a closed set of stable keys, each with
//! the names of its parameters and the states it may stand beside.
//!
//! A reason is evidence, so a parameter is a number or one of our own words and
//! never text of the target's. Prose is made elsewhere, in the reader's
//! language, from key and parameters alone. A key is never renamed and never
//! changes its parameters; a new meaning gets a new key.

use touchstone_proto::vocabulary::State;

/// The value of a reason's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Param {
    Number(i64),
    /// A word of ours: every one is written down in this crate.
    Word(&'static str),
}

/// The largest whole number that every JSON reader reads alike: 2^53 - 1.
const LARGEST_EXACT: i64 = 9_007_199_254_740_991;

impl Param {
    /// A number beyond what evidence can hold is held at its end.
    fn exact(self) -> Self {
        match self {
            Self::Number(number) => Self::Number(number.clamp(-LARGEST_EXACT, LARGEST_EXACT)),
            Self::Word(word) => Self::Word(word),
        }
    }
}

/// A key and its parameters, in the order of [`ReasonKey::params`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reason {
    key: ReasonKey,
    params: Vec<(&'static str, Param)>,
}

impl Reason {
    /// `values` in the order in which [`SPECS`] names the key's parameters.
    ///
    /// The count is checked when built for tests; a missing value would leave
    /// out its parameter, one too many is dropped.
    pub(crate) fn new(key: ReasonKey, values: &[Param]) -> Self {
        let names = key.params();
        debug_assert_eq!(names.len(), values.len(), "{}", key.as_str());
        let values = values.iter().map(|value| value.exact());
        let params = names.iter().copied().zip(values).collect();
        Self { key, params }
    }

    pub fn key(&self) -> ReasonKey {
        self.key
    }

    pub fn params(&self) -> &[(&'static str, Param)] {
        &self.params
    }

    /// One parameter by its name.
    pub fn param(&self, name: &str) -> Option<Param> {
        self.params.iter().find(|p| p.0 == name).map(|p| p.1)
    }
}

impl From<ReasonKey> for Reason {
    fn from(key: ReasonKey) -> Self {
        Self::new(key, &[])
    }
}

impl From<&'static str> for Param {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

impl From<i64> for Param {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Param {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Param {
    fn from(number: usize) -> Self {
        // Counts of things held in memory; what does not fit is not there to count.
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// What is fixed about one key.
#[derive(Clone, Copy, Debug)]
pub struct ReasonSpec {
    pub key: ReasonKey,
    /// As in payloads: stable, snake_case.
    pub name: &'static str,
    /// The names of its parameters; every reason with this key carries all.
    pub params: &'static [&'static str],
    /// The states that it may stand beside. Empty: it is the reason why a run
    /// was not signed and stands beside no assertion.
    pub states: &'static [State],
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident $name:literal [$($param:literal)*] $($state:ident)*;)*) => {
        /// Every reason there is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ReasonKey { $($(#[$doc])* $variant,)* }

        /// Every key, exactly once.
        pub const SPECS: &[ReasonSpec] = &[$(ReasonSpec {
            key: ReasonKey::$variant,
            name: $name,
            params: &[$($param),*],
            states: &[$(State::$state),*],
        },)*];
    };
}

reasons! {
    // What can end a run; stands beside every check that it kept from its verdict.

    /// 429, or 503 with Retry-After. `retry_after_s` 0: none named.
    RateLimited "rate_limited" ["retry_after_s"] Unverified;
    ResponseTooLarge "response_too_large" ["limit_bytes"] Unverified;
    /// The headers of a response together.
    ResponseHeadersTooLarge "response_headers_too_large" ["limit_bytes"] Unverified;
    /// JSON that is nested deeper than we read: it may be all that it should be.
    ResponseTooDeep "response_too_deep" ["limit_levels"] Unverified;
    /// `fault`: name_not_found, name_server_failed.
    DnsFailed "dns_failed" ["fault"] Unverified;
    /// `fault`: refused, timed_out, unreachable, lost, not_http.
    ConnectionFailed "connection_failed" ["fault"] Unverified;
    /// `fault`: expired, not_yet_valid, name_mismatch, untrusted, broken, unsupported,
    /// no_certificate, broken_off (after a certificate that is valid).
    TlsFailed "tls_failed" ["fault"] Unverified;
    /// A content coding that we do not read.
    ResponseUndecodable "response_undecodable" [] Unverified;
    /// `budget`: requests, time; `limit` in requests or in seconds.
    BudgetExhausted "budget_exhausted" ["budget" "limit"] Unverified;
    /// More redirects on a metadata request than are followed.
    TooManyRedirects "too_many_redirects" ["limit"] Unverified;
    /// Our own policy; `rule` is the guard's word, or other.
    PolicyRefused "policy_refused" ["rule"] Unverified;
    /// Our resolver did not answer.
    ResolverUnavailable "resolver_unavailable" [] Unverified;
    /// A fault of the agent itself.
    AgentFault "agent_fault" [] Unverified;
    /// The record ends without the exchange that this check reads, and says not why.
    NotRecorded "not_recorded" [] Unverified;

    // What stands between us and the server.

    /// `scheme`: a registered authentication scheme in lower case, other, or none.
    CredentialRequired "credential_required" ["status" "scheme"] Unverified;
    /// A firewall's challenge page; `marker` is what decided it.
    EdgeChallenge "edge_challenge" ["status" "marker"] Unverified;
    /// Seen, but not among the facts that a limited signature vouches for.
    OutsideLimitedScope "outside_limited_scope" [] Unverified;

    // reachability, transport_type, latency_profile

    /// `status` of the answer that decided the handshake.
    Answered "answered" ["status"] Verified;
    /// `transport`: streamable_http; `framing`: json, sse, empty, other.
    TransportAnswered "transport_answered" ["transport" "framing"] Verified;
    /// Nearest rank, in whole milliseconds, begun ones counted.
    LatencyMeasured "latency_measured" ["p50_ms" "p95_ms" "n"] Verified;
    NoTimedRequest "no_timed_request" [] Unverified;

    // protocol_revision, discovery_handshake; tools_list and what follows it
    // carry the failed handshake's own reason, UNVERIFIED.

    /// `handshake`: discover, initialize.
    RevisionSpoken "revision_spoken" ["revision" "handshake"] Verified;
    /// A version string outside the matrix.
    RevisionUnknown "revision_unknown" [] Failed Unverified;
    /// `listed`: how many revisions; `first_listed`: of the matrix, or other.
    HandshakeDiscovered "handshake_discovered" ["revision" "listed" "first_listed"] Verified;
    /// `session`: yes, no.
    HandshakeInitialized "handshake_initialized" ["revision" "session"] Verified;
    /// A protocol error of revision 2026-07-28: -32020, -32021, -32022.
    HandshakeRefused "handshake_refused" ["code"] Failed Unverified;
    /// `step`: discover, initialize.
    HandshakeHttpError "handshake_http_error" ["step" "status"] Failed Unverified;
    /// `to`: same_host, other_host, unreadable.
    HandshakeRedirected "handshake_redirected" ["step" "status" "to"] Failed Unverified;
    /// `content`: json, sse, html, text, empty, unnamed, undecodable, other.
    HandshakeNotJsonrpc "handshake_not_jsonrpc" ["step" "status" "content"] Failed Unverified;
    /// `code` 0: the error names none.
    HandshakeJsonrpcError "handshake_jsonrpc_error" ["step" "status" "code"] Failed Unverified;
    /// The SSE transport of 2024-11-05: an `endpoint` event where an answer was due.
    HandshakeSseTransport "handshake_sse_transport" ["step" "status"] Failed Unverified;
    ProtocolVersionMissing "protocol_version_missing" [] Failed Unverified;
    /// `field`: capabilities, server_info, result_type, supported_versions, protocol_version.
    HandshakeResultInvalid "handshake_result_invalid" ["step" "field"] Failed Unverified;
    /// `notifications/initialized` was not accepted.
    AcknowledgementRefused "acknowledgement_refused" ["status"] Failed Unverified;

    // tools_list; UNVERIFIED beside the checks that need the list.

    ToolsListed "tools_listed" ["tools" "pages"] Verified;
    /// Judged on the first page. `cause` as of tools_list_incomplete.
    ToolsListedInPart "tools_listed_in_part" ["tools" "pages" "cause"] Verified;
    /// `cause`: page_limit, tool_limit, budget_time, budget_requests, too_large,
    /// headers_too_large, too_deep, undecodable, not_a_list, cursor_repeated,
    /// cursor_invalid, cursor_too_long, not_read.
    ToolsListIncomplete "tools_list_incomplete" ["tools" "pages" "cause"] Unverified;
    ToolsListHttpError "tools_list_http_error" ["status"] Failed Unverified;
    /// `to` as of handshake_redirected.
    ToolsListRedirected "tools_list_redirected" ["status" "to"] Failed Unverified;
    ToolsListNotJsonrpc "tools_list_not_jsonrpc" ["status" "content"] Failed Unverified;
    ToolsListJsonrpcError "tools_list_jsonrpc_error" ["status" "code"] Failed Unverified;
    /// The result holds no array `tools`.
    ToolsListNotArray "tools_list_not_array" [] Failed Unverified;
    /// `index` from 0 on the first page; `fault`: not_object, no_name.
    ToolsListEntryInvalid "tools_list_entry_invalid" ["index" "fault"] Failed Unverified;
    /// A resultType that tools/list does not have.
    ToolsListResultType "tools_list_result_type" [] Failed Unverified;

    // error_taxonomy

    ErrorShapeFits "error_shape_fits" ["status" "code"] Verified;
    /// A result with isError, where the protocol has an error object. Most SDKs do this.
    ErrorAsResult "error_as_result" ["status"] ObservedRisk;
    /// A plain result, for a tool that does not exist.
    ErrorAsSuccess "error_as_success" ["status"] ObservedRisk;
    ErrorNotJsonrpc "error_not_jsonrpc" ["status" "content"] ObservedRisk;
    /// `field`: code, message.
    ErrorObjectMalformed "error_object_malformed" ["status" "field"] ObservedRisk;
    /// The list was not read to its end, so the reserved name may be on it.
    ProbeToolNameUnverifiable "probe_tool_name_unverifiable" [] Unverified;
    /// A page lists the reserved name.
    ProbeToolNameCollision "probe_tool_name_collision" [] Unverified;

    // tls_certificate

    CertificateValid "certificate_valid" ["days_left"] Verified;
    /// `days` begun since; 0: not the server's own certificate but one above it.
    CertificateExpired "certificate_expired" ["days"] Failed;
    /// `days` to go, as certificate_expired.
    CertificateNotYetValid "certificate_not_yet_valid" ["days"] Failed;
    CertificateNameMismatch "certificate_name_mismatch" [] Failed;
    /// No path to an authority that we trust, an intermediate missing included.
    CertificateUntrusted "certificate_untrusted" [] Failed;
    CertificateBroken "certificate_broken" [] Failed;
    PlainHttp "plain_http" [] Unverified;

    // redirect_policy

    /// `redirects`: how many within the host.
    NoCrossHostRedirect "no_cross_host_redirect" ["redirects"] Verified;
    /// `on`: endpoint, metadata, both.
    CrossHostRedirect "cross_host_redirect" ["redirects" "on"] ObservedRisk;
    NothingExchanged "nothing_exchanged" [] Unverified;

    // auth_metadata

    /// A challenge alone: it names no metadata and none was found.
    ChallengeWellFormed "challenge_well_formed" ["scheme"] Verified;
    /// `documents`: how many. `scheme` none: metadata without a challenge.
    MetadataWellFormed "metadata_well_formed" ["scheme" "documents"] Verified;
    /// Not to the grammar of RFC 9110, section 11.
    ChallengeMalformed "challenge_malformed" ["status"] ObservedRisk;
    /// A parameter more than once in one challenge.
    ChallengeParameterRepeated "challenge_parameter_repeated" [] ObservedRisk;
    /// Readable, but quoted or spaced as the grammar does not allow.
    ChallengeQuoting "challenge_quoting" [] ObservedRisk;
    /// Its `resource_metadata` is no absolute http or https URL.
    ChallengeMetadataUrlInvalid "challenge_metadata_url_invalid" [] ObservedRisk;
    /// Its `resource_metadata` holds a user name or a password.
    ChallengeMetadataUrlCredentials "challenge_metadata_url_credentials" [] ObservedRisk;
    /// It asks for a scope that the metadata does not support.
    ChallengeScopeUnsupported "challenge_scope_unsupported" [] ObservedRisk;
    /// The document that the challenge names. `document`: resource, server.
    MetadataHttpError "metadata_http_error" ["document" "status"] ObservedRisk;
    /// `fault`: not_json, not_object, resource_missing, resource_invalid,
    /// authorization_servers_missing, authorization_server_invalid, issuer_missing,
    /// endpoint_missing, endpoint_insecure.
    MetadataMalformed "metadata_malformed" ["document" "fault"] ObservedRisk;
    /// `difference`: origin, parent_path, trailing_slash, path.
    MetadataResourceMismatch "metadata_resource_mismatch" ["difference"] ObservedRisk;
    MetadataIssuerMismatch "metadata_issuer_mismatch" [] ObservedRisk;
    /// The resource metadata names an authorization server; no place holds its metadata.
    ServerMetadataNotFound "server_metadata_not_found" [] ObservedRisk;
    NotObservable "not_observable" [] Unverified;

    // tool_description_hygiene

    HygieneNoHit "hygiene_no_hit" ["tools"] Verified;
    /// `tools`: how many of them are hit.
    HygieneHits "hygiene_hits" ["hits" "tools"] ObservedRisk;

    // toolset_fingerprint, schema_fingerprint

    FingerprintComputed "fingerprint_computed" ["tools"] Verified;
    /// `cause`: lone_surrogate, duplicate_key_after_nfc, non_finite_number;
    /// `tool`: its place in the list, from 0.
    FingerprintNotCanonical "fingerprint_not_canonical" ["cause" "tool"] Failed;
    /// `tools`: how many have none.
    InputSchemaMissing "input_schema_missing" ["tools"] Failed;

    // toolset_unchanged_vs_approved, schema_unchanged_vs_approved

    NoApprovedBaseline "no_approved_baseline" [] Unverified;
    /// The approved run holds no complete list.
    BaselineUnusable "baseline_unusable" [] Unverified;
    ToolsetUnchanged "toolset_unchanged" ["tools"] Verified;
    ToolsetChanged "toolset_changed" ["added" "removed"] Failed;
    SchemasUnchanged "schemas_unchanged" ["tools"] Verified;
    SchemasChanged "schemas_changed" ["changed" "compared"] Failed;
    /// `side`: run, baseline: what could not be brought to canonical form.
    ComparisonUnavailable "comparison_unavailable" ["side"] Unverified;

    // Why a run was not signed, beside the keys above.

    /// The deciding answer was a 5xx.
    ServerError "server_error" [];
    /// 401 without a challenge that can be used.
    ChallengeUnusable "challenge_unusable" [];
    /// A check of ours on the record itself: it does not fit together.
    Disqualified "disqualified" [];
    /// Attested later, as soon as the signer is back.
    SignerUnreachable "signer_unreachable" [];
}

impl ReasonKey {
    pub fn spec(self) -> &'static ReasonSpec {
        // One macro makes the variants and the table in the same order.
        &SPECS[self as usize]
    }

    /// As in payloads.
    pub fn as_str(self) -> &'static str {
        self.spec().name
    }

    pub fn params(self) -> &'static [&'static str] {
        self.spec().params
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_and_parameters_are_snake_case_and_unique() {
        let snake = |s: &str| {
            s.starts_with(|c: char| c.is_ascii_lowercase())
                && s.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        let mut seen = BTreeSet::new();
        for (place, spec) in SPECS.iter().enumerate() {
            assert_eq!(spec.key as usize, place);
            assert!(snake(spec.name) && seen.insert(spec.name), "{}", spec.name);
            assert!(
                spec.params.iter().all(|param| snake(param)),
                "{}",
                spec.name
            );
            let unique: BTreeSet<_> = spec.params.iter().collect();
            assert_eq!(unique.len(), spec.params.len(), "{}", spec.name);
        }
    }

    #[test]
    fn a_reason_of_success_stands_beside_nothing_else() {
        for spec in SPECS {
            let success = spec.states.contains(&State::Verified);
            assert!(!success || spec.states.len() == 1, "{}", spec.name);
        }
    }
}
