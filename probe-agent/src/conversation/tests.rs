//! What came back → what is sent next, and how the conversation ends.

// Literals of `json!` read best where they are handed over.
#![allow(clippy::needless_pass_by_value)]

use bytes::Bytes;
use serde_json::{Value, json};
use touchstone_proto::observation::{
    Body, Exchange, Failure, FailureKind, Header, Response, Step, StopKind,
};
use touchstone_wire::PROBE_TOOL_NAME;
use url::Url;

use super::{Mcp, Next};
use crate::exchange::{Method, Received, Request};

/// 2026-11-30T12:00:00Z.
const NOW_MS: i64 = 1_796_040_000_000;

/// One turn: what must be asked for, and what comes back.
type Turn<'a> = (&'a str, Received);

fn reply(status: u32, content_type: &str, body: &str) -> Received {
    let headers = [("content-type", content_type)]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| header(name, value))
        .collect();
    Received {
        exchanges: vec![Exchange {
            response: Some(Response {
                status,
                headers,
                body: Some(Body::default()),
                ..Response::default()
            }),
            ..Exchange::default()
        }],
        body: Bytes::copy_from_slice(body.as_bytes()),
        session_id: None,
    }
}

fn header(name: &str, value: &str) -> Header {
    Header {
        name: name.into(),
        value: value.into(),
        redacted: false,
    }
}

fn json_reply(status: u32, body: &Value) -> Received {
    reply(status, "application/json", &body.to_string())
}

fn result(id: impl Into<Value>, result: Value) -> Received {
    json_reply(
        200,
        &json!({"jsonrpc": "2.0", "id": id.into(), "result": result}),
    )
}

fn error(status: u32, code: i64, data: Value) -> Received {
    json_reply(
        status,
        &json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": "m", "data": data}}),
    )
}

fn with(mut received: Received, name: &str, value: &str) -> Received {
    let response = received.exchanges[0].response.as_mut().unwrap();
    response.headers.push(header(name, value));
    received
}

fn session(mut received: Received, id: &str) -> Received {
    received.session_id = Some(id.into());
    received
}

fn failure(kind: FailureKind) -> Received {
    let mut received = reply(0, "", "");
    received.exchanges[0].response = None;
    received.exchanges[0].failure = Some(Failure {
        kind: kind.into(),
        rule: String::new(),
    });
    received
}

/// A response whose status was read and whose body was not.
fn broken(mut received: Received, kind: FailureKind) -> Received {
    received.exchanges[0].failure = failure(kind).exchanges[0].failure.clone();
    received
}

fn discovered(versions: &[&str]) -> Received {
    result(
        "d1",
        json!({"supportedVersions": versions, "capabilities": {}, "resultType": "complete"}),
    )
}

fn initialized(revision: &str) -> Received {
    result(
        1,
        json!({"protocolVersion": revision, "capabilities": {},
               "serverInfo": {"name": "s", "version": "1"}}),
    )
}

fn tools(names: &[&str], next: Value) -> Received {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    result("t1", json!({"tools": tools, "nextCursor": next}))
}

fn list() -> Received {
    tools(&["a", "b"], Value::Null)
}

fn no_such_tool() -> Received {
    error(200, -32_602, Value::Null)
}

fn accepted() -> Received {
    reply(202, "", "")
}

fn wall() -> Received {
    with(
        reply(401, "application/json", r#"{"error":"invalid_token"}"#),
        "www-authenticate",
        r#"Bearer resource_metadata="https://h.example/prm""#,
    )
}

/// In one word, what a request is for.
fn word(request: &Request) -> String {
    let name = match request.step {
        Step::Discover => "discover",
        Step::Initialize => "initialize",
        Step::Initialized => "initialized",
        Step::ListTools => return format!("list {}", request.page),
        Step::CallUnknownTool => "call",
        Step::ResourceMetadata => return format!("prm {}", request.url.path()),
        Step::ServerMetadata => return format!("as {}", request.url.path()),
        Step::EndSession => "delete",
        Step::Unspecified => "unspecified",
    };
    name.to_owned()
}

impl Request {
    fn sent(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(header, _)| *header == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is sent twice");
        value
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

struct Held {
    requests: Vec<Request>,
    mcp: Mcp,
}

impl Held {
    fn stop(&self) -> Option<(StopKind, u32, u32)> {
        let stop = self.mcp.stop_reason()?;
        Some((stop.kind(), stop.exchange, stop.retry_after_s))
    }
}

/// Holds the conversation and checks each step; nothing may be left unsaid.
fn hold(case: &str, steps: Vec<Turn<'_>>) -> Held {
    let mut mcp = Mcp::new(Url::parse("https://h.example/mcp").unwrap());
    let mut requests = Vec::new();
    for (expected, received) in steps {
        match mcp.what_next() {
            Next::Send(request) => {
                assert_eq!(word(&request), expected, "{case}");
                always(&request);
                requests.push(request);
            }
            Next::Done => panic!("{case}: done, expected {expected}"),
        }
        mcp.feed(&received, NOW_MS);
    }
    if let Next::Send(request) = mcp.what_next() {
        panic!("{case}: {} is sent, expected the end", word(&request));
    }
    Held { requests, mcp }
}

/// What holds for every request.
fn always(request: &Request) {
    for forbidden in [
        "authorization",
        "origin",
        "cookie",
        "accept-encoding",
        "last-event-id",
    ] {
        assert_eq!(request.sent(forbidden), None);
    }
    match request.method {
        Method::Post => {
            assert_eq!(request.url.as_str(), "https://h.example/mcp");
            assert_eq!(request.sent("content-type"), Some("application/json"));
            assert_eq!(
                request.sent("accept"),
                Some("application/json, text/event-stream")
            );
            assert_eq!(request.json()["jsonrpc"], "2.0");
        }
        Method::Get => {
            assert!(matches!(
                request.step,
                Step::ResourceMetadata | Step::ServerMetadata
            ));
            assert!(request.sent("mcp-session-id").is_none());
        }
        Method::Delete => assert_eq!(request.step, Step::EndSession),
    }
}

#[test]
fn a_modern_server() {
    for versions in [
        &["2026-07-28"][..],
        // The order of the list says nothing (trap 27).
        &["2024-11-05", "2025-11-25", "2026-07-28"],
    ] {
        let held = hold(
            "modern",
            vec![
                ("discover", discovered(versions)),
                ("list 1", tools(&["a"], json!("p2"))),
                // An empty cursor is a cursor in this era (trap 38).
                ("list 2", tools(&["b"], json!(""))),
                ("list 3", tools(&["c"], Value::Null)),
                ("call", no_such_tool()),
            ],
        );
        assert_eq!(held.stop(), None);
        assert_eq!(held.mcp.offered_revision(), "2026-07-28");
        let [discover, first, second, third, call] = &held.requests[..] else {
            unreachable!()
        };
        for request in &held.requests {
            assert_eq!(request.sent("mcp-protocol-version"), Some("2026-07-28"));
            assert_eq!(request.sent("mcp-session-id"), None);
            let body = request.json();
            assert_eq!(
                Some(body["method"].as_str().unwrap()),
                request.sent("mcp-method")
            );
            let meta = &body["params"]["_meta"];
            assert_eq!(
                meta["io.modelcontextprotocol/protocolVersion"],
                "2026-07-28"
            );
            assert_eq!(
                meta["io.modelcontextprotocol/clientCapabilities"],
                json!({})
            );
            assert_eq!(
                meta["io.modelcontextprotocol/clientInfo"]["name"],
                "touchstone-probe"
            );
            assert!(body["id"].is_string());
        }
        assert_eq!(discover.json()["method"], "server/discover");
        assert_eq!(first.json()["params"].get("cursor"), None);
        assert_eq!(second.json()["params"]["cursor"], "p2");
        assert_eq!(third.json()["params"]["cursor"], "");
        assert_eq!(call.sent("mcp-name"), Some(PROBE_TOOL_NAME));
        assert_eq!(call.json()["params"]["name"], PROBE_TOOL_NAME);
        assert_eq!(call.json()["params"]["arguments"], json!({}));
    }
}

#[test]
fn a_legacy_server_with_a_session() {
    let held = hold(
        "legacy",
        vec![
            // A session id on anything but `initialize` means nothing (trap 28).
            (
                "discover",
                session(error(400, -32_000, Value::Null), "dead"),
            ),
            ("initialize", session(initialized("2025-06-18"), "s-1")),
            ("initialized", session(accepted(), "other")),
            ("list 1", tools(&["a"], json!("p2"))),
            ("list 2", tools(&["b"], json!(""))),
            ("call", result(5, json!({"isError": true, "content": []}))),
            ("delete", reply(405, "", "")),
        ],
    );
    assert_eq!(held.stop(), None);
    assert_eq!(held.mcp.offered_revision(), "2025-11-25");
    let initialize = &held.requests[1];
    assert_eq!(initialize.sent("mcp-protocol-version"), None);
    assert_eq!(initialize.sent("mcp-session-id"), None);
    assert_eq!(initialize.json()["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(initialize.json()["params"]["capabilities"], json!({}));
    for request in &held.requests[2..] {
        assert_eq!(
            request.sent("mcp-session-id"),
            Some("s-1"),
            "{}",
            word(request)
        );
        assert_eq!(request.sent("mcp-protocol-version"), Some("2025-06-18"));
        assert_eq!(request.sent("mcp-method"), None);
    }
    assert_eq!(
        held.requests[2].json(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
    );
    let ids: Vec<Value> = [1, 3, 4, 5]
        .map(|n| held.requests[n].json()["id"].clone())
        .into();
    assert_eq!(ids, [json!(1), json!(2), json!(3), json!(4)]);
    assert_eq!(held.requests[4].json()["params"], json!({"cursor": "p2"}));
    assert!(held.requests[6].body.is_empty());
}

#[test]
fn older_revisions_know_no_version_header() {
    for (revision, header) in [
        ("2024-11-05", None),
        ("2025-03-26", None),
        ("2025-06-18", Some("2025-06-18")),
        ("2025-11-25", Some("2025-11-25")),
    ] {
        let held = hold(
            revision,
            vec![
                ("discover", reply(404, "text/html", "<html>")),
                ("initialize", initialized(revision)),
                ("initialized", accepted()),
                ("list 1", list()),
                ("call", no_such_tool()),
            ],
        );
        for request in &held.requests[2..] {
            assert_eq!(request.sent("mcp-protocol-version"), header, "{revision}");
        }
    }
}

#[test]
fn what_leads_from_discover_to_initialize() {
    for (case, received) in [
        (
            "400 with a code of its own",
            error(400, -32_000, Value::Null),
        ),
        (
            "400 with an error that is none",
            json_reply(400, &json!({"error": "unauthorized"})),
        ),
        (
            "400 with a string as code",
            json_reply(400, &json!({"error": {"code": "E", "message": "m"}})),
        ),
        ("400 as text", reply(400, "text/plain", "bad request")),
        ("200 with an error", error(200, -32_601, Value::Null)),
        (
            "404 with the modern method-not-found",
            error(404, -32_601, Value::Null),
        ),
        ("the codes of drafts", error(400, -32_001, Value::Null)),
        ("401 without a challenge", reply(401, "", "")),
        ("403", reply(403, "text/plain", "no")),
        ("202 without a body", reply(202, "", "")),
        ("204", reply(204, "", "")),
        ("200 as a page", reply(200, "text/html", "<html>")),
        (
            "200 with a result of another kind",
            result("d1", json!({"tools": []})),
        ),
        ("200 that lists nothing", discovered(&[])),
        (
            "200 that lists legacy revisions alone",
            discovered(&["2025-06-18", "2025-11-25"]),
        ),
        (
            "a body that cannot be decoded",
            broken(reply(200, "application/json", ""), FailureKind::Undecodable),
        ),
        (
            "an endpoint event",
            reply(200, "text/event-stream", "event: endpoint\ndata: /m\n\n"),
        ),
    ] {
        let held = hold(
            case,
            vec![
                ("discover", received.clone()),
                ("initialize", reply(500, "", "")),
            ]
            .into_iter()
            .chain(metadata_after(&received))
            .collect(),
        );
        assert_eq!(held.stop(), None, "{case}");
        assert_eq!(held.mcp.offered_revision(), "2025-11-25", "{case}");
    }
}

/// A 401 anywhere has the well-known places tried.
fn metadata_after(received: &Received) -> Vec<Turn<'static>> {
    if received.status() != Some(401) {
        return Vec::new();
    }
    vec![
        (
            "prm /.well-known/oauth-protected-resource/mcp",
            reply(404, "", ""),
        ),
        (
            "prm /.well-known/oauth-protected-resource",
            reply(403, "", ""),
        ),
    ]
}

#[test]
fn what_ends_the_handshake_at_discover() {
    for (case, received) in [
        ("header mismatch", error(400, -32_020, Value::Null)),
        ("missing capability", error(400, -32_021, Value::Null)),
        (
            "unsupported version",
            error(400, -32_022, json!({"supported": ["2027-01-01"]})),
        ),
        (
            "a modern refusal with 200",
            error(200, -32_022, Value::Null),
        ),
        (
            "a modern refusal behind 401",
            error(401, -32_020, Value::Null),
        ),
        ("a list of revisions to come", discovered(&["2027-01-01"])),
        ("500", reply(500, "text/html", "")),
        ("502", reply(502, "", "")),
        ("503 without Retry-After", reply(503, "", "")),
        (
            "307",
            with(reply(307, "", ""), "location", "https://h.example/mcp/"),
        ),
    ] {
        let held = hold(case, vec![("discover", received)]);
        assert_eq!(held.stop(), None, "{case}");
        assert_eq!(held.mcp.offered_revision(), "2026-07-28", "{case}");
    }
}

#[test]
fn initialize_is_proposed_again_once_with_a_listed_revision() {
    let refusal = |supported: &[&str]| error(400, -32_602, json!({"supported": supported}));
    let held = hold(
        "trap 35",
        vec![
            ("discover", reply(400, "", "")),
            (
                "initialize",
                refusal(&["2024-11-05", "2025-03-26", "2099-01-01"]),
            ),
            ("initialize", initialized("2025-03-26")),
            ("initialized", accepted()),
            ("list 1", list()),
            ("call", no_such_tool()),
        ],
    );
    assert_eq!(
        held.requests[2].json()["params"]["protocolVersion"],
        "2025-03-26"
    );
    assert_eq!(held.mcp.offered_revision(), "2025-11-25");

    let twice = vec![
        ("discover", reply(400, "", "")),
        ("initialize", refusal(&["2025-03-26"])),
        ("initialize", refusal(&["2024-11-05"])),
    ];
    hold("once only", twice);
    for (case, received) in [
        ("nothing listed", refusal(&[])),
        ("the same listed", refusal(&["2025-11-25"])),
        ("only modern listed", refusal(&["2026-07-28"])),
        (
            "modern code",
            error(400, -32_022, json!({"supported": ["2025-06-18"]})),
        ),
    ] {
        hold(
            case,
            vec![("discover", reply(400, "", "")), ("initialize", received)],
        );
    }
}

#[test]
fn a_handshake_that_fails_is_followed_by_no_list() {
    let page = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#;
    for (case, received, ends_session) in [
        (
            "unknown revision",
            session(initialized("2099-01-01"), "s"),
            true,
        ),
        ("unreleased revision", initialized("2024-10-07"), false),
        (
            "a modern revision by initialize",
            session(initialized("2026-07-28"), "s"),
            true,
        ),
        (
            "no revision",
            session(result(1, json!({"capabilities": {}})), "s"),
            true,
        ),
        (
            "the revision elsewhere",
            json_reply(
                200,
                &json!({"jsonrpc": "2.0", "id": 1,
            "error": {"code": -1, "message": "m", "protocolVersion": "2025-06-18"}}),
            ),
            false,
        ),
        (
            "an error with a session",
            session(error(200, -1, Value::Null), "s"),
            false,
        ),
        (
            "a status that is not 200",
            session(reply(201, "application/json", page), "s"),
            false,
        ),
        ("a page", reply(200, "text/html", page), false),
        ("404", reply(404, "", ""), false),
        ("405", reply(405, "text/html", "<html>"), false),
    ] {
        let mut steps = vec![("discover", reply(400, "", "")), ("initialize", received)];
        if ends_session {
            steps.push(("delete", reply(200, "", "")));
        }
        let held = hold(case, steps);
        assert_eq!(held.stop(), None, "{case}");
        if ends_session {
            let end = held.requests.last().unwrap();
            assert_eq!(end.sent("mcp-session-id"), Some("s"), "{case}");
            assert_eq!(end.sent("mcp-protocol-version"), None, "{case}");
        }
    }
}

#[test]
fn every_success_acknowledges_and_nothing_else_does() {
    for received in [
        reply(200, "", ""),
        reply(200, "application/json", "null"),
        reply(202, "text/plain", "Accepted"),
        reply(204, "", ""),
        reply(202, "text/event-stream", ""),
    ] {
        hold(
            "trap 33",
            vec![
                ("discover", reply(400, "", "")),
                ("initialize", initialized("2025-11-25")),
                ("initialized", received),
                ("list 1", list()),
                ("call", no_such_tool()),
            ],
        );
    }
    hold(
        "refused",
        vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s")),
            ("initialized", reply(400, "", "")),
            ("delete", reply(200, "", "")),
        ],
    );
}

#[test]
fn only_visible_ascii_is_a_session_id() {
    for (id, sent) in [
        ("abc-123!~", true),
        ("", false),
        ("two words", false),
        ("tab\t", false),
        ("ü", false),
        (&"x".repeat(4_096), true),
        (&"x".repeat(4_097), false),
    ] {
        let mut steps = vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), id)),
            ("initialized", accepted()),
            ("list 1", list()),
            ("call", no_such_tool()),
        ];
        if sent {
            steps.push(("delete", reply(204, "", "")));
        }
        let held = hold(id, steps);
        assert_eq!(held.requests[3].sent("mcp-session-id"), sent.then_some(id));
    }
}

#[test]
fn a_lost_session_is_begun_anew_once() {
    let gone = || error(404, -32_001, Value::Null);
    let held = hold(
        "trap 31",
        vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s-1")),
            ("initialized", accepted()),
            ("list 1", gone()),
            ("initialize", session(initialized("2025-11-25"), "s-2")),
            ("initialized", accepted()),
            ("list 1", gone()),
            ("delete", reply(404, "", "")),
        ],
    );
    assert_eq!(held.requests[4].sent("mcp-session-id"), None);
    assert_eq!(held.requests[6].sent("mcp-session-id"), Some("s-2"));
    assert_eq!(held.stop(), None);

    for (case, first, list) in [
        ("no session to lose", initialized("2025-11-25"), gone()),
        (
            "no such method",
            session(initialized("2025-11-25"), "s"),
            error(404, -32_601, Value::Null),
        ),
        (
            "another status",
            session(initialized("2025-11-25"), "s"),
            error(400, -32_600, Value::Null),
        ),
    ] {
        let ends = first.session_id.is_some();
        let mut steps = vec![
            ("discover", reply(400, "", "")),
            ("initialize", first),
            ("initialized", accepted()),
            ("list 1", list),
        ];
        if ends {
            steps.push(("delete", reply(200, "", "")));
        }
        hold(case, steps);
    }
}

#[test]
fn the_call_needs_the_whole_list_without_its_name() {
    for (case, pages) in [
        (
            "the name is listed",
            vec![tools(&["a", PROBE_TOOL_NAME], Value::Null)],
        ),
        (
            "listed on a later page",
            vec![
                tools(&["a"], json!("2")),
                tools(&[PROBE_TOOL_NAME], Value::Null),
            ],
        ),
        ("no list", vec![reply(200, "application/json", "{}")]),
        ("an error", vec![error(200, -32_603, Value::Null)]),
        (
            "a list under 401",
            vec![with(list_with_status(401), "x", "y")],
        ),
        ("a list under 500", vec![list_with_status(500)]),
        ("a cursor that is no text", vec![tools(&["a"], json!(2))]),
        (
            "a cursor that repeats",
            vec![tools(&["a"], json!("2")), tools(&["b"], json!("2"))],
        ),
        (
            "a page that repeats",
            vec![tools(&["a"], json!("2")), tools(&["a"], json!("3"))],
        ),
        (
            "a later page that is none",
            vec![tools(&["a"], json!("2")), error(200, -32_602, Value::Null)],
        ),
        (
            "a later page with 500",
            vec![tools(&["a"], json!("2")), reply(500, "", "")],
        ),
        (
            "a later page as a page",
            vec![tools(&["a"], json!("2")), reply(200, "text/html", "")],
        ),
        (
            "a later page with 404",
            vec![tools(&["a"], json!("2")), reply(404, "", "")],
        ),
        (
            "a later page too late",
            vec![tools(&["a"], json!("2")), failure(FailureKind::TimedOut)],
        ),
        (
            "a later page too large",
            vec![
                tools(&["a"], json!("2")),
                broken(reply(200, "application/json", ""), FailureKind::TooLarge),
            ],
        ),
        (
            "a later page not decodable",
            vec![
                tools(&["a"], json!("2")),
                broken(reply(200, "application/json", ""), FailureKind::Undecodable),
            ],
        ),
        (
            "no request left",
            vec![
                tools(&["a"], json!("2")),
                failure(FailureKind::BudgetRequests),
            ],
        ),
        (
            "no time left",
            vec![tools(&["a"], json!("2")), failure(FailureKind::BudgetTime)],
        ),
    ] {
        let walled = pages.iter().any(|page| page.status() == Some(401));
        let mut steps = vec![("discover", discovered(&["2026-07-28"]))];
        steps.extend(["list 1", "list 2"].into_iter().zip(pages));
        if walled {
            steps.extend(metadata_after(&reply(401, "", "")));
        }
        let held = hold(case, steps);
        assert_eq!(held.stop(), None, "{case}");
    }
}

fn list_with_status(status: u32) -> Received {
    let mut received = list();
    received.exchanges[0].response.as_mut().unwrap().status = status;
    received
}

#[test]
fn ten_pages_are_read_and_no_more() {
    let names: Vec<String> = (1..=10).map(|page| format!("t{page}")).collect();
    let words: Vec<String> = (1..=10).map(|page| format!("list {page}")).collect();
    let mut steps = vec![("discover", discovered(&["2026-07-28"]))];
    for (name, word) in names.iter().zip(&words) {
        steps.push((word, tools(&[name], json!(name))));
    }
    let held = hold("page limit", steps);
    assert_eq!(held.stop(), None);
}

#[test]
fn a_server_that_asks_for_patience_is_left_at_once() {
    let late = |received: Received, value: &str| with(received, "retry-after", value);
    for (case, received, wait) in [
        ("429", reply(429, "", ""), 0),
        ("429 with seconds", late(reply(429, "", ""), "120"), 120),
        (
            "429 with a discover result",
            late(list_with_status(429), " 7 "),
            7,
        ),
        (
            "503 with seconds",
            late(reply(503, "text/html", "<html>"), "30"),
            30,
        ),
        (
            "503 with a date",
            late(reply(503, "", ""), "Mon, 30 Nov 2026 12:01:30 GMT"),
            90,
        ),
        ("503 with nonsense", late(reply(503, "", ""), "soon"), 0),
        ("a year", late(reply(429, "", ""), "31536000"), 86_400),
        (
            "429 and a wall",
            with(late(reply(429, "", ""), "5"), "www-authenticate", "Bearer"),
            5,
        ),
    ] {
        let held = hold(case, vec![("discover", received.clone())]);
        assert_eq!(
            held.stop(),
            Some((StopKind::RateLimited, 0, wait)),
            "{case}"
        );

        // In a session too, and then even the session is left as it is.
        let held = hold(
            case,
            vec![
                ("discover", reply(400, "", "")),
                ("initialize", session(initialized("2025-11-25"), "s")),
                ("initialized", accepted()),
                ("list 1", tools(&["a"], json!("2"))),
                ("list 2", received),
            ],
        );
        assert_eq!(
            held.stop(),
            Some((StopKind::RateLimited, 4, wait)),
            "{case}"
        );
    }
}

#[test]
fn a_request_that_breaks_off_ends_the_run() {
    for (kind, stop, ends_session) in [
        (FailureKind::NameNotFound, StopKind::ExchangeFailed, true),
        (FailureKind::PolicyRefused, StopKind::ExchangeFailed, true),
        (FailureKind::ConnectRefused, StopKind::ExchangeFailed, true),
        (FailureKind::ConnectionLost, StopKind::ExchangeFailed, true),
        (FailureKind::Tls, StopKind::ExchangeFailed, true),
        (FailureKind::NotHttp, StopKind::ExchangeFailed, true),
        (FailureKind::TooLarge, StopKind::ExchangeFailed, true),
        (FailureKind::TimedOut, StopKind::BudgetTime, false),
        (FailureKind::BudgetTime, StopKind::BudgetTime, false),
        (FailureKind::BudgetRequests, StopKind::BudgetRequests, true),
    ] {
        let case = kind.as_str_name();
        let held = hold(case, vec![("discover", failure(kind))]);
        assert_eq!(held.stop(), Some((stop, 0, 0)), "{case}");

        let mut steps = vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s")),
            ("initialized", accepted()),
            ("list 1", failure(kind)),
        ];
        if ends_session {
            steps.push(("delete", reply(200, "", "")));
        }
        let held = hold(case, steps);
        assert_eq!(held.stop(), Some((stop, 3, 0)), "{case}");
    }
    // On a later page the connection counts, the limits do not.
    let held = hold(
        "later page",
        vec![
            ("discover", discovered(&["2026-07-28"])),
            ("list 1", tools(&["a"], json!("2"))),
            ("list 2", failure(FailureKind::ConnectionLost)),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::ExchangeFailed, 2, 0)));
}

#[test]
fn a_wall_is_looked_at_from_outside() {
    let document = r#"{"authorization_servers": ["https://as.example/t"]}"#;
    let found = || reply(200, "application/json", document);
    let metadata = || {
        vec![
            ("prm /prm", found()),
            (
                "as /.well-known/oauth-authorization-server/t",
                reply(404, "", ""),
            ),
            (
                "as /.well-known/openid-configuration/t",
                reply(200, "application/json", "{}"),
            ),
        ]
    };
    for (case, mut steps) in [
        (
            "before the handshake",
            vec![("discover", wall()), ("initialize", wall())],
        ),
        (
            "at the acknowledgement",
            vec![
                ("discover", wall()),
                ("initialize", initialized("2025-11-25")),
                ("initialized", wall()),
            ],
        ),
        (
            "at the list",
            vec![
                ("discover", discovered(&["2026-07-28"])),
                ("list 1", wall()),
            ],
        ),
        (
            "at the call",
            vec![
                ("discover", discovered(&["2026-07-28"])),
                ("list 1", list()),
                ("call", wall()),
            ],
        ),
        (
            // A challenge once seen is not forgotten for a 401 without one.
            "at discover alone",
            vec![("discover", wall()), ("initialize", reply(401, "", ""))],
        ),
    ] {
        steps.extend(metadata());
        let held = hold(case, steps);
        assert_eq!(held.stop(), None, "{case}");
        let get = held
            .requests
            .iter()
            .find(|r| r.method == Method::Get)
            .unwrap();
        assert_eq!(get.url.as_str(), "https://h.example/prm", "{case}");
    }

    let held = hold(
        "a session behind the wall is ended last",
        vec![
            ("discover", reply(400, "", "")),
            ("initialize", session(initialized("2025-11-25"), "s")),
            ("initialized", accepted()),
            ("list 1", wall()),
            ("prm /prm", reply(404, "", "")),
            ("delete", reply(200, "", "")),
        ],
    );
    assert_eq!(held.stop(), None);
}

#[test]
fn metadata_that_cannot_be_had_stops_no_run() {
    for (kind, goes_on) in [
        (FailureKind::ConnectRefused, true),
        (FailureKind::PolicyRefused, true),
        (FailureKind::TooManyRedirects, true),
        (FailureKind::TooLarge, true),
        (FailureKind::BudgetRequests, false),
        (FailureKind::TimedOut, false),
        (FailureKind::BudgetTime, false),
    ] {
        let case = kind.as_str_name();
        let mut steps = vec![
            ("discover", reply(401, "", "")),
            ("initialize", reply(401, "", "")),
            (
                "prm /.well-known/oauth-protected-resource/mcp",
                failure(kind),
            ),
        ];
        if goes_on {
            steps.push((
                "prm /.well-known/oauth-protected-resource",
                reply(404, "", ""),
            ));
        }
        assert_eq!(hold(case, steps).stop(), None, "{case}");
    }
    // Being asked for patience does, wherever it happens.
    let held = hold(
        "429 on metadata",
        vec![
            ("discover", wall()),
            ("initialize", wall()),
            ("prm /prm", reply(429, "", "")),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::RateLimited, 2, 0)));
}

#[test]
fn a_firewall_is_not_the_server() {
    let challenged = |status| {
        with(
            reply(status, "text/html", "<html>"),
            "cf-mitigated",
            "challenge",
        )
    };
    for (case, received) in [
        ("403", challenged(403)),
        (
            "503 with Retry-After",
            with(challenged(503), "retry-after", "5"),
        ),
        (
            "401 with a challenge",
            with(challenged(401), "www-authenticate", "Bearer"),
        ),
        (
            "403 by its page",
            reply(403, "text/html", "<script>window._cf_chl_opt={}</script>"),
        ),
    ] {
        let held = hold(case, vec![("discover", received.clone())]);
        assert_eq!(held.stop(), None, "{case}");
        assert_eq!(held.mcp.offered_revision(), "2026-07-28", "{case}");
        let held = hold(
            case,
            vec![
                ("discover", reply(400, "", "")),
                ("initialize", session(initialized("2025-11-25"), "s")),
                ("initialized", received),
                ("delete", reply(200, "", "")),
            ],
        );
        assert_eq!(held.stop(), None, "{case}");
    }
}

#[test]
fn redirects_and_their_hops_count_as_exchanges() {
    let mut hops = reply(404, "", "");
    hops.exchanges.insert(0, Exchange::default());
    hops.exchanges.insert(0, Exchange::default());
    let held = hold(
        "index of what decided",
        vec![
            ("discover", reply(401, "", "")),
            ("initialize", reply(401, "", "")),
            ("prm /.well-known/oauth-protected-resource/mcp", hops),
            (
                "prm /.well-known/oauth-protected-resource",
                reply(429, "", ""),
            ),
        ],
    );
    assert_eq!(held.stop(), Some((StopKind::RateLimited, 5, 0)));
}

#[test]
fn answers_are_read_as_servers_send_them() {
    let body = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0"{id},"result":{{"supportedVersions":["2026-07-28"],"capabilities":{{}}}}}}"#
        )
    };
    for (case, received) in [
        (
            "charset and case",
            reply(
                200,
                "Application/JSON; charset=utf-8",
                &body(r#","id":"d1""#),
            ),
        ),
        ("no content type", reply(200, "", &body(r#","id":"d1""#))),
        (
            "the answer of a stream",
            reply(200, "text/event-stream", &body(r#","id":"d1""#)),
        ),
        ("no id", reply(200, "application/json", &body(""))),
        (
            "null id",
            reply(200, "application/json", &body(r#","id":null"#)),
        ),
        (
            "a number for a string",
            reply(200, "application/json", &body(r#","id":0"#)),
        ),
        (
            "a batch of one",
            reply(
                200,
                "application/json",
                &format!("[{}]", body(r#","id":"d1""#)),
            ),
        ),
        (
            "202",
            reply(202, "application/json", &body(r#","id":"d1""#)),
        ),
    ] {
        hold(
            case,
            vec![
                ("discover", received),
                ("list 1", tools(&[], Value::Null)),
                ("call", reply(404, "", "")),
            ],
        );
    }
    // Trap 25: a gateway that lists tools in modern dress and knows no discover.
    hold(
        "hybrid",
        vec![
            ("discover", error(404, -32_601, Value::Null)),
            ("initialize", initialized("2025-11-25")),
            ("initialized", accepted()),
            ("list 1", list()),
            ("call", no_such_tool()),
        ],
    );
}
