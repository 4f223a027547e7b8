//! Full, limited or none, and what a limited payload may hold.

use touchstone_proto::observation::FailureKind as F;
use touchstone_proto::vocabulary::State;
use touchstone_suites::{CheckId, LikelyCause, Signing};

use crate::observe::{
    INITIALIZED, Observe, TOOLS, empty, error, expect, fails, fallen_back, json, legacy, modern,
    open, result, wall,
};

const BEARER: &str = r#"Bearer realm="x", Resource_Metadata="https://mcp.example/prm", scope="a""#;

#[test]
fn a_gated_handshake_is_signed_as_far_as_the_wall() {
    let run = Observe::new()
        .discover(wall(BEARER))
        .initialize(wall(BEARER))
        .resource("https://mcp.example/prm", empty(404));
    let gate = "credential_required status=401 scheme=bearer";
    let evaluation = run.evaluate();
    expect(
        "gated handshake",
        &evaluation,
        &format!(
            "reachability VERIFIED completed answered status=401
             transport_type VERIFIED completed transport_answered transport=streamable_http framing=json
             protocol_revision UNVERIFIED blocked {gate}
             discovery_handshake UNVERIFIED blocked {gate}
             tools_list UNVERIFIED blocked {gate}
             toolset_fingerprint UNVERIFIED blocked {gate}
             schema_fingerprint UNVERIFIED blocked {gate}
             error_taxonomy UNVERIFIED blocked {gate}
             latency_profile UNVERIFIED blocked {gate}
             auth_metadata OBSERVED_RISK completed metadata_http_error document=resource status=404
             tls_certificate UNVERIFIED completed outside_limited_scope
             redirect_policy VERIFIED completed no_cross_host_redirect redirects=0
             tool_description_hygiene UNVERIFIED blocked {gate}
             toolset_unchanged_vs_approved UNVERIFIED skipped no_approved_baseline
             signing limited"
        ),
    );
    let challenge = evaluation.challenge.unwrap();
    assert_eq!(challenge.scheme, "bearer");
    assert_eq!(challenge.names, ["realm", "resource_metadata", "scope"]);
    assert_eq!(challenge.url.as_deref(), Some("https://mcp.example/prm"));
    assert_eq!(challenge.digest.unwrap().len(), "sha256:".len() + 64);
    assert_eq!(
        evaluation.detail.likely_cause,
        Some(LikelyCause::AuthBeforeHandshake)
    );
}

#[test]
fn a_wall_behind_the_handshake_is_signed_as_far_as_the_wall() {
    let gate = "credential_required status=401 scheme=basic";
    let evaluation = legacy().list(wall("Basic")).evaluate();
    expect(
        "gated list",
        &evaluation,
        &format!(
            "reachability VERIFIED completed answered status=200
             transport_type VERIFIED completed transport_answered transport=streamable_http framing=json
             protocol_revision UNVERIFIED completed outside_limited_scope
             discovery_handshake UNVERIFIED completed outside_limited_scope
             latency_profile UNVERIFIED completed outside_limited_scope
             tools_list UNVERIFIED blocked {gate}
             error_taxonomy UNVERIFIED blocked {gate}
             signing limited"
        ),
    );
    assert_eq!(evaluation.revisions.recorded, None);
    assert_eq!(evaluation.revisions.offered.as_deref(), Some("2025-11-25"));
    assert_eq!(
        evaluation.detail.revisions.recorded.as_deref(),
        Some("2025-06-18")
    );
    let challenge = evaluation.challenge.unwrap();
    assert_eq!((challenge.names.len(), challenge.url), (0, None));

    let acknowledgement = fallen_back()
        .initialize(result(INITIALIZED))
        .acknowledge(wall("Basic"));
    expect(
        "the acknowledgement belongs to the handshake",
        &acknowledgement.evaluate(),
        &format!("discovery_handshake UNVERIFIED blocked {gate}\nsigning limited"),
    );
}

#[test]
fn what_is_no_gate() {
    for (name, run, unsigned) in [
        (
            "403 with a challenge",
            fallen_back().initialize(json(403, "{}").header("www-authenticate", "Bearer")),
            "handshake_http_error",
        ),
        (
            "401 that is no challenge",
            fallen_back().initialize(wall("Bearer ???")),
            "challenge_unusable",
        ),
        (
            "a modern refusal on a 401",
            Observe::new().discover(error(401, -32_020).header("www-authenticate", "Bearer")),
            "handshake_refused",
        ),
        (
            "a 401 that did not decide",
            Observe::new()
                .discover(wall("Bearer"))
                .initialize(empty(404)),
            "handshake_http_error",
        ),
        (
            "5xx after a 401",
            Observe::new()
                .discover(wall("Bearer"))
                .initialize(empty(502)),
            "server_error",
        ),
    ] {
        let evaluation = run.evaluate();
        expect(name, &evaluation, &format!("signing {unsigned}"));
        assert_eq!(evaluation.challenge, None, "{name}");
    }
    expect(
        "only calls are gated",
        &modern().list(result(TOOLS)).call(wall("Bearer")).evaluate(),
        "error_taxonomy UNVERIFIED blocked credential_required status=401 scheme=bearer
         auth_metadata VERIFIED completed challenge_well_formed scheme=bearer
         signing full",
    );
}

#[test]
fn a_limited_payload_never_says_more() {
    let vouched = [
        CheckId::Reachability,
        CheckId::TransportType,
        CheckId::AuthMetadata,
        CheckId::RedirectPolicy,
    ];
    let evaluation = modern().list(wall(BEARER)).evaluate();
    assert_eq!(evaluation.signing, Signing::Limited);
    for assertion in &evaluation.assertions {
        let may = vouched.contains(&assertion.check);
        assert!(may || assertion.state == State::Unverified, "{assertion:?}");
    }
}

/// An agent is not trusted to have kept to the rules of a run.
#[test]
fn a_record_that_does_not_fit_together_is_not_signed() {
    let mut elsewhere = open();
    elsewhere.observation.exchanges[1].url = "https://other.example/mcp".to_owned();
    let mut nine = legacy();
    for _ in 0..6 {
        nine = nine.resource("https://mcp.example/x", empty(404));
    }
    for (name, run) in [
        ("another URL", elsewhere),
        ("nine requests", nine),
        (
            "a call of a tool",
            modern()
                .list(result(TOOLS))
                .call_of("add", error(200, -32_602)),
        ),
    ] {
        expect(name, &run.evaluate(), "signing disqualified");
    }
    let unsent = legacy()
        .list(result(TOOLS))
        .call(error(200, -32_602))
        .resource("https://mcp.example/x", empty(404))
        .resource("https://mcp.example/y", empty(404))
        .resource("https://mcp.example/z", fails(F::BudgetRequests))
        .end_session(empty(200));
    expect(
        "eight, the end, and one not sent",
        &unsent.evaluate(),
        "signing full",
    );
}

#[test]
fn likely_causes_are_those_an_owner_can_act_on() {
    for (name, run, cause) in [
        (
            "403",
            fallen_back().initialize(empty(403)),
            Some("auth_before_handshake"),
        ),
        (
            "404",
            fallen_back().initialize(empty(404)),
            Some("sse_only"),
        ),
        (
            "no version",
            fallen_back().initialize(result("{}")),
            Some("no_protocol_version"),
        ),
        (
            "acknowledgement",
            fallen_back()
                .initialize(result(INITIALIZED))
                .acknowledge(empty(400)),
            Some("session_headers"),
        ),
        (
            "list in a session",
            legacy().list(error(404, -32_001)),
            Some("session_headers"),
        ),
        (
            "our resolver",
            Observe::new().discover(fails(F::ResolverUnavailable)),
            Some("not_yours"),
        ),
        ("5xx", Observe::new().discover(empty(500)), None),
        ("open", open(), None),
    ] {
        let found = run.evaluate().detail.likely_cause;
        assert_eq!(found.map(LikelyCause::as_str), cause, "{name}");
    }
}
