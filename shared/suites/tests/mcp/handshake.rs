//! The checks that the handshake decides, each state and reason one line a
//! case, and what of a run that stopped stands beside the others.

use touchstone_proto::observation::{FailureKind as F, StopKind};

use crate::observe::{
    INITIALIZED, Observe, TOOLS, empty, error, expect, fails, fallen_back, html, json, modern,
    open, reply, result, wall,
};

#[test]
fn an_open_modern_server_verifies_throughout() {
    expect(
        "modern",
        &open().evaluate(),
        "reachability VERIFIED completed answered status=200
         transport_type VERIFIED completed transport_answered transport=streamable_http framing=json
         protocol_revision VERIFIED completed revision_spoken revision=2026-07-28 handshake=discover
         discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=1 first_listed=2026-07-28
         tools_list VERIFIED completed tools_listed tools=2 pages=1
         toolset_fingerprint VERIFIED completed fingerprint_computed tools=2
         schema_fingerprint VERIFIED completed fingerprint_computed tools=2
         error_taxonomy VERIFIED completed error_shape_fits status=200 code=-32602
         latency_profile VERIFIED completed latency_measured p50_ms=40 p95_ms=40 n=3
         auth_metadata UNVERIFIED skipped not_observable
         tls_certificate VERIFIED completed certificate_valid days_left=90
         redirect_policy VERIFIED completed no_cross_host_redirect redirects=0
         tool_description_hygiene VERIFIED completed hygiene_no_hit tools=2
         toolset_unchanged_vs_approved UNVERIFIED skipped no_approved_baseline
         schema_unchanged_vs_approved UNVERIFIED skipped no_approved_baseline
         signing full",
    );
}

#[test]
fn an_open_legacy_server_verifies_throughout() {
    let run = fallen_back()
        .initialize(result(INITIALIZED).header("mcp-session-id", ""))
        .acknowledge(empty(202))
        .list(result(TOOLS))
        .call(error(200, -32_602))
        .end_session(empty(405));
    let evaluation = run.evaluate();
    expect(
        "legacy",
        &evaluation,
        "reachability VERIFIED completed answered status=200
         protocol_revision VERIFIED completed revision_spoken revision=2025-06-18 handshake=initialize
         discovery_handshake VERIFIED completed handshake_initialized revision=2025-06-18 session=yes
         tools_list VERIFIED completed tools_listed tools=2 pages=1
         latency_profile VERIFIED completed latency_measured p50_ms=40 p95_ms=40 n=6
         signing full",
    );
    assert_eq!(evaluation.revisions.offered.as_deref(), Some("2025-11-25"));
    assert_eq!(evaluation.revisions.recorded.as_deref(), Some("2025-06-18"));
    let server = evaluation.detail.server.unwrap();
    assert_eq!(server.name.as_deref(), Some("srv"));
}

/// A run that stopped before its handshake ended: every check says why, none
/// says more.
#[test]
fn what_stops_the_handshake_stands_beside_every_check() {
    let cases = [
        (F::NameNotFound, "dns_failed fault=name_not_found"),
        (F::NameServerFailed, "dns_failed fault=name_server_failed"),
        (F::ConnectRefused, "connection_failed fault=refused"),
        (F::ConnectTimedOut, "connection_failed fault=timed_out"),
        (F::ConnectUnreachable, "connection_failed fault=unreachable"),
        (F::ConnectionLost, "connection_failed fault=lost"),
        (F::NotHttp, "connection_failed fault=not_http"),
        (F::TimedOut, "budget_exhausted budget=time limit=10"),
        (F::BudgetTime, "budget_exhausted budget=time limit=10"),
        (
            F::BudgetRequests,
            "budget_exhausted budget=requests limit=8",
        ),
        (F::Tls, "tls_failed fault=no_certificate"),
        // Ours, and never the target's fault.
        (F::ResolverUnavailable, "resolver_unavailable"),
        (F::Agent, "agent_fault"),
    ];
    for (kind, reason) in cases {
        let run = Observe::new()
            .discover(fails(kind))
            .stop(StopKind::ExchangeFailed, 0);
        let lines = |timed: &str| {
            format!(
                "reachability UNVERIFIED errored {reason}
                 transport_type UNVERIFIED errored {reason}
                 protocol_revision UNVERIFIED errored {reason}
                 discovery_handshake UNVERIFIED errored {reason}
                 tools_list UNVERIFIED blocked {reason}
                 toolset_fingerprint UNVERIFIED blocked {reason}
                 schema_fingerprint UNVERIFIED blocked {reason}
                 error_taxonomy UNVERIFIED blocked {reason}
                 latency_profile UNVERIFIED skipped {timed}
                 auth_metadata UNVERIFIED blocked {reason}
                 tls_certificate UNVERIFIED errored {reason}
                 redirect_policy UNVERIFIED blocked {reason}
                 tool_description_hygiene UNVERIFIED blocked {reason}
                 toolset_unchanged_vs_approved UNVERIFIED skipped no_approved_baseline
                 signing {}",
                reason.split(' ').next().unwrap()
            )
        };
        expect(reason, &run.evaluate(), &lines("no_timed_request"));
    }
}

#[test]
fn our_policy_is_named_by_a_word_of_ours_alone() {
    for (rule, word) in [("loopback", "loopback"), ("<b>", "other"), ("", "other")] {
        let run = Observe::new().discover(fails(F::PolicyRefused).rule(rule));
        expect(
            rule,
            &run.evaluate(),
            &format!("reachability UNVERIFIED errored policy_refused rule={word}"),
        );
    }
}

/// Later trouble takes nothing from what came before it.
#[test]
fn checks_that_were_done_keep_their_result() {
    let run = modern()
        .list(result(TOOLS))
        .call(empty(429).header("retry-after", "30"))
        .stop(StopKind::RateLimited, 30);
    expect(
        "429 at the call",
        &run.evaluate(),
        "reachability VERIFIED completed answered status=200
         tools_list VERIFIED completed tools_listed tools=2 pages=1
         toolset_fingerprint VERIFIED completed fingerprint_computed tools=2
         error_taxonomy UNVERIFIED errored rate_limited retry_after_s=30
         auth_metadata UNVERIFIED blocked rate_limited retry_after_s=30
         redirect_policy VERIFIED completed no_cross_host_redirect redirects=0
         latency_profile VERIFIED completed latency_measured p50_ms=40 p95_ms=40 n=3
         signing full",
    );
    let run = modern().list(fails(F::ConnectionLost));
    expect(
        "lost at the list",
        &run.evaluate(),
        "reachability VERIFIED completed answered status=200
         discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=1 first_listed=2026-07-28
         tools_list UNVERIFIED errored connection_failed fault=lost
         error_taxonomy UNVERIFIED blocked connection_failed fault=lost
         tls_certificate VERIFIED completed certificate_valid days_left=90
         signing connection_failed",
    );
    let run = modern().stop(StopKind::BudgetTime, 0);
    expect(
        "time up before the list",
        &run.evaluate(),
        "reachability VERIFIED completed answered status=200
         tools_list UNVERIFIED blocked budget_exhausted budget=time limit=10
         signing budget_exhausted",
    );
}

/// UNVERIFIED even though the request before was answered.
#[test]
fn a_handshake_that_did_not_end_is_not_reachable() {
    let large = json(200, "{").broken(F::TooLarge);
    for (name, run, reason) in [
        (
            "initialize too large",
            fallen_back().initialize(large),
            "response_too_large limit_bytes=2097152",
        ),
        (
            "429 to discover",
            Observe::new().discover(empty(429).header("retry-after", "7")),
            "rate_limited retry_after_s=7",
        ),
        (
            "503 with Retry-After to initialize",
            fallen_back()
                .initialize(empty(503).header("retry-after", "Mon, 30 Nov 2026 12:01:00 GMT"))
                .stop(StopKind::RateLimited, 60),
            "rate_limited retry_after_s=60",
        ),
        (
            "the acknowledgement belongs to the handshake",
            fallen_back()
                .initialize(result(INITIALIZED))
                .acknowledge(fails(F::TimedOut)),
            "budget_exhausted budget=time limit=10",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!(
                "reachability UNVERIFIED errored {reason}
                 transport_type UNVERIFIED errored {reason}
                 discovery_handshake UNVERIFIED errored {reason}
                 tools_list UNVERIFIED blocked {reason}
                 signing {}",
                reason.split(' ').next().unwrap()
            ),
        );
    }
    let run = fallen_back()
        .initialize(result(INITIALIZED))
        .acknowledge(fails(F::TimedOut));
    expect(
        "but the revision was identified",
        &run.evaluate(),
        "protocol_revision VERIFIED completed revision_spoken revision=2025-06-18 handshake=initialize",
    );
}

/// Any status at all is an answer.
#[test]
fn a_failed_handshake_is_reachable_and_says_why() {
    let cases = [
        ("5xx", Observe::new().discover(empty(500)), 500, "other", "handshake_http_error step=discover status=500", "server_error"),
        ("503 without Retry-After", Observe::new().discover(html(503, "x")), 503, "other", "handshake_http_error step=discover status=503", "server_error"),
        ("redirect", Observe::new().discover(empty(307).header("location", "/mcp/")), 307, "empty", "handshake_redirected step=discover status=307 to=same_host", "handshake_redirected"),
        ("modern refusal", Observe::new().discover(error(400, -32_022)), 400, "json", "handshake_refused code=-32022", "handshake_refused"),
        ("modern refusal, any status", Observe::new().discover(error(200, -32_021)), 200, "json", "handshake_refused code=-32021", "handshake_refused"),
        ("403", fallen_back().initialize(json(403, "{}")), 403, "json", "handshake_http_error step=initialize status=403", "handshake_http_error"),
        ("401 without challenge", fallen_back().initialize(json(401, "{}")), 401, "json", "handshake_http_error step=initialize status=401", "challenge_unusable"),
        ("401 with junk", fallen_back().initialize(wall("Bearer ???")), 401, "json", "handshake_http_error step=initialize status=401", "challenge_unusable"),
        ("404", fallen_back().initialize(html(404, "no")), 404, "other", "handshake_http_error step=initialize status=404", "handshake_http_error"),
        ("500", fallen_back().initialize(empty(500)), 500, "empty", "handshake_http_error step=initialize status=500", "server_error"),
        ("202", fallen_back().initialize(reply(202, "text/plain", "Accepted")), 202, "other", "handshake_http_error step=initialize status=202", "handshake_http_error"),
        ("HTML", fallen_back().initialize(html(200, "<html>")), 200, "other", "handshake_not_jsonrpc step=initialize status=200 content=html", "handshake_not_jsonrpc"),
        ("empty", fallen_back().initialize(empty(200)), 200, "empty", "handshake_not_jsonrpc step=initialize status=200 content=empty", "handshake_not_jsonrpc"),
        ("plain JSON", fallen_back().initialize(json(200, r#"{"protocolVersion":"2025-06-18"}"#)), 200, "json", "handshake_not_jsonrpc step=initialize status=200 content=json", "handshake_not_jsonrpc"),
        ("JSON-RPC error", fallen_back().initialize(error(400, -32_602)), 400, "json", "handshake_jsonrpc_error step=initialize status=400 code=-32602", "handshake_jsonrpc_error"),
        ("no version", fallen_back().initialize(result(r#"{"capabilities":{}}"#)), 200, "json", "protocol_version_missing", "protocol_version_missing"),
        ("version elsewhere", fallen_back().initialize(json(200, r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"protocolVersion":"2025-06-18"}}}"#)), 200, "json", "handshake_jsonrpc_error step=initialize status=200 code=1", "handshake_jsonrpc_error"),
    ];
    for (name, run, status, framing, reason, unsigned) in cases {
        let framing = if name == "5xx" { "empty" } else { framing };
        expect(
            name,
            &run.evaluate(),
            &format!(
                "reachability VERIFIED completed answered status={status}
                 transport_type VERIFIED completed transport_answered transport=streamable_http framing={framing}
                 protocol_revision FAILED completed {reason}
                 discovery_handshake FAILED completed {reason}
                 tools_list UNVERIFIED blocked {reason}
                 toolset_fingerprint UNVERIFIED blocked {reason}
                 error_taxonomy UNVERIFIED blocked {reason}
                 tool_description_hygiene UNVERIFIED blocked {reason}
                 signing {unsigned}"
            ),
        );
    }
}

/// A modern server refuses what it does not speak; what it said to its own
/// handshake decided.
#[test]
fn a_wall_before_discover_decides_when_initialize_is_refused_as_modern() {
    let walled = || Observe::new().discover(wall("Bearer"));
    let gated = "credential_required status=401 scheme=bearer";
    for code in [-32_020, -32_021, -32_022] {
        for status in [200, 400] {
            expect(
                "a wall, then a modern refusal",
                &walled().initialize(error(status, code)).evaluate(),
                &format!(
                    "reachability VERIFIED completed answered status=401
                     protocol_revision UNVERIFIED blocked {gated}
                     discovery_handshake UNVERIFIED blocked {gated}
                     tools_list UNVERIFIED blocked {gated}
                     latency_profile UNVERIFIED blocked {gated}
                     auth_metadata VERIFIED completed challenge_well_formed scheme=bearer
                     signing limited"
                ),
            );
        }
    }
    for (name, run, reason) in [
        (
            "no challenge",
            Observe::new()
                .discover(json(401, "{}"))
                .initialize(error(400, -32_022)),
            "handshake_jsonrpc_error step=initialize status=400 code=-32022",
        ),
        (
            "no modern code",
            walled().initialize(error(400, -32_600)),
            "handshake_jsonrpc_error step=initialize status=400 code=-32600",
        ),
        (
            "refused for who asks",
            walled().initialize(error(403, -32_022)),
            "handshake_http_error step=initialize status=403",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!("discovery_handshake FAILED completed {reason}"),
        );
    }
}

#[test]
fn the_revision_is_held_against_the_matrix() {
    let answering = |version: &str| {
        let body = INITIALIZED.replace("2025-06-18", version);
        fallen_back()
            .initialize(result(&body))
            .acknowledge(empty(202))
    };
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        expect(
            version,
            &answering(version).evaluate(),
            &format!(
                "protocol_revision VERIFIED completed revision_spoken revision={version} handshake=initialize"
            ),
        );
    }
    for version in ["2024-10-07", "2099-01-01", "banana", ""] {
        let evaluation = answering(version).evaluate();
        expect(
            version,
            &evaluation,
            "protocol_revision FAILED completed revision_unknown
             discovery_handshake UNVERIFIED completed revision_unknown
             tools_list UNVERIFIED blocked revision_unknown
             signing revision_unknown",
        );
        let dated = version.starts_with('2').then(|| version.to_owned());
        assert_eq!(evaluation.revisions.recorded, dated, "{version}");
    }
    expect(
        "a revision that has no initialize",
        &answering("2026-07-28").evaluate(),
        "protocol_revision VERIFIED completed revision_spoken revision=2026-07-28 handshake=initialize
         discovery_handshake FAILED completed handshake_result_invalid step=initialize field=protocol_version",
    );
}

#[test]
fn what_the_schema_requires_of_a_handshake_must_be_there() {
    for (name, body, field) in [
        (
            "initialize without capabilities",
            r#"{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}"#,
            "capabilities",
        ),
        (
            "capabilities no object",
            r#"{"protocolVersion":"2025-06-18","capabilities":[],"serverInfo":{"name":"s","version":"1"}}"#,
            "capabilities",
        ),
        (
            "without serverInfo",
            r#"{"protocolVersion":"2025-06-18","capabilities":{}}"#,
            "server_info",
        ),
    ] {
        let run = fallen_back()
            .initialize(result(body))
            .acknowledge(empty(202))
            .list(result(TOOLS))
            .call(error(200, -32_602));
        expect(
            name,
            &run.evaluate(),
            &format!(
                "protocol_revision VERIFIED completed revision_spoken revision=2025-06-18 handshake=initialize
                 discovery_handshake FAILED completed handshake_result_invalid step=initialize field={field}
                 tools_list VERIFIED completed tools_listed tools=2 pages=1
                 signing full"
            ),
        );
    }
    for (name, body, field) in [
        (
            "discover without capabilities",
            r#"{"supportedVersions":["2026-07-28"]}"#,
            "capabilities",
        ),
        (
            "input_required",
            r#"{"resultType":"input_required","supportedVersions":["2026-07-28"],"capabilities":{}}"#,
            "result_type",
        ),
        (
            "a version that is no string",
            r#"{"supportedVersions":["2026-07-28",7],"capabilities":{}}"#,
            "supported_versions",
        ),
    ] {
        expect(
            name,
            &Observe::new().discover(result(body)).evaluate(),
            &format!(
                "discovery_handshake FAILED completed handshake_result_invalid step=discover field={field}"
            ),
        );
    }
    // Missing but not needed for the conversation: noted, and no fault.
    let run = Observe::new().discover(result(
        r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#,
    ));
    let evaluation = run.evaluate();
    expect(
        "minimal discover",
        &evaluation,
        "discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=1 first_listed=2026-07-28",
    );
    let notes: Vec<_> = evaluation
        .detail
        .notes
        .iter()
        .map(|note| note.note)
        .collect();
    assert_eq!(
        notes,
        [
            "cache_scope",
            "result_type_missing",
            "server_info",
            "ttl_ms"
        ]
    );
}

#[test]
fn a_refused_acknowledgement_fails_the_handshake() {
    let run = fallen_back()
        .initialize(result(INITIALIZED))
        .acknowledge(json(400, NO_SESSION));
    expect(
        "400",
        &run.evaluate(),
        "reachability VERIFIED completed answered status=400
         protocol_revision VERIFIED completed revision_spoken revision=2025-06-18 handshake=initialize
         discovery_handshake FAILED completed acknowledgement_refused status=400
         tools_list UNVERIFIED blocked acknowledgement_refused status=400
         signing acknowledgement_refused",
    );
}

const NO_SESSION: &str = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}"#;
