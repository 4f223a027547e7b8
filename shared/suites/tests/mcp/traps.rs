//! What servers really do, one case a trap: the numbers are those of the list
//! of traps that the specification of the suite keeps.

use touchstone_proto::observation::{FailureKind as F, SseNote, StopKind};

use crate::observe::{
    DISCOVERED, INITIALIZED, NOT_ACCEPTED, Observe, Reply, TOOLS, empty, error, expect, fails,
    fallen_back, html, json, legacy, modern, reply, result, wall,
};

const HANDSHAKE: &str = "discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=1 first_listed=2026-07-28";
const INITIALIZE: &str =
    "discovery_handshake VERIFIED completed handshake_initialized revision=2025-06-18 session=no";
const LISTED: &str = "tools_list VERIFIED completed tools_listed tools=2 pages=1";

fn stream(body: &str) -> Reply {
    reply(200, "text/event-stream", body)
}

fn message(result: &str) -> String {
    let one_line = result.replace('\n', " ");
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{one_line}}}"#)
}

#[test]
fn streams() {
    let answer = message(DISCOVERED);
    for (name, reply) in [
        (
            "1 priming event",
            format!("id: 0\ndata:\n\ndata: {answer}\n\n"),
        ),
        ("3 no blank line, stream open", format!("data: {answer}\n")),
        ("4 no blank line, stream ended", format!("data: {answer}")),
        (
            "5 CRLF",
            format!("event: message\r\ndata: {answer}\r\n\r\n"),
        ),
        ("5 CR", format!("event: message\rdata: {answer}\r\r")),
        (
            "6 comments",
            format!(": ping\n\n: ping\n\ndata: {answer}\n\n: ping\n\n"),
        ),
        ("7 BOM", format!("\u{feff}data: {answer}\n\n")),
        (
            "8 notifications first",
            format!(
                "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}}\n\ndata: {{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}}\n\ndata: {answer}\n\n"
            ),
        ),
        (
            "rmcp's field order",
            format!("data: {answer}\nid: 0\nretry: 3000\n\nid: 1\n\n"),
        ),
        (
            "several data lines",
            format!("data: {}\n\n", answer.replacen(',', ",\ndata: ", 1)),
        ),
    ]
    .map(|(name, body)| (name, stream(&body)))
    .into_iter()
    // As an agent keeps a stream in which it found the answer.
    .chain([("2 cut at the answer", stream(&answer).answered())])
    {
        expect(
            name,
            &Observe::new().discover(reply).evaluate(),
            &format!(
                "{HANDSHAKE}\ntransport_type VERIFIED completed transport_answered transport=streamable_http framing=sse"
            ),
        );
    }
    let refusal = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"m"}}"#;
    expect(
        "9 an error under event: error",
        &Observe::new()
            .discover(stream(&format!("event: error\ndata: {refusal}\n\n")))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_refused code=-32022",
    );
    let endpoint = stream("event: endpoint\ndata: /messages?id=1\n\n").note(SseNote::EventEndpoint);
    expect(
        "10 the endpoint event of the old transport",
        &fallen_back().initialize(endpoint).evaluate(),
        "discovery_handshake FAILED completed handshake_sse_transport step=initialize status=200
         signing handshake_sse_transport",
    );
    expect(
        "JSON that stands in no event, where no client looks",
        &fallen_back()
            .initialize(stream(&message(INITIALIZED)))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_not_jsonrpc step=initialize status=200 content=sse",
    );
    let noted = Observe::new()
        .discover(
            stream(&answer)
                .answered()
                .note(SseNote::Unterminated)
                .note(SseNote::Bom),
        )
        .evaluate();
    let notes: Vec<_> = noted.detail.notes.iter().map(|note| note.note).collect();
    assert_eq!(notes, ["sse_bom", "sse_unterminated"]);
}

#[test]
fn bodies() {
    expect(
        "11 a content coding that does not decode says nothing; its status does",
        &Observe::new()
            .discover(json(400, "").broken(F::Undecodable))
            .initialize(json(200, "").broken(F::Undecodable))
            .evaluate(),
        "reachability VERIFIED completed answered status=200
         discovery_handshake FAILED completed handshake_not_jsonrpc step=initialize status=200 content=undecodable",
    );
    for kind in ["application/json; charset=utf-8", "Application/JSON", ""] {
        expect(
            "12 the media type alone counts, and a missing one may be JSON",
            &Observe::new()
                .discover(reply(200, kind, message(DISCOVERED)))
                .evaluate(),
            HANDSHAKE,
        );
    }
    expect(
        "14 a login page",
        &Observe::new()
            .discover(html(200, "<html>sign in</html>"))
            .initialize(html(200, "<html>sign in</html>"))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_not_jsonrpc step=initialize status=200 content=html",
    );
    let batch = format!("[{}]", message(DISCOVERED));
    let evaluation = Observe::new().discover(json(200, &batch)).evaluate();
    expect("15 a batch of one", &evaluation, HANDSHAKE);
    assert_eq!(evaluation.detail.notes[0].note, "batch");
    expect(
        "16 a list over the cap",
        &modern().list(json(200, "{").broken(F::TooLarge)).evaluate(),
        "tools_list UNVERIFIED errored response_too_large limit_bytes=2097152
         signing response_too_large",
    );
}

#[test]
fn ids() {
    for (name, id, note) in [
        ("17 made up", "\"server-error\"", "id_type_changed"),
        ("17 null", "null", "id_null"),
        ("18 a string for a number", "\"1\"", "id_type_changed"),
        ("another's", "7", "id_foreign"),
    ] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"m"}}}}"#);
        let evaluation = Observe::new().discover(json(400, &body)).evaluate();
        expect(
            name,
            &evaluation,
            "discovery_handshake FAILED completed handshake_refused code=-32022",
        );
        assert_eq!(evaluation.detail.notes[0].note, note, "{name}");
    }
    let body = r#"{"jsonrpc":"2.0","error":{"code":-32020,"message":"m"}}"#;
    expect(
        "17 none; 24 a stripped header",
        &Observe::new().discover(json(400, body)).evaluate(),
        "discovery_handshake FAILED completed handshake_refused code=-32020",
    );
}

#[test]
fn eras() {
    for (name, discover) in [
        ("19 200 and a JSON-RPC error", error(200, -32_601)),
        (
            "20 400 and other JSON",
            json(400, r#"{"error":{"code":"E1"}}"#),
        ),
        ("21 400 text", reply(400, "text/plain", "bad request")),
        ("22 missing session", json(400, NOT_ACCEPTED)),
        (
            "23 401 from a blanket layer",
            json(401, r#"{"error":"unauthorized"}"#),
        ),
        ("23 401 with a challenge", wall("Bearer")),
        ("25 404 -32601", error(404, -32_601)),
        ("next to the three codes", error(400, -32_023)),
        ("the codes of drafts", error(400, -32_001)),
        (
            "26 only legacy revisions",
            result(r#"{"supportedVersions":["2025-06-18"],"capabilities":{}}"#),
        ),
        (
            "an empty list of revisions",
            result(r#"{"supportedVersions":[],"capabilities":{}}"#),
        ),
        ("202 and nothing", empty(202)),
        ("204", empty(204)),
    ] {
        let run = Observe::new()
            .discover(discover)
            .initialize(result(INITIALIZED))
            .acknowledge(empty(202))
            .list(result(TOOLS))
            .call(error(200, -32_602));
        expect(
            name,
            &run.evaluate(),
            &format!("{INITIALIZE}\n{LISTED}\nsigning full"),
        );
    }
    let oldest_first = DISCOVERED.replace("[\"2026", "[\"2024-11-05\",\"2025-06-18\",\"2026");
    let evaluation = Observe::new().discover(result(&oldest_first)).evaluate();
    expect(
        "27 the order says nothing",
        &evaluation,
        "protocol_revision VERIFIED completed revision_spoken revision=2026-07-28 handshake=discover
         discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=3 first_listed=2024-11-05",
    );
    assert_eq!(
        evaluation.revisions.first_listed.as_deref(),
        Some("2024-11-05")
    );
    assert_eq!(evaluation.revisions.recorded.as_deref(), Some("2026-07-28"));
    expect(
        "23 only a wall was seen: no era",
        &Observe::new()
            .discover(wall("Bearer"))
            .initialize(wall("Bearer"))
            .evaluate(),
        "protocol_revision UNVERIFIED blocked credential_required status=401 scheme=bearer",
    );
}

#[test]
fn sessions() {
    expect(
        "28 a session id on an error is none",
        &Observe::new()
            .discover(json(400, NOT_ACCEPTED).header("mcp-session-id", ""))
            .initialize(result(INITIALIZED))
            .acknowledge(empty(202))
            .evaluate(),
        INITIALIZE,
    );
    expect(
        "29 a list that wants a session",
        &legacy().list(error(200, 0)).evaluate(),
        "tools_list FAILED completed tools_list_jsonrpc_error status=200 code=0",
    );
    expect(
        "30 what DELETE answers changes nothing",
        &legacy()
            .list(result(TOOLS))
            .call(error(200, -32_602))
            .end_session(fails(F::ConnectionLost))
            .evaluate(),
        "error_taxonomy VERIFIED completed error_shape_fits status=200 code=-32602
         reachability VERIFIED completed answered status=200
         signing full",
    );
    expect(
        "31 a lost session is begun anew once, and the second counts",
        &legacy()
            .list(error(404, -32_001))
            .initialize(result(INITIALIZED))
            .acknowledge(empty(202))
            .list_anew(result(TOOLS))
            .evaluate(),
        &format!("{INITIALIZE}\n{LISTED}"),
    );
    for (name, acknowledgement, notes) in [
        ("33 200", empty(200), &["acknowledgement_not_202"][..]),
        ("33 204", empty(204), &["acknowledgement_not_202"]),
        (
            "33 200 null",
            json(200, "null"),
            &["acknowledgement_body", "acknowledgement_not_202"],
        ),
        (
            "33 202 with text",
            reply(202, "text/plain", "Accepted"),
            &["acknowledgement_body"],
        ),
        ("33 202", empty(202), &[]),
    ] {
        let evaluation = Observe::new()
            .discover(empty(404))
            .initialize(result(INITIALIZED))
            .acknowledge(acknowledgement)
            .evaluate();
        expect(name, &evaluation, INITIALIZE);
        let found: Vec<_> = evaluation
            .detail
            .notes
            .iter()
            .map(|note| note.note)
            .collect();
        assert_eq!(found, notes, "{name}");
    }
    let unsupported = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":{"supported":["2025-06-18"]}}}"#;
    expect(
        "35 another revision proposed",
        &fallen_back()
            .initialize(json(400, unsupported))
            .initialize(result(INITIALIZED))
            .acknowledge(empty(202))
            .evaluate(),
        INITIALIZE,
    );
}

#[test]
fn http_and_edge() {
    expect(
        "44 406 to everything",
        &Observe::new()
            .discover(empty(406))
            .initialize(empty(406))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_http_error step=initialize status=406",
    );
    expect(
        "45 a redirect of the handshake is recorded and not followed",
        &Observe::new()
            .discover(empty(307).header("location", "https://mcp.example/mcp/"))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_redirected step=discover status=307 to=same_host
         redirect_policy VERIFIED completed no_cross_host_redirect redirects=1",
    );
    expect(
        "47 421 is an answer",
        &Observe::new()
            .discover(empty(421))
            .initialize(json(421, "{}"))
            .evaluate(),
        "reachability VERIFIED completed answered status=421
         discovery_handshake FAILED completed handshake_http_error step=initialize status=421",
    );
    let page = "<html><script>window._cf_chl_opt={}</script>";
    for (name, run, reason) in [
        (
            "48 header",
            Observe::new().discover(html(403, "x").header("cf-mitigated", "challenge")),
            "edge_challenge status=403 marker=cf_mitigated",
        ),
        (
            "48 page",
            fallen_back().initialize(html(503, page)),
            "edge_challenge status=503 marker=cloudflare_page",
        ),
        (
            "48 never a rate limit",
            fallen_back()
                .initialize(html(503, page).header("retry-after", "9"))
                .stop(StopKind::RateLimited, 9),
            "edge_challenge status=503 marker=cloudflare_page",
        ),
        (
            "48 never auth",
            fallen_back().initialize(html(401, page).header("www-authenticate", "Bearer")),
            "edge_challenge status=401 marker=cloudflare_page",
        ),
    ] {
        expect(
            name,
            &run.evaluate(),
            &format!(
                "discovery_handshake UNVERIFIED blocked {reason}
                 protocol_revision UNVERIFIED blocked {reason}
                 tools_list UNVERIFIED blocked {reason}
                 auth_metadata UNVERIFIED blocked {reason}
                 signing edge_challenge"
            ),
        );
    }
    expect(
        "48 at the list",
        &modern().list(html(403, page)).evaluate(),
        "tools_list UNVERIFIED blocked edge_challenge status=403 marker=cloudflare_page
         discovery_handshake VERIFIED completed handshake_discovered revision=2026-07-28 listed=1 first_listed=2026-07-28
         signing edge_challenge",
    );
    expect(
        "48 a plain 403 page may be the server's own",
        &Observe::new()
            .discover(html(403, "no"))
            .initialize(html(403, "no"))
            .evaluate(),
        "discovery_handshake FAILED completed handshake_http_error step=initialize status=403",
    );
    expect(
        "49 429 is not a fallback signal",
        &Observe::new()
            .discover(empty(429))
            .stop(StopKind::RateLimited, 0)
            .evaluate(),
        "reachability UNVERIFIED errored rate_limited retry_after_s=0
         discovery_handshake UNVERIFIED errored rate_limited retry_after_s=0
         signing rate_limited",
    );
    let blocked = Observe::new()
        .discover(empty(405))
        .initialize(html(405, "<p>"))
        .evaluate();
    expect(
        "51 405 to everything",
        &blocked,
        "discovery_handshake FAILED completed handshake_http_error step=initialize status=405",
    );
    assert_eq!(
        blocked
            .detail
            .likely_cause
            .map(touchstone_suites::LikelyCause::as_str),
        Some("sse_only")
    );
}
