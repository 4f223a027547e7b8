//! Which era, which revision, and what a handshake that fails leads to.

use super::*;

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
fn a_refused_revision_that_the_refusal_lists_is_offered_again_once() {
    let refusal = || {
        let supported = json!({"supported": ["2025-11-25", "2026-07-28"]});
        error(400, -32_022, supported)
    };
    let listed = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
    let held = hold(
        "accepted then",
        vec![
            ("discover", refusal()),
            ("discover", result("d2", listed)),
            ("list 1", list()),
            ("call", no_such_tool()),
        ],
    );
    assert_eq!(held.requests[0].json()["id"], "d1");
    assert_eq!(
        held.requests[1].json()["params"],
        held.requests[0].json()["params"]
    );
    for (case, received) in [
        ("once only", refusal()),
        (
            "no fallback after a refusal",
            error(400, -32_020, Value::Null),
        ),
    ] {
        let held = hold(case, vec![("discover", refusal()), ("discover", received)]);
        assert_eq!(held.mcp.offered_revision(), "2026-07-28", "{case}");
    }
    let other_code = json!({"supported": ["2026-07-28"]});
    hold(
        "the list of another refusal",
        vec![("discover", error(400, -32_020, other_code))],
    );
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
        // What a header could carry here it can carry back.
        (&"x".repeat(20_000), true),
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
