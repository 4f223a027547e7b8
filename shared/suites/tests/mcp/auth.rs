//! `auth_metadata`: challenges and the documents behind them.

use touchstone_proto::observation::{FailureKind as F, StopKind};

use crate::observe::{
    Observe, Reply, TOOLS, empty, error, expect, fails, fallen_back, html, json, modern, result,
    wall,
};

const PLACE: &str = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
const ROOT: &str = "https://mcp.example/.well-known/oauth-protected-resource";
const AS: &str = "https://as.example/.well-known/oauth-authorization-server";
const BEARER: &str = r#"Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="a b""#;
const RESOURCE: &str = r#"{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"],"scopes_supported":["a","b","c"]}"#;
const SERVER: &str = r#"{"issuer":"https://as.example","authorization_endpoint":"https://as.example/a","token_endpoint":"https://as.example/t"}"#;

/// A gated server with this challenge.
fn gated(challenge: &str) -> Observe {
    fallen_back().initialize(wall(challenge))
}

fn case(name: &str, run: &Observe, expected: &str) {
    expect(name, &run.evaluate(), &format!("auth_metadata {expected}"));
}

#[test]
fn well_formed() {
    case(
        "challenge and both documents",
        &gated(BEARER)
            .resource(PLACE, json(200, RESOURCE))
            .server(AS, json(200, SERVER)),
        "VERIFIED completed metadata_well_formed scheme=bearer documents=2",
    );
    case(
        "a challenge alone, nothing at the well-known places",
        &gated("Basic realm=\"x\"")
            .resource(PLACE, empty(404))
            .resource(ROOT, empty(404)),
        "VERIFIED completed challenge_well_formed scheme=basic",
    );
    case(
        "55 any 4xx is a miss",
        &gated("Bearer")
            .resource(PLACE, empty(403))
            .resource(ROOT, json(200, RESOURCE))
            .server(AS, json(200, SERVER)),
        "VERIFIED completed metadata_well_formed scheme=bearer documents=2",
    );
    case(
        "a page for every address is a miss where the place was guessed",
        &gated("Bearer")
            .resource(PLACE, html(200, "<html>"))
            .resource(ROOT, html(200, "<html>")),
        "VERIFIED completed challenge_well_formed scheme=bearer",
    );
    case(
        "54 401 without a challenge: the well-known places are still tried",
        &fallen_back()
            .initialize(empty(401))
            .resource(PLACE, json(200, RESOURCE))
            .server(AS, json(200, SERVER)),
        "VERIFIED completed metadata_well_formed scheme=none documents=2",
    );
    case(
        "a redirect on the way",
        &gated(BEARER)
            .resource(PLACE, empty(302).header("location", "/x"))
            .hop("https://mcp.example/x", json(200, RESOURCE))
            .server(AS, json(200, SERVER)),
        "VERIFIED completed metadata_well_formed scheme=bearer documents=2",
    );
    case(
        "a server with client credentials only needs no authorization endpoint",
        &gated(BEARER).resource(PLACE, json(200, RESOURCE)).server(AS, json(200, r#"{"issuer":"https://as.example","token_endpoint":"https://as.example/t","grant_types_supported":["client_credentials"]}"#)),
        "VERIFIED completed metadata_well_formed scheme=bearer documents=2",
    );
}

#[test]
fn not_observable() {
    case(
        "no wall",
        &modern().list(result(TOOLS)).call(error(200, -32_602)),
        "UNVERIFIED skipped not_observable",
    );
    case(
        "54 nothing there",
        &fallen_back()
            .initialize(empty(401))
            .resource(PLACE, empty(404))
            .resource(ROOT, empty(404)),
        "UNVERIFIED skipped not_observable",
    );
    case(
        "a failed handshake",
        &Observe::new().discover(empty(500)),
        "UNVERIFIED skipped not_observable",
    );
}

#[test]
fn malformed_challenges() {
    for (challenge, expected) in [
        ("Bearer ???", "challenge_malformed status=401"),
        ("Bearer abc def", "challenge_malformed status=401"),
        (", Bearer", "challenge_malformed status=401"),
        ("Bearer\trealm=\"x\"", "challenge_malformed status=401"),
        // 52, 53
        (
            r#"Bearer resource_metadata="https://a/x", resource_metadata="https://a/y""#,
            "challenge_parameter_repeated",
        ),
        (
            "Bearer resource_metadata='https://a/x'",
            "challenge_quoting",
        ),
        ("Bearer resource_metadata=https://a/x", "challenge_quoting"),
        (
            r#"Bearer resource_metadata = "https://a/x""#,
            "challenge_quoting",
        ),
        (r#"Bearer realm="x"#, "challenge_quoting"),
        (
            r#"Bearer resource_metadata="/relative""#,
            "challenge_metadata_url_invalid",
        ),
        (
            r#"Bearer resource_metadata="ftp://a/x""#,
            "challenge_metadata_url_invalid",
        ),
    ] {
        case(
            challenge,
            &gated(challenge),
            &format!("OBSERVED_RISK completed {expected}"),
        );
    }
    let on_403 = modern()
        .list(result(TOOLS))
        .call(json(403, "{}").header("www-authenticate", "?"));
    case(
        "on 403",
        &on_403,
        "OBSERVED_RISK completed challenge_malformed status=403",
    );
}

#[test]
fn malformed_documents() {
    let resource = |reply: Reply| gated(BEARER).resource(PLACE, reply);
    let with = |change: (&str, &str)| resource(json(200, &RESOURCE.replace(change.0, change.1)));
    let mismatch = |difference: &str| format!("metadata_resource_mismatch difference={difference}");
    let fault = |document: &str, fault: &str| {
        format!("metadata_malformed document={document} fault={fault}")
    };
    for (name, run, expected) in [
        (
            "404 at the place that was named",
            resource(empty(404)),
            "metadata_http_error document=resource status=404".to_owned(),
        ),
        (
            "500",
            resource(empty(500)),
            "metadata_http_error document=resource status=500".to_owned(),
        ),
        (
            "no JSON",
            resource(html(200, "<p>")),
            fault("resource", "not_json"),
        ),
        (
            "no object",
            resource(json(200, "[]")),
            fault("resource", "not_object"),
        ),
        (
            "no resource",
            resource(json(200, "{}")),
            fault("resource", "resource_missing"),
        ),
        (
            "resource no URL",
            with(("https://mcp.example/mcp", "mcp")),
            fault("resource", "resource_invalid"),
        ),
        (
            "56 another host",
            with(("https://mcp.example/mcp", "https://x.example/mcp")),
            mismatch("origin"),
        ),
        (
            "56 host only",
            with(("https://mcp.example/mcp", "https://mcp.example")),
            mismatch("parent_path"),
        ),
        (
            "56 slash",
            with(("https://mcp.example/mcp", "https://mcp.example/mcp/")),
            mismatch("trailing_slash"),
        ),
        (
            "56 another path",
            with(("https://mcp.example/mcp", "https://mcp.example/m")),
            mismatch("path"),
        ),
        (
            "no servers",
            with(("authorization_servers", "x")),
            fault("resource", "authorization_servers_missing"),
        ),
        (
            "an empty list of servers",
            with(("[\"https://as.example\"]", "[]")),
            fault("resource", "authorization_servers_missing"),
        ),
        (
            "a server that is no URL",
            with(("https://as.example", "as")),
            fault("resource", "authorization_server_invalid"),
        ),
        (
            "a scope that is not supported",
            with(("\"b\",", "")),
            "challenge_scope_unsupported".to_owned(),
        ),
    ] {
        case(name, &run, &format!("OBSERVED_RISK completed {expected}"));
    }
    let server = |reply: Reply| resource(json(200, RESOURCE)).server(AS, reply);
    let with = |change: (&str, &str)| server(json(200, &SERVER.replace(change.0, change.1)));
    for (name, run, expected) in [
        (
            "none at any place",
            server(empty(404)),
            "server_metadata_not_found".to_owned(),
        ),
        (
            "no issuer",
            server(json(200, "{}")),
            fault("server", "issuer_missing"),
        ),
        (
            "57 slash",
            with(("\"https://as.example\"", "\"https://as.example/\"")),
            "metadata_issuer_mismatch".to_owned(),
        ),
        (
            "57 another host",
            with(("\"https://as.example\"", "\"https://other.example\"")),
            "metadata_issuer_mismatch".to_owned(),
        ),
        (
            "no token endpoint",
            with(("token_endpoint", "x")),
            fault("server", "endpoint_missing"),
        ),
        (
            "http",
            with(("https://as.example/t", "http://as.example/t")),
            fault("server", "endpoint_insecure"),
        ),
    ] {
        case(name, &run, &format!("OBSERVED_RISK completed {expected}"));
    }
}

#[test]
fn what_could_not_be_looked_at() {
    let place = |reply: Reply| gated(BEARER).resource(PLACE, reply);
    for (name, run, expected) in [
        (
            "time",
            place(fails(F::BudgetTime)),
            "errored budget_exhausted budget=time limit=10",
        ),
        (
            "requests",
            place(fails(F::BudgetRequests)),
            "errored budget_exhausted budget=requests limit=8",
        ),
        (
            "policy",
            place(fails(F::PolicyRefused).rule("private")),
            "errored policy_refused rule=private",
        ),
        (
            "too many redirects",
            place(
                empty(302)
                    .header("location", "/x")
                    .broken(F::TooManyRedirects),
            ),
            "errored too_many_redirects limit=3",
        ),
        (
            "429",
            place(empty(429)).stop(StopKind::RateLimited, 0),
            "errored rate_limited retry_after_s=0",
        ),
        (
            "the authorization server's name",
            place(json(200, RESOURCE)).server(AS, fails(F::NameNotFound)),
            "errored dns_failed fault=name_not_found",
        ),
        (
            "the run stopped before",
            Observe::new()
                .discover(wall("Bearer"))
                .initialize(fails(F::ConnectionLost)),
            "blocked connection_failed fault=lost",
        ),
    ] {
        case(name, &run, &format!("UNVERIFIED {expected}"));
    }
    case(
        "a fault seen before counts",
        &gated("Bearer ???").stop(StopKind::BudgetTime, 0),
        "OBSERVED_RISK completed challenge_malformed status=401",
    );
    let redirected = place(empty(302).header("location", "https://elsewhere.example/x")).hop(
        "https://elsewhere.example/x",
        fails(F::PolicyRefused).rule("port"),
    );
    expect(
        "a redirect to another host is seen though it was not followed to its end",
        &redirected.evaluate(),
        "redirect_policy OBSERVED_RISK completed cross_host_redirect redirects=1 on=metadata
         auth_metadata UNVERIFIED errored policy_refused rule=port",
    );
}
