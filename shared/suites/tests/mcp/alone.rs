//! The checks that stand alone: certificate, redirects, latency, the shape of
//! errors. Each state and reason one line a case.

use touchstone_proto::observation::{FailureKind as F, StopKind, TlsVerdict as V};

use crate::observe::{
    DISCOVERED, Observe, TOOLS, empty, error, expect, fails, fallen_back, html, json, legacy,
    modern, result, wall,
};

#[test]
fn certificates() {
    let day =
        |verdict, from, to| Observe::new().discover(result(DISCOVERED).tls(verdict, from, to));
    let broken = |verdict, from, to| {
        Observe::new()
            .discover(fails(F::Tls).tls(verdict, from, to))
            .stop(StopKind::ExchangeFailed, 0)
    };
    for (name, run, expected) in [
        (
            "valid",
            day(V::Valid, -1, 30),
            "VERIFIED completed certificate_valid days_left=30",
        ),
        (
            "last day",
            day(V::Valid, -1, 0),
            "VERIFIED completed certificate_valid days_left=0",
        ),
        (
            "valid said of an expired one",
            day(V::Valid, -9, -1),
            "FAILED completed certificate_expired days=1",
        ),
        (
            "valid said of one to come",
            day(V::Valid, 2, 9),
            "FAILED completed certificate_not_yet_valid days=2",
        ),
        (
            "expired",
            broken(V::Expired, -30, -3),
            "FAILED completed certificate_expired days=3",
        ),
        (
            "one above it expired",
            broken(V::Expired, -30, 3),
            "FAILED completed certificate_expired days=0",
        ),
        (
            "not yet valid",
            broken(V::NotYetValid, 1, 9),
            "FAILED completed certificate_not_yet_valid days=1",
        ),
        (
            "name",
            broken(V::NameMismatch, -1, 9),
            "FAILED completed certificate_name_mismatch",
        ),
        (
            "untrusted",
            broken(V::Untrusted, -1, 9),
            "FAILED completed certificate_untrusted",
        ),
        (
            "broken",
            broken(V::Broken, -1, 9),
            "FAILED completed certificate_broken",
        ),
        (
            "none",
            broken(V::NoCertificate, -1, 9),
            "UNVERIFIED errored tls_failed fault=no_certificate",
        ),
        (
            "refused",
            Observe::new().discover(fails(F::ConnectRefused)),
            "UNVERIFIED errored connection_failed fault=refused",
        ),
        (
            "http",
            Observe::at("http://mcp.example/mcp").discover(result(DISCOVERED)),
            "UNVERIFIED skipped plain_http",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!("tls_certificate {expected}"),
        );
    }
    expect(
        "the other checks of a certificate that failed",
        &broken(V::Expired, -30, -3).evaluate(),
        "reachability UNVERIFIED errored tls_failed fault=expired
         tools_list UNVERIFIED blocked tls_failed fault=expired
         auth_metadata UNVERIFIED blocked tls_failed fault=expired
         signing tls_failed",
    );
}

#[test]
fn redirects() {
    let to = |status, place: &str| Observe::new().discover(empty(status).header("location", place));
    for (name, run, expected) in [
        (
            "slash",
            to(307, "https://mcp.example/mcp/"),
            "VERIFIED completed no_cross_host_redirect redirects=1",
        ),
        (
            "other host",
            to(301, "https://other.example/mcp"),
            "OBSERVED_RISK completed cross_host_redirect redirects=1 on=endpoint",
        ),
        (
            "other host, no scheme",
            to(308, "//other.example/"),
            "OBSERVED_RISK completed cross_host_redirect redirects=1 on=endpoint",
        ),
        (
            "subdomain",
            to(302, "https://www.mcp.example/"),
            "OBSERVED_RISK completed cross_host_redirect redirects=1 on=endpoint",
        ),
        (
            "case, port and closing dot are no other host",
            to(302, "http://MCP.example.:8080/"),
            "VERIFIED completed no_cross_host_redirect redirects=1",
        ),
        (
            "no host",
            to(302, "mailto:a@other.example"),
            "VERIFIED completed no_cross_host_redirect redirects=1",
        ),
        (
            "unreadable",
            to(302, "http://["),
            "VERIFIED completed no_cross_host_redirect redirects=1",
        ),
        (
            "not a redirect",
            to(200, "https://other.example/"),
            "VERIFIED completed no_cross_host_redirect redirects=0",
        ),
        (
            "nothing",
            Observe::new(),
            "UNVERIFIED skipped nothing_exchanged",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!("redirect_policy {expected}"),
        );
    }
    let run = modern()
        .list(empty(307).header("location", "https://other.example/"))
        .stop(StopKind::BudgetTime, 0);
    expect(
        "seen though the run stopped afterwards",
        &run.evaluate(),
        "redirect_policy OBSERVED_RISK completed cross_host_redirect redirects=1 on=endpoint
         tools_list FAILED completed tools_list_redirected status=307 to=other_host",
    );
}

#[test]
fn latency_counts_every_answer_of_the_endpoint() {
    let mut run = legacy();
    for us in [10_000, 20_400, 30_000] {
        run = run.list(result(TOOLS).took_us(us));
    }
    let run = run
        .resource(
            "https://mcp.example/.well-known/oauth-protected-resource",
            empty(404).took_us(9),
        )
        .call(fails(F::TimedOut));
    expect(
        "metadata and unanswered requests are not counted",
        &run.evaluate(),
        "latency_profile VERIFIED completed latency_measured p50_ms=30 p95_ms=40 n=6",
    );
    expect(
        "gated handshake",
        &fallen_back().initialize(wall("Bearer")).evaluate(),
        "latency_profile UNVERIFIED blocked credential_required status=401 scheme=bearer",
    );
}

#[test]
fn error_shapes() {
    let answered = |reply| modern().list(result(TOOLS)).call(reply);
    for (name, run, expected) in [
        (
            "-32602",
            answered(error(200, -32_602)),
            "VERIFIED completed error_shape_fits status=200 code=-32602",
        ),
        (
            "any code",
            answered(error(404, -32_601)),
            "VERIFIED completed error_shape_fits status=404 code=-32601",
        ),
        (
            "code 0",
            answered(error(500, 0)),
            "VERIFIED completed error_shape_fits status=500 code=0",
        ),
        (
            "an error beats 401",
            answered(error(401, -32_001)),
            "VERIFIED completed error_shape_fits status=401 code=-32001",
        ),
        (
            "isError",
            answered(result(r#"{"isError":true,"content":[]}"#)),
            "OBSERVED_RISK completed error_as_result status=200",
        ),
        (
            "isError false",
            answered(result(r#"{"isError":false,"content":[]}"#)),
            "OBSERVED_RISK completed error_as_success status=200",
        ),
        (
            "success",
            answered(result(r#"{"content":[]}"#)),
            "OBSERVED_RISK completed error_as_success status=200",
        ),
        (
            "HTML",
            answered(html(404, "<p>")),
            "OBSERVED_RISK completed error_not_jsonrpc status=404 content=html",
        ),
        (
            "empty 202",
            answered(empty(202)),
            "OBSERVED_RISK completed error_not_jsonrpc status=202 content=empty",
        ),
        (
            "text code",
            answered(json(
                200,
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}}"#,
            )),
            "OBSERVED_RISK completed error_object_malformed status=200 field=code",
        ),
        (
            "no message",
            answered(json(
                200,
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}"#,
            )),
            "OBSERVED_RISK completed error_object_malformed status=200 field=message",
        ),
        (
            "401",
            answered(json(401, "{}")),
            "UNVERIFIED blocked credential_required status=401 scheme=none",
        ),
        (
            "403",
            answered(json(403, "{}")),
            "UNVERIFIED blocked credential_required status=403 scheme=none",
        ),
        (
            "401 with a result",
            answered(json(401, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)),
            "UNVERIFIED blocked credential_required status=401 scheme=none",
        ),
        (
            "gate",
            answered(wall("Basic realm=\"x\"")),
            "UNVERIFIED blocked credential_required status=401 scheme=basic",
        ),
        (
            "unheard-of scheme",
            answered(wall("Evil-Scheme-Text")),
            "UNVERIFIED blocked credential_required status=401 scheme=other",
        ),
        (
            "lost",
            answered(fails(F::ConnectionLost)),
            "UNVERIFIED errored connection_failed fault=lost",
        ),
        (
            "never sent",
            modern().list(result(TOOLS)),
            "UNVERIFIED blocked not_recorded",
        ),
        (
            "time up",
            modern().list(result(TOOLS)).stop(StopKind::BudgetTime, 0),
            "UNVERIFIED blocked budget_exhausted budget=time limit=10",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!("error_taxonomy {expected}\nsigning full"),
        );
    }
}
