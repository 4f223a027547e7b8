//! What is sent to a server that answers, from the first request to the last.

use touchstone_wire::PROBE_TOOL_NAME;

use super::*;

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
        ("the answer of a stream", answered(&body(r#","id":"d1""#))),
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

#[test]
fn json_in_no_event_of_a_stream_is_no_answer() {
    let unread = |result: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        reply(200, "text/event-stream", &body)
    };
    let held = hold(
        "labelled a stream",
        vec![
            (
                "discover",
                unread(json!({"supportedVersions": ["2026-07-28"]})),
            ),
            (
                "initialize",
                unread(json!({"protocolVersion": "2025-11-25"})),
            ),
        ],
    );
    assert_eq!(held.stop(), None);
}
